/**
 * A query as weighted terms: stopwords removed, repeated words counted, the words of an earlier
 * query at half weight.
 */
import { literalPattern, literalsOf } from "./literals";
import type { Analyzer } from "./analyzer";
import { inflectionsOf } from "./inflections";
import { languageOfQuestion, languageOfWords, stopwordsOf } from "./languages";
import { quantityWordsOf } from "./quantity-words";
import { commonTerm, otherSpellings, termOf } from "./spelling";
import { plainThai } from "./thai-spelling";
import { translatorFor, type Translate } from "./translations";

const repeats_max = 3;
const context_weight = 0.5;
/** The last words of an earlier query; stopwords don't count. */
const context_terms_max = 128;
const terms_max = 256;
/** Only so many different words of a query are read: more than `terms_max`, and stopwords. */
const words_max = 1_000;
/** In a longer query, only the first words are looked up in their other forms. */
const inflections_max = 300;
/** Words of the earlier query are not neighbours of this query's words. */
const context_position = 100_000;

/** A term of a query, with everything that counts as it. */
export interface QueryTerm {
  readonly term: string;
  readonly weight: number;
  /** The word in the query, in lower case, and its other spellings. */
  readonly forms: readonly string[];
  /** The terms of its other spellings and of its inflections, as the analyzer names them. */
  readonly others: readonly string[];
  /** Its position among the words of the query, including stopwords. */
  readonly position: number;
}
/** A query, ready to be looked up in segments of every analyzer version. */
export interface Query {
  /** Terms according to the current analyzer, in the order of the query. */
  readonly terms: readonly QueryTerm[];
  /** By analyzer version: the hashes to look up. */
  readonly hashes: ReadonlyMap<number, readonly TermHash[]>;
  /** Patterns of what it spells like code. */
  readonly literals: readonly RegExp[];
}
interface FormHash {
  readonly hash: number;
  /** It is another form than the query's, which counts half an occurrence. */
  readonly is_inflected?: true;
}
/** The hash of a term; one with several spellings or inflections has several, in a row. */
export interface TermHash extends FormHash {
  /** The index of the term in the query. */
  readonly at: number;
}
interface Token {
  /** Identifies its position, the same for every analyzer. */
  readonly key: string;
  readonly term: string;
  /** One per spelling and inflection, first that of the word itself. */
  readonly hashes: readonly FormHash[];
  readonly others: ReadonlySet<string>;
  readonly is_stopword: boolean;
  readonly forms: ReadonlySet<string>;
  readonly position: number;
}

/**
 * `analyzers` contains every version that rows may refer to; `current` names the terms. `context`
 * is an earlier query of the same conversation. `languages` are those of the texts to be searched:
 * words are translated into them, and inflected in them if the query's own don't tell its language.
 */
export function parseQuery(
  text: string,
  context: string | undefined,
  analyzers: ReadonlyMap<number, Analyzer>,
  current: number,
  languages: readonly string[] = [],
): Query {
  const weights = new Map<string, { weight: number; token: Token; forms: Set<string> }>();
  const analyzer = analyzers.get(current)!;
  const tokens = tokensOf(text, { source: "q", analyzer, languages });
  const earlier =
    context === undefined ? [] : tokensOf(context, { source: "c", analyzer, languages });
  const earlier_terms = earlier.filter((token) => !token.is_stopword).slice(-context_terms_max);
  const add = (token: Token, weight: number): void => {
    weights.set(token.term, { weight, token, forms: new Set(token.forms) });
  };
  // A word in several forms is one term, that of the first.
  const term_of = new Map<number, string>();
  const nameOf = ({ hashes: [first], term }: Token): string => term_of.get(first!.hash) ?? term;
  for (const token of withoutStopwords(tokens, earlier_terms.length === 0)) {
    const name = nameOf(token);
    const existing = weights.get(name);
    for (const { hash } of token.hashes) if (!term_of.has(hash)) term_of.set(hash, name);
    if (existing === undefined) add(token, 1);
    else {
      existing.weight = Math.min(repeats_max, existing.weight + 1);
      for (const form of token.forms) existing.forms.add(form);
    }
  }
  for (const token of earlier_terms) if (!weights.has(nameOf(token))) add(token, context_weight);
  const heaviest = [...weights.values()].slice(0, terms_max);
  const hashes = new Map<number, TermHash[]>();
  for (const other of analyzers.values()) {
    const hashes_at =
      other === analyzer ? null : hashesByKey(text, context ?? "", { analyzer: other, languages });
    const of_terms = heaviest.map(({ token }) =>
      hashes_at === null ? token.hashes : (hashes_at.get(token.key) ?? []),
    );
    hashes.set(other.version, withoutRepeats(of_terms));
  }
  return {
    terms: heaviest.map(({ weight, token: { term, position, others }, forms }) => ({
      term,
      weight,
      forms: [...forms],
      others: [...others].filter((other) => other !== term),
      position,
    })),
    hashes,
    literals: literalsOf(text).map(literalPattern),
  };
}

/** A form of two words counts for the first of them; the word of a query counts as itself. */
function withoutRepeats(of_terms: readonly (readonly FormHash[])[]): TermHash[] {
  const first_hashes = new Set(of_terms.map(([first]) => first?.hash));
  const other_hashes = new Set<number>();
  return of_terms.flatMap(([first, ...rest], at) => {
    if (first === undefined) return [];
    const new_forms = rest.filter(({ hash }) => !first_hashes.has(hash) && !other_hashes.has(hash));
    for (const { hash } of new_forms) other_hashes.add(hash);
    return [first, ...new_forms].map((form) => ({ at, ...form }));
  });
}

