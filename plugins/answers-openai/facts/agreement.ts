/**
 * Whether a sentence agrees with its source: its numbers, negations and names are those of the
 * sentences there about the same subject.
 */
import type { Span } from "../../search/contract";
import type { EvidenceFinder, SourceSentence } from "../evidence";
import { contentOf } from "./function-words";
import { datesIn, holdsName, namesIn, replacesName } from "./names";
import { polarityOf, saysOpposite, spelledOut } from "./polarity";
import {
  askedUnit,
  isSameQuantity,
  quantitiesIn,
  withoutQuantities,
  type Quantity,
} from "./quantities";
import type { Unit } from "./units";

/**
 * A place is about the same subject as the claim if it shares this fraction of what the best one
 * shares.
 */
const near_best = 0.8;
/** A second sentence must add this much of the claim. */
const second_share_min = 0.15;
const sentences_before = 5;

/** One sentence of a source, or two adjacent ones. */
interface Window {
  readonly text: string;
  readonly first: number;
  readonly share: number;
}

const conjunctions =
  "and|but|whereas|although|und|aber|sondern|et|mais|y|pero|sino|però|maar|lecz|и|а|но|однако";
const clause_end = new RegExp(
  `[;:()–—，。；：！？]|[,.!?](?=\\s)|\\s(?:${conjunctions})(?=\\s)`,
  "iu",
);
const unspaced = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}";
/** Where words are not separated, each character counts. */
const clause_word = new RegExp(`[${unspaced}]|(?:(?![${unspaced}])[\\p{L}\\p{Nd}])+`, "gu");
function clausesOf(text: string): string[] {
  const parts: string[] = [];
  for (const part of text.split(clause_end)) {
    const words = part.match(clause_word)?.length ?? 0;
    if (words === 0) continue;
    // A word or two is a part of a list, unless it is a predicate: `but never built`.
    if (words < 3 && parts.length > 0 && !polarityOf(part).is_negated)
      parts[parts.length - 1] += ` ${part}`;
    else parts.push(part);
  }
  return parts;
}

/** Compares sentences with the sources of one answer. */
export class AgreementChecker {
  /** The unit of a bare number that answers the question. */
  private readonly asked_unit: Unit | null;

  /** `titles`: for each source, the names of its document and heading. */
  constructor(
    private readonly evidence: EvidenceFinder,
    private readonly texts: readonly string[],
    private readonly titles: readonly string[],
    private readonly question: string,
  ) {
    this.asked_unit = askedUnit(question);
  }

