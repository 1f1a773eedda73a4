/**
 * An answer in the form in which it is saved: its citations are those that are valid and have a
 * marker, numbered by first use; the rest is related.
 */
import { outsideCode, withBlankCode } from "../../../core/lib/code-ranges";
import { codePoints } from "../../../core/sdk";
import {
  quote_points_max,
  RelatedPassage,
  type Citation,
  type Retrieval,
} from "../../search/contract";
import {
  evidence_max,
  unsupported_mark,
  type Answered,
  type AnswerResult,
  type Cited,
  type Related,
} from "../contract";
import type { MessageRow } from "../store";

const nothing_found = "No passage in the selected folders answers this.";

/** Whether the cited text is at the stated position, in a document of the scope. */
export type IsVerified = (cited: Related) => boolean;
interface Evidence extends Pick<AnswerResult, "answer" | "citations" | "related"> {
  /** A statement has lost every citation. */
  readonly has_unsupported: boolean;
}

const marker = /\[(\d+)\]/g;
/**
 * Adjacent markers, and the spaces before them: bounded, because thousands of spaces would take
 * seconds.
 */
const marker_group = /([ \t]{0,20})((?:\[\d+\][ \t]{0,20})*\[\d+\])/g;
const idsIn = (text: string): number[] =>
  [...text.matchAll(marker)].map(([, digits]) => Number(digits));

/** Changes a text where its markers are. */
type ChangeProse = (text: string, change: (prose: string) => string) => string;
const changeAll: ChangeProse = (text, change) => change(text);
/**
 * Outside of code, because an index, `argv[2]`, is no marker. Everywhere if a citation has its
 * marker only between backticks: then these are stray characters of quoted documents.
 */
function proseOf(answer: string, citation_of: ReadonlyMap<number, Cited>): ChangeProse {
  const outside = new Set(idsIn(withBlankCode(answer)));
  const apart = [...answer.matchAll(/\s\[(\d+)\]/g)].map(([, digits]) => Number(digits));
  return apart.some((id) => citation_of.has(id) && !outside.has(id)) ? changeAll : outsideCode;
}
function idsOf(text: string, changeProse: ChangeProse): number[] {
  const ids: number[] = [];
  changeProse(text, (prose) => {
    ids.push(...idsIn(prose));
    return prose;
  });
  return ids;
}

/**
 * Drops passages that are not verified and every marker without a citation, and numbers the other
 * citations from 1 by first use. A statement whose citations are all dropped is marked. An answer
 * without any marker gets them at its end. Citations without a marker come before the related
 * passages.
 */
export function withEvidence(
  { answer, citations, related = [] }: Pick<Answered, "answer" | "citations" | "related">,
  isVerified: IsVerified,
): Evidence {
  const citation_of = new Map<number, Cited>();
  for (const citation of citations)
    if (!citation_of.has(citation.id)) citation_of.set(citation.id, citation);
  const changeProse = proseOf(answer, citation_of);
  const marked = idsOf(answer, changeProse).some((id) => citation_of.has(id))
    ? answer
    : withMarkers(answer, [...citation_of.values()].filter(isVerified));
  const numbers = new Map<number, number>();
  for (const id of idsOf(marked, changeProse)) {
    const citation = citation_of.get(id);
    if (citation && isVerified(citation) && !numbers.has(id)) numbers.set(id, numbers.size + 1);
  }
  const cited = [...numbers].map(([id, number]) => citationOf(citation_of.get(id)!, number));
  const others = [...[...citation_of.values()].filter(({ id }) => !numbers.has(id)), ...related];
  let has_unsupported = false;
  const markersOf = (ids: readonly number[]): string => {
    const kept = ids.flatMap((id) => numbers.get(id) ?? []).map((number) => `[${number}]`);
    if (kept.length > 0 || !ids.some((id) => citation_of.has(id))) return kept.join("");
    has_unsupported = true;
    return unsupported_mark;
  };
  return {
    // Half a character would be stored as another one when the answer is split into pieces.
    answer: withMarkersReplaced(marked, markersOf, changeProse).toWellFormed(),
    has_unsupported,
    citations: cited,
    related: relatedPassages(others.filter(isVerified), cited),
  };
}

const withMarkers = (answer: string, citations: readonly Cited[]): string =>
  citations.length === 0
    ? answer
    : `${answer.trimEnd()} ${citations
        .slice(0, evidence_max)
        .map(({ id }) => `[${id}]`)
        .join("")}`;

/** With each group of adjacent markers as `markersOf` its numbers. */
const withMarkersReplaced = (
  answer: string,
  markersOf: (ids: readonly number[]) => string,
  changeProse: ChangeProse,
): string =>
  changeProse(answer, (prose) =>
    prose.replace(marker_group, (_whole, spaces: string, group: string) => {
      const markers = markersOf(idsIn(group));
      return markers === "" ? "" : spaces + markers;
    }),
  ).trim();

