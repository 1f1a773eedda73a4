/**
 * Checks the sentences of an answer one after another: markers become numbered citations of
 * supporting sentences. An unsupported sentence is marked; unsupported quotations and links are
 * removed.
 */
import { codeIn } from "../../core/lib/code-ranges";
import { codePoints } from "../../core/sdk";
import { unsupported_mark } from "../chats/contract";
import type { Citation, FoundPassage } from "../search/contract";
import { EvidenceFinder, type Claim, type TextAnalysis } from "./evidence";
import { AgreementChecker } from "./facts/agreement";
import { codesInHeading, Statements } from "./facts/statements";
import { codeOf, endsInFence, unshielded, withMarkersBelowFences } from "./code-shield";
import { markerIndex, placeholder, placeholders, sanitized } from "./markdown";
import type { Marker } from "./markers";
import { checkBlockquote, isQuotedFrom, normalized, withoutFalseQuotations } from "./quotations";
import { statementLength, withMarkersInRow } from "./table-rows";

/** What an answer is checked against. */
export interface CheckedSources {
  /** Source `n` of the prompt is `sources[n - 1]`. */
  readonly sources: readonly FoundPassage[];
  readonly question: string;
  readonly analysis: TextAnalysis;
}

/** A claim that shares less with its source is not supported by it. */
const share_min = 0.3;
/** A source without a marker must share more. */
const attributed_share_min = 0.5;
/**
 * Up to this many words of the question in quotation marks are a term; more are a statement, and
 * must occur in a source.
 */
const term_words_max = 3;

/** Which sources support a sentence. */
interface Verdict {
  /** It claims something. */
  readonly states: boolean;
  /** The supporting sources; empty when there are none. */
  readonly sources: readonly number[];
  /** It is in another language than the sources, so that only its facts were compared. */
  readonly is_foreign: boolean;
}

/** Numbers citations in the order of their first use. */
export class SentenceChecker {
  /** Every sentence so far is supported by a source. */
  grounded = true;
  /** The number of supported sentences that state something and may answer. */
  supported = 0;
  private in_blockquote = false;
  /** By source and position, numbered by first use. */
  private readonly cited = new Map<string, Citation>();

  private readonly sources: readonly FoundPassage[];
  private readonly analysis: TextAnalysis;
  private readonly evidence: EvidenceFinder;
  private readonly agreement: AgreementChecker;
  private readonly statements: Statements;
  private readonly languages: readonly (string | null)[];
  /** Normalized, to look up quotations. */
  private readonly texts: readonly string[];
  private readonly titles: readonly string[];
  private readonly question: string;

  constructor({ sources, question, analysis }: CheckedSources) {
    const quotes = sources.map((source) => source.quote);
    const titles = sources.map(({ document_name, heading }) => [document_name, heading ?? ""]);
    this.sources = sources;
    this.analysis = analysis;
    this.evidence = new EvidenceFinder(quotes, analysis);
    this.agreement = new AgreementChecker(
      this.evidence,
      quotes,
      titles.map((names) => names.join(" ")),
      question,
    );
    this.statements = new Statements(question, analysis);
    this.languages = quotes.map((quote) => analysis.languageOf(quote));
    this.texts = quotes.map(normalized);
    this.titles = titles.flat().map(normalized);
    this.question = normalized(question);
  }

  /** The citations used so far, by number. */
  citations(): Citation[] {
    return [...this.cited.values()];
  }

  /** Whether the next sentence continues a quotation, so that its beginning is not certain. */
  get is_quoting(): boolean {
    return this.in_blockquote;
  }

  /**
   * The sentence to show. `written` has its code shielded, `markers` are at UTF-16 indices into it.
   */
  check(written: string, markers: readonly Marker[]): string {
    return unshielded(withMarkersInRow(withMarkersBelowFences(this.checked(written, markers))));
  }

  private checked(written: string, markers: readonly Marker[]): string {
    const text = sanitized(withPlaceholders(written, markers));
    const named = new Set(markers.flatMap(indicesOf));
    const sources = [...named].filter((source) => source in this.sources);
    const quoted = this.checkQuotations(text, sources);
    const shown = quoted.text.replace(placeholders, "");
    const bare = unshielded(shown);
    const verdict = endsInFence(shown) ? this.judgeBlock(bare, sources) : this.judge(bare, sources);
    const is_unsupported = quoted.broken || (verdict.states && verdict.sources.length === 0);
    if (is_unsupported || verdict.is_foreign) this.grounded = false;
    if (is_unsupported) return marked(shown, unsupported_mark);
    if (verdict.states && this.statements.mayAnswer(bare)) this.supported += 1;
    return this.withCitations(quoted.text, markers, verdict.states ? verdict.sources : sources);
  }

