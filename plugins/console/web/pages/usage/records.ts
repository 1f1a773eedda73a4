/** Usage as the server sends it, and as CSV. */
import type { Answer } from "../../api/types";

export type Usage = Answer<"getUsage">;
export type UsageDay = Usage["days"][number];
/** What is counted per day. */
export type Measure = Exclude<keyof UsageDay, "date">;
/** The measures in the order of the columns. */
export const measures = [
  "requests",
  "console_requests",
  "answers",
  "uploads",
  "storage_bytes",
] as const satisfies readonly Measure[];

/** One line per day, with a header. */
export const toCsv = (days: readonly UsageDay[]): string =>
  [
    ["date", ...measures].join(","),
    ...days.map((day) => [day.date, ...measures.map((measure) => day[measure])].join(",")),
  ].join("\r\n");
