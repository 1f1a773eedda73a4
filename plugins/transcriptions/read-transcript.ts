/** A transcript with its text, put together part by part: others take turns between the parts. */
import { StepPauses } from "../../core/lib/chunked-work";
import type { TimeSpan } from "../extraction/contract";
import { TextAssembly, type Segment, type Transcript } from "./transcript";

/** Segments of a transcript that are stored and passed on together. */
export const segments_per_part = 200;

/** A transcript without its segments. */
export type TranscriptHead = Omit<Transcript, "segments">;

/** The text of a transcript in paragraphs, and where each segment is in it. */
export interface ReadTranscript extends TranscriptHead {
  readonly text: string;
  /** UTF-16 indices into `text`; none for segments without times. */
  readonly times: readonly TimeSpan[];
}

/** Puts the text together from parts of the segments, in order; the segments are not kept. */
export async function putTogether(
  head: TranscriptHead,
  parts: AsyncIterable<readonly Segment[]>,
): Promise<ReadTranscript> {
  const assembly = new TextAssembly();
  const texts: string[] = [];
  const times: TimeSpan[] = [];
  const pauses = new StepPauses();
  for await (const part of parts) {
    for (const segment of part) {
      const { text, at } = assembly.next(segment);
      texts.push(text);
      if (at !== null) times.push(at);
    }
    await pauses.pause();
  }
  return { ...head, text: texts.join(""), times };
}
