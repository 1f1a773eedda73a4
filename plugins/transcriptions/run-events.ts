/** The events of runs on the stream `GET /events`. */
import { Failure, t, type PayloadOf } from "../../core/sdk";
import { RunningStatus, streamed } from "../events/contract";
import { TranscriptionChanged } from "./contract";
import { CompletedEvent, completedEvent } from "./runner";

const { processing_run_id } = CompletedEvent.properties;
const fields = {
  processing_run_id,
  folder_id: t.String(),
  progress: t.Number({ minimum: 0, maximum: 1 }),
};
const sample = {
  processing_run_id: "trn_00000000000000000000000000",
  folder_id: "fld_00000000000000000000000000",
  progress: 0.4,
};

const stateOf = (run: PayloadOf<typeof TranscriptionChanged>) => ({
  processing_run_id: run.transcription_id,
  folder_id: run.folder_id,
  status: run.status,
  progress: run.progress,
});

/** Progress events of a run replace one another. */
export const streamedRun = streamed(
  TranscriptionChanged,
  [
    {
      type: "transcription.changed",
      description: "A transcription has begun, or goes on. Of several, only the last may be told.",
      schema: t.Object({
        event: t.Literal("transcription.changed"),
        status: RunningStatus,
        ...fields,
      }),
      sample: { event: "transcription.changed", status: "running", ...sample },
    },
    {
      type: "transcription.completed",
      description: "A transcription is completed, and its document made.",
      schema: CompletedEvent,
      sample: completedEvent(sample.processing_run_id),
    },
    {
      type: "transcription.failed",
      description: "A transcription has failed for good.",
      schema: t.Object({
        event: t.Literal("transcription.failed"),
        status: t.Literal("failed"),
        ...fields,
        error: Failure,
      }),
      sample: {
        event: "transcription.failed",
        status: "failed",
        ...sample,
        error: { code: "no_transcriber", message: "Nobody here can hear recordings." },
      },
    },
    {
      type: "transcription.cancelled",
      description: "A transcription was cancelled.",
      schema: t.Object({
        event: t.Literal("transcription.cancelled"),
        status: t.Literal("cancelled"),
        ...fields,
      }),
      sample: { event: "transcription.cancelled", status: "cancelled", ...sample },
    },
  ],
  (run) => {
    const about = {
      owner_id: run.owner_id,
      folder_ids: [run.folder_id],
      replaces: `transcription ${run.transcription_id}`,
    };
    const body = stateOf(run);
    switch (run.status) {
      case "pending":
      case "running":
        return { ...about, type: "transcription.changed", body };
      case "completed": {
        const { event: type, ...completed } = completedEvent(run.transcription_id);
        return { ...about, type, body: completed, stays: true };
      }
      case "failed":
        return {
          ...about,
          type: "transcription.failed",
          body: { ...body, error: run.error },
          stays: true,
        };
      case "cancelled":
        return { ...about, type: "transcription.cancelled", body, stays: true };
    }
  },
);
