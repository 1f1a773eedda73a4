/** Encodes a document as chunks and segments: the part of indexing without a database. */
import type { StoredText } from "../../../core/lib/text-pieces";
import type { ReadableText } from "../../../core/lib/text-window";
import type { HeadingSpan, PageSpan, TimeSpan } from "../../extraction/contract";
import type { Analyzer } from "../analysis/analyzer";
import { chunksOf, type Chunk } from "../chunks/chunker";
import { Listings } from "../chunks/listings";
import { listing_length, SegmentBuilder, type Segment } from "../segments/segment";
import { spansIn, SpokenTimes, type Spoken } from "../chunks/recording-times";

const title_weight = 2;

/**
 * `title` is searched with every chunk; `pages`, `headings` and `times` are UTF-16 indices into
 * `text`.
 */
export interface EncoderInput<Text extends ReadableText = string> {
  readonly title: string;
  readonly text: Text;
  /** The number of its code points, if known. */
  readonly points?: number | undefined;
  readonly pages: readonly PageSpan[];
  readonly headings?: readonly HeadingSpan[] | undefined;
  readonly times?: Iterable<TimeSpan> | undefined;
}
/** The same with a text that may have to be read: it is null then. */
export interface EncoderRequest extends Omit<EncoderInput, "text" | "points" | "times"> {
  readonly text: string | null;
  /** JSON: a hundred thousand are sent more quickly as one text. */
  readonly times?: string | null;
  readonly stored?: StoredText | undefined;
}
/** The input of a request, whose text was read. */
export const inputWithText = <Text extends ReadableText>(
  { stored, times, ...request }: EncoderRequest,
  text: Text,
): EncoderInput<Text> => ({
  ...request,
  text,
  points: stored?.points,
  times: times ? spansIn(times) : [],
});
/** A chunk with its offsets as UTF-16 indices, and as the code points used by the API. */
export interface EncodedChunk extends Chunk, Spoken {
  readonly start_point: number;
  readonly end_point: number;
}
/** A segment with its chunks. */
export interface EncodedSegment {
  readonly data: Segment;
  readonly chunks: readonly EncodedChunk[];
}

/** The segments of a document, in order. Title and heading count for each chunk below them. */
export function* encodeDocument(
  input: EncoderInput<ReadableText>,
  analyzer: Analyzer,
): Generator<EncodedSegment, void> {
  for (const segment of encodeInSteps(input, analyzer)) if (segment !== null) yield segment;
}

/** The same in small steps, one per chunk: null when no segment is complete. */
export function* encodeInSteps(
  input: EncoderInput<ReadableText>,
  analyzer: Analyzer,
): Generator<EncodedSegment | null, void> {
  const title = hashesOf(input.title, analyzer);
  const points = new CodePoints(input.text, input.points);
  const times = new SpokenTimes(input.times ?? []);
  const listings = new Listings(input);
  const builder = new SegmentBuilder();
  let chunks: EncodedChunk[] = [];
  for (const chunk of chunksOf(input.text, input.pages, input.headings, times.exist)) {
    const text = input.text.slice(chunk.start, chunk.end);
    const body = hashesOf(text, analyzer);
    const heading = hashesOf(chunk.headings_above, analyzer);
    if (!builder.fits(body.length + heading.length + title.length * title_weight)) {
      yield { data: builder.finish(analyzer.version), chunks };
      chunks = [];
    }
    for (const hash of body) builder.add(hash);
    for (const hash of heading) builder.add(hash);
    for (let i = 0; i < title_weight; i++) for (const hash of title) builder.add(hash);
    const length = body.length + heading.length + title.length;
    builder.endChunk(listings.isPart(text, chunk) ? listing_length : length);
    chunks.push({
      ...chunk,
      start_point: points.at(chunk.start),
      end_point: points.at(chunk.end),
      ...times.between(chunk.start, chunk.end),
    });
    yield null;
  }
  if (chunks.length > 0) yield { data: builder.finish(analyzer.version), chunks };
}

function hashesOf(text: string, analyzer: Analyzer): number[] {
  const hashes: number[] = [];
  analyzer.tokenize(text, (hash) => {
    hashes.push(hash);
  });
  return hashes;
}

/** Converts ascending UTF-16 indices to code points. */
class CodePoints {
  private index = 0;
  private surrogate_pairs = 0;
  private readonly is_bmp: boolean;
  constructor(
    private readonly text: ReadableText,
    points = typeof text === "string" && !/[\ud800-\udbff]/.test(text) ? text.length : undefined,
  ) {
    this.is_bmp = points === text.length;
  }
  at(index: number): number {
    if (this.is_bmp) return index;
    for (; this.index < index; this.index++)
      if (
        (this.text.charCodeAt(this.index) & 0xfc00) === 0xd800 &&
        (this.text.charCodeAt(this.index + 1) & 0xfc00) === 0xdc00
      )
        this.surrogate_pairs++;
    return index - this.surrogate_pairs;
  }
}
