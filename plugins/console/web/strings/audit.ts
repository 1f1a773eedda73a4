/** Strings of the audit log. */

export const audit_strings = {
  title: "Audit log",
  text:
    "Who did what to which record, and from where. It holds no text of documents and no " +
    "secrets.",
  label: "Entries",
  when: "When",
  who: "Who",
  what: "What",
  where: "From",
  outcome: "Outcome",
  outcomes: { done: "Done", refused: "Refused", failed: "Failed" },
  any_outcome: "Every outcome",
  actor: "User",
  actor_hint: "Email or id",
  action: "Action",
  action_hint: "Delete folder",
  record: "Record",
  record_hint: "Its id",
  since: "From day",
  until: "To day",
  nobody: "Nobody known",
  via: { api: "API key", console: "Console", command_line: "Command line" } as Readonly<
    Record<string, string>
  >,
  csv: "CSV",
  json: "JSON",
  export_label: (format: string) => `Export what is shown as ${format}`,
  empty_title: "Nothing happened yet",
  empty_text: "Sign-ins and changes appear here.",
  none_title: "Nothing matches",
  none_text: "No entry has all of these.",
  clear: "Clear filters",
} as const;
