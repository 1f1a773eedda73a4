/**
 * A question to weighted terms: stopwords out, repeated words kept, an earlier question's words at
 * half weight.
 */
import type { Analyzer } from "./analyzer";
import { subjectless } from "./languages";

const repeats_max = 3,
  context_weight = 0.5,
  slots_max = 256;
/** No word of an earlier question is a neighbour of one of this question. */
const far = 100_000;

/**
 * `forms`: how the question writes it, in lower case. `place`: which of the question's words it is,
 * small ones counted.
 */
export interface Slot {
  readonly term: string;
  readonly weight: number;
  readonly forms: readonly string[];
  readonly place: number;
}
export interface Query {
  /** Terms by the running analyzer, in the order of the question. */
  readonly slots: readonly Slot[];
  /** By analyzer version: the hash of each slot's term, -1 where that analyzer has none. */
  readonly hashes: ReadonlyMap<number, readonly number[]>;
}
interface Found {
  readonly key: string;
  readonly term: string;
  readonly hash: number;
  readonly stop: boolean;
  readonly form: string;
  readonly place: number;
}

/**
 * `analyzers` holds every version that rows may carry; `running` is the one that names the terms.
 */
export function queryOf(
  text: string,
  context: string | undefined,
  analyzers: ReadonlyMap<number, Analyzer>,
  running: number,
): Query {
  const weights = new Map<string, { weight: number; found: Found; forms: Set<string> }>();
  const main = termsOf(text, "q", analyzers.get(running)!);
  const earlier = context === undefined ? [] : termsOf(context, "c", analyzers.get(running)!, far);
  const before = withoutStops(earlier, false);
  for (const found of withoutStops(main, before.length === 0)) {
    const known = weights.get(found.term);
    if (known === undefined) {
      weights.set(found.term, { weight: 1, found, forms: new Set([found.form]) });
      continue;
    }
    known.weight = Math.min(repeats_max, known.weight + 1);
    known.forms.add(found.form);
  }
  for (const found of before)
    if (!weights.has(found.term))
      weights.set(found.term, { weight: context_weight, found, forms: new Set([found.form]) });
  const kept = [...weights.values()].slice(0, slots_max);
  const hashes = new Map<number, number[]>();
  for (const analyzer of analyzers.values()) {
    const places =
      analyzer.version === running
        ? null
        : new Map(
            [...termsOf(text, "q", analyzer), ...termsOf(context ?? "", "c", analyzer)].map(
              (one) => [one.key, one.hash],
            ),
          );
    hashes.set(
      analyzer.version,
      kept.map(({ found }) => (places === null ? found.hash : (places.get(found.key) ?? -1))),
    );
  }
  return {
    slots: kept.map(({ weight, found: { term, place }, forms }) => ({
      term,
      weight,
      forms: [...forms],
      place,
    })),
    hashes,
  };
}

/** The terms with their place as a key, the same for every analyzer. */
function termsOf(text: string, from: string, analyzer: Analyzer, first_place = 0): Found[] {
  const found: Found[] = [],
    stop = subjectless(text);
  analyzer.walk(text, (hash, start, end, term) => {
    const written = text.slice(start, end);
    found.push({
      key: `${from}${start}:${end}`,
      term: term ?? written,
      hash,
      stop: stop(start, end),
      form: written.toLowerCase(),
      place: first_place + found.length,
    });
  });
  return found;
}
/** A question of nothing but stopwords keeps them, unless it leans on an earlier one. */
function withoutStops(found: readonly Found[], keep_some = true): readonly Found[] {
  const rest = found.filter((one) => !one.stop);
  return rest.length > 0 || !keep_some ? rest : found;
}
