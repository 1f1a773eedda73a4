/**
 * WebVTT and SRT, and everything between the two that people call captions. One pass, line by line.
 */
import type { Heard, Segment } from "../transcript";

type Piece = Heard["segments"][number];

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
export function timesOf(
  line: string,
): { readonly start: number; readonly end: number } | undefined {
  if (line.length > timing_chars_max || !line.includes("-->")) return undefined;
  const match = timing.exec(line);
  return match ? { start: seconds(match.slice(1, 5)), end: seconds(match.slice(5, 9)) } : undefined;
}

/** Whether a text begins as captions do. */
export function looksLikeCaptions(head: string): "vtt" | "srt" | null {
  if (/^WEBVTT(?:[ \t\n\r]|$)/.test(head)) return "vtt";
  const lines = head
    .slice(0, 4_000)
    .split(/\r\n?|\n/)
    .filter((line) => line.trim() !== "")
    .slice(0, 2);
  return timesOf(lines[0] ?? "") ||
    (/^\s*\d{1,9}\s*$/.test(lines[0] ?? "") && timesOf(lines[1] ?? ""))
    ? "srt"
    : null;
}

/**
 * Lines that begin a cue end where the next blank line is; whatever stands outside of cues
 * (numbers, notes, styles) is left out.
 */
export function readCues(text: string): Heard {
  const segments: Piece[] = [];
  let cue: { readonly start: number; readonly end: number; readonly lines: string[] } | undefined;
  let language: string | null = null;
  const close = () => {
    if (cue) for (const piece of spokenIn(cue)) segments.push(piece);
    cue = undefined;
  };
  for (const line of linesOf(text)) {
    const times = timesOf(line);
    if (times) {
      close();
      cue = { ...times, lines: [] };
    }
    // A line of spaces is part of a cue that has shown nothing yet.
    else if (line === "" || (line.trim() === "" && cue?.lines.length !== 0)) close();
    else if (cue) cue.lines.push(line);
    else if (segments.length === 0)
      language ??=
        /^Language:\s*([A-Za-z-]{2,35})\s*$/.exec(line.slice(0, timing_chars_max))?.[1] ?? null;
  }
  close();
  return { segments, language };
}

/** Without a list of all of them: there may be millions. */
function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const end = text.indexOf("\n", at);
    yield text.slice(at, end === -1 ? text.length : end);
    at = end === -1 ? text.length : end + 1;
  }
}

/** What a cue says: one piece, or one for each voice (`<v Name>`). */
function spokenIn({
  start,
  end,
  lines,
}: {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}): Piece[] {
  const voices = voicesOf(lines.join("\n"));
  return voices.map(({ speaker, text }) => ({ start, end, speaker, text }));
}

interface Voice {
  readonly speaker: string | null;
  readonly text: string;
}

/**
 * The text between tags, which are dropped; `<v …>` says who speaks from there on. A `<` that opens
 * no tag is a character.
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
    const length = payload.slice(open, open + tag_chars_max).indexOf(">"),
      close = open + length;
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

/** Two cues follow one another when not more than this lies between them, seconds. */
const following_s = 0.1;

interface Shown {
  readonly lines: readonly string[];
  readonly end: number;
  readonly speaker: string | null;
}

/** `segments` are in order; their texts may have lines. */
export function withoutRepeats(segments: readonly Segment[]): Segment[] {
  const kept: { start: number; end: number; text: string; speaker: string | null }[] = [];
  let before: Shown | undefined;
  for (const segment of segments) {
    const lines = segment.text
      .split("\n")
      .map((line) => line.replace(/\s+/g, " ").trim())
      .filter((line) => line !== "");
    if (lines.length === 0) continue;
    const fresh =
      before && segment.speaker === before.speaker && segment.start - before.end <= following_s
        ? freshOf(before.lines, lines)
        : lines.join(" ");
    if (fresh !== "")
      kept.push({ start: segment.start, end: segment.end, text: fresh, speaker: segment.speaker });
    else kept.at(-1)!.end = Math.max(kept.at(-1)!.end, segment.end);
    before = { lines, end: segment.end, speaker: segment.speaker };
  }
  return kept;
}

/**
 * What these lines show that those before them did not: the last ones of those may stand first in
 * these, or all of them may have grown.
 */
function freshOf(before: readonly string[], lines: readonly string[]): string {
  for (let shared = Math.min(before.length, lines.length, lines_max); shared > 0; shared--) {
    if (lines.slice(0, shared).every((line, at) => line === before[before.length - shared + at]))
      return lines.slice(shared).join(" ");
  }
  const [then, now] = [before.join(" "), lines.join(" ")];
  return now.startsWith(`${then} `) ? now.slice(then.length + 1) : now;
}
/** No picture shows more at once. */
const lines_max = 8;
