/**
 * Finds a quotation in the text items of a PDF page, whose spaces, hyphens and order differ from
 * those of the indexed text.
 */

/**
 * The part of one item that belongs to the quotation. `from` and `to` are UTF-16 indices into the
 * item, end exclusive.
 */
export interface Hit {
  readonly piece: number;
  readonly from: number;
  readonly to: number;
}

/** The letters and digits of a text, folded, each with the item and position it came from. */
interface FoldedText {
  readonly text: string;
  readonly piece: readonly number[];
  readonly at: readonly number[];
  readonly end: readonly number[];
}

/**
 * Runs this long don't match by chance. Scripts that write a word in one or two characters use
 * shorter ones.
 */
const seed_length = 10;
const seed_length_dense = 4;
/** At least this share of the quotation must be found, or nothing is shown. */
const found_share_min = 0.4;

const letter_or_digit = /[\p{L}\p{N}]/u;
const dense_script = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** A character normalized for spelling, width and case. */
const folded = (character: string): string =>
  character
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");

function foldedTextOf(pieces: readonly string[]): FoldedText {
  let text = "";
  const piece: number[] = [];
  const at: number[] = [];
  const end: number[] = [];
  for (const [index, source] of pieces.entries()) {
    let position = 0;
    for (const character of source) {
      const next = position + character.length;
      if (letter_or_digit.test(character))
        for (const unit of folded(character).split("")) {
          text += unit;
          piece.push(index);
          at.push(position);
          end.push(next);
        }
      position = next;
    }
  }
  return { text, piece, at, end };
}

/** The parts of `pieces` that match `quote`; empty when too little of it is there. */
export function locate(pieces: readonly string[], quote: string): Hit[] {
  // A line break in a table cell.
  const needle = foldedTextOf([quote.replace(/<br>/g, " ")]).text;
  const page = foldedTextOf(pieces);
  if (needle.length === 0 || page.text.length === 0) return [];
  const exact_index = page.text.indexOf(needle);
  if (exact_index >= 0) return hitsOf(pieces, page, [[exact_index, exact_index + needle.length]]);
  const runs = commonRuns(
    page.text,
    needle,
    dense_script.test(quote) ? seed_length_dense : seed_length,
  );
  const found_length = runs.reduce((sum, [from, to]) => sum + to - from, 0);
  // A quotation that continues on the next page is longer than what this page can match.
  return found_length >= found_share_min * Math.min(needle.length, page.text.length)
    ? hitsOf(pieces, page, runs)
    : [];
}

/** Restricted to these parts of the items, or anywhere if it is not found there. */
export function locateWithin(
  pieces: readonly string[],
  parts: readonly Hit[],
  quote: string,
): Hit[] {
  const restricted = pieces.map(() => "");
  // Replaced by spaces, so that positions stay the same.
  for (const { piece, from, to } of parts)
    restricted[piece] = " ".repeat(from) + pieces[piece]!.slice(from, to);
  const found = parts.length === 0 ? [] : locate(restricted, quote);
  return found.length > 0 ? found : locate(pieces, quote);
}

/**
 * Walks along the quotation and takes the longest matching run each time; among equals, the one
 * nearest to the previous run.
 */
function commonRuns(text: string, needle: string, seed: number): [number, number][] {
  const positions_by_seed = new Map<string, number[]>();
  for (let at = 0; at + seed <= text.length; at++) {
    const key = text.slice(at, at + seed);
    const positions = positions_by_seed.get(key);
    if (positions) positions.push(at);
    else positions_by_seed.set(key, [at]);
  }
  const runs: [number, number][] = [];
  let expected = 0;
  for (let at = 0; at + seed <= needle.length;) {
    const best = bestRun(
      text,
      needle,
      at,
      seed,
      positions_by_seed.get(needle.slice(at, at + seed)) ?? [],
      expected,
    );
    if (!best) {
      at++;
      continue;
    }
    runs.push(best);
    at += best[1] - best[0];
    expected = best[1];
  }
  return runs;
}

function bestRun(
  text: string,
  needle: string,
  at: number,
  seed: number,
  candidates: readonly number[],
  expected: number,
): [number, number] | null {
  let best: [number, number] | null = null;
  for (const from of candidates.slice(0, 64)) {
    let length = seed;
    while (at + length < needle.length && needle[at + length] === text[from + length]) length++;
    const is_nearer =
      best !== null &&
      length === best[1] - best[0] &&
      Math.abs(from - expected) < Math.abs(best[0] - expected);
    if (best === null || length > best[1] - best[0] || is_nearer) best = [from, from + length];
  }
  return best;
}

function hitsOf(
  pieces: readonly string[],
  page: FoldedText,
  runs: readonly (readonly [number, number])[],
): Hit[] {
  const spans = new Map<number, { from: number; to: number }>();
  for (const [from, to] of runs)
    for (let at = from; at < to; at++) {
      const piece = page.piece[at]!;
      const span = spans.get(piece);
      if (span) {
        span.from = Math.min(span.from, page.at[at]!);
        span.to = Math.max(span.to, page.end[at]!);
      } else spans.set(piece, { from: page.at[at]!, to: page.end[at]! });
    }
  return [...spans]
    .map(([piece, { from, to }]) => ({ piece, ...withPunctuation(pieces[piece]!, from, to) }))
    .sort((a, b) => a.piece - b.piece);
}

/** Extends the range by punctuation that belongs to the words at both ends. */
function withPunctuation(text: string, from: number, to: number): { from: number; to: number } {
  const opening_length = /[\p{Ps}\p{Pi}"']+$/u.exec(text.slice(0, from))?.[0].length ?? 0;
  const closing_length = /^[^\P{P}\p{Ps}\p{Pi}]+/u.exec(text.slice(to))?.[0].length ?? 0;
  return { from: from - opening_length, to: to + closing_length };
}
