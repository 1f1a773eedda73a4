/** The progress of a backup. */

/** The steps of a backup, in order. */
export type Stage = "originals" | "database" | "questions" | "archive" | "rehearsal";

/** How far a stage has come. */
export interface Progress {
  readonly stage: Stage;
  /** Files in the stage `originals`, otherwise bytes. */
  readonly done: number;
  /** Null when unknown. */
  readonly total: number | null;
}

/** The stages as people read them, in the middle of a sentence. */
export const stage_words: Readonly<Record<Stage, string>> = {
  originals: "reserving the originals",
  database: "copying the database",
  questions: "querying the copy",
  archive: "writing the archive",
  rehearsal: "rehearsing",
};

const between_ms = 200;

/** Passes on the first progress of each stage, and then some now and then. */
export function throttled(send: (progress: Progress) => void): (progress: Progress) => void {
  let stage: Stage | undefined;
  let sent_ms = 0;
  return (progress) => {
    const now_ms = performance.now();
    if (progress.stage === stage && now_ms - sent_ms < between_ms) return;
    stage = progress.stage;
    sent_ms = now_ms;
    send(progress);
  };
}
