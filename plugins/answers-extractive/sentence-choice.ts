/** Chooses the sentences of an answer. Pure. */
import type { Source } from "./sentence-features";
import type { Sentence } from "./sentence-ranking";

export interface AnswerSize {
  /** UTF-16 units; a longer sentence is used alone. */
  readonly chars_max: number;
  readonly sentences_max: number;
}
/** Another sentence must be at least this likely, relative to the best one. */
const likelihood_min = 0.01;
/** A sentence that has this share of the words of a chosen one, or the reverse, repeats it. */
const repeated_share = 0.9;
/** Rows of a table that are this much less likely than the best one are left out. */
const row_margin = 0.5;
/** A sentence after the best one continues it, the more if it refers to it; one before leads on. */
const neighbour = { after: 2, before: 0.5, refers_back: 1.5 } as const;
/**
 * So does one near it that has what the question asks for (a number, a default …), if no chosen
 * one has it.
 */
const completion = { bonus: 4, chars_max: 250 } as const;
/** A longer sentence is not included for what it introduces: the answer would come late. */
const needed_chars_max = 160;
/** Nor is longer code that it introduces. */
const code_chars_max = 400;
/** It is followed by an example: "…, as follows:", "… in Listing 3." */
const announces_code = new RegExp(
  "[:：]$|(?<!\\p{L})(?:listing|example|snippet|code|below|following|follows|like this|" +
    "beispiel|folgt|exemple|ejemplo|esempio)(?!\\p{L})",
  "iu",
);
/** It refers to the previous sentence: "It …", "This switch …". */
const continuation = new RegExp(
  "^(?:it|its|they|their|this|these|such|dies(?:e[rsmn]?)?|er|sie|es|ce(?:ci|la|t|tte|s)?|ils?|" +
    "elles?|est[aeo]s?)(?![\\p{L}\\p{M}'’])(?! (?:is|was) [a-z]+ (?:that|to) )",
  "iu",
);
/** What was just said is referred to: "To enable this feature, …", but not "in this manual". */
const refers_back = new RegExp(
  "(?<![\\p{L}\\p{M}])" +
    "(?:this|these|those|such|dies(?:e[rsmn]?)?|cet(?:te)?|est[aeo]s?|quest[aeio])\\s+" +
    "(?!(?:book|chapter|document|guide|handbook|manual|page|part|section|text|version|" +
    "abschnitt|buch|dokument|handbuch|kapitel|seite|teil|chapitre|livre|manuel|partie|texte)" +
    "(?!\\p{L}))\\p{L}",
  "iu",
);
/** A question adds nothing to an answer, nor does the introduction of something else. */
const adds_nothing = /[?？؟:：][)\]"'”’»」』]*$/u;

/** The most likely sentence, and others as long as they fit and are likely. Best passage first. */
export function chooseSentences(
  ranked: readonly Sentence[],
  sources: readonly Source[],
  { chars_max, sentences_max }: AnswerSize,
): Sentence[] {
  const [best] = ranked;
  if (best === undefined) return [];
  const textOf = ({ source, start, end }: Sentence): string =>
    sources[source]!.text.slice(start, end);
  const chosen = [best];
  const chosen_texts = [textOf(best)];
  let chars_left = chars_max - textOf(best).length;
  const others = new Set(ranked.slice(1));
  for (const sentence of contextOf(best, ranked, sources)) {
    const text = textOf(sentence);
    others.delete(sentence);
    const is_code = sentence.features.code > 0;
    if (text.length > (is_code ? code_chars_max : Math.min(chars_left, needed_chars_max))) continue;
    chosen.push(sentence);
    chosen_texts.push(text);
    if (!is_code) chars_left -= text.length;
  }
  // A requested cell is the whole answer: only rows that answer as well may follow.
  const score_min = best.row ? best.score - row_margin : -Infinity;
  while (chosen.length < sentences_max) {
    let next: Sentence | undefined;
    let best_score = best.score + Math.log(likelihood_min);
    for (const sentence of others) {
      const text = textOf(sentence);
      if (text.length > chars_left || adds_nothing.test(text)) continue;
      if (sentence.score < score_min || (best.row?.is_exact && !sentence.row?.is_exact)) continue;
      const score =
        sentence.score + (sentence.row || best.row ? 0 : bonusOf(sentence, chosen, sources));
      if (score <= best_score || chosen_texts.some((chosen) => isRepetition(text, chosen)))
        continue;
      best_score = score;
      next = sentence;
    }
    if (next === undefined) break;
    others.delete(next);
    chosen.push(next);
    chosen_texts.push(textOf(next));
    chars_left -= textOf(next).length;
  }
  return inOrder(chosen);
}

