/**
 * The analyzer, which splits text into terms: for indexing, searching and weighting sentences. A
 * change of its output needs a new version, and a migration step (`indexOutdated`).
 */
import { detached } from "../../../core/lib/detached-text";
import { ascii_word, AsciiWords, hash_of_nothing, hashWith } from "./ascii-words";
import { porter2 } from "./porter2";

/**
 * Called for each term in text order. `hash` is 32 bits, unsigned; `start` and `end` are UTF-16
 * indices, end exclusive. `term` is null when it is exactly the text between them.
 */
export type TermSink = (hash: number, start: number, end: number, term: string | null) => void;
/** Splits texts into terms. */
export interface Analyzer {
  /** Stored with everything it has indexed. */
  readonly version: number;
  /** Calls `sink` for every term of `text`. Linear time for any text. */
  readonly tokenize: (text: string, sink: TermSink) => void;
}

const separator = 1;
const word = 2;
const bigram = 3;
const trigram = 4;
const invisible = 5;
const word_chars_max = 64;
const parts_max = 6;
const cached_words_max = 60_000;
/**
 * The number of letters of a stem that are kept, by script: truncation stems every language a
 * little.
 */
const kept_latin = 7;
const kept_arabic = 4;
const kept_other = 5;

/** FNV-1a with a final mix, so that the hashes of a segment are distributed evenly. */
export const hashOf = (term: string): number => hashBetween(term, 0, term.length);
function hashBetween(text: string, start: number, end: number): number {
  let hash = hash_of_nothing;
  for (let at = start; at < end; at++) hash = hashWith(hash, text.charCodeAt(at));
  return mixed(hash);
}
function mixed(raw: number): number {
  let hash = raw ^ (raw >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const kinds = new Uint8Array(65_536);
/** The role of a character in terms; cached by UTF-16 unit. */
function kindAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit >= 0xd800 && unit < 0xdc00) return kindOf(String.fromCodePoint(text.codePointAt(at)!));
  return kinds[unit] || (kinds[unit] = kindOf(text[at]!));
}
function kindOf(char: string): number {
  if (invisibles.test(char)) return invisible;
  if (cjk.test(char)) return bigram;
  if (/\p{Nd}/u.test(char)) return word;
  if (
    /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(char) &&
    /[\p{L}\p{M}]/u.test(char)
  )
    return trigram;
  return /[\p{L}\p{N}\p{M}]/u.test(char) ? word : separator;
}
const cjk = new RegExp(
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Bopomofo}" +
    "\\u30fc\\uff70\\u3099\\u309a\\uff9e\\uff9f]",
  "u",
);
/** UTF-16 units of the character at `at`. */
const width = (text: string, at: number): number =>
  (text.charCodeAt(at) & 0xfc00) === 0xd800 && at + 1 < text.length ? 2 : 1;

/** The terms of ASCII words, by number. */
class StemCache {
  private readonly words = new AsciiWords(cached_words_max);
  stems: string[] = [""];
  readonly hashes = new Uint32Array(cached_words_max + 1);

  /** The number of the word between `start` and `end`, whose lower-case letters hash to `raw`. */
  find(text: string, start: number, end: number, raw: number): number {
    return this.words.find(text, start, end, raw) || this.add(text, start, end, raw);
  }

  private add(text: string, start: number, end: number, raw: number): number {
    if (this.words.size === cached_words_max) {
      this.words.clear();
      this.stems = [""];
    }
    const stem = latinStem(detached(text.slice(start, end).toLowerCase()));
    const added = this.words.add(text, start, end, raw);
    this.hashes[added] = hashOf(stem);
    this.stems.push(stem);
    return added;
  }
}
const stems = new StemCache();

interface Term {
  readonly term: string;
  readonly hash: number;
}
/** Terms of words that are not plain ASCII, by the word as written. */
const other_terms = new Map<string, Term>();
function termOf(written: string): Term {
  const cached = other_terms.get(written);
  if (cached !== undefined) return cached;
  if (other_terms.size > cached_words_max) other_terms.clear();
  const word = detached(written.slice(0, word_chars_max));
  const term = normalise(word);
  const token = { term, hash: hashOf(term) };
  other_terms.set(word, token);
  return token;
}

const latinStem = (lower: string): string =>
  /[0-9]/.test(lower) ? lower : porter2(lower).slice(0, kept_latin);

const unmarked_scripts =
  /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}]/u;
