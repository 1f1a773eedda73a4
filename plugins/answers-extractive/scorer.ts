/** Says how well passages answer a question: by the best of their sentences. */
import { nextTurn, StepPauses } from "../../core/lib/chunked-work";
import type { AnswerScorer, Retrieved } from "../search/contract";
import { askedOf } from "./follow-up";
import { isQuestion } from "./line-kinds";
import { groupsByLanguage } from "./passage-languages";
import { sourceOf } from "./passages";
import { abridged, beginsAsQuestion, questionParts, withoutQuoted } from "./question-parts";
import { withoutAsking } from "./question-terms";
import { withForms, type FinderOptions } from "./sentence-finder";
import { SentenceReader } from "./sentence-features";
import { bestContentScore } from "./sentence-ranking";

/** Of further ones hardly any becomes the first, and each takes half a millisecond. */
const passages_max = 4;
/** The score of a sentence that has every word of the question, and what it asks for. */
const content_score_max = 20;

export class SentenceScorer implements AnswerScorer {
  readonly passages_max = passages_max;

  constructor(private readonly options: FinderOptions) {}

  /**
   * Only for questions: other words ask for nothing that a sentence could answer. Passages in
   * another language than the question's can't be compared with the others by words.
   */
  async score(query: string, { passages, terms }: Retrieved): Promise<(number | null)[]> {
    const text = abridged(query);
    if (!isQuestion(text.trimEnd()) && !beginsAsQuestion(text)) return [];
    // Many searches may end at once.
    await nextTurn();
    const pauses = new StepPauses();
    const sources = passages.map(sourceOf);
    const analysis = withForms(this.options.analysis, terms);
    const [own] = questionParts(text);
    const asked = askedOf(own!, { context: null, names_subject: false });
    const own_words = withoutQuoted(text);
    const [group] = await groupsByLanguage(own_words, sources, this.options, pauses);
    const of = group?.of ?? [];
    const languages = [
      this.options.languageOf(own_words, { is_question: true }),
      this.options.languageOf(of.map((at) => sources[at]!.text).join("\n")),
    ];
    const reader = new SentenceReader(
      {
        ...asked,
        terms: withoutAsking(terms, text, analysis.analyze),
        own_terms: new Set(analysis.analyze(asked.own).map(({ term }) => term)),
        score_max: 1,
        languages: languages.filter((one) => one !== null),
      },
      analysis,
    );
    const scores: (number | null)[] = passages.map(() => null);
    for (const at of of) {
      await pauses.pause();
      const score = bestContentScore(reader.read(sources[at]!, at));
      scores[at] = Math.min(1, Math.max(0, score / content_score_max));
    }
    return scores;
  }
}
