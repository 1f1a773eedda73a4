/** Transcriptions as the server sends them, and how they are shown. */
import type { TagTone } from "../../ui/tag";

export type RunStatus = "pending" | "running" | "completed" | "failed" | "cancelled";
export interface TranscriptionRun {
  readonly id: string;
  readonly status: RunStatus;
  readonly folder_id: string;
  readonly name: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly document_id: string | null;
  readonly progress: number;
  readonly duration_s: number | null;
  readonly language: string | null;
}

export const tones: Readonly<Record<RunStatus, TagTone>> = {
  pending: "plain",
  running: "run",
  completed: "ok",
  failed: "bad",
  cancelled: "plain",
};
export const isUnderWay = ({ status }: Pick<TranscriptionRun, "status">): boolean =>
  status === "pending" || status === "running";