  /** Whether each clause of the sentence agrees with one of these sources that `isAbout` it. */
  agrees(
    sentence: string,
    sources: readonly number[],
    isAbout: (clause: string, source: number) => boolean = () => true,
  ): boolean {
    const clauses = clausesOf(sentence.replace(/^\s*(?:[-*•>#]+\s*)?(?:\d+[.)]\s+)?/, ""));
    return clauses.every((clause) =>
      sources.some(
        (source) => isAbout(clause, source) && this.clauseAgrees(clause, sentence, source),
      ),
    );
  }

  /**
   * Whether the source has the numbers and dates of a sentence in another language, and a negation
   * if it has one.
   */
  agreesInFacts(sentence: string, source: number): boolean {
    const text = this.texts[source]!;
    const found = quantitiesIn(text);
    const dates = datesIn(text);
    return (
      quantitiesIn(sentence).every(
        (quantity) => quantity.is_weak || found.some((other) => isSameQuantity(quantity, other)),
      ) &&
      [...datesIn(sentence)].every((date) => dates.has(date)) &&
      (!polarityOf(sentence).is_negated ||
        this.evidence
          .sentencesOf(source)
          .some(({ start, end }) => polarityOf(text.slice(start, end)).is_negated))
    );
  }

  private clauseAgrees(clause: string, sentence: string, source: number): boolean {
    const windows = this.windowsAbout(clause, sentence, source);
    return windows.some((window) => this.agreesWith(clause, window, source));
  }

  /** The places in the source about this clause, ignoring its numbers and names. */
  private windowsAbout(clause: string, sentence: string, source: number): readonly Window[] {
    // A short answer, `Every ninety days`, is about the subject of the question.
    const subjects = [clause, sentence, this.question].map(withoutFacts);
    for (const text of [...subjects, contentOf(clause)]) {
      const windows = this.windows(source, this.evidence.claimOf(text));
      const best = Math.max(0, ...windows.map((window) => window.share));
      if (best > 0) return windows.filter((window) => window.share >= best * near_best);
    }
    return [];
  }

  private windows(source: number, claim: ReadonlySet<string>): Window[] {
    const sentences = this.evidence.sentencesOf(source);
    const text = this.texts[source]!;
    const share = (...of: readonly SourceSentence[]) =>
      this.evidence.share(claim, (term) => of.some(({ terms }) => terms.has(term)));
    return sentences.flatMap((sentence, at) => {
      const alone = share(sentence);
      const found = [{ text: text.slice(sentence.start, sentence.end), first: at, share: alone }];
      const next = sentences[at + 1];
      const other = next ? share(next) : 0;
      if (!next || alone === 0 || other === 0) return found;
      const both = share(sentence, next);
      if (both >= Math.max(alone, other) + second_share_min)
        found.push({ text: text.slice(sentence.start, next.end), first: at, share: both });
      return found;
    });
  }

  private agreesWith(clause: string, window: Window, source: number): boolean {
    return (
      this.holdsQuantities(clause, window) &&
      this.holdsNames(clause, window, source) &&
      !saysOpposite(clause, window.text) &&
      this.hasPolarity(spelledOut(clause, window.text), spelledOut(window.text, clause))
    );
  }

  private holdsQuantities(clause: string, { text }: Window): boolean {
    const found = quantitiesIn(text);
    return this.claimedIn(clause).every((quantity) => {
      // A number beside a unit of this kind is likelier to be meant than one without.
      const of_kind = found.filter(
        ({ unit }) => unit !== null && unit.dimension === quantity.unit?.dimension,
      );
      return (
        quantity.is_weak ||
        (of_kind.length > 0 ? of_kind : found).some((other) =>
          this.isSame(quantity, other, clause, text, found),
        )
      );
    });
  }

  /** The quantities of a clause; nothing but a number has the unit of the question. */
  private claimedIn(clause: string): Quantity[] {
    const claimed = quantitiesIn(clause);
    const is_bare = this.asked_unit !== null && contentOf(withoutQuantities(clause)) === "";
    return is_bare
      ? claimed.map((one) => ({ ...one, unit: one.unit ?? this.asked_unit }))
      : claimed;
  }

  /** The same amount; of several of its kind in one sentence, the one beside the same words. */
  private isSame(
    quantity: Quantity,
    other: Quantity,
    clause: string,
    text: string,
    of_window: readonly Quantity[],
  ): boolean {
    if (!isSameQuantity(quantity, other)) return false;
    const dimension = other.unit?.dimension;
    const rivals = of_window.filter(
      (rival) => !rival.is_weak && rival.unit?.dimension === dimension,
    );
    if (rivals.length < 2) return true;
    const about = this.evidence.claimOf(withoutFacts(clause));
    const groups = clauseGroups(text, rivals);
    const shares = groups.map((group) => {
      const terms = this.evidence.claimOf(text.slice(group.start, group.end));
      return { group, share: this.evidence.share(about, (term) => terms.has(term)) };
    });
    const best = Math.max(...shares.map(({ share }) => share));
    return shares.some(
      ({ group, share }) =>
        share >= best * near_best &&
        rivals.some(
          (rival) =>
            rival.start >= group.start &&
            rival.start < group.end &&
            isSameQuantity(quantity, rival),
        ),
    );
  }

  private holdsNames(clause: string, window: Window, source: number): boolean {
    const sentences = this.evidence.sentencesOf(source);
    const begin = sentences[Math.max(0, window.first - sentences_before)]!.start;
    const before = this.texts[source]!.slice(begin, sentences[window.first]!.start);
    const title = this.titles[source]!;
    const names = namesIn(clause);
    // A sentence that names something else is about that; otherwise its subject was named before.
    const others = namesIn(window.text).filter((name) => !holdsName(clause, name));
    const nearby = others.length === 0 ? `${before} ${window.text}` : window.text;
    const dates = datesIn(window.text);
    return (
      names.every((name) => holdsName(nearby, name) || holdsName(title, name)) &&
      [...datesIn(clause)].every((date) => dates.has(date)) &&
      !replacesName(clause, window.text)
    );
  }

  /** Whether what it negates is negated there, and nothing else of it. */
  private hasPolarity(clause: string, window: string): boolean {
    const negated = new Set<string>();
    const affirmed = new Set<string>();
    let has_negation = false;
    for (const source_clause of clausesOf(window)) {
      const { is_negated, reach } = polarityOf(source_clause);
      has_negation ||= is_negated;
      const before = is_negated
        ? source_clause.slice(0, source_clause.length - reach.length)
        : source_clause;
      for (const term of this.evidence.claimOf(contentOf(before))) affirmed.add(term);
      if (!is_negated) continue;
      for (const term of this.evidence.claimOf(contentOf(reach))) negated.add(term);
    }
    const polarity = polarityOf(clause);
    if (!polarity.is_negated)
      return ![...this.evidence.claimOf(contentOf(clause))].some(
        (term) => negated.has(term) && !affirmed.has(term),
      );
    const denied = [...this.evidence.claimOf(contentOf(polarity.reach))];
    const found = denied.filter((term) => negated.has(term) || affirmed.has(term));
    return found.length === 0 ? has_negation : found.some((term) => negated.has(term));
  }
}

/** The clauses of a text, each group with those of `quantities` that are in its last clause. */
function clauseGroups(text: string, quantities: readonly Quantity[]): Span[] {
  const groups: Span[] = [];
  let start = 0;
  for (const { index } of text.matchAll(new RegExp(clause_end, "giu"))) {
    if (!quantities.some((quantity) => quantity.start >= start && quantity.start < index)) continue;
    const last = groups.at(-1);
    // `in 1976 and in 2018`: the second is about the same subject as the first.
    if (last && contentOf(withoutQuantities(text.slice(start, index))) === "")
      groups[groups.length - 1] = { ...last, end: index };
    else groups.push({ start, end: index });
    start = index;
  }
  const last = groups.at(-1);
  const rest = text.slice(start);
  if (
    last &&
    (!quantities.some((quantity) => quantity.start >= start) ||
      contentOf(withoutQuantities(rest)) === "")
  )
    groups[groups.length - 1] = { ...last, end: text.length };
  else groups.push({ start, end: text.length });
  return groups;
}

/** The subject of a text: its words without numbers, names and grammar. */
function withoutFacts(text: string): string {
  let bare = withoutQuantities(text);
  for (const name of namesIn(text)) bare = bare.replace(name, " ");
  return contentOf(bare);
}
