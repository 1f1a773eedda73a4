/**
 * Parses the output of transcription programs and services: JSON in the form of Whisper and similar
 * tools, and lines with times before or after the text.
 */
import { fieldOf } from "../../../core/lib/json-values";
import type { RawTranscript } from "../transcript";
import { parseTiming } from "./captions";

type RawSegment = RawTranscript["segments"][number];

const listIn = (of: unknown, key: string): readonly unknown[] | undefined => {
  const list = fieldOf(of, key);
  return Array.isArray(list) ? list : undefined;
};
const textIn = (of: unknown, key: string): string | undefined => {
  const text = fieldOf(of, key);
  return typeof text === "string" ? text : undefined;
};
const numberIn = (of: unknown, key: string): number | undefined => {
  const value = fieldOf(of, key);
  return typeof value === "number"
    ? value
    : typeof value === "string" && /^\d+(?:\.\d+)?$/.test(value)
      ? Number(value)
      : undefined;
};

/** Undefined when the JSON is of an unknown kind. */
export function parseWhisperJson(value: unknown): RawTranscript | undefined {
  const language = textIn(value, "language") ?? textIn(fieldOf(value, "result"), "language");
  const duration_s = numberIn(value, "duration");
  const of_whisper_cpp = listIn(value, "transcription");
  if (of_whisper_cpp)
    return { language, duration_s, segments: of_whisper_cpp.flatMap(piecesOfWhisperCpp) };
  const segments = Array.isArray(value) ? (value as readonly unknown[]) : listIn(value, "segments");
  if (segments && segments.length > 0)
    return { language, duration_s, segments: segments.flatMap(pieceOf) };
  const text = textIn(value, "text");
  return text === undefined ? undefined : { language, duration_s, segments: [{ text }] };
}

function pieceOf(segment: unknown): RawSegment[] {
  const text = textIn(segment, "text");
  return text === undefined
    ? []
    : [
        {
          start: numberIn(segment, "start"),
          end: numberIn(segment, "end"),
          text,
          speaker: textIn(segment, "speaker"),
        },
      ];
}

/** `offsets` are milliseconds. */
function piecesOfWhisperCpp(segment: unknown): RawSegment[] {
  const text = textIn(segment, "text");
  const offsets = fieldOf(segment, "offsets");
  const from = numberIn(offsets, "from");
  const to = numberIn(offsets, "to");
  return text === undefined
    ? []
    : [
        {
          text,
          ...(from === undefined ? {} : { start: from / 1_000 }),
          ...(to === undefined ? {} : { end: to / 1_000 }),
        },
      ];
}

/**
 * `[00:00:01.000 --> 00:00:02.500]  text`, as Whisper prints while it works. Undefined when there
 * is no such line.
 */
export function parseBracketedLines(text: string): RawTranscript | undefined {
  if (!/^[ \t]{0,20}\[[\d:.,]{5,20} *-->/m.test(text)) return undefined;
  const segments = text.split("\n").flatMap((line): RawSegment[] => {
    const match = /^[ \t]{0,20}\[([\d:.,]{5,20} *--> *[\d:.,]{5,20})\]\s?(.*)$/.exec(line);
    const times = match && parseTiming(match[1]!);
    return times ? [{ ...times, text: match[2]! }] : [];
  });
  return segments.length === 0 ? undefined : { segments };
}

/** A pause between words that starts a new segment, seconds. */
const pause_s = 0.4;

/**
 * Words of PocketSphinx (`-time yes`): `word 1.200 1.550 0.998`; other lines are ignored. Undefined
 * when there are none.
 */
export function parseTimedWords(text: string): RawTranscript | undefined {
  if (!/^<s> \d+\.\d+ \d+\.\d+ \d+\.\d+$/m.test(text)) return undefined;
  const segments: { start: number; end: number; text: string }[] = [];
  let open = false;
  for (const line of text.split("\n")) {
    const match = /^(\S{1,200}) (\d+\.\d+) (\d+\.\d+) \d+\.\d+$/.exec(line);
    if (!match) continue;
    const word = match[1]!;
    const start = Number(match[2]);
    const end = Number(match[3]);
    if (/^(?:<.*>|\[.*\]|\+\+.*\+\+)$/.test(word)) {
      if (word !== "<sil>" || end - start > pause_s) open = false;
      continue;
    }
    const spoken = word.replace(/\(\d+\)$/, "");
    const last = segments.at(-1);
    if (open && last) {
      last.text += ` ${spoken}`;
      last.end = end;
    } else segments.push({ start, end, text: spoken });
    open = true;
  }
  return { segments };
}
