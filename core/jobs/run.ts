/**
 * One run of one job: the handler with its time limit, then one transaction that ends the job and
 * does what the handler asked for.
 */
import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { spread } from "../base/chance";
import type { Clock } from "../base/clock";
import { errorFields, type Log } from "../base/log";
import { PermanentFailure, type ExhaustedCause, type JobEffect, type JobHandler } from "./contract";
import { isStorageFault, storageFull } from "../store/storage-errors";
import type { Store } from "../store/store";
import { canReturn } from "./overview";
import * as table from "./table";

/** Why a run was told to stop. */
export class Stopped extends Error {
  override readonly name = "AbortError";
  constructor(
    readonly why: "timeout" | "cancelled" | "lost" | "shutdown",
    message: string,
  ) {
    super(message);
  }
}

export interface Run {
  readonly job: table.Claimed;
  readonly handler: JobHandler;
  readonly controller: AbortController;
}
export interface RunParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a handler may go on after its signal fired before its slot is given to another. */
  readonly grace_ms: number;
}

type Outcome =
  | { readonly kind: "done"; readonly effect: JobEffect | void }
  | {
      readonly kind: "failed";
      readonly cause: ExhaustedCause;
      readonly reason: string;
      readonly permanent: boolean;
    }
  /** Not the fault of the job: it waits `delay_ms` and the attempt does not count. */
  | { readonly kind: "interrupted"; readonly delay_ms: number }
  /** It failed for good, and even saying so failed: said again later. */
  | { readonly kind: "postponed"; readonly reason: string }
  /** Cancelled, or another has the lease: nothing to write. */
  | { readonly kind: "dropped" };

const storage_pause_ms = 2_000;
const postponed_ms = 60_000;
const reason_max = 500;

/** Runs the job and ends it. Never throws. */
export async function run(parts: RunParts, { job, handler, controller }: Run): Promise<void> {
  const log = parts.log.child({ job: job.id, name: job.name, attempt: job.attempts });
  try {
    await settle(
      { ...parts, log },
      job,
      handler,
      await outcomeOf({ ...parts, log }, job, handler, controller),
      controller.signal,
    );
  } catch (error) {
    log.error(
      "the end of a job could not be written; it runs again when its lease is over",
      errorFields(error),
    );
  }
}

async function outcomeOf(
  parts: RunParts,
  job: table.Claimed,
  handler: JobHandler,
  controller: AbortController,
): Promise<Outcome> {
  if (job.attempts > job.attempts_max)
    return {
      kind: "failed",
      cause: "crash",
      permanent: true,
      reason: `the server ended during each of ${job.attempts_max} attempts`,
    };
  const { timeout_ms } = handler.limits;
  const timer = setTimeout(
    () => controller.abort(new Stopped("timeout", `it took longer than ${timeout_ms / 1_000} s`)),
    timeout_ms,
  );
  const running = (async () =>
    handler.run(checkedPayload(handler.on.payload, job.payload), {
      id: job.id,
      attempt: job.attempts,
      attempts_max: job.attempts_max,
      signal: controller.signal,
    }))();
  const abandoned = graceAfter(controller.signal, parts.grace_ms);
  try {
    const effect = await Promise.race([running, abandoned.promise]);
    const stopped = stoppedBy(controller.signal);
    return stopped === undefined || stopped.why === "shutdown"
      ? { kind: "done", effect }
      : outcomeOfStop(stopped);
  } catch (error) {
    if (error === abandoned.error) {
      parts.log.error(
        "a job ignores its signal; it keeps running without its slot, and what it returns is not " +
          "used",
        { signal: controller.signal.reason?.message },
      );
      running.catch(() => undefined);
    }
    const stopped = stoppedBy(controller.signal);
    return stopped ? outcomeOfStop(stopped) : failure(error);
  } finally {
    clearTimeout(timer);
    abandoned.clear();
  }
}

/** @throws PermanentFailure when the payload does not fit the schema any more. */
function checkedPayload(schema: TSchema, text: string): unknown {
  const payload: unknown = JSON.parse(text);
  const problem = Value.Errors(schema, payload).First();
  if (problem)
    throw new PermanentFailure(
      `the payload does not fit: ${problem.path || "/"} ${problem.message}`,
    );
  return payload;
}

