/** A transcript with its text, put together part by part: others take turns between the parts. */
import { StepPauses } from "../../core/lib/chunked-work";
import type { TimeSpan } from "../extraction/contract";
import { TextAssembly, type Segment, type Transcript } from "./transcript";

/** A transcript without its segments. */
export type TranscriptHead = Omit<Transcript, "segments">;

/** A transcript, the text in paragraphs, and where each segment is in it. */
export interface ReadTranscript extends Transcript {
  readonly text: string;
  /** UTF-16 indices into `text`; none for segments without times. */
  readonly times: readonly TimeSpan[];
}

/** Puts a transcript together from parts of its segments, in order. */
export async function putTogether(
  head: TranscriptHead,
  parts: AsyncIterable<readonly Segment[]>,
): Promise<ReadTranscript> {
  const assembly = new TextAssembly();
  const segments: Segment[] = [];
  const texts: string[] = [];
  const times: TimeSpan[] = [];
  const pauses = new StepPauses();
  for await (const part of parts) {
    for (const segment of part) {
      const { text, at } = assembly.next(segment);
      segments.push(segment);
      texts.push(text);
      if (at !== null) times.push(at);
    }
    await pauses.pause();
  }
  return { ...head, segments, text: texts.join(""), times };
}
