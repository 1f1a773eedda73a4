/** Finds the sentences of a source that support a claim, by the rarity of the words they share. */
import { quote_points_max, type Span } from "../search/contract";

/** How texts are split into words and sentences. */
export interface TextAnalysis {
  readonly analyze: (text: string) => readonly { readonly term: string }[];
  readonly sentences: (text: string) => readonly Span[];
  /** ISO 639-1; null when undetected. */
  readonly languageOf: (
    text: string,
    options?: { readonly is_question?: boolean },
  ) => string | null;
}
/** One or two sentences; UTF-16 indices into the source. */
export interface Evidence extends Span {
  /** The share of the claim's words, weighted by rarity, 0 to 1. */
  readonly share: number;
}
/** The terms of a statement. */
export type Claim = ReadonlySet<string>;

/** A second sentence must add this much, and both must fit. */
const second_share_min = 0.15;
/** Assumed sentences besides those of the sources, for the rarity of words. */
const sentences_assumed = 20;

/** A sentence of a source. */
export interface SourceSentence extends Span {
  readonly terms: Claim;
}

/** Looks for the evidence of claims in the sources of one answer. */
export class EvidenceFinder {
  /** By source. */
  private readonly sentences: readonly (readonly SourceSentence[])[];
  private readonly sentence_count: number;
  /** By term: the number of sentences that contain it. */
  private readonly frequency = new Map<string, number>();

  constructor(
    sources: readonly string[],
    private readonly analysis: TextAnalysis,
  ) {
    this.sentences = sources.map((text) =>
      analysis
        .sentences(text)
        .map((span) => ({ ...span, terms: this.claimOf(text.slice(span.start, span.end)) })),
    );
    const all = this.sentences.flat();
    this.sentence_count = all.length;
    for (const { terms } of all)
      for (const term of terms) this.frequency.set(term, (this.frequency.get(term) ?? 0) + 1);
  }

  /** The words of a text that its evidence must share. */
  claimOf(text: string): Claim {
    return new Set(
      this.analysis
        .analyze(text)
        .map((word) => word.term)
        .filter((term) => !/^[a-z]{1,2}$/.test(term)),
    );
  }

  /** The best support for the claim in this source; null when it shares no word with it. */
  find(source: number, claim: Claim): Evidence | null {
    const sentences = this.sentences[source]!;
    const shares = sentences.map(({ terms }) => this.share(claim, (term) => terms.has(term)));
    const best = shares.reduce((top, share, at) => (share > (shares[top] ?? 0) ? at : top), 0);
    const share = shares[best] ?? 0;
    if (share === 0) return null;
    let evidence: Evidence = { start: sentences[best]!.start, end: sentences[best]!.end, share };
    for (const first of [best - 1, best]) {
      const a = sentences[first];
      const b = sentences[first + 1];
      if (!a || !b || b.end - a.start > quote_points_max) continue;
      const both = this.share(claim, (term) => a.terms.has(term) || b.terms.has(term));
      if (both >= share + second_share_min && both > evidence.share)
        evidence = { start: a.start, end: b.end, share: both };
    }
    return evidence;
  }

  /** The share of the claim that the best supports in these sources cover together. */
  sharedBy(sources: readonly number[], claim: Claim): number {
    const terms = new Set<string>();
    for (const source of sources) {
      const evidence = this.find(source, claim);
      if (evidence === null) continue;
      for (const sentence of this.sentences[source]!)
        if (sentence.start >= evidence.start && sentence.end <= evidence.end)
          for (const term of sentence.terms) terms.add(term);
    }
    return this.share(claim, (term) => terms.has(term));
  }

  /** The sentences of a source. */
  sentencesOf(source: number): readonly SourceSentence[] {
    return this.sentences[source]!;
  }

  /** The share of the claim that these terms cover, 0 to 1. */
  share(claim: Claim, holds: (term: string) => boolean): number {
    let shared = 0;
    let all = 0;
    for (const term of claim) {
      const weight = this.rarity(term);
      all += weight;
      if (holds(term)) shared += weight;
    }
    return all === 0 ? 0 : shared / all;
  }

  /** With few sentences, a word that none contains is not much rarer than one that one contains. */
  private rarity(term: string): number {
    const n = (this.frequency.get(term) ?? 0) + 1;
    return Math.log(1 + (this.sentence_count + sentences_assumed) / n);
  }
}
