/**
 * Checks the sentences of an answer one after the other: its markers become numbered citations of
 * the sentences that support it; markers, quotations and links that nothing supports are removed.
 */
import { codePoints } from "../../core/sdk";
import type { Citation, FoundPassage } from "../search/contract";
import { EvidenceFinder, numbersIn, share_min, type Claim, type TextAnalysis } from "./evidence";
import type { Marker } from "./markers";
import { isQuotedFrom, normalized, withoutFalseQuotations } from "./quotations";

/** What an answer is checked against. */
export interface CheckedSources {
  /** Source `n` of the prompt is `sources[n - 1]`. */
  readonly sources: readonly FoundPassage[];
  readonly question: string;
  readonly analysis: TextAnalysis;
}

/** What the model writes when the sources don't answer. */
export const no_answer_word = "NO_ANSWER";
const claim_words_min = 3;
/**
 * So many words of the question in quotation marks are a term; more of them are a statement, and
 * must stand in a source.
 */
const term_words_max = 3;

/** Stand for markers in the text: private-use characters, which no answer holds. */
const placeholder_first = 0xe000;
export const placeholders = /[\ue000-\uf8ff]/g;
const placeholder = (at: number): string => String.fromCharCode(placeholder_first + at);
/** What would read as a marker without being one. */
const false_marker = /\[[\s\ue000-\uf8ff]*\d+[\s\ue000-\uf8ff]*\]/g;

export class SentenceChecker {
  /** Every sentence so far is supported by a source. */
  grounded = true;
  /** A sentence said that the sources don't answer. */
  refused = false;
  private in_blockquote = false;
  /** By source and place, numbered by first use. */
  private readonly cited = new Map<string, Citation>();

  private readonly sources: readonly FoundPassage[];
  private readonly analysis: TextAnalysis;
  private readonly evidence: EvidenceFinder;
  private readonly asked: Claim;
  private readonly asked_numbers: ReadonlySet<string>;
  /** Normalized, to look quotations up. */
  private readonly texts: readonly string[];
  private readonly titles: readonly string[];
  private readonly question: string;

  constructor({ sources, question, analysis }: CheckedSources) {
    const quotes = sources.map((source) => source.quote);
    this.sources = sources;
    this.analysis = analysis;
    this.evidence = new EvidenceFinder(quotes, analysis);
    this.asked = this.evidence.claimOf(question);
    this.asked_numbers = numbersIn(question);
    this.texts = quotes.map(normalized);
    this.titles = sources.flatMap(({ document_name, heading }) => [
      normalized(document_name),
      normalized(heading ?? ""),
    ]);
    this.question = normalized(question);
  }

  citations(): Citation[] {
    return [...this.cited.values()];
  }

  /** The sentence as it may be shown. `markers` stand at UTF-16 indices into it. */
  check(written: string, markers: readonly Marker[]): string {
    const text = this.withoutRefusal(sanitized(withPlaceholders(written, markers)));
    const named = markers.flatMap((marker) => marker.sources.map((n) => n - 1));
    const sources = [...new Set(named)].filter((source) => source in this.sources);
    const quoted = this.checkQuotations(text, sources);
    const bare = quoted.text.replace(placeholders, "");
    const claim = this.evidence.claimOf(bare);
    const unsupported = statesSomething(bare, claim) && !this.isSupported(bare, claim, sources);
    if (quoted.broken || unsupported) this.grounded = false;
    return this.withCitations(quoted.text, claim, quoted.broken ? [] : markers);
  }

  private withoutRefusal(text: string): string {
    if (!text.includes(no_answer_word)) return text;
    this.refused = true;
    return text.replaceAll(no_answer_word, "");
  }

  /** Removes the marks of quotations, and of a block quotation, that no source has. */
  private checkQuotations(
    text: string,
    sources: readonly number[],
  ): { readonly text: string; readonly broken: boolean } {
    const texts = sources.length > 0 ? sources.map((source) => this.texts[source]!) : this.texts;
    const places = [...texts, ...this.titles];
    const holds = (quoted: string): boolean => {
      const words = quoted.replace(placeholders, "");
      return (
        isQuotedFrom(words, places) ||
        (this.analysis.analyze(words).length <= term_words_max &&
          isQuotedFrom(words, [this.question]))
      );
    };
    const inline = withoutFalseQuotations(text, holds);
    const block = checkBlockquote(inline.text, this.in_blockquote, holds);
    this.in_blockquote = block.goes_on;
    return { text: block.text, broken: inline.broken || block.broken };
  }

