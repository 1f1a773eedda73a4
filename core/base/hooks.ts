/**
 * Hooks that are asked before something happens, and may refuse it: a virus scan before a document
 * is taken in, a policy before a question is answered.
 */
import { TimeLimit } from "../lib/timeout";
import { HttpError } from "./errors";
import { errorFields, type Log } from "./log";
import { slot, type SlotRef } from "./refs";
import { shaped } from "./shape";

/** Asked about a subject before anything of it is written: nobody sees it until all hooks agree. */
export interface BeforeHook<S> {
  /** What it checks, in a few words, such as `virus scan`: the log and the answers name it. */
  readonly name: string;
  /** Hooks of a lower order are asked first, those of the same by name. Default 0. */
  readonly order?: number;
  /** How long it may take, milliseconds. Default 30,000. */
  readonly timeout_ms?: number;
  /**
   * What becomes of the subject when the hook itself fails, or takes too long: `refuse` answers 503
   * `check_failed`, `allow` lets it pass. The log tells it either way. Default `refuse`.
   */
  readonly on_fault?: "refuse" | "allow";
  /**
   * Lets it pass, or throws what `refused` makes. `signal` fires at the time limit, and when
   * whoever asked has gone. @throws HttpError 4xx to refuse; anything else is a fault
   */
  before(subject: S, signal: AbortSignal): Promise<void> | void;
}

/** The slot of a kind of hook. */
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
 * A refusal, for a hook to throw: a sentence for the person, and a code for programs. A code of
 * one's own is told to the API document: `fill(DocumentParts, { codes: { infected: "…" } })`.
 */
export const refused = (detail: string, code = "refused"): HttpError =>
  new HttpError(422, code, detail);

/** The code of what was not let through because a hook failed. */
export const check_failed = "check_failed";
/** For the API document: how a route answers that asks hooks. */
export const check_errors = {
  422: {
    refused: "A plugin refuses it, with this code or one of its own. Nothing was saved.",
  },
  503: { check_failed: "A check of a plugin failed. Nothing was saved; try again later." },
} as const;
const timeout_ms_default = 30_000;
const retry_after_s = 10;

/** A hook and the plugin that brings it. */
interface OfPlugin<S> {
  readonly plugin: string;
  readonly value: BeforeHook<S>;
}
export interface HooksParts<S> {
  /** The slot. */
  readonly read: () => readonly BeforeHook<S>[];
  /** The same with the plugins, for what is said of a fault. */
  readonly filled: () => readonly OfPlugin<S>[];
  readonly log: Log;
}

/** Asks the hooks of a slot. Costs next to nothing while there are none. */
export class Hooks<S> {
  constructor(private readonly parts: HooksParts<S>) {}

  /** Whether anybody wants to be asked. */
  get any(): boolean {
    return this.parts.read().length > 0;
  }

  /**
   * Asks one after the other; the first refusal ends it. @throws HttpError of the hook, 503
   * `check_failed`, and the reason of the signal
   */
  async ask(subject: S, signal?: AbortSignal): Promise<void> {
    if (!this.any) return;
    for (const one of this.parts.filled().toSorted(inOrder))
      await this.askOne(one, subject, signal);
  }

  private async askOne(
    { plugin, value: hook }: OfPlugin<S>,
    subject: S,
    given: AbortSignal | undefined,
  ): Promise<void> {
    const { log } = this.parts;
    const { name, timeout_ms = timeout_ms_default, on_fault = "refuse" } = hook;
    const late = new Error(`it took longer than ${timeout_ms / 1_000} s`);
    const limit = new TimeLimit(timeout_ms, { signal: given, reason: () => late });
    try {
      await limit.race((async () => hook.before(subject, limit.signal))());
    } catch (error) {
      given?.throwIfAborted();
      if (isRefusal(error)) {
        log.info("a check refused", { plugin, check: name, code: error.code });
        throw error;
      }
      const allowed = on_fault === "allow";
      const outcome = allowed ? "let through" : "refused";
      log.error("a check failed", { plugin, check: name, outcome, ...errorFields(error) });
      if (!allowed)
        throw failed(
          `“${name}” of the plugin ${plugin}`,
          error === late ? ` (${late.message})` : "",
        );
    } finally {
      limit.clear();
    }
  }
}

const inOrder = ({ value: one }: OfPlugin<any>, { value: other }: OfPlugin<any>): number =>
  (one.order ?? 0) - (other.order ?? 0) || (one.name < other.name ? -1 : 1);

const isRefusal = (error: unknown): error is HttpError =>
  error instanceof HttpError && error.status >= 400 && error.status < 500;

const failed = (check: string, why: string): HttpError =>
  new HttpError(
    503,
    check_failed,
    `The check ${check} failed${why}, so nothing was let through. Try again, or tell the ` +
      "operator of the server.",
    { headers: { "retry-after": String(retry_after_s) } },
  );