  /** Removes the marks of quotations, and of a block quotation, that occur in no source. */
  private checkQuotations(
    text: string,
    sources: readonly number[],
  ): { readonly text: string; readonly broken: boolean } {
    const texts = sources.length > 0 ? sources.map((source) => this.texts[source]!) : this.texts;
    const places = [...texts, ...this.titles];
    const holds = (quoted: string): boolean => {
      const words = unshielded(quoted.replace(placeholders, ""));
      return (
        isQuotedFrom(words, places) ||
        (this.analysis.analyze(words).length <= term_words_max &&
          isQuotedFrom(words, [this.question]))
      );
    };
    const inline = withoutFalseQuotations(text, holds);
    const block = checkBlockquote(inline.text, this.in_blockquote, holds);
    this.in_blockquote = block.continues;
    // Strings in code are compared, too, but the code stays as it is.
    const in_code = withoutFalseQuotations(codeOf(text), holds);
    return { text: block.text, broken: inline.broken || block.broken || in_code.broken };
  }

  /** Which of the named sources support the sentence; if none does, which other one. */
  private judge(text: string, named: readonly number[]): Verdict {
    if (!this.statements.states(text)) {
      const states = codesInHeading(text).some((code) => !this.isKnown(code));
      return { states, sources: [], is_foreign: false };
    }
    const claim = this.statements.claimOf(text, this.evidence);
    const sources = named.filter((source) => this.isBorneOut(text, claim, source, share_min));
    if (sources.length > 0) return { states: true, sources, is_foreign: false };
    if (this.isBorneOutTogether(text, claim, named))
      return { states: true, sources: named, is_foreign: false };
    const foreign = this.foreignSources(text, named);
    if (foreign.length > 0) return { states: true, sources: foreign, is_foreign: true };
    const other = this.mostSimilar(claim).find((source) =>
      this.isBorneOut(text, claim, source, attributed_share_min),
    );
    return { states: true, sources: other === undefined ? [] : [other], is_foreign: false };
  }

  /** Whether it occurs in a source or its names, or in the question. */
  private isKnown(code: string): boolean {
    const searched = normalized(code);
    return [...this.texts, ...this.titles, this.question].some((text) => text.includes(searched));
  }

  private isBorneOut(text: string, claim: Claim, source: number, share: number): boolean {
    const best_share = this.evidence.find(source, claim)?.share ?? 0;
    // Bare numbers, such as `Every ninety days`, share no word.
    return (claim.size === 0 || best_share >= share) && this.agreement.agrees(text, [source]);
  }

  /** Each part may be in a different source, which must share as much of it as of a sentence. */
  private isBorneOutTogether(text: string, claim: Claim, sources: readonly number[]): boolean {
    const sharesEnough = (clause: string, source: number): boolean => {
      const part = this.statements.claimOf(clause, this.evidence);
      return part.size === 0 || (this.evidence.find(source, part)?.share ?? 0) >= share_min;
    };
    return (
      sources.length > 1 &&
      this.evidence.sharedBy(sources, claim) >= share_min &&
      this.agreement.agrees(text, sources, sharesEnough)
    );
  }

  /** Those of the sources in another language that have the facts of the sentence. */
  private foreignSources(text: string, sources: readonly number[]): number[] {
    const language = this.statements.languageOf(text);
    return sources.filter(
      (source) =>
        language !== null &&
        this.languages[source] !== null &&
        this.languages[source] !== language &&
        this.agreement.agreesInFacts(text, source),
    );
  }

  /** All sources, those that share most first. */
  private mostSimilar(claim: Claim): number[] {
    return [...this.sources.keys()]
      .map((source) => ({ source, share: this.evidence.find(source, claim)?.share ?? 0 }))
      .toSorted((a, b) => b.share - a.share)
      .map(({ source }) => source);
  }