  /** Whether one of these sources, or of all when none is cited, supports the claim. */
  private isSupported(text: string, claim: Claim, cited: readonly number[]): boolean {
    const sources = cited.length > 0 ? cited : [...this.sources.keys()];
    return sources.some(
      (source) =>
        (this.evidence.find(source, claim)?.share ?? 0) >= share_min &&
        this.evidence.holdsNumbers(source, text, this.asked_numbers),
    );
  }

  /** Puts the numbers of citations where the markers were. */
  private withCitations(text: string, claim: Claim, markers: readonly Marker[]): string {
    return text
      .replace(placeholders, (char) => {
        const marker = markers[char.charCodeAt(0) - placeholder_first];
        const ids = (marker?.sources ?? [])
          .filter((n) => n - 1 in this.sources)
          .flatMap((n) => this.cite(n - 1, claim) ?? []);
        return ids.length === 0
          ? ""
          : `${marker!.spaced ? " " : ""}${[...new Set(ids)].map((id) => `[${id}]`).join("")}`;
      })
      .replace(/\[(\d+)\][ \t]*(?=\[\1\])/g, "")
      .replace(/(\[\d+\])[ \t]+(?=\[\d+\])/g, "$1");
  }

  /** The number of the citation that supports the claim; null when the source has none. */
  private cite(source: number, claim: Claim): number | null {
    // A claim in another language than its source shares no words with it: then what the source
    // says about the question is shown.
    const evidence = this.evidence.find(source, claim) ?? this.evidence.find(source, this.asked);
    if (evidence === null) return null;
    const key = `${source}:${evidence.start}:${evidence.end}`;
    const known = this.cited.get(key);
    if (known) return known.id;
    const passage = this.sources[source]!;
    const quote = passage.quote.slice(evidence.start, evidence.end);
    const start = passage.start + codePoints(passage.quote.slice(0, evidence.start));
    const end = start + codePoints(quote);
    const id = this.cited.size + 1;
    this.cited.set(key, { ...passage, id, quote, start, end, verified: true, stale: false });
    return id;
  }
}

function withPlaceholders(written: string, markers: readonly Marker[]): string {
  let text = "";
  let end = 0;
  for (const [i, { at }] of markers.entries()) {
    text += written.slice(end, at) + placeholder(i);
    end = at;
  }
  return text + written.slice(end);
}

/** Whether the sentence claims anything: a heading, a rule or the beginning of a list does not. */
const statesSomething = (text: string, claim: Claim): boolean =>
  claim.size >= claim_words_min && !/^\s*#/.test(text) && !/:[\s*_]*$/.test(text);

/** Lines that begin with `>` stay a block quotation as long as `holds` finds their sentences. */
function checkBlockquote(
  text: string,
  was_inside: boolean,
  holds: (words: string) => boolean,
): { readonly text: string; readonly goes_on: boolean; readonly broken: boolean } {
  const prefix = /^(\s*)((?:>[ \t]*)+)/.exec(text);
  if (!prefix && !was_inside) return { text, goes_on: false, broken: false };
  const words = prefix ? text.slice(prefix[0].length) : text;
  if (holds(words)) return { text, goes_on: !/\n/.test(text.trimStart()), broken: false };
  return { text: prefix ? `${prefix[1]}${words}` : `\n\n${words}`, goes_on: false, broken: true };
}

// Bounded, so that brackets without end cost no time; what is longer is broken up below.
const image = /!\[([^\]\n]{0,300})\](?:\([^)\n]*\)?|\[[^\]\n]{0,300}\])?/g;
const link = /\[([^\]\n]{0,300})\]\([^)\n]*\)?/g;
const autolink = /<(?:https?|ftp|file|data|javascript|mailto):[^>\s]*>?/gi;
const link_definition = /^[ \t]*\[[^\]\n]+\]:[ \t]*\S+.*$/gm;
const tag_names =
  "a|img|image|svg|script|style|iframe|object|embed|form|input|button|video|audio|source|sources|" +
  "link|meta|base|body|html|instructions|question";
const tag = new RegExp(`</?(?:${tag_names})\\b[^>]*>?`, "gi");

/**
 * Markdown without links, images, HTML that loads something, and text that only looks like a
 * marker: a document may have told the model to write that. The words of links stay.
 */
function sanitized(markdown: string): string {
  let text = markdown
    .replace(image, "$1")
    .replace(link, "$1")
    .replace(link_definition, "")
    .replace(autolink, "")
    .replace(tag, "")
    // Left over from a link that another sentence ends.
    .replace(/!(?=\[)/g, "")
    .replace(/\](?=\()/g, "] ");
  while (text.search(false_marker) >= 0) text = text.replace(false_marker, "");
  return text;
}
