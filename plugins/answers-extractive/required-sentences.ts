/** Which sentence answers, where it must have something that the likeliest may lack. Pure. */
import { askedAbbreviation } from "./abbreviations";
import { requiresType } from "./answer-types";
import { asksWhatIsNot } from "./negated-questions";
import { withNext } from "./order-questions";
import { askedSection, sectionTest } from "./sections";
import type { Source } from "./passages";
import type { Sentence } from "./sentence-ranking";

/**
 * A sentence that says what is not done may be this much less likely than one that says what is: it
 * is often in other words ("is excluded").
 */
const negated_margin = 4;

/** The other sentences of a section are at most this much less likely than the best. */
const rest_of_section = 2;

/** The sentences of an answer, most likely first. */
export interface RequiredSentences {
  readonly ranked: readonly Sentence[];
  /** The first one is what was asked for by its number: it answers whatever its words. */
  readonly is_certain: boolean;
}

/**
 * The likeliest first; but where only a price or the like answers, one in the same passage, where
 * an abbreviation is spelled out or something denied, in any, and where a section is asked for by
 * its number, only those in it.
 */
export function withRequired(
  question: string,
  ranked: readonly Sentence[],
  sources: readonly Source[],
): RequiredSentences {
  const section = askedSection(question);
  const in_section = section === null ? [] : inSection(question, section, ranked, sources);
  if (in_section.length > 0) return { ranked: together(in_section), is_certain: true };
  const required = requiredOf(question, ranked);
  const first = required
    ? [required, ...ranked.filter((sentence) => sentence !== required)]
    : ranked;
  return { ranked: withNext(question, first), is_certain: false };
}

/** Those in the section, unless the question names another document, which has none such. */
function inSection(
  question: string,
  section: string,
  ranked: readonly Sentence[],
  sources: readonly Source[],
): readonly Sentence[] {
  const titles = sources.map(({ title, heading }) => `${title}\n${heading ?? ""}`.toLowerCase());
  const named = (question.toLowerCase().match(named_word) ?? []).filter((word) =>
    titles.some((title) => title.includes(word)),
  );
  const tests = sources.map((source, at) => {
    const text = `${titles[at]!}\n${source.text.toLowerCase()}`;
    return named.every((word) => text.includes(word)) ? sectionTest(source, section) : () => false;
  });
  return ranked.filter(({ source, start }) => tests[source]!(start));
}
/** Shorter words are in other ones by chance. */
const named_word = /[\p{L}\p{M}]{4,}/gu;

/** The others belong to it, though they have fewer words of the question. */
const together = (ranked: readonly Sentence[]): readonly Sentence[] =>
  ranked.map((sentence) => ({
    ...sentence,
    score: Math.max(sentence.score, ranked[0]!.score - rest_of_section),
  }));

/** The one that answers in place of the likeliest; undefined when that one may answer. */
function requiredOf(question: string, ranked: readonly Sentence[]): Sentence | undefined {
  const [likeliest] = ranked;
  if (!likeliest || likeliest.features.answer_type > 0) return undefined;
  const has_type = ranked.filter(({ features }) => features.answer_type > 0);
  if (askedAbbreviation(question) !== null) return has_type[0];
  if (requiresType(question)) return has_type.find(({ source }) => source === likeliest.source);
  if (!asksWhatIsNot(question)) return undefined;
  return has_type.find(({ score }) => score >= likeliest.score - negated_margin);
}