const folds: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ł: "l",
  þ: "th",
  ı: "i",
  ħ: "h",
  ŋ: "n",
  ς: "σ",
  ى: "ي",
  ی: "ي",
  ک: "ك",
  ھ: "ه",
  ہ: "ه",
  ة: "ه",
};
const folded = /[ßæœøđðłþıħŋςىیکھہة]/g;

/** Unifies the forms of each letter, without accents where they are optional; then stems. */
function normalise(written: string): string {
  const lower = written
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]/gu, "")
    .replace(/[^\P{Nd}0-9]/gu, digit);
  if (!unmarked_scripts.test(lower)) return lower;
  const plain = lower
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(folded, (char) => folds[char]!);
  if (/^[\p{Script=Latin}\p{Nd}]/u.test(plain)) return latinStem(plain);
  return /^\p{Script=Arabic}/u.test(plain)
    ? plain.replace(arabic_prefixes, "").slice(0, kept_arabic)
    : plain.slice(0, kept_other);
}
/**
 * "And", then "in", "like" or "for", then the article. A single letter is removed only from a word
 * that stays long enough.
 */
export const arabic_prefixes = /^(?:[وف](?=....))?(?:[بك]?ال|لل|[بلك](?=....))?(?=..)/;
/** A decimal digit of any script as 0 to 9: the digits of a script begin at …0 or at …6. */
function digit(char: string): string {
  const code = char.codePointAt(0)!;
  const low = code & 15;
  return String(/\p{Nd}/u.test(String.fromCodePoint(code - low)) ? low : low - 6);
}

function tokenize(text: string, sink: TermSink): void {
  const length = text.length;
  let at = 0;
  while (at < length) {
    const unit = text.charCodeAt(at);
    if (ascii_word[unit] !== 0) {
      at = asciiWord(text, at, sink);
      continue;
    }
    if (unit < 128) {
      at = unit === 39 ? afterPossessive(text, at) : at + 1;
      continue;
    }
    if (unit === 0x2019) {
      at = afterPossessive(text, at);
      continue;
    }
    const kind = kindAt(text, at);
    if (kind === word) at = compound(text, at, sink);
    else if (kind === bigram) at = ngrams(text, at, sink, bigram);
    else if (kind === trigram) at = ngrams(text, at, sink, trigram);
    else at += width(text, at);
  }
}

/** Where to continue after an apostrophe: past the `s` of `Ada's`. */
function afterPossessive(text: string, at: number): number {
  const possessive =
    at > 0 &&
    (text.charCodeAt(at + 1) | 32) === 115 &&
    isWord(text, at - 1) &&
    !isWord(text, at + 2);
  return possessive ? at + 2 : at + 1;
}

/** The fast path: a run of ASCII letters and digits. Returns where to continue. */
function asciiWord(text: string, start: number, sink: TermSink): number {
  const length = text.length;
  let at = start;
  let raw = hash_of_nothing;
  for (
    let lower = ascii_word[text.charCodeAt(at)]!;
    lower !== 0;
    lower = ascii_word[text.charCodeAt(at)]!
  ) {
    raw = hashWith(raw, lower);
    if (++at === length) break;
  }
  if (at < length && joins(text, at)) return compound(text, start, sink);
  if (at - start > word_chars_max) {
    emit(sink, termOf(text.slice(start, start + word_chars_max)), start, at);
    return at;
  }
  const word_number = stems.find(text, start, at, raw);
  sink(stems.hashes[word_number]!, start, at, stems.stems[word_number]!);
  return at;
}

/**
 * Whether the text after a word at `at` may continue it: a connector before a further part, a mark,
 * a soft hyphen, a letter beyond ASCII.
 */
function joins(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit === 32 || unit === 10) return false;
  return unit >= 128 || unit === 2 || partAfter(text, at) >= 0;
}

const line_break = /[ \t]*\r?\n[ \t]*/y;
function afterLineBreak(text: string, at: number): number {
  line_break.lastIndex = at;
  return line_break.test(text) ? line_break.lastIndex : at;
}
const isWord = (text: string, at: number): boolean =>
  at < text.length && (ascii_word[text.charCodeAt(at)] !== 0 || kindAt(text, at) === word);
const isDigit = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at);
  return unit > 47 && unit < 58;
};

/**
 * When the character at `at` connects two parts of a word (`a-b`, `v1.2`, `3,000`, `exam-\nple`):
 * the start of the next part; otherwise -1.
 */