/** The first form with each hash. */
const distinct = (forms: readonly FormHash[]): FormHash[] => {
  const seen = new Set<number>();
  return forms.filter(({ hash }) => !seen.has(hash) && seen.add(hash));
};

interface TokenOptions {
  readonly analyzer: Analyzer;
  readonly languages: readonly string[];
  /** Distinguishes the tokens of the query from those of its context. */
  readonly source: "q" | "c";
}

const hashesByKey = (
  text: string,
  context: string,
  options: Omit<TokenOptions, "source">,
): Map<string, readonly FormHash[]> =>
  new Map(
    [
      ...tokensOf(text, { ...options, source: "q" }),
      ...tokensOf(context, { ...options, source: "c" }),
    ].map(({ key, hashes }) => [key, hashes]),
  );

function tokensOf(query: string, options: TokenOptions): Token[] {
  const text = plainThai(query);
  const reader = new TokenReader(text, options);
  options.analyzer.tokenize(text, (hash, start, end, term) => reader.read(hash, start, end, term));
  return reader.tokens;
}

/** What is known of a word, the same wherever it stands in the query. */
interface Word {
  /** Its number among the words of the query. */
  readonly at: number;
  readonly written: string;
  /** In lower case. */
  readonly lower: string;
  readonly spellings: ReturnType<typeof otherSpellings>;
  readonly common_term: string | undefined;
}
/** Distinguishes two words with the same hash. */
const word_numbers = 2 ** 16;

/**
 * Collects the tokens of a text. A query may have tens of thousands of words: of those that can't
 * count any more none is made.
 */
class TokenReader {
  readonly tokens: Token[] = [];
  private readonly isStopword: ReturnType<typeof stopwordsOf>;
  private readonly inflected_in: readonly string[];
  private readonly quantityWords: ReturnType<typeof quantityWordsOf>;
  private readonly translate: Translate | null;
  private inflections = 0;
  private position: number;
  private readonly words = new Map<string, Word>();
  /** How often each word was read, and its inflections, by its hash and its number. */
  private readonly known = new Map<number, { count: number; inflections: number }>();
  /** The place that was read last: many terms can have the same. */
  private place = { start: -1, end: -1, word: undefined as Word | undefined, is_stopword: false };

  constructor(
    private readonly text: string,
    private readonly options: TokenOptions,
  ) {
    const { languages, source } = options;
    const language = languageOfWords(text);
    this.isStopword = stopwordsOf(text);
    this.quantityWords = quantityWordsOf(text);
    this.inflected_in = language === null ? languages : [language];
    this.translate = translatorFor(text, languageOfQuestion(text), languages);
    this.position = source === "q" ? 0 : context_position;
  }

  read(hash: number, start: number, end: number, term: string | null): void {
    const position = this.position++;
    const { word, is_stopword } = this.placeAt(start, end);
    if (word === undefined) return;
    const { lower, spellings } = word;
    const inflected = is_stopword ? [] : this.inflectionsOf(hash, word, start);
    if (inflected === null) return;
    this.tokens.push({
      key: `${this.options.source}${start}:${end}`,
      term: word.common_term ?? term ?? word.written,
      hashes: distinct([
        { hash },
        ...spellings.map((spelling) => ({ hash: spelling.hash })),
        ...inflected.map((form) => ({ hash: form.hash, is_inflected: true as const })),
      ]),
      others: new Set([...spellings, ...inflected].map((other) => other.term)),
      is_stopword,
      forms: new Set([lower, ...spellings.map(({ word }) => word)]),
      position,
    });
  }

  private placeAt(start: number, end: number): TokenReader["place"] {
    if (this.place.start !== start || this.place.end !== end) {
      const word = this.wordOf(this.text.slice(start, end));
      const is_stopword = word !== undefined && this.isStopword(start, end);
      this.place = { start, end, word, is_stopword };
    }
    return this.place;
  }

  /** Undefined when the query has too many already. */
  private wordOf(written: string): Word | undefined {
    const known = this.words.get(written);
    if (known !== undefined || (this.is_limited && this.words.size === words_max)) return known;
    const { analyzer } = this.options;
    const lower = written.toLowerCase();
    const word = {
      at: this.words.size,
      written,
      lower,
      spellings: otherSpellings(lower, analyzer),
      common_term: commonTerm(written, analyzer),
    };
    this.words.set(written, word);
    return word;
  }

  /** Of a context the last words count, and it is short. */
  private get is_limited(): boolean {
    return this.options.source === "q";
  }

  /** Of a word that is no stopword; null when it can't count any more. */
  private inflectionsOf(
    hash: number,
    { at, lower }: Word,
    start: number,
  ): ReturnType<typeof termOf>[] | null {
    const name = hash * word_numbers + at;
    const known = this.known.get(name);
    if (this.is_limited && known?.count === repeats_max) {
      this.inflections += known.inflections;
      return null;
    }
    if (this.is_limited && known === undefined && this.known.size === words_max) return null;
    const { analyzer } = this.options;
    const forms =
      this.inflections >= inflections_max
        ? []
        : [
            ...inflectionsOf(lower, this.inflected_in),
            ...this.quantityWords(lower, start),
            ...(this.translate?.(lower) ?? []),
          ];
    const inflected = forms.map((form) => termOf(form, analyzer));
    const inflections = new Set(inflected.map((form) => form.hash)).size;
    this.inflections += inflections;
    this.known.set(name, { count: (known?.count ?? 0) + 1, inflections });
    return inflected;
  }
}

/** A query of only stopwords keeps them, unless it continues an earlier one. */
function withoutStopwords(tokens: readonly Token[], keeps_stopwords: boolean): readonly Token[] {
  const content_tokens = tokens.filter((token) => !token.is_stopword);
  return content_tokens.length > 0 || !keeps_stopwords ? content_tokens : tokens;
}
