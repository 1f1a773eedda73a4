/**
 * Reads a transcript whatever wrote it, and puts it in order. Runs in a child process: what it
 * reads may be anything.
 */
import { writeFile } from "node:fs/promises";
import { assemble, type Heard, type Segment, type Transcript } from "../transcript";
import { looksLikeCaptions, readCues, withoutRepeats } from "./captions";
import { readBracketed, readJson, readTimedWords } from "./program-output";

export interface ReadInput {
  readonly path: string;
  /** Where the result goes, as JSON: a file that does not exist yet. */
  readonly output: string;
  /** Of the recording, where it is known. */
  readonly duration_s: number | null;
  readonly characters_max: number;
  readonly segments_max: number;
}
/** What the output holds. */
export interface ReadOutput extends Transcript {
  readonly text: string;
  readonly times: ReturnType<typeof assemble>["times"];
}

/** Tells one refusal from a fault: travels from the child as the error's code. */
const refused = (code: "empty" | "too_large" | "transcriber_failed", message: string): Error =>
  Object.assign(new Error(message), { code });

export async function readTranscript({
  path,
  output,
  duration_s,
  characters_max,
  segments_max,
}: ReadInput): Promise<null> {
  const text = textOf(await Bun.file(path).bytes());
  const transcript = inOrder(heardIn(text), duration_s);
  if (transcript.segments.length === 0)
    throw refused("empty", "Nobody says anything in it: the transcript is empty.");
  if (transcript.segments.length > segments_max)
    throw refused(
      "too_large",
      `The transcript has more than ${segments_max.toLocaleString("en-US")} cues.`,
    );
  const assembled = assemble(transcript.segments);
  if (assembled.text.length > characters_max)
    throw refused(
      "too_large",
      `The transcript is longer than ${characters_max.toLocaleString("en-US")} characters.`,
    );
  await writeFile(output, JSON.stringify({ ...transcript, ...assembled } satisfies ReadOutput));
  return null;
}

/** UTF-8, UTF-16 with its mark, or else what Windows wrote in the West. Line breaks as `\n`. */
export function textOf(bytes: Uint8Array): string {
  const label =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? "utf-16le"
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? "utf-16be"
        : "utf-8";
  return decoded(bytes, label)
    .replace(/^\ufeff/, "")
    .replace(/\r\n?/g, "\n");
}
function decoded(bytes: Uint8Array, label: "utf-8" | "utf-16le" | "utf-16be"): string {
  try {
    return new TextDecoder(label, { fatal: label === "utf-8" }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/**
 * Whatever wrote it: told apart by content. @throws Error with the code `transcriber_failed` on
 * JSON that is no transcript.
 */
export function heardIn(text: string): Heard {
  if (looksLikeCaptions(text)) return readCues(text);
  if (/^\s*[{[]/.test(text)) {
    const heard = readJson(parsed(text));
    if (heard) return heard;
    // A program that begins with a brace means JSON.
    if (/^\s*\{/.test(text))
      throw refused(
        "transcriber_failed",
        "The transcript can't be read: it is JSON that is broken off, or of a kind that is not " +
          "known.",
      );
  }
  const heard = readBracketed(text) ?? readTimedWords(text);
  if (heard) return heard;
  const cues = readCues(text);
  return cues.segments.length > 0 ? cues : { segments: [{ text }] };
}
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Nothing lasts longer, seconds: a week. Times beyond it are wrong. */
const time_s_max = 7 * 24 * 3_600;

/** Times that make sense, in their order, each line once, without markup and blanks. */
export function inOrder(
  { segments, language, duration_s: told_s }: Heard,
  known_s: number | null,
): Transcript {
  const timed = segments.some(({ end }) => isTime(end) && end > 0);
  const length_s = known_s ?? (isTime(told_s) ? told_s : null);
  const clean = timed
    ? withoutRepeats(sorted(sensible(segments, length_s)))
    : untimed(segments, length_s);
  const said = clean.flatMap(({ text, speaker, ...times }) => {
    const words = plain(text);
    return words === "" ? [] : [{ ...times, text: words, speaker: nameOf(speaker) }];
  });
  const last_s = said.reduce((latest, { end }) => Math.max(latest, end), 0);
  return {
    segments: said,
    language: languageCode(language ?? null),
    duration_s: length_s ?? (last_s > 0 ? last_s : null),
  };
}

const isTime = (value: number | undefined): value is number =>
  value !== undefined && Number.isFinite(value) && value >= 0 && value <= time_s_max;
const rounded = (seconds: number): number => Math.round(seconds * 1_000) / 1_000;

/**
 * A time that is missing, wrong, or behind the end of the recording becomes the nearest one that
 * can be.
 */
function sensible(segments: Heard["segments"], length_s: number | null): Segment[] {
  let before = 0;
  return segments.map(({ start, end, text, speaker }) => {
    const from = Math.min(
      isTime(start) ? start : Math.min(before, isTime(end) ? end : before),
      length_s ?? Infinity,
    );
    const to = Math.max(from, Math.min(isTime(end) ? end : from, length_s ?? Infinity));
    before = to;
    return { start: rounded(from), end: rounded(to), text, speaker: speaker ?? null };
  });
}
const sorted = (segments: readonly Segment[]): Segment[] =>
  segments.toSorted((one, other) => one.start - other.start);

/** Spoken somewhere between the beginning and the end. */
const untimed = (segments: Heard["segments"], length_s: number | null): Segment[] =>
  segments.map(({ text, speaker }) => ({
    start: 0,
    end: rounded(length_s ?? 0),
    text,
    speaker: speaker ?? null,
  }));

/** One space between words, one blank line between paragraphs, no control characters. */
const plain = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\S\n]+/g, " ")
    .replace(/[\p{Cc}\ufeff]/gu, (character) => (character === "\n" ? "\n" : ""))
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();

const speaker_chars_max = 100;
const nameOf = (speaker: string | null): string | null =>
  plain(speaker ?? "")
    .replace(/\s+/g, " ")
    .slice(0, speaker_chars_max)
    .toWellFormed()
    .trim() || null;

/** English names of the languages that have a code of two letters. */
const codes = new Map<string, string>();
function byName(): ReadonlyMap<string, string> {
  if (codes.size > 0) return codes;
  const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  for (const first of letters)
    for (const second of letters) {
      const name = names.of(first + second);
      if (name && !codes.has(name.toLowerCase())) codes.set(name.toLowerCase(), first + second);
    }
  return codes;
}

/** A code such as `en` or `pt-BR`; null for what is neither a code nor a name. */
export function languageCode(said: string | null): string | null {
  const word = said?.trim() ?? "";
  if (/^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}$/i.test(word)) {
    try {
      return Intl.getCanonicalLocales(word)[0] ?? null;
    } catch {
      return null;
    }
  }
  return byName().get(word.toLowerCase()) ?? null;
}
