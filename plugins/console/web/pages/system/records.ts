/** The state of the server, as administrators get it. */
import type { Answer, RowOf } from "../../api/types";
import type { TagTone } from "../../ui/tag";

export type SystemState = Answer<"getSystem">;
export type Check = SystemState["checks"][number];
export type PluginState = SystemState["plugins"][number];
export type Job = RowOf<"listJobs">;
export type LogLine = RowOf<"listLogLines">;

export const check_tones: Readonly<Record<Check["status"], TagTone>> = {
  ok: "ok",
  warn: "warn",
  fail: "bad",
};
export const plugin_tones: Readonly<Record<PluginState["status"], TagTone>> = {
  loaded: "ok",
  failing: "warn",
  left_out: "bad",
};
export const level_tones: Readonly<Record<string, TagTone>> = { error: "bad", warn: "warn" };
