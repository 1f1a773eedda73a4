/** A question to weighted terms: stopwords out, repeated words kept, an earlier question's words at half weight. */
import type { Analyzer } from "./analyzer";
import { subjectless } from "./languages";

const repeats_max = 3, context_weight = 0.5, slots_max = 256;

export interface Slot { readonly term: string; readonly weight: number }
export interface Query {
  /** Terms by the running analyzer, in the order of the question. */
  readonly slots: readonly Slot[];
  /** By analyzer version: the hash of each slot's term, -1 where that analyzer has none. */
  readonly hashes: ReadonlyMap<number, readonly number[]>;
}
interface Found { readonly key: string; readonly term: string; readonly hash: number; readonly stop: boolean }

/** `analyzers` holds every version that rows may carry; `running` is the one that names the terms. */
export function queryOf(text: string, context: string | undefined, analyzers: ReadonlyMap<number, Analyzer>, running: number): Query {
  const weights = new Map<string, { weight: number; found: Found }>();
  const main = termsOf(text, "q", analyzers.get(running)!);
  const earlier = context === undefined ? [] : termsOf(context, "c", analyzers.get(running)!);
  for (const found of withoutStops(main)) {
    const known = weights.get(found.term);
    if (known === undefined) weights.set(found.term, { weight: 1, found });
    else known.weight = Math.min(repeats_max, known.weight + 1);
  }
  for (const found of withoutStops(earlier, false)) if (!weights.has(found.term)) weights.set(found.term, { weight: context_weight, found });
  const kept = [...weights.values()].slice(0, slots_max);
  const hashes = new Map<number, number[]>();
  for (const analyzer of analyzers.values()) {
    const places = analyzer.version === running ? null : new Map([...termsOf(text, "q", analyzer), ...termsOf(context ?? "", "c", analyzer)].map((one) => [one.key, one.hash]));
    hashes.set(analyzer.version, kept.map(({ found }) => places === null ? found.hash : places.get(found.key) ?? -1));
  }
  return { slots: kept.map(({ weight, found }) => ({ term: found.term, weight })), hashes };
}

/** The terms with their place as a key, the same for every analyzer. */
function termsOf(text: string, from: string, analyzer: Analyzer): Found[] {
  const found: Found[] = [], stop = subjectless(text);
  analyzer.walk(text, (hash, start, end, term) => found.push({ key: `${from}${start}:${end}`, term: term ?? text.slice(start, end), hash, stop: stop(start, end) }));
  return found;
}
/** A question of nothing but stopwords keeps them. */
function withoutStops(found: readonly Found[], keep_some = true): readonly Found[] {
  const rest = found.filter((one) => !one.stop);
  return rest.length > 0 || !keep_some ? rest : found;
}
