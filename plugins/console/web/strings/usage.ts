/** Strings of the usage page. */

export const usage_strings = {
  title: "Usage",
  text: "What you and your API keys did here, and what you hold.",
  period: "Period",
  periods: { "30": "30 days", "90": "90 days" },
  charts: {
    requests: "Requests",
    answers: "Answers",
    uploads: "New documents",
    storage_bytes: "Storage",
  } as Readonly<Record<string, string>>,
  /** Units of the requests chart. */
  series: { requests: "by API keys", console_requests: "by the console" } as Readonly<
    Record<string, string>
  >,
  columns: {
    requests: "By API keys",
    console_requests: "By the console",
    answers: "Answers",
    uploads: "New documents",
    storage_bytes: "Storage",
  },
  numbers: "Day by day",
  /** Shown instead of a chart. */
  nothing: {
    requests: "Nobody asked anything of the server in these days.",
    answers: "No question was answered in these days.",
    uploads: "No document came in these days.",
    storage_bytes: "Nothing was stored in these days.",
  } as Readonly<Record<string, string>>,
  total: (text: string) => `${text} in all`,
  now: (text: string) => `${text} now`,
  chart_label: (what: string, days: number) => `${what} of the last ${days} days`,
  held: "What you hold",
  held_text: "With the limits that apply to you.",
  limit: (used: string, limit: string) => `${used} of ${limit}`,
  no_limit: "no limit",
  kinds: { folders: "Folders", documents: "Documents", chats: "Chats", storage: "Storage" },
  rate: "Requests through the API",
  rate_text: (requests: string, seconds: number) =>
    `At most ${requests} in ${seconds} seconds, by all your keys together. The console has a ` +
    "window of its own.",
  no_rate: "There is no limit.",
  download: "CSV",
  day: "Day",
} as const;
