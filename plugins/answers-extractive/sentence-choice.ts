/** Chooses the sentences of an answer. Pure. */
import { isEnded } from "./quote-text";
import type { Source } from "./passages";
import type { Sentence } from "./sentence-ranking";

/** The share of the question that some of its terms make up, 0 to 1. */
type Share = (terms: Iterable<string>) => number;

/** The sentences for one question. */
export interface RankedAnswer {
  /** Most likely first. */
  readonly ranked: readonly Sentence[];
  /** Whether the first one answers it. */
  readonly is_answer: boolean;
  readonly share: Share;
  /** What tells the two things that it asks about from each other (`coordinatedTerms`). */
  readonly coordinated: readonly [string, string] | null;
}

interface AnswerSize {
  /** UTF-16 units; a longer sentence is used alone. */
  readonly chars_max: number;
  readonly sentences_max: number;
}
/** Of two questions, each gets half of the answer. */
const sizes = {
  one: { chars_max: 360, sentences_max: 4 },
  two: { chars_max: 190, sentences_max: 2 },
} as const;
/** A sentence of the first answer's passage is this much likelier to answer the second question. */
const same_passage_bonus = 1;
/** Another sentence must be at least this likely, relative to the best one. */
const likelihood_min = 0.01;
/** A sentence that has this share of the words of a chosen one, or the reverse, repeats it. */
const repeated_share = 0.9;
/** Rows of a table that are this much less likely than the best one are left out. */
const row_margin = 0.5;
/** A sentence after the best one continues it, the more if it refers to it; one before leads on. */
const neighbour = { after: 2, before: 0.5, refers_back: 1.5 } as const;
/**
 * So does one that has what the question asks for (a number, a default, an instruction …), if no
 * chosen one has it: above all one near it.
 */
const completion = { bonus: 4, chars_max: 250, elsewhere: 3 } as const;
/** And one with words of the question that no chosen one has, by the share that they are. */
const further_words = 3;
/** And one about the other of two things that are asked about, when only one was. */
const coordinated_bonus = 4;
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
/** It refers to the previous sentence: "It …", "This switch …", "In fact, this …". */
const continuation = new RegExp(
  "^(?:(?:\\p{L}+\\s){0,2}\\p{L}+,\\s)?" +
    "(?:it|its|they|their|this|these|such|dies(?:e[rsmn]?)?|er|sie|es|ce(?:ci|la|t|tte|s)?|ils?|" +
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
const introduces_list = /[:：]$/;
const list_item = /^(?:[-*•●○■□–▪◦‣▶]|\(?(?:\d{1,3}|\p{L})[.)])\s/u;
/** A question adds nothing to an answer, nor does the introduction of something else. */
const adds_nothing = /[?？؟:：][)\]"'”’»」』]*$/u;

/** The sentences that answer each question. Those of the first answer are not repeated. */
export function chooseSentences(
  answers: readonly RankedAnswer[],
  sources: readonly Source[],
): Sentence[] {
  const size = answers.length === 1 ? sizes.one : sizes.two;
  const chosen: Sentence[] = [];
  for (const answer of answers) {
    const { ranked, is_answer } = answer;
    if (!is_answer) continue;
    const chosen_texts = chosen.map((sentence) => textOf(sentence, sources));
    const unused = inPassageFirst(ranked, chosen[0]).filter((sentence) => {
      const text = textOf(sentence, sources);
      return !chosen_texts.some((other) => isRepetition(text, other));
    });
    chosen.push(...chooseFrom({ ...answer, ranked: unused }, sources, size));
  }
  return chosen;
}

const textOf = ({ source, start, end }: Sentence, sources: readonly Source[]): string =>
  sources[source]!.text.slice(start, end);

/** The second question is often about the same, so the passage of the first answer is preferred. */
const inPassageFirst = (
  ranked: readonly Sentence[],
  first_answer?: Sentence,
): readonly Sentence[] =>
  first_answer === undefined
    ? ranked
    : ranked
        .map((sentence) =>
          sentence.source === first_answer.source
            ? { ...sentence, score: sentence.score + same_passage_bonus }
            : sentence,
        )
        .sort((a, b) => b.score - a.score);

/** The most likely sentence, and others as long as they fit and are likely. Best passage first. */
function chooseFrom(
  answer: RankedAnswer,
  sources: readonly Source[],
  { chars_max, sentences_max }: AnswerSize,
): Sentence[] {
  const { ranked } = answer;
  const [best] = ranked;
  if (best === undefined) return [];
  const choice = new Choice(best, sources, chars_max, answer);
  const context = contextOf(best, ranked, sources);
  for (const sentence of context) choice.addContext(sentence);
  for (const item of itemsBelow(best, ranked, sources)) if (!choice.addItem(item)) break;
  const others = new Set(ranked).difference(new Set(choice.sentences));
  while (choice.sentences.length < sentences_max) {
    const next = choice.bestOf(others);
    if (next === undefined) break;
    others.delete(next);
    choice.add(next);
  }
  return inOrder(choice.sentences, best, sources);
}

/** The sentences chosen so far. */
class Choice {
  readonly sentences: Sentence[] = [];
  private readonly texts: string[] = [];

  constructor(
    private readonly best: Sentence,
    private readonly sources: readonly Source[],
    private chars_left: number,
    private readonly answer: Omit<RankedAnswer, "ranked" | "is_answer">,
  ) {
    this.add(best);
  }