/** Documents repeat sentences, with other line breaks and with a word more or less. */
export function isRepetition(text: string, other: string): boolean {
  const label = entry_label.exec(text)?.[0];
  const other_label = entry_label.exec(other)?.[0];
  if (label !== undefined && other_label !== undefined && label !== other_label) return false;
  const words = wordsOf(text);
  const other_words = wordsOf(other);
  const missing = [...words].filter((word) => !other_words.has(word));
  const words_min = repeated_share * Math.max(1, Math.min(words.size, other_words.size));
  return !missing.some((word) => number.test(word)) && words.size - missing.length >= words_min;
}
const number = /\p{N}/u;
/** Entries with different labels differ in what they are about. */
const entry_label = /^[‘'"“`(<]?(?:[-–−]{1,2}|[\\$@%&+])[\p{L}\p{N}@_-]+/u;
const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu));

/**
 * What must be quoted with a sentence for it to be understood: the option that it explains, the
 * sentence that it refers to, the code that it introduces.
 */
function contextOf(
  best: Sentence,
  ranked: readonly Sentence[],
  sources: readonly Source[],
): ReadonlySet<Sentence> {
  const { text } = sources[best.source]!;
  const earlier = ranked.filter(({ source, end }) => source === best.source && end <= best.start);
  const entry_head = earlier.find(({ start }) => start === best.entry);
  const before = earlier.find(({ end }) => text.slice(end, best.start).trim() === "");
  const needed = new Set(entry_head && [entry_head]);
  const best_text = text.slice(best.start, best.end);
  const below = ranked.find(
    ({ source, start, features }) =>
      source === best.source &&
      features.code > 0 &&
      start >= best.end &&
      text.slice(best.end, start).trim() === "",
  );
  if (before !== undefined && continuation.test(best_text)) needed.add(before);
  if (below !== undefined && announces_code.test(best_text)) needed.add(below);
  return needed;
}

/** The bonus for being right after or before a chosen sentence. */
function bonusOf(
  sentence: Sentence,
  chosen: readonly Sentence[],
  sources: readonly Source[],
): number {
  const { text } = sources[sentence.source]!;
  const refersBack = ({ start, end }: Sentence) => refers_back.test(text.slice(start, end));
  const completes =
    sentence.features.answer_type > 0 && !chosen.some(({ features }) => features.answer_type > 0);
  let bonus = 0;
  // The start of another option's entry adds nothing about this one.
  if (sentence.start === sentence.entry) return 0;
  for (const { source, start, end } of chosen) {
    if (source !== sentence.source) continue;
    if (sentence.start >= end && text.slice(end, sentence.start).trim() === "")
      bonus = Math.max(bonus, neighbour.after + (refersBack(sentence) ? neighbour.refers_back : 0));
    else if (sentence.end <= start && text.slice(sentence.end, start).trim() === "")
      bonus = Math.max(bonus, neighbour.before);
    const apart = Math.max(sentence.start - end, start - sentence.end);
    if (completes && apart <= completion.chars_max) bonus = Math.max(bonus, completion.bonus);
  }
  return bonus;
}

/** Passages in the order in which they were chosen, each in reading order. */
const inOrder = (chosen: readonly Sentence[]): Sentence[] =>
  [...new Set(chosen.map(({ source }) => source))].flatMap((source) =>
    chosen.filter((sentence) => sentence.source === source).sort((a, b) => a.start - b.start),
  );
