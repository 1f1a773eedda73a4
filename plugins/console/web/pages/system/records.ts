/** The state of the server, as administrators get it. */
import type { TagTone } from "../../ui/tag";

export type CheckStatus = "ok" | "warn" | "fail";
export interface Check {
  readonly name: string;
  readonly status: CheckStatus;
  readonly detail: string;
  readonly fix: string | null;
}
export interface PluginState {
  readonly name: string;
  readonly version: string | null;
  readonly built_in: boolean;
  readonly status: "loaded" | "failing" | "left_out";
  readonly reason: string | null;
}
export interface SystemState {
  readonly version: string;
  readonly commit: string | null;
  readonly uptime_s: number;
  readonly checks: readonly Check[];
  readonly storage: {
    readonly database_bytes: number;
    readonly files_bytes: number;
    readonly free_bytes: number;
  };
  readonly jobs: { readonly ready: number; readonly running: number; readonly failed: number };
  readonly plugins: readonly PluginState[];
}
export interface Job {
  readonly id: string;
  readonly plugin: string;
  readonly name: string;
  readonly state: string;
  readonly attempts: number;
  readonly attempts_max: number;
  readonly error: string | null;
  readonly run_at: string;
  readonly created_at: string;
  readonly subject: string | null;
  /** Whether an administrator may run it again here; otherwise its record has its own way. */
  readonly retriable: boolean;
}
export interface LogLine {
  readonly at: string;
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}
export interface SettingInForce {
  readonly name: string;
  readonly value: string | null;
  readonly origin: string;
}

export const check_tones: Readonly<Record<CheckStatus, TagTone>> = {
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
