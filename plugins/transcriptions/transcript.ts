/**
 * A transcript: its segments, the readable text made from them, and caption files. Pure functions.
 */
import type { TimeSpan } from "../extraction/contract";

/** A stretch of speech. Segments are in order of `start`. Seconds; both are 0 when unknown. */
export interface Segment {
  readonly start: number;
  readonly end: number;
  /** Not blank, without markup. Has line breaks only if the transcript has no times. */
  readonly text: string;
  readonly speaker: string | null;
}
/** A transcript in its normal form: segments in order, with times where they are known. */
export interface Transcript {
  readonly segments: readonly Segment[];
  /** A code such as `en`; null when unknown. */
  readonly language: string | null;
  /** Seconds; null if neither the recording nor the transcript contains it. */
  readonly duration_s: number | null;
}
/** As parsed: times may be missing, wrong or out of order. */
export interface RawTranscript {
  readonly segments: readonly {
    readonly start?: number | undefined;
    readonly end?: number | undefined;
    readonly text: string;
    readonly speaker?: string | null | undefined;
  }[];
  readonly language?: string | null | undefined;
  readonly duration_s?: number | undefined;
}

/** A pause of this many seconds starts a paragraph, … */
const pause_s = 2;
/** … unless the current paragraph is shorter than this. */
const short_chars = 80;
/** A paragraph of this length ends with its next sentence, … */
const long_chars = 500;
/** … and one of this length with its next segment. */
const endless_chars = 1_000;

/**
 * The text in paragraphs, and the position of each segment. `times`: UTF-16 indices into `text`;
 * none for segments without times.
 */
export function assemble(segments: readonly Segment[]): {
  readonly text: string;
  readonly times: TimeSpan[];
} {
  const parts: string[] = [];
  const times: TimeSpan[] = [];
  let length = 0;
  let paragraph = 0;
  const add = (part: string): void => {
    parts.push(part);
    length += part.length;
  };
  segments.forEach((segment, at) => {
    const before = segments[at - 1];
    const begins = before === undefined || breaks(before, segment, length - paragraph);
    if (before !== undefined)
      add(begins ? "\n\n" : isSpaceless(before.text.at(-1)!, segment.text[0]!) ? "" : " ");
    const start = length;
    if (begins) {
      paragraph = length;
      if (segment.speaker !== null) add(`${segment.speaker}: `);
    }
    add(segment.text);
    if (segment.end > 0)
      times.push({ start, end: length, time_start: segment.start, time_end: segment.end });
  });
  return { text: parts.join(""), times };
}

function breaks(before: Segment, segment: Segment, chars: number): boolean {
  if (
    segment.speaker !== before.speaker ||
    segment.text.includes("\n") ||
    before.text.includes("\n")
  )
    return true;
  if (segment.start - before.end >= pause_s && chars >= short_chars) return true;
  return (
    chars >= endless_chars ||
    (chars >= long_chars && /[.!?…。！？।؟][)\]"'”’»」』]*$/u.test(before.text))
  );
}

/** Scripts without spaces between words. */
const scripts = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => `\\p{Script=${script}}`)
  .join("");
const spaceless = new RegExp(`[${scripts}\\u3000-\\u303f\\uff01-\\uff60]`, "u");
const isSpaceless = (last: string, first: string): boolean =>
  spaceless.test(last) && spaceless.test(first);

/** `01:02:03.450`; `mark` is the separator before the milliseconds. */
function timestamp(seconds: number, mark: "." | ","): string {
  const ms = Math.round(seconds * 1_000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const clock = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1_000) % 60].map(two).join(":");
  return `${clock}${mark}${String(ms % 1_000).padStart(3, "0")}`;
}

/** The lines of a cue, none of them blank or similar to a timing line. */
const lines = (text: string): string => text.replace(/\n+/g, "\n").replaceAll("-->", "->");
const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const timing = ({ start, end }: Segment, mark: "." | ","): string =>
  `${timestamp(start, mark)} --> ${timestamp(end, mark)}`;

/** The transcript as WebVTT. */
export const toVtt = (segments: readonly Segment[]): string =>
  `WEBVTT\n\n${segments
    .map((segment) => {
      const voice = segment.speaker === null ? "" : `<v ${escaped(segment.speaker)}>`;
      return `${timing(segment, ".")}\n${voice}${escaped(lines(segment.text))}\n`;
    })
    .join("\n")}`;

/** The transcript as SubRip. */
export const toSrt = (segments: readonly Segment[]): string =>
  segments
    .map((segment, at) => {
      const voice = segment.speaker === null ? "" : `${segment.speaker}: `;
      return `${at + 1}\n${timing(segment, ",")}\n${voice}${lines(segment.text)}\n`;
    })
    .join("\n");

/** The text of the document. */
export const toText = (segments: readonly Segment[]): string => `${assemble(segments).text}\n`;