function partAfter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const hyphen = unit === 45 || unit === 0x2010 || unit === 0x2011;
  if (hyphen || unit === 46 || unit === 95) {
    if (isWord(text, at + 1)) return at + 1;
    const next = hyphen ? afterLineBreak(text, at + 1) : at;
    return next > at + 1 && /^\p{Ll}/u.test(text.slice(next, next + 2)) ? next : -1;
  }
  return unit === 44 && isDigit(text, at - 1) && isDigit(text, at + 1) ? at + 1 : -1;
}

/**
 * A compound word: the joined term, then each part. Invisible characters are ignored. Returns where
 * to continue.
 */
function compound(text: string, start: number, sink: TermSink): number {
  let at = partEnd(text, start);
  let next = at < text.length ? partAfter(text, at) : -1;
  if (next < 0) {
    emit(sink, termOf(visible(text.slice(start, at))), start, at);
    return Math.max(at, start + 1);
  }
  const parts = [{ start, end: at, written: visible(text.slice(start, at)) }];
  while (next >= 0) {
    at = partEnd(text, next);
    parts.push({ start: next, end: at, written: visible(text.slice(next, at)) });
    next = at < text.length ? partAfter(text, at) : -1;
  }
  const joined = parts.length <= parts_max;
  if (joined) emit(sink, termOf(parts.map((part) => part.written).join("")), start, at);
  const acronym =
    joined && parts.every((part) => part.written.length === 1 && !isDigit(part.written, 0));
  if (!acronym) for (const part of parts) emit(sink, termOf(part.written), part.start, part.end);
  return at;
}
const invisibles = /[\u0002\u00ad\u0640\u200c-\u200f\u2060\ufeff\ufffe]/;
const hidden = new RegExp(`${invisibles.source}\\s*`, "g");
const visible = (written: string): string =>
  invisibles.test(written) ? written.replace(hidden, "") : written;
function emit(sink: TermSink, { term, hash }: Term, start: number, end: number): void {
  if (term !== "") sink(hash, start, end, term);
}

/** The end of a run of word characters; a hyphen in it may be followed by a line break. */
function partEnd(text: string, start: number): number {
  let at = start;
  let end = start;
  while (at < text.length) {
    const kind = ascii_word[text.charCodeAt(at)] !== 0 ? word : kindAt(text, at);
    if (kind === word) {
      at += width(text, at);
      end = at;
      continue;
    }
    if (kind !== invisible) break;
    at = afterLineBreak(text, at + 1);
  }
  return end;
}

/**
 * Text without spaces between words: single characters and bigrams (CJK), or trigrams (Thai, Lao,
 * Khmer, Burmese). Returns where to continue.
 */
function ngrams(text: string, start: number, sink: TermSink, kind: number): number {
  let end = start;
  let plain = true;
  while (end < text.length && kindAt(text, end) === kind) {
    const unit = text.charCodeAt(end);
    if (
      unit >= 0xd800 ||
      (unit >= 0x1100 && unit < 0x1200) ||
      (unit >= 0x2e80 && unit < 0x2fe0) ||
      unit === 0x3099 ||
      unit === 0x309a
    )
      plain = false;
    end += width(text, end);
  }
  if (plain) {
    plainNgrams(text, start, end, kind, sink);
    return end;
  }
  // Normalising rare forms (half width, combining, beyond the first plane) changes their length:
  // their terms get the position of the whole run.
  const chars = [...text.slice(start, end).normalize("NFKC")];
  for (let i = 0; i < chars.length; i++) {
    sink(hashOf(chars[i]!), start, end, chars[i]!);
    if (i + 1 < chars.length)
      sink(hashOf(chars[i]! + chars[i + 1]!), start, end, chars[i]! + chars[i + 1]!);
  }
  return end;
}

function plainNgrams(text: string, start: number, end: number, kind: number, sink: TermSink): void {
  const size = kind === bigram ? 2 : 3;
  if (kind === trigram && end - start < size) {
    sink(hashBetween(text, start, end), start, end, null);
    return;
  }
  for (let at = start; at < end; at++) {
    if (kind === bigram) sink(hashBetween(text, at, at + 1), at, at + 1, null);
    if (at + size <= end) sink(hashBetween(text, at, at + size), at, at + size, null);
  }
}

/** The analyzer for new text. */
export const analyzer: Analyzer = { version: 1, tokenize };
/** Every analyzer that rows may still refer to, by version. */
export const analyzers: ReadonlyMap<number, Analyzer> = new Map([[analyzer.version, analyzer]]);
