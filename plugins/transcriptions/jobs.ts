/**
 * The jobs of transcriptions: name and payload, how they are enqueued, what they run and their
 * limits. A run is downloaded if it has a URL, and then read (captions) or transcribed
 * (recordings).
 */
import { every, handle, job, t, type Context, type Db, type JobHandler } from "../../core/sdk";
import { UserDeactivated } from "../accounts/contract";
import type { TranscriptionRunner } from "./runner";
import type { TranscriptionRuns } from "./runs";
import type { RunRow } from "./store";

const OfRun = t.Object({ run_id: t.String() });
/** Downloads the file of a run from its URL. */
const FetchRecording = job("transcriptions.fetch", OfRun);
/** Creates the document of captions. */
const ReadCaptions = job("transcriptions.read", OfRun);
/** Creates the document of a recording. */
const TranscribeRecording = job("transcriptions.hear", OfRun);

const minute_ms = 60_000;
/** Time for the work before and after transcribing. */
const overhead_ms = 5 * minute_ms;

/** Enqueues the next step of a run. */
export const enqueueNext =
  (enqueue: Context["enqueue"]) =>
  (tx: Db, { id, owner_id, kind, sha256 }: RunRow): Promise<void> => {
    const step =
      sha256 === null ? FetchRecording : kind === "captions" ? ReadCaptions : TranscribeRecording;
    return enqueue(
      tx,
      step,
      { run_id: id },
      { subject: id, key: id, owner: owner_id, queue: `${step.id}:${owner_id}` },
    );
  };

/** The jobs of a run with their limits. */
export const transcriptionJobs = (
  runner: TranscriptionRunner,
  config: { readonly timeout: number; readonly concurrency: number },
): readonly JobHandler[] => {
  const common: Pick<
    JobHandler["limits"],
    "attempts_max" | "crashes_max" | "intake" | "onExhausted"
  > = {
    attempts_max: 3,
    intake: true,
    // A crash of the server does not count as a failed attempt of the recording.
    crashes_max: 10,
    onExhausted: (tx, payload, reason, cause) => runner.fail(tx, payload, reason, cause),
  };
  return [
    handle(FetchRecording, (payload, run) => runner.fetch(payload, run), {
      ...common,
      timeout_ms: 60 * minute_ms,
      concurrency: 16,
      io_bound: true,
    }),
    handle(ReadCaptions, (payload, run) => runner.readCaptions(payload, run), {
      ...common,
      timeout_ms: overhead_ms,
      // The largest take tens of megabytes, of which several copies are made in turn.
      concurrency: 1,
      each_process: true,
    }),
    handle(TranscribeRecording, (payload, run) => runner.transcribe(payload, run), {
      ...common,
      get timeout_ms() {
        return config.timeout + overhead_ms;
      },
      get concurrency() {
        return config.concurrency;
      },
    }),
    handle(UserDeactivated, (payload) => runner.endAllOf(payload), {
      attempts_max: 20,
      timeout_ms: minute_ms,
      concurrency: 4,
      ownerOf: ({ user_id }) => user_id,
      uses_reserve: true,
    }),
  ];
};

/** Deletes runs past their retention time. */
export const Prune = job("transcriptions.prune", t.Object({}));

/** Deletes runs after the retention time. */
export const pruneJob = (
  runs: Pick<TranscriptionRuns, "deleteBefore">,
  { keep_ms, certain_now_ms }: Pick<Context, "certain_now_ms"> & { readonly keep_ms: () => number },
): JobHandler =>
  handle(Prune, (_payload, { signal }) => runs.deleteBefore(certain_now_ms() - keep_ms(), signal), {
    attempts_max: 3,
    timeout_ms: 10 * minute_ms,
    uses_reserve: true,
  });

/** Once a day. */
export const transcriptionSchedules = [every("53 3 * * *", Prune, {})];
