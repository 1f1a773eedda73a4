/**
 * Row of `npm run bench -- million`: a search over a million passages in one scope, in this
 * process.
 */
import { median, quantile, rssMib, has_proc, type Row } from "./measure";
import { OwnIndex } from "./own-index";
import { makePassages } from "./search";
import { seededRandom, makeQuery } from "./text";

const passages = 1_000_000;
const pool_passages = 20_000;
const document_passages = 200;
const questions = 40;
const warm_up = 5;
/** A million passages exceed the default of 256 MiB. */
const cache_bytes_max = 2 ** 30;

/**
 * Documents are composed of passages from a pool, because generating a million different passages
 * would take longer than indexing them.
 */
export async function millionRows(): Promise<Row[]> {
  const pool = Array.from(
    { length: pool_passages / document_passages },
    (_, index) => makePassages(document_passages, index + 1).passages,
  ).flat();
  const index = await OwnIndex.open(cache_bytes_max);
  const random = seededRandom(1);
  try {
    const started = performance.now();
    for (let id = 0; index.passages < passages; id++) {
      const text = Array.from(
        { length: document_passages },
        () => pool[Math.floor(random() * pool.length)]!,
      ).join("\n\n");
      await index.add({ document_id: `doc_${id}`, title: `Text ${id}`, text }, "fld_a");
    }
    await index.flush();
    await index.pack(["fld_a"]);
    const built_s = (performance.now() - started) / 1000;
    const times: number[] = [];
    for (let round = 0; round < warm_up + questions; round++) {
      const query = makeQuery(pool[round * 37]!, round);
      const asked_ms = performance.now();
      if ((await index.search(query, ["fld_a"], 10)).length === 0)
        throw new Error(`nothing was found for ${query}`);
      times.push(performance.now() - asked_ms);
    }
    const counted = times.slice(warm_up);
    return [
      {
        name: "search of a million passages",
        unit: "ms",
        target: { most: 60 },
        value: median(counted),
        measured:
          `p50/p95 ${median(counted).toFixed(0)}/${quantile(counted, 0.95).toFixed(0)} ms ` +
          `in one scope, the first ${(times[0]! / 1000).toFixed(1)} s (from disk); ` +
          `${index.passages.toLocaleString("en")} passages built in ${built_s.toFixed(0)} s, ` +
          `${questions} questions of five words` +
          (has_proc ? `, ${rssMib(process.pid).toFixed(0)} MiB resident` : ""),
      },
    ];
  } finally {
    await index.close();
  }
}
