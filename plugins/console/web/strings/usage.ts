/** Strings of the usage page. */
import { counted } from "../ui/format";

export const usage_strings = {
  title: "Usage",
  text: "Activity of your account and API keys, and what you have stored.",
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
  numbers: "Daily figures",
  /** Shown instead of a chart. */
  nothing: {
    requests: "No requests in this period.",
    answers: "No answers in this period.",
    uploads: "No new documents in this period.",
    storage_bytes: "Nothing was stored in this period.",
  } as Readonly<Record<string, string>>,
  total: (text: string) => `${text} in total`,
  now: (text: string) => `${text} now`,
  chart_label: (what: string, days: number) => `${what} of the last ${days} days`,
  held: "What you have stored",
  held_text: "And the limits that apply to you.",
  limit: (used: string, limit: string) => `${used} of ${limit}`,
  no_limit: "no limit",
  kinds: { folders: "Folders", documents: "Documents", chats: "Chats", storage: "Storage" },
  rate: "Requests through the API",
  rate_text: (requests: string, seconds: number) =>
    `At most ${requests} in ${counted(seconds, "second")} for all your keys together. The ` +
    "console is counted separately.",
  no_rate: "No limit.",
  download: "CSV",
  day: "Day",
} as const;