  add(sentence: Sentence): void {
    const text = textOf(sentence, this.sources);
    this.sentences.push(sentence);
    this.texts.push(text);
    this.chars_left -= text.length;
  }

  /** Adds what the best sentence needs, unless it is too long. Code takes no space from others. */
  addContext(sentence: Sentence): void {
    const { length } = textOf(sentence, this.sources);
    const is_code = sentence.features.code > 0;
    if (length > (is_code ? code_chars_max : Math.min(this.chars_left, needed_chars_max))) return;
    this.add(sentence);
    if (is_code) this.chars_left += length;
  }

  /** Adds an item of a list. Returns whether it fits. */
  addItem(item: Sentence): boolean {
    if (textOf(item, this.sources).length > this.chars_left) return false;
    if (!this.sentences.includes(item)) this.add(item);
    return true;
  }

  /** The likeliest one that fits and adds something; undefined when none is likely enough. */
  bestOf(others: Iterable<Sentence>): Sentence | undefined {
    let next: Sentence | undefined;
    let best_score = this.best.score + Math.log(likelihood_min);
    for (const sentence of others) {
      const text = textOf(sentence, this.sources);
      if (text.length > this.chars_left || adds_nothing.test(text)) continue;
      if (!this.mayFollow(sentence)) continue;
      const score = this.scoreOf(sentence);
      if (score <= best_score || this.texts.some((other) => isRepetition(text, other))) continue;
      best_score = score;
      next = sentence;
    }
    return next;
  }

  /** A requested cell is the whole answer: only rows that answer as well may follow. */
  private mayFollow({ score, row }: Sentence): boolean {
    const { best } = this;
    if (!best.row) return true;
    return score >= best.score - row_margin && (!best.row.is_exact || row?.is_exact === true);
  }

  private scoreOf(sentence: Sentence): number {
    const known = new Set(this.sentences.flatMap(({ terms }) => terms));
    const further = this.answer.share(sentence.terms.filter((term) => !known.has(term)));
    const is_row = sentence.row ?? this.best.row;
    const bonus = is_row ? 0 : bonusOf(sentence, this.sentences, this.sources);
    const other = this.isAboutOther(sentence, known) ? coordinated_bonus : 0;
    return sentence.score + further_words * further + bonus + other;
  }

  /** Whether it is about the one of two things that the chosen sentences do not mention. */
  private isAboutOther({ terms }: Sentence, known: ReadonlySet<string>): boolean {
    const { coordinated } = this.answer;
    const missing = coordinated?.filter((term) => !known.has(term)) ?? [];
    return (
      missing.length === 1 &&
      coordinated!.every((term) => terms.includes(term) === (term === missing[0]))
    );
  }
}

/** Documents repeat sentences, with other line breaks and with a word more or less. */
function isRepetition(text: string, other: string): boolean {
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

/** The items of the list that a sentence introduces, in order. */
function itemsBelow(
  { source, start, end }: Sentence,
  ranked: readonly Sentence[],
  sources: readonly Source[],
): readonly Sentence[] {
  const { text } = sources[source]!;
  if (!introduces_list.test(text.slice(start, end))) return [];
  const below = ranked
    .filter((sentence) => sentence.source === source && sentence.start >= end)
    .sort((a, b) => a.start - b.start);
  const first_other = below.findIndex(
    (sentence, at) =>
      text.slice(below[at - 1]?.end ?? end, sentence.start).trim() !== "" ||
      !list_item.test(text.slice(sentence.start, sentence.end)),
  );
  return first_other < 0 ? below : below.slice(0, first_other);
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
  let bonus = completes ? completion.elsewhere : 0;
  // Right behind an option's entry, the start of another one adds nothing about it.
  if (sentence.start === sentence.entry) return bonus;
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

/**
 * Passages in the order in which they were chosen, each in reading order. The best sentence and
 * what belongs to it come first, unless they are the steps of a list.
 */
function inOrder(
  chosen: readonly Sentence[],
  best: Sentence,
  sources: readonly Source[],
): Sentence[] {
  const by_source = [...new Set(chosen.map(({ source }) => source))].flatMap((source) =>
    chosen.filter((sentence) => sentence.source === source).sort((a, b) => a.start - b.start),
  );
  const in_list = by_source.filter((sentence) => list_step.test(textOf(sentence, sources)));
  if (in_list.length > 1) return by_source;
  const first = runOf(best, by_source, sources);
  return [...first, ...by_source.filter((sentence) => !first.includes(sentence))];
}
const list_step = /^\(?(?:\d{1,3}|\p{L})[.)]\s/u;

/** The sentence with those chosen right before and after it, and those of its entry. */
function runOf(
  best: Sentence,
  in_reading_order: readonly Sentence[],
  sources: readonly Source[],
): readonly Sentence[] {
  const { text } = sources[best.source]!;
  const own = in_reading_order.filter(({ source }) => source === best.source);
  const isNext = (sentence: Sentence, next: Sentence | undefined): boolean =>
    next !== undefined &&
    ((isEnded(textOf(sentence, sources)) && text.slice(sentence.end, next.start).trim() === "") ||
      (next.entry !== undefined && (sentence.entry ?? sentence.start) === next.entry));
  let from = own.indexOf(best);
  let to = from;
  while (from > 0 && isNext(own[from - 1]!, own[from])) from--;
  while (isNext(own[to]!, own[to + 1])) to++;
  return own.slice(from, to + 1);
}