/** Each quote once, none that is cited, and no more of them than allowed. */
function relatedPassages(
  passages: readonly Related[],
  cited: readonly Citation[],
): RelatedPassage[] {
  const positions = new Set(cited.map(positionKey));
  const related: RelatedPassage[] = [];
  for (const passage of passages) {
    if (cited.length + related.length >= evidence_max) break;
    if (positions.has(positionKey(passage))) continue;
    positions.add(positionKey(passage));
    related.push(relatedOf(passage));
  }
  return related;
}
const positionKey = ({ document_id, start, end }: Related): string =>
  `${document_id} ${start} ${end}`;

const citationOf = (cited: Cited, id: number): Citation => ({ id, ...relatedOf(cited) });

/** A verified passage, with the fields of the contract only. */
function relatedOf(passage: Related): RelatedPassage {
  const with_surroundings = {
    ...passage,
    passage: surroundings(passage),
    verified: true,
    stale: false,
  };
  return Object.fromEntries(
    Object.keys(RelatedPassage.properties).map((name) => [
      name,
      with_surroundings[name as keyof RelatedPassage],
    ]),
  ) as RelatedPassage;
}

/** The passage, or the position of the quote when it is outside. */
const surroundings = ({ passage, start, end }: Related): RelatedPassage["passage"] =>
  passage && passage.start >= 0 && passage.start <= start && passage.end >= end
    ? { start: passage.start, end: passage.end }
    : { start, end };

/**
 * The answer in the form in which it is saved. One that has lost every citation becomes
 * `no_answer`; one that says that nothing was found cites nothing.
 */
export function savedAnswer(
  message: Pick<MessageRow, "created_at" | "started_at">,
  answered: Answered,
  isVerified: IsVerified,
): AnswerResult {
  const { retrieve_ms, generate_ms } = answered.timings;
  const timings = {
    queue_ms: message.started_at! - message.created_at,
    retrieve_ms: Math.round(retrieve_ms),
    generate_ms: Math.round(generate_ms),
  };
  if (answered.outcome === "no_answer") {
    const { answer } = withEvidence({ answer: answered.answer, citations: [] }, isVerified);
    return { ...answered, answer, citations: [], related: [], timings };
  }
  const { has_unsupported, ...evidence } = withEvidence(answered, isVerified);
  const lost_all = answered.citations.length > 0 && evidence.citations.length === 0;
  if (!lost_all) {
    const grounded = answered.grounded && !has_unsupported;
    return { ...answered, ...evidence, grounded, timings };
  }
  return {
    ...answered,
    answer: nothing_found,
    outcome: "no_answer",
    grounded: true,
    citations: [],
    related: [],
    timings,
  };
}

/** An answer that says, in this sentence, that there is none. No answerer was asked. */
export const noAnswer = (sentence: string): Answered => ({
  answer: sentence,
  outcome: "no_answer",
  grounded: true,
  citations: [],
  related: [],
  model: "none",
  prompts: [],
  usage: null,
  timings: { retrieve_ms: 0, generate_ms: 0 },
  warnings: [],
});

/** Warns about documents of the scope that could not be searched yet. */
export const withUnreadWarning = (answered: Answered, count: number): Answered =>
  count === 0
    ? answered
    : {
        ...answered,
        warnings: [
          ...answered.warnings,
          {
            code: "being_read",
            message:
              count === 1
                ? "1 document in these folders was still being indexed."
                : `${count} documents in these folders were still being indexed.`,
          },
        ],
      };

/**
 * The same with quotes of the promised length: a longer one is cut to what supports the statement.
 */
export async function withShortQuotes(
  answered: Answered,
  question: string,
  retrieval: Pick<Retrieval, "excerpt" | "locate">,
): Promise<Answered> {
  const isLong = ({ quote }: Related) => codePoints(quote) > quote_points_max;
  const shortened = async <P extends Related>(
    related_passage: P,
    statement: string,
  ): Promise<P> => {
    if (!isLong(related_passage)) return related_passage;
    const passage = surroundings(related_passage);
    return (
      await retrieval.locate([retrieval.excerpt({ ...related_passage, passage }, statement)])
    )[0]!;
  };
  const { answer, citations, related = [] } = answered;
  return {
    ...answered,
    citations: await Promise.all(
      citations.map((citation) =>
        shortened(citation, statementOf(answer, citation.id) ?? question),
      ),
    ),
    related: await Promise.all(related.map((passage) => shortened(passage, question))),
  };
}

/** The text before the marker of a citation. */
function statementOf(answer: string, id: number): string | undefined {
  let from = 0;
  for (const group of withBlankCode(answer).matchAll(marker_group)) {
    if (idsIn(group[0]).includes(id)) return answer.slice(from, group.index);
    from = group.index + group[0].length;
  }
  return undefined;
}
