/**
 * The health of the language model according to its latest calls: what `/health` reports, and the
 * check whether a failed model is back.
 */
import { leftUntil } from "../../core/lib/timeout";
import type { Context } from "../../core/sdk";
import type { FailureKind, ProviderFailure } from "./failure";

/**
 * Failures in a row before it is reported: each is an answer that was retried several times, so one
 * is enough for an unreachable model; a busy or slow one may just have much to do.
 */
const failures_min: Readonly<Partial<Record<FailureKind, number>>> = {
  unavailable: 1,
  refused: 1,
  slow: 2,
  busy: 3,
};
/** The minimum interval between test calls to a failing model, made only when somebody looks. */
const test_every_ms = 15_000;

const advice: Readonly<Partial<Record<FailureKind, string>>> = {
  unavailable:
    "Start it, or correct answers.base_url (DOSSIER_ANSWERS_BASE_URL). Run `dossier config " +
    "test answers` to see what is wrong.",
  refused:
    "Correct answers.api_key, answers.model or answers.base_url. Run `dossier config test " +
    "answers` to see which.",
  slow:
    "Run it on faster hardware, lower answers.passages_max, or raise " +
    "answers.first_word_timeout.",
  busy: "Check the limits of that account, or lower answers.model_concurrency.",
};

/** How the model is tested. */
export interface ModelHealthContext extends Pick<Context, "now_ms"> {
  /** Asks the model for one word. @throws when there is none. */
  readonly ask: () => Promise<unknown>;
  readonly fallback: "extractive" | "fail";
}

/** Counts failures in a row. */
export class ModelHealth {
  private last: ProviderFailure | null = null;
  private failures = 0;
  private tested_at_ms = 0;
  private is_testing = false;

  constructor(private readonly ctx: ModelHealthContext) {}

  /** It has responded, whatever it said. */
  succeeded(): void {
    this.failures = 0;
    this.last = null;
  }

  /** A call has failed. */
  failed(failure: ProviderFailure): void {
    if (!(failure.kind in failures_min)) return this.succeeded();
    this.failures += 1;
    this.last = failure;
    this.tested_at_ms = this.ctx.now_ms();
  }

  /**
   * Why questions get no answer from the model, and what to do; null when they do. Calling this
   * triggers a test call, so that recovery is noticed without a question.
   */
  failing(): string | null {
    const { last } = this;
    if (last === null || this.failures < failures_min[last.kind]!) return null;
    this.testModel();
    const instead =
      this.ctx.fallback === "extractive" ? "answers quote the documents" : "questions fail";
    const reason = `The language model is not responding, so ${instead}: ${last.message}.`;
    return `${reason} ${advice[last.kind]}`;
  }

  private testModel(): void {
    const { now_ms, ask } = this.ctx;
    if (
      this.is_testing ||
      leftUntil(this.tested_at_ms + test_every_ms, now_ms(), test_every_ms) > 0
    )
      return;
    this.is_testing = true;
    void ask()
      .then(
        () => this.succeeded(),
        () => undefined,
      )
      .finally(() => {
        this.is_testing = false;
        this.tested_at_ms = now_ms();
      });
  }
}
