/** The words of webhooks and their deliveries. */

export const webhook_words = {
  title: "Webhooks", one: "Webhook", text: "Dossier tells your own services, by an HTTP POST, when an import or a transcription has ended.", label: "Webhooks",
  create: "Register webhook", url: "URL", event: "Event", last: "Last delivery", created: "Registered", actions: "Actions", none_yet: "None yet",
  empty_title: "No webhooks yet", empty_text: "Register an address, and it is told when a run has ended, so that it need not ask.",
  events: { "import.finished": "Import finished", "transcription.completed": "Transcription completed" } as Readonly<Record<string, string>>,
  create_title: "Register a webhook", url_hint: "On a public host, such as https://hooks.example.com/dossier", event_label: "When", checking: "Checking the host takes up to five seconds.",
  once_title: "The signing secret", once_text: "Copy this secret now. It is shown only once. With it your service checks that a delivery comes from this server.", once_label: "Signing secret", once_done: "I have saved it",
  once_leave: "Close without saving?", once_leave_text: "The secret can’t be shown again. You would have to rotate it.", once_leave_action: "Close", once_back: "Back",
  verify: "How to check a delivery", verify_language: "Language", verify_label: (language: string) => `Example for ${language}`,
  remove: "Delete webhook", remove_title: "Delete this webhook?", remove_text: "Its log goes too, and what waits to be delivered is not sent.", removed: "Webhook deleted.",
  rotate: "Rotate secret", rotate_title: "Rotate the signing secret?", rotate_text: "A new secret signs from now on. For 24 hours the header webhook-signature carries the old one too.",
  test: "Send test", tested: "Test on its way.", again: "Deliver again", again_label: (time: string) => `Deliver again what was due ${time}`, sent_again: "On its way again.",
  deliveries: "Deliveries", deliveries_text: "Of the last 30 days.", deliveries_label: "Deliveries", no_deliveries_title: "Nothing delivered yet", no_deliveries_text: "Send a test to see what your service receives.",
  due: "Due", status: "Status", answer: "Answer", attempts: "Attempts", took: "Took", next: "Next attempt", show: "Show", show_label: (time: string) => `Show the delivery due ${time}`,
  states: { pending: "Waiting", delivered: "Delivered", skipped: "Skipped", dropped: "Dropped", cancelled: "Cancelled" },
  state_texts: {
    pending: "Another attempt follows.", delivered: "The receiver answered with a 2xx.", skipped: "The host has an address that is not public; nothing is sent there.",
    dropped: "Three attempts failed; there is no further one.", cancelled: "Nothing is sent any more.",
  },
  no_answer: "No answer", attempt: (number: number) => `Attempt ${number}`, milliseconds: (ms: number) => ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`,
  request: "Request", response: "Response", request_label: "Body of the request", response_label: (number: number) => `Body of answer ${number}`, empty_body: "The answer had no body.", no_attempts: "No attempt has begun.",
  first_4k: "The first 4 KB of it.", id: "Message id",
} as const;
