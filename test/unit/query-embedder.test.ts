/** When queries are searched by words only: if the embedder fails, not if one user asks much. */
import { expect, test } from "bun:test";
import { jsonLog } from "../../core/base/log";
import type { Embedder } from "../../plugins/search-index/contract";
import type { VectorSetRow } from "../../plugins/search-index/store";
import { QueryEmbedder } from "../../plugins/search-index/vectors/query-embedder";

const set: VectorSetRow = {
  id: 1,
  model: "m",
  asked_dimensions: 0,
  dimensions: 2,
  serving: 1,
  adopted: 0,
  followed: 1,
  looked_to: null,
};
const timeout_ms = 60;

/** Answers so many queries, and never the others. */
function embedderFor(answers: number): Embedder {
  let asked = 0;
  return {
    model: "m",
    dimensions: null,
    texts_max: 1,
    async embed(texts, { signal }) {
      if (++asked > answers)
        await new Promise<never>((_, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason as Error)),
        );
      return texts.map(() => Float32Array.of(1, 0));
    },
  };
}

const cases: [reason: string, answers: number, queries: number, has_failed: boolean][] = [
  ["an embedder that answers some of many queries works", 2, 12, false],
  ["one that answers none has failed", 0, 12, true],
];
test.each(cases)("%s", async (_, answers, queries, has_failed) => {
  const embedder = embedderFor(answers);
  const query_embedder = new QueryEmbedder({
    embedder: () => embedder,
    servingSet: () => set,
    calibrations: { compute: async () => undefined, find: () => null },
    now_ms: () => 0,
    log: jsonLog("error", () => undefined),
    timeout_ms,
  });
  const vectors = await Promise.all(
    Array.from({ length: queries }, (_, i) =>
      query_embedder.vectorOf(
        { owner_id: "ada", query: `question ${i}`, folder_ids: ["fld"], limit: 1 },
        undefined,
      ),
    ),
  );
  expect(vectors.filter((vector) => vector === undefined).length).toBeGreaterThan(2);
  expect(query_embedder.failing() !== null).toBe(has_failed);
});
