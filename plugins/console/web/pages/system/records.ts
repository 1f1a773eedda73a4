/** The state of the server, as administrators get it. */
import type { Answer, RowOf } from "../../api/types";
import { system_strings as strings } from "../../strings/system";
import type { TagTone } from "../../ui/tag";

export type SystemState = Answer<"getSystem">;
export type Check = SystemState["checks"][number];
export type NodeState = SystemState["nodes"][number];
export type PluginState = SystemState["plugins"][number];
export type Job = RowOf<"listJobs">;
export type LogLine = RowOf<"listLogLines">;

/** The colour of a check's result. */
export const check_tones: Readonly<Record<Check["status"], TagTone>> = {
  ok: "ok",
  warn: "warn",
  fail: "bad",
};
/** The colour of a process's state. */
export const node_tones: Readonly<Record<NodeState["status"], TagTone>> = {
  up: "ok",
  silent: "warn",
  gone: "bad",
};
/** The colour of a log level; others are neutral. */
export const level_tones: Readonly<Record<string, TagTone>> = { error: "bad", warn: "warn" };

const minute_s = 60;
const hour_s = 3_600;
const day_s = 86_400;
/** `under a minute`, `3 min`, `2 h 5 min`, `4 days`. */
export function roughDuration(seconds: number): string {
  if (seconds < minute_s) return strings.moment;
  if (seconds < hour_s) return `${Math.floor(seconds / minute_s)} min`;
  return seconds < day_s
    ? `${Math.floor(seconds / hour_s)} h ${Math.floor((seconds % hour_s) / minute_s)} min`
    : strings.days(Math.floor(seconds / day_s));
}
