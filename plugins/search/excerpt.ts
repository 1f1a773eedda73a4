/** Cuts the one or two sentences out of a passage that say most of a statement. Pure. */
import { quote_points_max, type Span } from "./contract";
import { sentencesOf } from "./sentences";

type Analyze = (text: string) => readonly { readonly term: string }[];

/**
 * Only the beginning of a longer statement is compared, UTF-16 units: it may be a question of
 * thousands of words, and is compared with each passage.
 */
const statement_chars_max = 2_000;
/** A second sentence must say this much more of the statement, 0 to 1. */
const second_share_min = 0.15;

/** UTF-16 indices; at most `quote_points_max` code points. Without a shared word: its beginning. */
export function excerptOf(text: string, statement: string, analyze: Analyze): Span {
  const pieces = sentencesOf(text).flatMap((sentence) => piecesOf(text, sentence));
  if (pieces.length === 0) return { start: 0, end: Math.min(text.length, quote_points_max) };
  const termsOf = (part: string) => new Set(analyze(part).map(({ term }) => term));
  const terms = pieces.map(({ start, end }) => termsOf(text.slice(start, end)));
  const share = shareOf(termsOf(statement.slice(0, statement_chars_max)), terms);
  const shares = terms.map((term) => share([term]));
  const best = shares.reduce((top, share, at) => (share > shares[top]! ? at : top), 0);
  let chosen: Span = pieces[best]!;
  let share_min = shares[best]! + second_share_min;
  for (const first of [best, best - 1]) {
    const a = pieces[first];
    const b = pieces[first + 1];
    if (!a || !b || b.end - a.start > quote_points_max) continue;
    const pair_share = share([terms[first]!, terms[first + 1]!]);
    if (pair_share < share_min) continue;
    chosen = { start: a.start, end: b.end };
    share_min = pair_share;
  }
  return chosen;
}

/** The share of the statement in some sentences, weighted by the rarity of its words in all. */
function shareOf(
  statement: ReadonlySet<string>,
  all: readonly ReadonlySet<string>[],
): (sets: readonly ReadonlySet<string>[]) => number {
  const weights = new Map<string, number>();
  let total = 0;
  for (const term of statement) {
    const count = all.filter((terms) => terms.has(term)).length;
    const weight = Math.log(1 + (all.length - count + 0.5) / (count + 0.5));
    weights.set(term, weight);
    total += weight;
  }
  return (sets) => {
    let sum = 0;
    for (const [term, weight] of weights) if (sets.some((terms) => terms.has(term))) sum += weight;
    return total === 0 ? 0 : sum / total;
  };
}

/** A sentence that is too long for a quote, in parts that are not; they end at white space. */
function piecesOf(text: string, { start, end }: Span): Span[] {
  const pieces: Span[] = [];
  for (let from = start; from < end;) {
    let to = Math.min(end, from + quote_points_max);
    if (to < end) {
      const part = text.slice(from, to + 1);
      const space = part.search(/\s\S*$/u);
      if (space > 0) to = from + space;
      else if ((text.charCodeAt(to - 1) & 0xfc00) === 0xd800) to--;
    }
    const piece = trimmed(text, from, to);
    if (piece.start < piece.end) pieces.push(piece);
    from = to;
  }
  return pieces;
}

function trimmed(text: string, from: number, to: number): Span {
  let start = from;
  let end = to;
  while (start < end && /\s/.test(text[start]!)) start++;
  while (end > start && /\s/.test(text[end - 1]!)) end--;
  return { start, end };
}
