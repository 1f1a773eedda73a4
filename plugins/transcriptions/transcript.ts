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

/** Makes the text in paragraphs, segment by segment. */
export class TextAssembly {
  private length = 0;
  private paragraph = 0;
  private before: Segment | undefined;

  /** What the segment adds to the text, and where it is. `at`: null if it has no time. */
  next(segment: Segment): { readonly text: string; readonly at: TimeSpan | null } {
    const { before } = this;
    this.before = segment;
    const begins = before === undefined || breaks(before, segment, this.length - this.paragraph);
    const gap =
      before === undefined
        ? ""
        : begins
          ? "\n\n"
          : isSpaceless(before.text.at(-1)!, segment.text[0]!)
            ? ""
            : " ";
    const start = this.length + gap.length;
    if (begins) this.paragraph = start;
    const speaker = begins && segment.speaker !== null ? `${segment.speaker}: ` : "";
    const text = gap + speaker + segment.text;
    this.length += text.length;
    const { start: time_start, end: time_end } = segment;
    return { text, at: time_end > 0 ? { start, end: this.length, time_start, time_end } : null };
  }
}

/**
 * The text in paragraphs, and the position of each segment. `times`: UTF-16 indices into `text`;
 * none for segments without times.
 */
export function assemble(segments: readonly Segment[]): {
  readonly text: string;
  readonly times: TimeSpan[];
} {
  const assembly = new TextAssembly();
  const parts = segments.map((segment) => assembly.next(segment));
  return {
    text: parts.map(({ text }) => text).join(""),
    times: parts.flatMap(({ at }) => at ?? []),
  };
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

/** A form in which a transcript is sent. */
export interface TranscriptFormat {
  readonly media_type: string;
  /** A function that writes the segments in order: `at` counts them from 0. */
  readonly writer: () => (segment: Segment, at: number) => string;
  readonly before: string;
  readonly after: string;
}

/** WebVTT, SubRip, and the text of the document. */
export const transcript_formats = {
  vtt: {
    media_type: "text/vtt",
    before: "WEBVTT\n\n",
    after: "",
    writer: () => (segment, at) => {
      const voice = segment.speaker === null ? "" : `<v ${escaped(segment.speaker)}>`;
      const cue = `${timing(segment, ".")}\n${voice}${escaped(lines(segment.text))}\n`;
      return at === 0 ? cue : `\n${cue}`;
    },
  },
  srt: {
    media_type: "application/x-subrip",
    before: "",
    after: "",
    writer: () => (segment, at) => {
      const voice = segment.speaker === null ? "" : `${segment.speaker}: `;
      const cue = `${at + 1}\n${timing(segment, ",")}\n${voice}${lines(segment.text)}\n`;
      return at === 0 ? cue : `\n${cue}`;
    },
  },
  txt: {
    media_type: "text/plain",
    before: "",
    after: "\n",
    writer: () => {
      const assembly = new TextAssembly();
      return (segment) => assembly.next(segment).text;
    },
  },
} as const satisfies Readonly<Record<string, TranscriptFormat>>;

const inForm =
  ({ before, after, writer }: TranscriptFormat) =>
  (segments: readonly Segment[]): string =>
    before + segments.map(writer()).join("") + after;
export const toVtt = inForm(transcript_formats.vtt);
export const toSrt = inForm(transcript_formats.srt);
export const toText = inForm(transcript_formats.txt);
