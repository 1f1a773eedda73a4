/** Health checks for other plugins: how to bring one, and how to have all of them made. */
import { service, shaped, slot } from "../../core/sdk";

export interface CheckResult {
  readonly status: "ok" | "warn" | "fail";
  /** What was found, in a sentence. */
  readonly detail: string;
  /** What to do about it; null when nothing is wrong. */
  readonly fix: string | null;
}
export const ok = (detail: string): CheckResult => ({ status: "ok", detail, fix: null });
/** The check itself could not be made. */
export const failed = (error: unknown): CheckResult => ({
  status: "fail",
  detail: `It could not be checked: ${error instanceof Error ? error.message : String(error)}.`,
  fix: null,
});
/**
 * A check on the system page and in `dossier doctor`. On the page it runs at most once a minute,
 * and is not waited for longer than three seconds.
 */
export interface SystemCheck {
  /** `Data directory`; its id is made of it: `data-directory`. */
  readonly name: string;
  readonly run: () => Promise<CheckResult>;
  /** How long a page uses the result again, milliseconds; default a minute. */
  readonly hold_ms?: number;
  /**
   * Mends what `run` has found, when that loses nothing and may be done beside a server that runs.
   * Answers what was done, in a sentence. @throws Error when it can't be mended.
   */
  readonly mend?: () => Promise<string>;
}
export const SystemChecks = slot<SystemCheck>("console.system_checks", {
  check: shaped<SystemCheck>({
    name: "text",
    run: "function",
    hold_ms: "number?",
    mend: "function?",
  }),
});

export interface Checked extends CheckResult {
  readonly id: string;
  readonly name: string;
  /** Something is wrong, and `mend` knows what to do. */
  readonly mendable: boolean;
}
export interface Doctor {
  /** For a page: what takes longer than it waits is said to be under way. */
  look(): Promise<Checked[]>;
  /** Every check to its end, one after the other. */
  examine(options?: { readonly without?: readonly string[] }): AsyncIterable<Checked>;
  /** What was done, in a sentence. @throws HttpError 404, Error when it can't be mended. */
  mend(id: string): Promise<string>;
}
export const Doctor = service<Doctor>("doctor");
/** The same for `dossier doctor`, which opens the data directory itself. */
export const Doctors = slot<Doctor>("doctor.all");
