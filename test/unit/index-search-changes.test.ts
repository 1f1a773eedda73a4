/** Searches beside others: changes meanwhile, and many passages. */
import { describe, expect, test } from "bun:test";
import { openReadConnection } from "../../core/store/read-connection";
import { analyzer } from "../../plugins/search-index/analysis/analyzer";
import { Searcher } from "../../plugins/search-index/ranking/searcher";
import {
  SqliteSegmentReader,
  type SegmentReader,
} from "../../plugins/search-index/segments/segment-reader";
import { openTestIndex } from "../helpers/search-index";

type Read = "segments" | "texts" | "chunks";
/** More often than a search restarts. */
const often = 20;

describe("a document reindexed during a search is found once:", () => {
  const cases: [when: string, read: Read, times: number][] = [
    ["before its segment is read", "segments", 1],
    ["before its text is read", "texts", 1],
    ["before its passage is read", "chunks", 1],
    ["before its segment is read, every time", "segments", often],
    ["before its text is read, every time", "texts", often],
    ["before its passage is read, every time", "chunks", often],
  ];
  for (const [when, read, times] of cases)
    test(when, async () => {
      const index = await openTestIndex();
      await index.add("doc_a", "The axolotl regrows limbs.");
      await index.add("doc_b", "Another axolotl.");
      const connection = openReadConnection(index.store.read_connection);
      const reader = new SqliteSegmentReader(connection);
      let left = times;
      const overtaken = new Proxy<SegmentReader>(reader, {
        get: (target, name: keyof SegmentReader) => {
          const member: unknown = target[name];
          if (typeof member !== "function") return member;
          const method = member.bind(target) as (...args: unknown[]) => unknown;
          if (name !== read) return method;
          return async (...args: unknown[]) => {
            if (left-- > 0) await index.add("doc_a", "The axolotl regrows limbs.");
            return method(...args);
          };
        },
      });
      const searcher = new Searcher(overtaken, {
        analyzers: new Map([[analyzer.version, analyzer]]),
        analyzer_version: analyzer.version,
        cache_bytes_max: 1 << 20,
      });
      const { passages } = await searcher.search({
        owner_id: "usr_ada",
        query: "axolotl",
        folder_ids: ["fld_a"],
        limit: 10,
      });
      connection.close();
      expect(passages.map(({ document_id }) => document_id).sort()).toEqual(["doc_a", "doc_b"]);
      expect(left).toBeLessThan(times);
    });
});

test("many passages are read in parts, between which others continue", async () => {
  const index = await openTestIndex();
  const texts = Array.from({ length: 120 }, (_, n) => ({
    document_id: `doc_${n}`,
    text: `Axolotl ${n} regrows limbs.`,
    folder_id: "fld_a",
  }));
  await index.addAll(texts);
  const connection = openReadConnection(index.store.read_connection);
  const reader = new SqliteSegmentReader(connection);
  const steps: (number | "pause")[] = [];
  const chunks = reader.chunks.bind(reader);
  reader.chunks = (keys) => {
    steps.push(keys.length);
    return chunks(keys);
  };
  const searcher = new Searcher(reader, {
    analyzers: new Map([[analyzer.version, analyzer]]),
    analyzer_version: analyzer.version,
    cache_bytes_max: 1 << 20,
  });
  const request = { owner_id: "usr_ada", query: "axolotl", folder_ids: ["fld_a"], limit: 120 };
  const pause = async (): Promise<void> => void steps.push("pause");
  const { passages } = await searcher.search(request, { due: true, pause });
  connection.close();
  expect(passages).toHaveLength(120);
  expect(steps.slice(steps.indexOf(50))).toEqual([50, "pause", 50, "pause", 20]);
});
