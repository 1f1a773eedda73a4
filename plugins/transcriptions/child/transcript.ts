/**
 * Reads a transcript in any supported format and normalises it. Runs in a child process, because
 * the input is untrusted.
 */
import { writeFile } from "node:fs/promises";
import { batchesOf } from "../../../core/lib/batch";
import { parsedJson } from "../../../core/lib/json-values";
import { segments_per_part } from "../read-transcript";
import { assemble, type RawTranscript, type Segment, type Transcript } from "../transcript";
import { detectCaptions, parseCaptions, withoutRepeats } from "./captions";
import { parseBracketedLines, parseWhisperJson, parseTimedWords } from "./program-output";

/** A transcript of any format, and the limits of what is written. */
export interface ReadInput {
  readonly path: string;
  /**
   * Output path; the file must not exist yet. Its first line is the JSON of a `TranscriptHead`, and
   * each further one that of some segments.
   */
  readonly output: string;
  /** Of the recording, if known. */
  readonly duration_s: number | null;
  readonly characters_max: number;
  readonly segments_max: number;
}
/** An error with a code, which the parent receives together with the message. */
const codedError = (code: "empty" | "too_large" | "transcriber_failed", message: string): Error =>
  Object.assign(new Error(message), { code });

/** Writes the transcript to `output`. @throws Error with a code and what is wrong with the file */
export async function readTranscript({
  path,
  output,
  duration_s,
  characters_max,
  segments_max,
}: ReadInput): Promise<null> {
  const text = decodeText(await Bun.file(path).bytes());
  const { segments, ...head } = normalise(parseTranscript(text), duration_s);
  if (segments.length === 0)
    throw codedError("empty", "Nobody says anything in it: the transcript is empty.");
  if (segments.length > segments_max)
    throw codedError(
      "too_large",
      `The transcript has more than ${segments_max.toLocaleString("en-US")} cues.`,
    );
  if (assemble(segments).text.length > characters_max)
    throw codedError(
      "too_large",
      `The transcript is longer than ${characters_max.toLocaleString("en-US")} characters.`,
    );
  const lines = [head, ...batchesOf(segments, segments_per_part)];
  await writeFile(output, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return null;
}

/** UTF-8, UTF-16 with a byte order mark, or otherwise Windows-1252. Line breaks become `\n`. */
export function decodeText(bytes: Uint8Array): string {
  const label =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? "utf-16le"
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? "utf-16be"
        : "utf-8";
  return decodeAs(bytes, label)
    .replace(/^\ufeff/, "")
    .replace(/\r\n?/g, "\n");
}
function decodeAs(bytes: Uint8Array, label: "utf-8" | "utf-16le" | "utf-16be"): string {
  try {
    return new TextDecoder(label, { fatal: label === "utf-8" }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/**
 * Detects the format and parses it. @throws Error with the code `transcriber_failed` on JSON of
 * another kind.
 */
export function parseTranscript(text: string): RawTranscript {
  if (detectCaptions(text)) return parseCaptions(text);
  if (/^\s*[{[]/.test(text)) {
    const transcript = parseWhisperJson(parsedJson(text));
    if (transcript) return transcript;
    // Output that begins with a brace is treated as JSON.
    if (/^\s*\{/.test(text))
      throw codedError(
        "transcriber_failed",
        "The transcript can't be read: it is JSON that is broken off, or of a kind that is not " +
          "known.",
      );
  }
  const transcript = parseBracketedLines(text) ?? parseTimedWords(text);
  if (transcript) return transcript;
  const cues = parseCaptions(text);
  return cues.segments.length > 0 ? cues : { segments: [{ text }] };
}

/** Times beyond a week are wrong. */
const time_s_max = 7 * 24 * 3_600;

/** Valid times in order, each line once, no markup and no blank segments. `known_s`: length. */
export function normalise(
  { segments, language, duration_s: claimed_s }: RawTranscript,
  known_s: number | null,
): Transcript {
  const timed = segments.some(({ end }) => isTime(end) && end > 0);
  const length_s = known_s ?? (isTime(claimed_s) ? claimed_s : null);
  const clean = timed
    ? withoutRepeats(sorted(repairTimes(segments, length_s)))
    : untimed(segments, length_s);
  const spoken = clean.flatMap(({ text, speaker, ...times }) => {
    const words = plain(text);
    return words === "" ? [] : [{ ...times, text: words, speaker: nameOf(speaker) }];
  });
  const last_s = spoken.reduce((latest, { end }) => Math.max(latest, end), 0);
  return {
    segments: spoken,
    language: languageCode(language ?? null),
    duration_s: length_s ?? (last_s > 0 ? last_s : null),
  };
}

const isTime = (value: number | undefined): value is number =>
  value !== undefined && Number.isFinite(value) && value >= 0 && value <= time_s_max;
const rounded = (seconds: number): number => Math.round(seconds * 1_000) / 1_000;

/** Replaces missing and invalid times, and those after the end, by the nearest valid ones. */
function repairTimes(segments: RawTranscript["segments"], length_s: number | null): Segment[] {
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
  segments.toSorted((a, b) => a.start - b.start);

/** Without times: each segment spans the whole recording. */
const untimed = (segments: RawTranscript["segments"], length_s: number | null): Segment[] =>
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

/** Two-letter codes by the English name of the language, filled on first use. */
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

/** A code such as `en` or `pt-BR`; null for anything that is neither a code nor a name. */
export function languageCode(name: string | null): string | null {
  const word = name?.trim() ?? "";
  if (/^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}$/i.test(word)) {
    try {
      return Intl.getCanonicalLocales(word)[0] ?? null;
    } catch {
      return null;
    }
  }
  return byName().get(word.toLowerCase()) ?? null;
}
