/** A transcript with its text, put together part by part: others take turns between the parts. */
import { StepPauses } from "../../core/lib/chunked-work";
import { TextAssembly, type Segment, type Transcript } from "./transcript";

/** Segments of a transcript that are stored and passed on together. */
export const segments_per_part = 200;

/** A transcript without its segments. */
export type TranscriptHead = Omit<Transcript, "segments">;

/** The text of a transcript in paragraphs, and where each segment is in it. */
export interface ReadTranscript extends TranscriptHead {
  readonly text: string;
  /** JSON of `TimeSpan`s, UTF-16 indices into `text`; none for segments without times. */
  readonly times: string;
}

/** Puts the text together from parts of the segments, in order; the segments are not kept. */
export async function putTogether(
  head: TranscriptHead,
  parts: AsyncIterable<readonly Segment[]>,
): Promise<ReadTranscript> {
  const assembly = new TextAssembly();
  const texts: string[] = [];
  const times: string[] = [];
  const pauses = new StepPauses();
  for await (const part of parts) {
    const assembled = part.map((segment) => assembly.next(segment));
    texts.push(assembled.map(({ text }) => text).join(""));
    const timed = assembled.flatMap(({ at }) => at ?? []);
    if (timed.length > 0) times.push(JSON.stringify(timed).slice(1, -1));
    await pauses.pause();
  }
  return { ...head, text: texts.join(""), times: `[${times.join(",")}]` };
}