/** A promise that rejects with `error` once the signal fired and the grace is over. */
function graceAfter(signal: AbortSignal, grace_ms: number) {
  const { promise, reject } = Promise.withResolvers<never>();
  const error = new Error("the grace after a signal is over");
  let timer: ReturnType<typeof setTimeout> | undefined;
  const begin = () => {
    timer = setTimeout(() => reject(error), grace_ms);
  };
  if (signal.aborted) begin();
  else signal.addEventListener("abort", begin, { once: true });
  return {
    promise,
    error,
    clear: () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", begin);
    },
  };
}

const stoppedBy = (signal: AbortSignal): Stopped | undefined =>
  signal.reason instanceof Stopped ? signal.reason : undefined;

function outcomeOfStop(stopped: Stopped): Outcome {
  if (stopped.why === "timeout")
    return { kind: "failed", cause: "timeout", permanent: false, reason: stopped.message };
  return stopped.why === "shutdown" ? { kind: "interrupted", delay_ms: 0 } : { kind: "dropped" };
}

function failure(error: unknown): Outcome {
  if (isStorageFault(error)) return { kind: "interrupted", delay_ms: storage_pause_ms };
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, reason_max);
  return { kind: "failed", cause: "error", reason, permanent: error instanceof PermanentFailure };
}

/**
 * Writes the outcome; when that fails, the outcome that follows from it. A storage fault is waited
 * out.
 */
async function settle(
  parts: RunParts,
  job: table.Claimed,
  handler: JobHandler,
  outcome: Outcome,
  signal: AbortSignal,
): Promise<void> {
  try {
    if (!(await write(parts, job, handler, outcome)))
      parts.log.warn("a job ended too late: it was cancelled, or another run has it", {
        outcome: outcome.kind,
      });
  } catch (error) {
    if (isStorageFault(error)) {
      parts.log.error("the storage fails; the end of a job waits for it", errorFields(error));
      await Bun.sleep(storage_pause_ms);
      if (stoppedBy(signal)?.why === "shutdown") return;
      return settle(parts, job, handler, outcome, signal);
    }
    if (outcome.kind === "done") return settle(parts, job, handler, failure(error), signal);
    if (outcome.kind !== "failed") throw error;
    parts.log.error(
      "what is to be done when a job fails for good failed itself",
      errorFields(error),
    );
    return settle(parts, job, handler, { kind: "postponed", reason: outcome.reason }, signal);
  }
}

/** False when the job is no longer ours; nothing was written then. */
async function write(
  { store, clock, log }: RunParts,
  job: table.Claimed,
  handler: JobHandler,
  outcome: Outcome,
): Promise<boolean> {
  const now_ms = clock.now_ms();
  switch (outcome.kind) {
    case "dropped":
      return true;
    case "interrupted":
      return table.returnJob(store.db, job, now_ms + outcome.delay_ms);
    case "postponed":
      return table.retryJob(store.db, job, outcome.reason, now_ms + postponed_ms);
    case "done": {
      const { effect } = outcome;
      // What room is left on a full disk is for deletions.
      if (effect && store.isDiskFull()) throw storageFull();
      if (!effect) return table.completeJob(store.db, job, now_ms);
      return store.inTransaction(async (tx) => {
        if (!(await table.completeJob(tx, job, now_ms))) return false;
        await effect(tx);
        return true;
      });
    }
    case "failed": {
      const again = !outcome.permanent && job.attempts < job.attempts_max;
      log.warn(again ? "a job failed and will run again" : "a job failed for good", {
        reason: outcome.reason,
      });
      if (again)
        return table.retryJob(
          store.db,
          job,
          outcome.reason,
          now_ms + pause_ms(handler, job.attempts),
        );
      return giveUp(store, job, handler, outcome, now_ms);
    }
  }
}

const giveUp = (
  store: Store,
  job: table.Claimed,
  { on, limits }: JobHandler,
  { reason, cause }: Outcome & { kind: "failed" },
  now_ms: number,
): Promise<boolean> =>
  store.inTransaction(async (tx) => {
    if (!(await table.failJob(tx, job, reason, now_ms, canReturn(limits)))) return false;
    const payload: unknown = JSON.parse(job.payload);
    // A payload that does not fit the schema can't be handed to code that relies on it.
    if (Value.Check(on.payload, payload)) await limits.onExhausted?.(tx, payload, reason, cause);
    return true;
  });

/**
 * 1 s, 4 s, 16 s … at most 5 min, give or take a fifth, so that what failed together does not
 * return together.
 */
const pause_ms = ({ limits }: JobHandler, attempt: number): number =>
  limits.backoff_ms?.(attempt) ?? spread(Math.min(300_000, 1_000 * 4 ** (attempt - 1)), 0.2);
