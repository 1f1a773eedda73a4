/**
 * Parses captions: WebVTT, SRT and anything in between, in one pass, line by line. Removes the
 * repetitions of roll-up captions.
 */
import type { RawTranscript, Segment } from "../transcript";

type RawSegment = RawTranscript["segments"][number];

/** A timing line is short; anything longer is text. */
const timing_chars_max = 200;
const stamp = String.raw`(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})`;
const timing = new RegExp(String.raw`^\s*${stamp}\s*-->\s*${stamp}(?:\s|$)`);

const seconds = (parts: readonly (string | undefined)[]): number =>
  Number(parts[0] ?? 0) * 3_600 +
  Number(parts[1]) * 60 +
  Number(parts[2]) +
  Number(parts[3]!.padEnd(3, "0")) / 1_000;

/** The two times of a line such as `00:01.000 --> 00:02.500 align:start`, seconds. */
export function parseTiming(
  line: string,
): { readonly start: number; readonly end: number } | undefined {
  if (line.length > timing_chars_max || !line.includes("-->")) return undefined;
  const match = timing.exec(line);
  return match ? { start: seconds(match.slice(1, 5)), end: seconds(match.slice(5, 9)) } : undefined;
}

/** The format of captions that begin with this text; null if it is neither. */
export function detectCaptions(head: string): "vtt" | "srt" | null {
  if (/^WEBVTT(?:[ \t\n\r]|$)/.test(head)) return "vtt";
  const lines = head
    .slice(0, 4_000)
    .split(/\r\n?|\n/)
    .filter((line) => line.trim() !== "")
    .slice(0, 2);
  return parseTiming(lines[0] ?? "") ||
    (/^\s*\d{1,9}\s*$/.test(lines[0] ?? "") && parseTiming(lines[1] ?? ""))
    ? "srt"
    : null;
}

/** A cue ends at a blank line; anything outside cues (numbers, notes, styles) is ignored. */
export function parseCaptions(text: string): RawTranscript {
  const segments: RawSegment[] = [];
  let cue: { readonly start: number; readonly end: number; readonly lines: string[] } | undefined;
  let language: string | null = null;
  const close = () => {
    if (cue) for (const piece of segmentsOf(cue)) segments.push(piece);
    cue = undefined;
  };
  for (const line of linesOf(text)) {
    const times = parseTiming(line);
    if (times) {
      close();
      cue = { ...times, lines: [] };
    }
    // A line of spaces does not end a cue that is still empty.
    else if (line === "" || (line.trim() === "" && cue?.lines.length !== 0)) close();
    else if (cue) cue.lines.push(line);
    else if (segments.length === 0)
      language ??=
        /^Language:\s*([A-Za-z-]{2,35})\s*$/.exec(line.slice(0, timing_chars_max))?.[1] ?? null;
  }
  close();
  return { segments, language };
}

/** One by one: there may be millions. */
function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const end = text.indexOf("\n", at);
    yield text.slice(at, end === -1 ? text.length : end);
    at = end === -1 ? text.length : end + 1;
  }
}

/** The segments of a cue: one, or one for each voice (`<v Name>`). */
function segmentsOf({
  start,
  end,
  lines,
}: {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}): RawSegment[] {
  const voices = voicesOf(lines.join("\n"));
  return voices.map(({ speaker, text }) => ({ start, end, speaker, text }));
}

interface Voice {
  readonly speaker: string | null;
  readonly text: string;
}

/**
 * The text without its tags; `<v …>` sets the speaker of the following text. A `<` that opens no
 * tag is text.
 */
function voicesOf(payload: string): Voice[] {
  const voices: { speaker: string | null; text: string }[] = [{ speaker: null, text: "" }];
  for (let at = 0; at < payload.length;) {
    const open = payload.indexOf("<", at);
    if (open === -1) {
      voices.at(-1)!.text += payload.slice(at);
      break;
    }
    voices.at(-1)!.text += payload.slice(at, open);
    const length = payload.slice(open, open + tag_chars_max).indexOf(">");
    const close = open + length;
    const inside = payload.slice(open + 1, Math.max(close, open + 1));
    if (!/^[/a-z\d]/i.test(inside)) {
      voices.at(-1)!.text += "<";
      at = open + 1;
      continue;
    }
    const voice = /^v(?:\.[^\s]*)?\s+([\s\S]+)$/.exec(inside);
    if (voice) voices.push({ speaker: unescaped(voice[1]!), text: "" });
    else if (/^\/v\b/.test(inside)) voices.push({ speaker: null, text: "" });
    at = close + 1;
  }
  return voices
    .filter(({ text }) => text.trim() !== "")
    .map(({ speaker, text }) => ({
      speaker,
      text: unescaped(text.replace(/\{\\[^{}\n]{0,40}\}/g, "")),
    }));
}
const tag_chars_max = 300;

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  nbsp: " ",
  quot: '"',
  apos: "'",
  lrm: "",
  rlm: "",
};
const unescaped = (text: string): string =>
  !text.includes("&")
    ? text
    : text.replace(
        /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,5}));/gi,
        (whole, decimal?: string, hex?: string, name?: string) => {
          if (name !== undefined) return entities[name.toLowerCase()] ?? whole;
          const code = Number.parseInt(decimal ?? hex!, decimal === undefined ? 16 : 10);
          return code > 0x10ffff || code < 32 ? " " : String.fromCodePoint(code);
        },
      );

/** The longest gap between two consecutive cues, seconds. */
const gap_s_max = 0.1;

interface Shown {
  readonly lines: readonly string[];
  readonly end: number;
  readonly speaker: string | null;
}

/**
 * Roll-up and growing captions repeat lines on screen; keeps each line once, from when it is first
 * shown. `segments` are in order; their texts may have several lines.
 */
export function withoutRepeats(segments: readonly Segment[]): Segment[] {
  const cues: { start: number; end: number; text: string; speaker: string | null }[] = [];
  let before: Shown | undefined;
  for (const segment of segments) {
    const lines = segment.text
      .split("\n")
      .map((line) => line.replace(/\s+/g, " ").trim())
      .filter((line) => line !== "");
    if (lines.length === 0) continue;
    const new_text =
      before && segment.speaker === before.speaker && segment.start - before.end <= gap_s_max
        ? newTextOf(before.lines, lines)
        : lines.join(" ");
    if (new_text !== "")
      cues.push({
        start: segment.start,
        end: segment.end,
        text: new_text,
        speaker: segment.speaker,
      });
    else cues.at(-1)!.end = Math.max(cues.at(-1)!.end, segment.end);
    before = { lines, end: segment.end, speaker: segment.speaker };
  }
  return cues;
}

/**
 * The part of `lines` not shown before: `lines` may begin with the last ones of `before`, or be a
 * longer version of all of them.
 */
function newTextOf(before: readonly string[], lines: readonly string[]): string {
  for (let shared = Math.min(before.length, lines.length, lines_max); shared > 0; shared--) {
    if (lines.slice(0, shared).every((line, at) => line === before[before.length - shared + at]))
      return lines.slice(shared).join(" ");
  }
  const then = before.join(" ");
  const now = lines.join(" ");
  return now.startsWith(`${then} `) ? now.slice(then.length + 1) : now;
}
/** Lines on screen at once. */
const lines_max = 8;
