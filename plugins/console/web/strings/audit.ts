/** Strings of the audit log. */

export const audit_strings = {
  title: "Audit log",
  text:
    "Who did what to which record, and from where. Document texts and secrets are never " +
    "recorded.",
  label: "Entries",
  when: "When",
  who: "Who",
  what: "What",
  where: "From",
  outcome: "Outcome",
  outcomes: { done: "Done", refused: "Refused", failed: "Failed" },
  any_outcome: "All outcomes",
  actor: "User",
  actor_hint: "Email or id",
  action: "Action",
  action_hint: "Delete folder",
  record: "Record",
  record_hint: "Record id",
  since: "From",
  until: "To",
  nobody: "Unknown",
  via: { api: "API key", console: "Console", command_line: "Command line" } as Readonly<
    Record<string, string>
  >,
  csv: "CSV",
  json: "JSON",
  export_label: (format: string) => `Export the filtered entries as ${format}`,
  empty_title: "No entries yet",
  empty_text: "Sign-ins and changes appear here.",
  none_title: "No matching entries",
  none_text: "No entry matches all of these filters.",
  clear: "Clear filters",
} as const;
