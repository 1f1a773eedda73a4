/** Transcriptions as the server sends them, and how they are shown. */
import type { Answer } from "../../api/types";
import type { TagTone } from "../../ui/tag";

export type TranscriptionRun = Answer<"getTranscription">;

/** The colour of a transcription's status. */
export const tones: Readonly<Record<TranscriptionRun["status"], TagTone>> = {
  pending: "plain",
  running: "run",
  completed: "ok",
  failed: "bad",
  cancelled: "plain",
};
/** The transcription is waiting or at work. */
export const isRunning = ({ status }: Pick<TranscriptionRun, "status">): boolean =>
  status === "pending" || status === "running";
