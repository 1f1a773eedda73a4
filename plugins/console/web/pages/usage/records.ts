/** Usage as the server sends it. */

/** `storage_bytes` is what was held at the end of that day. */
export interface UsageDay {
  readonly date: string;
  readonly requests: number;
  readonly answers: number;
  readonly uploads: number;
  readonly storage_bytes: number;
}
export interface Usage {
  readonly days: readonly UsageDay[];
  readonly storage: {
    readonly bytes: number;
    readonly documents: number;
    readonly folders: number;
    readonly chats: number;
  };
  /** Null: there is no limit. */
  readonly limits: {
    readonly folders: number | null;
    readonly documents: number | null;
    readonly chats: number | null;
    readonly storage_bytes: number | null;
    readonly requests_per_window: number | null;
    readonly window_s: number | null;
  };
}
export type Measure = Exclude<keyof UsageDay, "date">;
export const measures: readonly Measure[] = ["requests", "answers", "uploads", "storage_bytes"];

/** One line for each day, with a head. */
export const toCsv = (days: readonly UsageDay[]): string =>
  [
    ["date", ...measures].join(","),
    ...days.map((day) => [day.date, ...measures.map((measure) => day[measure])].join(",")),
  ].join("\r\n");
