/**
 * Rows: what vectors add to a search, as the index searches them: beside a plain loop over one
 * Float32Array, and over a hundred thousand and a million passages. The vectors are made up.
 */
import { normalised, packVectors } from "../../plugins/search-index/vectors/vector-math";
import { median, quantile, rssMib, has_proc, type Row } from "./measure";
import { openVectorIndex } from "./vector-index";

const rounds = 15;
/** Of the built-in encoder. */
const dimensions = 384;
/** The default of `index.vector_cache`, which does not hold a million. */
const default_cache = 256 * 2 ** 20;

export async function vectorRows(): Promise<Row[]> {
  return [await besidePlainLoop(), await thousands(100_000, 40), await thousands(1_000_000, 300)];
}

const compared = { passages: 10_000, dimensions: 768, per_segment: 10 } as const;

async function besidePlainLoop(): Promise<Row> {
  const vectors = Array.from({ length: compared.passages }, () => random(compared.dimensions));
  const all = new Float32Array(compared.passages * compared.dimensions);
  const query = random(compared.dimensions);
  vectors.forEach((vector, at) => all.set(vector, at * compared.dimensions));
  const index = await openVectorIndex({
    ...compared,
    cache_bytes_max: default_cache,
    blockOf: (segment) =>
      packVectors(
        vectors
          .slice((segment - 1) * compared.per_segment, segment * compared.per_segment)
          .map((vector) => [vector]),
        compared.dimensions,
      ),
  });
  // One after the other, so that both see the same machine; what the words cost is not what this
  // row is about.
  const loops: number[] = [];
  const searches: number[] = [];
  const words: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    plainLoop(all, query);
    loops.push(performance.now() - started);
    searches.push(await index.timed(query));
    words.push(await index.timed());
  }
  index.close();
  return {
    name: "vectors: hybrid search / plain loop",
    measured:
      `${compared.passages.toLocaleString("en")} × ${compared.dimensions}, median of ${rounds}: ` +
      `${ms(median(searches))} with database, words and fusion (words alone: ` +
      `${ms(median(words))}) beside ${ms(median(loops))}`,
    value: median(searches) / median(loops),
    unit: "x",
    target: { most: 1 },
  };
}

async function thousands(passages: number, most_ms: number): Promise<Row> {
  const in_documents = async (per_segment: number) => {
    const index = await openVectorIndex({
      passages,
      per_segment,
      dimensions,
      cache_bytes_max: default_cache,
    });
    const added: number[] = [];
    const words_first = await index.timed();
    const first = (await index.timed(random(dimensions))) - words_first;
    await index.timed(random(dimensions));
    for (let round = 0; round < rounds; round++)
      added.push((await index.timed(random(dimensions))) - (await index.timed()));
    index.close();
    return { added, first };
  };
  const large = await in_documents(100);
  const small = await in_documents(10);
  const times = ({ added, first }: typeof large) =>
    `p50/p95 ${ms(median(added))}/${ms(quantile(added, 0.95))}, the first ${ms(first)}`;
  return {
    name: `vectors: ${passages.toLocaleString("en")} passages over words alone`,
    measured:
      `${dimensions} numbers each, in one scope, ${default_cache / 2 ** 20} MiB of memory for ` +
      `them; documents of 100 passages: ${times(large)}; ` +
      `of 10: ${times(small)}` +
      (has_proc ? `; ${rssMib(process.pid).toFixed(0)} MiB resident` : ""),
    value: Math.max(median(large.added), median(small.added)),
    unit: "ms",
    target: { most: most_ms },
  };
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;
const random = (length: number): Float32Array =>
  normalised(Float32Array.from({ length }, () => Math.random() - 0.5))!;

/** What anyone would write first. */
function plainLoop(all: Float32Array, query: Float32Array): number[] {
  const scores = new Float32Array(all.length / query.length);
  for (let row = 0; row < scores.length; row++) {
    let sum = 0;
    for (let i = 0; i < query.length; i++) sum += all[row * query.length + i]! * query[i]!;
    scores[row] = sum;
  }
  return [...scores.keys()].sort((a, b) => scores[b]! - scores[a]!).slice(0, 100);
}
