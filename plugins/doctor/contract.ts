/** Health checks for other plugins: how to add one, and how to run all of them. */
import { messageOf } from "../../core/lib/error-message";
import { service, shaped, slot } from "../../core/sdk";

/** What a check found. */
export interface CheckResult {
  readonly status: "ok" | "warn" | "fail";
  /** What was found, as a sentence. */
  readonly detail: string;
  /** What to do about it; null if nothing is wrong. */
  readonly fix: string | null;
  /** False when `mend` can't repair what was found. */
  readonly mendable?: boolean;
}
/** The result when nothing is wrong. */
export const ok = (detail: string): CheckResult => ({ status: "ok", detail, fix: null });
/** The check itself could not run. */
export const failed = (error: unknown): CheckResult => ({
  status: "fail",
  detail: `It could not be checked: ${messageOf(error)}.`,
  fix: null,
});
/**
 * A check on the system page and in `dossier doctor`. The page runs it at most once a minute and
 * waits at most three seconds for it.
 */
export interface SystemCheck {
  /** Such as `Data directory`; its id is derived from it: `data-directory`. */
  readonly name: string;
  readonly run: () => Promise<CheckResult>;
  /**
   * For `dossier doctor --deep`, in place of `run`: reads everything there is, however long that
   * takes. `say` tells people how far it is, as in `120 files so far`.
   */
  readonly deep?: (onProgress: (progress: string) => void) => Promise<CheckResult>;
  /** How long a page reuses the result, in milliseconds. Default: a minute. */
  readonly hold_ms?: number;
  /**
   * Repairs what `run` has found, if that loses nothing and is safe beside a running server.
   * Returns what was done, as a sentence. @throws Error when it can't be repaired.
   */
  readonly mend?: () => Promise<string>;
}
/** Checks that plugins add. */
export const SystemChecks = slot<SystemCheck>("console.system_checks", {
  check: shaped<SystemCheck>({
    name: "text",
    run: "function",
    deep: "function?",
    hold_ms: "number?",
    mend: "function?",
  }),
});

/** The result of a check, with its name. */
export interface Checked extends CheckResult {
  readonly id: string;
  readonly name: string;
  /** Something is wrong, and `mend` can repair it. */
  readonly mendable: boolean;
}
/** Which checks are run, and how thoroughly. */
export interface ExamineOptions {
  /** The ids of checks that are not made. */
  readonly without?: readonly string[];
  /** Reads all data; the callback gets the progress of each check. */
  readonly deep?: ((check: string, progress: string) => void) | undefined;
}
/** Runs all checks, and repairs what they find. */
export interface Doctor {
  /** For a page: checks that take longer than it waits are reported as still running. */
  overview(): Promise<Checked[]>;
  /** Runs every check to its end, one after the other. */
  examine(options?: ExamineOptions): AsyncIterable<Checked>;
  /**
   * Returns what was done, as a sentence. @throws HttpError 404, Error when it can't be repaired.
   */
  mend(id: string): Promise<string>;
}
export const Doctor = service<Doctor>("doctor");
/** The same for `dossier doctor`, which opens the data directory itself. */
export const Doctors = slot<Doctor>("doctor.all");
