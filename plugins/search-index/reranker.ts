/** A second look at the best hits: how the words of the question stand in the text itself. */
import type { Analyzer } from "./analyzer";
import type { Query } from "./query";
import { byScore, type Hit, type Ranking } from "./bm25";

/**
 * What each mark can add to a score, as a share of it. Chosen once on questions in several
 * languages, and rounded.
 */
const weight = {
  /** Neighbouring words of the question stand as far from each other as they do there. */
  order: 0.35,
  /** Words stand in the form that they have in the question. */
  form: 0.3,
  /** One sentence holds much of the question. */
  sentence: 0.3,
  /** In place of a missing word stands one that contains it, or that begins like it. */
  kin: 0.4,
} as const;
/** What the best passages of the same document add, as a share of their mean score. */
const document_weight = 0.5;
/** A word has a form, or it is missing and may have kin. */
const most_added = weight.order + weight.sentence + Math.max(weight.form, weight.kin);
/** Hits whose text is looked at. */
export const looked_at_max = 50;

export interface Looked {
  readonly text: string;
  readonly analyzer: number;
}

/**
 * The best `limit` of these hits after a look at the texts of the first `looked_at_max`, and at
 * none that could not enter.
 */
export function refine(
  ranking: Ranking,
  query: Query,
  limit: number,
  analyzers: ReadonlyMap<number, Analyzer>,
  source: (hit: Hit) => Looked,
): Hit[] {
  const { hits, idfs } = ranking,
    look = createLook(query, idfs, analyzers);
  const plain = (hit: Hit): number => hit.score + document_weight * hit.document;
  const least =
    hits
      .slice(0, looked_at_max)
      .map(plain)
      .sort((a, b) => b - a)[limit - 1] ?? 0;
  const refined = hits.slice(0, Math.max(limit, looked_at_max)).flatMap((hit, at) => {
    if (at >= looked_at_max) return [hit];
    if (plain(hit) + hit.score * most_added < least) return [];
    return [{ ...hit, score: plain(hit) + hit.score * look(source(hit)) }];
  });
  return refined.sort(byScore).slice(0, limit);
}

/** Tells how much a text adds to its score, as a share of it. */
function createLook(
  query: Query,
  idfs: readonly number[],
  analyzers: ReadonlyMap<number, Analyzer>,
): (looked: Looked) => number {
  const { slots } = query,
    worth = slots.map((slot, t) => slot.weight * idfs[t]!),
    total = worth.reduce((sum, one) => sum + one, 0);
  const slot_of = new Map(
    [...query.hashes].map(([version, hashes]) => [
      version,
      new Map(hashes.flatMap((hash, t) => (hash < 0 ? [] : [[hash, t] as const]))),
    ]),
  );
  return ({ text, analyzer }) => {
    if (total === 0) return 0;
    const places: number[][] = slots.map(() => []),
      as_asked = new Uint8Array(slots.length),
      sentences = new Sentences(text, worth);
    const slotOf = slot_of.get(analyzer)!;
    let at = 0;
    analyzers.get(analyzer)!.walk(text, (hash, start, end) => {
      at++;
      const t = slotOf.get(hash);
      if (t === undefined) return;
      places[t]!.push(at);
      sentences.add(t, start);
      if (
        as_asked[t] === 0 &&
        slots[t]!.forms.some(
          (form) => form.length === end - start && text.slice(start, end).toLowerCase() === form,
        )
      )
        as_asked[t] = 1;
    });
    let form = 0,
      kin = 0,
      lower = "";
    slots.forEach((slot, t) => {
      if (as_asked[t] === 1) form += worth[t]!;
      else if (places[t]!.length === 0)
        kin +=
          worth[t]! *
          Math.max(0, ...slot.forms.map((one) => kinship((lower ||= text.toLowerCase()), one)));
    });
    return (
      weight.order * order(places, query, idfs) +
      (weight.form * form + weight.sentence * sentences.best() + weight.kin * kin) / total
    );
  };
}

/**
 * 0 to 1: for each two neighbouring words of the question, how nearly their distance there is found
 * in the text, weighted by their rarity.
 */
function order(
  places: readonly (readonly number[])[],
  { slots }: Query,
  idfs: readonly number[],
): number {
  let sum = 0,
    whole = 0;
  for (let t = 0; t + 1 < slots.length; t++) {
    const worth = Math.min(idfs[t]!, idfs[t + 1]!);
    whole += worth;
    sum += worth / (1 + nearest(places[t]!, places[t + 1]!, slots[t + 1]!.place - slots[t]!.place));
  }
  return whole > 0 ? sum / whole : 0;
}
/**
 * The least difference between `distance` and that of any two of these places; both lists ascend.
 */
function nearest(first: readonly number[], second: readonly number[], distance: number): number {
  let least = Infinity;
  for (let i = 0, j = 0; i < first.length && j < second.length;) {
    const over = second[j]! - first[i]! - distance;
    least = Math.min(least, Math.abs(over));
    if (over < 0) j++;
    else i++;
  }
  return least;
}

/** Finds the sentence of a text that is worth most. Words come in the order of the text. */
class Sentences {
  private readonly ends = /[.!?…؟۔।။](?=["'”’»)\]]*\s)|[。！？｡]|\n/g;
  private readonly seen_in: Int32Array;
  private end = 0;
  private count = 0;
  private sum = 0;
  private most = 0;
  constructor(
    private readonly text: string,
    private readonly worth: readonly number[],
  ) {
    this.seen_in = new Int32Array(worth.length);
  }

  add(t: number, at: number): void {
    if (at >= this.end) {
      this.most = this.best();
      this.sum = 0;
      this.count++;
      while (at >= this.end)
        this.end = this.ends.exec(this.text) === null ? Infinity : this.ends.lastIndex;
    }
    if (this.seen_in[t] === this.count) return;
    this.seen_in[t] = this.count;
    this.sum += this.worth[t]!;
  }
  best(): number {
    return Math.max(this.most, this.sum);
  }
}

const kin_letters_least = 4,
  inner_letters_least = 5,
  inner_kinship = 0.7,
  kinship_least = 0.6;
const letter = /[\p{L}\p{N}\p{M}]/u;
/**
 * 0 to 1: how much some word of the text is like this one: it contains it, or begins with the same
 * letters. Both in lower case.
 */
function kinship(text: string, word: string): number {
  if (word.length < kin_letters_least) return 0;
  let best = word.length >= inner_letters_least && text.includes(word) ? inner_kinship : 0;
  const head = word.slice(0, kin_letters_least);
  for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, at + 1)) {
    if (at > 0 && letter.test(text[at - 1]!)) continue;
    let same = head.length,
      end = at + head.length;
    while (same < word.length && text[end] === word[same]) {
      same++;
      end++;
    }
    while (end < text.length && letter.test(text[end]!)) end++;
    best = Math.max(best, (2 * same) / (end - at + word.length));
  }
  return best >= kinship_least ? best : 0;
}
