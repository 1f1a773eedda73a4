/**
 * Hooks that run before something happens and may refuse it: a virus scan before a document is
 * stored, a policy before a question is answered.
 */
import { TimeLimit } from "../lib/timeout";
import { HttpError } from "./errors";
import { errorFields, type Log } from "./log";
import { slot, type SlotRef } from "./refs";
import { shaped } from "./shape";

/** Called before anything of the subject is written; nobody sees it until all hooks agree. */
export interface BeforeHook<S> {
  /** What it checks, in a few words, such as `virus scan`: used in the log and in responses. */
  readonly name: string;
  /** Hooks run in ascending order, then by name. Default 0. */
  readonly order?: number;
  /** Time limit in milliseconds. Default 30,000. */
  readonly timeout_ms?: number;
  /**
   * What happens to the subject when the hook itself fails or takes too long: `refuse` responds 503
   * `check_failed`, `allow` lets it pass. Either way it is logged. Default `refuse`.
   */
  readonly on_fault?: "refuse" | "allow";
  /**
   * Returns to let the subject pass, or throws what `refused` makes. `signal` fires at the time
   * limit and when the caller has gone. @throws HttpError 4xx to refuse; anything else is a fault
   */
  before(subject: S, signal: AbortSignal): Promise<void> | void;
}

/** The slot for one kind of hook. */
export const beforeHook = <S>(id: string): SlotRef<BeforeHook<S>> =>
  slot<BeforeHook<S>>(id, { check, key: ({ name }) => `the check “${name}”` });

const shapeOfHook = shaped<BeforeHook<unknown>>({
  name: "text",
  order: "number?",
  timeout_ms: "number?",
  on_fault: "text?",
  before: "function",
});
function check(value: unknown): string | null {
  const { on_fault = "refuse" } = (value ?? {}) as { readonly on_fault?: unknown };
  return (
    shapeOfHook(value) ??
    (on_fault === "refuse" || on_fault === "allow"
      ? null
      : 'its `on_fault` must be "refuse" or "allow"')
  );
}

/**
 * A refusal for a hook to throw: a sentence for people and a code for programs. Declare a code of
 * your own for the API document: `fill(DocumentParts, { codes: { infected: "…" } })`.
 */
export const refused = (detail: string, code = "refused"): HttpError =>
  new HttpError(422, code, detail);

/** The code of a refusal caused by a failing hook. */
export const check_failed = "check_failed";
/** For the API document: the error responses of a route that runs hooks. */
export const check_errors = {
  422: {
    refused: "A plugin refuses it, with this code or one of its own. Nothing was saved.",
  },
  503: { check_failed: "A check of a plugin failed. Nothing was saved; try again later." },
} as const;
const timeout_ms_default = 30_000;
const retry_after_s = 10;

/** A hook and the plugin that provides it. */
interface FilledHook<S> {
  readonly plugin: string;
  readonly value: BeforeHook<S>;
}
/** Where `Hooks` finds the hooks of its slot. */
export interface HooksOptions<S> {
  /** Reads the slot. */
  readonly read: () => readonly BeforeHook<S>[];
  /** The same with the plugins, to name them when a hook fails. */
  readonly filled: () => readonly FilledHook<S>[];
  readonly log: Log;
}

/** Runs the hooks of a slot. Costs next to nothing while there are none. */
export class Hooks<S> {
  constructor(private readonly options: HooksOptions<S>) {}

  /** Whether any hook is registered. */
  get any(): boolean {
    return this.options.read().length > 0;
  }

  /**
   * Runs the hooks one after another; the first refusal ends it. @throws HttpError of the hook, 503
   * `check_failed`, or the reason of the signal
   */
  async run(subject: S, signal?: AbortSignal): Promise<void> {
    if (!this.any) return;
    for (const hook of this.options.filled().toSorted(inOrder))
      await this.runOne(hook, subject, signal);
  }

  private async runOne(
    { plugin, value: hook }: FilledHook<S>,
    subject: S,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { log } = this.options;
    const { name, timeout_ms = timeout_ms_default, on_fault = "refuse" } = hook;
    const timeout_error = new Error(`it took longer than ${timeout_ms / 1_000} s`);
    const limit = new TimeLimit(timeout_ms, { signal, reason: () => timeout_error });
    try {
      await limit.race((async () => hook.before(subject, limit.signal))());
    } catch (error) {
      signal?.throwIfAborted();
      if (isRefusal(error)) {
        log.info("a check refused a request", { plugin, check: name, code: error.code });
        throw error;
      }
      const allowed = on_fault === "allow";
      const outcome = allowed ? "let through" : "refused";
      log.error("a check failed", { plugin, check: name, outcome, ...errorFields(error) });
      if (!allowed)
        throw checkFailed(
          `“${name}” of the plugin ${plugin}`,
          error === timeout_error ? ` (${timeout_error.message})` : "",
        );
    } finally {
      limit.clear();
    }
  }
}

const inOrder = ({ value: a }: FilledHook<any>, { value: b }: FilledHook<any>): number =>
  (a.order ?? 0) - (b.order ?? 0) || (a.name < b.name ? -1 : 1);

const isRefusal = (error: unknown): error is HttpError =>
  error instanceof HttpError && error.status >= 400 && error.status < 500;

const checkFailed = (check: string, details: string): HttpError =>
  new HttpError(
    503,
    check_failed,
    `The check ${check} failed${details}, so the request was refused. Try again, or tell the ` +
      "operator of the server.",
    { headers: { "retry-after": String(retry_after_s) } },
  );
