/**
 * A query as weighted terms: stopwords removed, repeated words counted, the words of an earlier
 * query at half weight.
 */
import { literalPattern, literalsOf } from "./literals";
import type { Analyzer } from "./analyzer";
import { stopwordsOf } from "./languages";
import { commonTerm, otherSpellings } from "./spelling";

const repeats_max = 3;
const context_weight = 0.5;
const terms_max = 256;
/** Words of the earlier query are not neighbours of this query's words. */
const context_position = 100_000;

export interface QueryTerm {
  readonly term: string;
  readonly weight: number;
  /** The word in the query, in lower case, and its other spellings. */
  readonly forms: readonly string[];
  /** Its position among the words of the query, including stopwords. */
  readonly position: number;
}
export interface Query {
  /** Terms according to the current analyzer, in the order of the query. */
  readonly terms: readonly QueryTerm[];
  /** By analyzer version: the hashes to look up. */
  readonly hashes: ReadonlyMap<number, readonly TermHash[]>;
  /** Patterns of what it spells like code. */
  readonly literals: readonly RegExp[];
}
/** The hash of a term; a term with several spellings has several. */
export interface TermHash {
  /** The index of the term in the query. */
  readonly at: number;
  readonly hash: number;
}
interface Token {
  /** Identifies its position, the same for every analyzer. */
  readonly key: string;
  readonly term: string;
  /** One per spelling. */
  readonly hashes: ReadonlySet<number>;
  readonly is_stopword: boolean;
  readonly forms: ReadonlySet<string>;
  readonly position: number;
}

/**
 * `analyzers` contains every version that rows may refer to; `current` names the terms. `context`
 * is an earlier query of the same conversation.
 */
export function parseQuery(
  text: string,
  context: string | undefined,
  analyzers: ReadonlyMap<number, Analyzer>,
  current: number,
): Query {
  const weights = new Map<string, { weight: number; token: Token; forms: Set<string> }>();
  const analyzer = analyzers.get(current)!;
  const own = tokensOf(text, "q", analyzer);
  const earlier = context === undefined ? [] : tokensOf(context, "c", analyzer, context_position);
  const earlier_terms = earlier.filter((token) => !token.is_stopword);
  const add = (token: Token, weight: number): void => {
    weights.set(token.term, { weight, token, forms: new Set(token.forms) });
  };
  for (const token of withoutStopwords(own, earlier_terms.length === 0)) {
    const known = weights.get(token.term);
    if (known === undefined) add(token, 1);
    else {
      known.weight = Math.min(repeats_max, known.weight + 1);
      for (const form of token.forms) known.forms.add(form);
    }
  }
  for (const token of earlier_terms) if (!weights.has(token.term)) add(token, context_weight);
  const heaviest = [...weights.values()].slice(0, terms_max);
  const hashes = new Map<number, TermHash[]>();
  for (const other of analyzers.values()) {
    const hashes_at = other === analyzer ? null : hashesByKey(text, context ?? "", other);
    const found = heaviest.flatMap(({ token }, at) => {
      const of_term = hashes_at === null ? token.hashes : (hashes_at.get(token.key) ?? []);
      return [...of_term].map((hash) => ({ at, hash }));
    });
    hashes.set(other.version, found);
  }
  return {
    terms: heaviest.map(({ weight, token: { term, position }, forms }) => ({
      term,
      weight,
      forms: [...forms],
      position,
    })),
    hashes,
    literals: literalsOf(text).map(literalPattern),
  };
}

const hashesByKey = (
  text: string,
  context: string,
  analyzer: Analyzer,
): Map<string, ReadonlySet<number>> =>
  new Map(
    [...tokensOf(text, "q", analyzer), ...tokensOf(context, "c", analyzer)].map(
      ({ key, hashes }) => [key, hashes],
    ),
  );

/** `source` distinguishes the tokens of the query from those of its context. */
function tokensOf(
  text: string,
  source: "q" | "c",
  analyzer: Analyzer,
  first_position = 0,
): Token[] {
  const tokens: Token[] = [];
  const isStopword = stopwordsOf(text);
  analyzer.tokenize(text, (hash, start, end, term) => {
    const written = text.slice(start, end);
    const others = otherSpellings(written.toLowerCase(), analyzer);
    tokens.push({
      key: `${source}${start}:${end}`,
      term: commonTerm(written, analyzer) ?? term ?? written,
      hashes: new Set([hash, ...others.map((other) => other.hash)]),
      is_stopword: isStopword(start, end),
      forms: new Set([written.toLowerCase(), ...others.map(({ word }) => word)]),
      position: first_position + tokens.length,
    });
  });
  return tokens;
}
/** A query of only stopwords keeps them, unless it continues an earlier one. */
function withoutStopwords(tokens: readonly Token[], keep_some: boolean): readonly Token[] {
  const rest = tokens.filter((token) => !token.is_stopword);
  return rest.length > 0 || !keep_some ? rest : tokens;
}