  /**
   * Judges a block of code, which may be as long as several sentences of its source. As it is in a
   * source, it is supported, whatever it means.
   */
  private judgeBlock(text: string, named: readonly number[]): Verdict {
    const [block] = codeIn(text).ranges;
    const is_alone = block?.start === text.search(/\S/);
    const code =
      block && is_alone ? text.slice(block.code_start, block.code_end).replace(/^.*\n/, "") : "";
    const equal = [...named, ...this.sources.keys()].find(
      (source) => code.trim() !== "" && spaced(this.sources[source]!.quote).includes(spaced(code)),
    );
    if (equal !== undefined) return { states: true, sources: [equal], is_foreign: false };
    const verdicts = this.analysis
      .sentences(text)
      .map(({ start, end }) => this.judge(text.slice(start, end), named))
      .filter(({ states }) => states);
    const is_supported = verdicts.every(({ sources }) => sources.length > 0);
    return {
      states: verdicts.length > 0,
      sources: is_supported ? [...new Set(verdicts.flatMap(({ sources }) => sources))] : [],
      is_foreign: verdicts.some(({ is_foreign }) => is_foreign),
    };
  }

  /** Replaces the markers with the numbers of citations; without markers, appends them. */
  private withCitations(
    text: string,
    markers: readonly Marker[],
    sources: readonly number[],
  ): string {
    const claim = this.evidence.claimOf(unshielded(text.replace(placeholders, "")));
    const numbersOf = (named: readonly number[]): string =>
      [...new Set(named.flatMap((source) => this.cite(source, claim) ?? []))]
        .map((id) => `[${id}]`)
        .join("");
    const placed = new Set<number>();
    const leading = markers.filter((marker) => marker.leads);
    const shown = text
      .replace(placeholders, (char) => {
        const marker = markers[markerIndex(char)];
        if (!marker || marker.leads) return "";
        const cited = indicesOf(marker).filter((source) => sources.includes(source));
        const numbers = numbersOf(cited);
        if (numbers !== "") for (const source of cited) placed.add(source);
        return numbers === "" ? "" : `${marker.spaced ? " " : ""}${numbers}`;
      })
      .replace(/\[(\d+)\][ \t]*(?=\[\1\])/g, "")
      .replace(/(\[\d+\])[ \t]+(?=\[\d+\])/g, "$1");
    const led_by = leading.flatMap(indicesOf).filter((source) => !placed.has(source));
    const at_end = placed.size > 0 ? led_by : sources;
    return marked(shown, numbersOf(at_end.filter((source) => sources.includes(source))));
  }

  /** The number of the citation that supports the claim; null when the source has none. */
  private cite(source: number, claim: Claim): number | null {
    // A claim in another language than its source shares no words with it: then what the source
    // says about the question is cited.
    const evidence =
      this.evidence.find(source, claim) ??
      this.evidence.find(source, this.evidence.claimOf(this.question)) ??
      this.evidence.sentencesOf(source)[0];
    if (evidence === undefined) return null;
    const key = `${source}:${evidence.start}:${evidence.end}`;
    const cached = this.cited.get(key);
    if (cached) return cached.id;
    const passage = this.sources[source]!;
    const quote = passage.quote.slice(evidence.start, evidence.end);
    const start = passage.start + codePoints(passage.quote.slice(0, evidence.start));
    const end = start + codePoints(quote);
    const id = this.cited.size + 1;
    this.cited.set(key, { ...passage, id, quote, start, end, verified: true, stale: false });
    return id;
  }
}

const indicesOf = (marker: Marker): number[] => marker.sources.map((number) => number - 1);
const spaced = (text: string): string => text.replace(/\s+/g, " ").trim();

function withPlaceholders(written: string, markers: readonly Marker[]): string {
  let text = "";
  let end = 0;
  for (const [i, { at }] of markers.entries()) {
    text += written.slice(end, at) + placeholder(i);
    end = at;
  }
  return text + written.slice(end);
}

/** The sentence with a mark before its final punctuation: `… water [1].` */
function marked(sentence: string, mark: string): string {
  if (mark === "" || sentence.trim() === "") return sentence;
  if (endsInFence(sentence)) return sentence.replace(/\s*$/, (space) => `\n${mark}${space}`);
  const end = statementLength(sentence);
  return `${sentence.slice(0, end)} ${mark}${sentence.slice(end)}`;
}
