/**
 * Workers: started when asked, stopped when idle, replaced when they die; and no question waits for
 * ever.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonLog } from "../../core/base/log";
import { analyzer } from "../../plugins/search-index/analyzer";
import type { EncoderProtocol } from "../../plugins/search-index/encoder-worker";
import { encodeDocument, type EncodedSegment } from "../../plugins/search-index/encoder";
import type { SearchProtocol } from "../../plugins/search-index/search-worker";
import { WorkerClient } from "../../plugins/search-index/worker-client";
import type { FragileProtocol } from "../helpers/fragile-worker";
import { openTestIndex } from "../helpers/search-index";

const directory = mkdtempSync(join(tmpdir(), "dossier-worker-")),
  clients: { stop(): void }[] = [];
afterAll(() => {
  for (const client of clients) client.stop();
  rmSync(directory, { recursive: true, force: true });
});

type Fragile = WorkerClient<FragileProtocol>;
function fragile(
  options: { readonly idle_ms?: number; readonly broken?: boolean } = {},
): Fragile & { readonly deaths: () => number } {
  let deaths = 0;
  const client: Fragile = new WorkerClient({
    path: "fragile-worker.ts",
    url: () => new URL("../helpers/fragile-worker.ts", import.meta.url).href,
    setting: { marker: "here", broken: options.broken ?? false },
    idle_ms: options.idle_ms ?? 60_000,
    log: jsonLog("warn", () => {
      deaths++;
    }),
  });
  clients.push(client);
  return Object.assign(client, { deaths: () => deaths });
}

describe("a worker", () => {
  test("answers, every question in turn", async () => {
    const worker = fragile();
    expect(
      await Promise.all([
        worker.ask({ order: "answer" }),
        worker.ask({ order: "count" }),
        worker.ask({ order: "count" }),
      ]),
    ).toEqual(["here", "2", "3"]);
  });
  test("that throws tells why, and goes on", async () => {
    const worker = fragile();
    await expect(worker.ask({ order: "fail" })).rejects.toThrow("it failed");
    expect(await worker.ask({ order: "count" })).toBe("2");
    expect(worker.deaths()).toBe(0);
  });
  test("that can't open what it needs says so each time it is asked", async () => {
    const worker = fragile({ broken: true });
    await expect(worker.ask({ order: "answer" })).rejects.toThrow("it can't be opened");
    await expect(worker.ask({ order: "answer" })).rejects.toThrow("it can't be opened");
  });
  test("that dies is replaced, and the question is asked again", async () => {
    const worker = fragile();
    expect(await worker.ask({ order: "die once", file: join(directory, "once") })).toBe("here");
    expect(worker.deaths()).toBe(1);
  });
  test("that dies twice of one question fails it, and answers the next", async () => {
    const worker = fragile();
    await expect(worker.ask({ order: "die" })).rejects.toThrow("died");
    expect(await worker.ask({ order: "answer" })).toBe("here");
  });
  test("that answers in parts gives each once and in order, even when it dies in between", async () => {
    for (const file of [join(directory, "exists-not"), undefined]) {
      const worker = fragile(),
        parts: number[] = [];
      expect(
        await worker.ask(
          { order: "parts", ...(file && { file }) },
          { onPart: (part) => parts.push(part) },
        ),
      ).toBe("here");
      expect(parts).toEqual([1, 2, 3]);
      expect(worker.deaths()).toBe(file ? 1 : 0);
    }
  });
  test("that dies takes no other question along", async () => {
    const worker = fragile();
    const asked = await Promise.allSettled([
      worker.ask({ order: "answer" }),
      worker.ask({ order: "die" }),
      worker.ask({ order: "answer" }),
      worker.ask({ order: "die" }),
      worker.ask({ order: "count" }),
    ]);
    expect(asked.map((one) => one.status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(worker.deaths()).toBe(4);
  });
  test("that dies of a question that was given up blames no other", async () => {
    const worker = fragile(),
      giving_up = new AbortController();
    const given_up = worker.ask({ order: "die late" }, { signal: giving_up.signal }),
      next = worker.ask({ order: "die once", file: join(directory, "next") });
    giving_up.abort(new Error("enough"));
    await expect(given_up).rejects.toThrow("enough");
    expect(await next).toBe("here");
    expect(worker.deaths()).toBe(2);
  });
  test("that is idle is stopped, and started again when it is asked", async () => {
    const worker = fragile({ idle_ms: 20 });
    expect(await worker.ask({ order: "count" })).toBe("1");
    await Bun.sleep(200);
    expect(await worker.ask({ order: "count" })).toBe("1");
    expect(worker.deaths()).toBe(0);
  });
  test("is not waited for by a question that was given up", async () => {
    const worker = fragile(),
      giving_up = new AbortController();
    const asked = worker.ask({ order: "hang" }, { signal: giving_up.signal });
    setTimeout(() => giving_up.abort(new Error("enough")), 50);
    await expect(asked).rejects.toThrow("enough");
    await expect(worker.ask({ order: "answer" }, { signal: giving_up.signal })).rejects.toThrow(
      "enough",
    );
  });
  test("that is stopped leaves no question waiting, and takes none", async () => {
    const worker = fragile(),
      asked = worker.ask({ order: "hang" });
    setTimeout(() => worker.stop(), 50);
    await expect(asked).rejects.toThrow("stopping");
    await expect(worker.ask({ order: "answer" })).rejects.toThrow("stopping");
  });
});

test("the encoding worker gives what encoding here gives", async () => {
  const client = new WorkerClient<EncoderProtocol>({
    path: "plugins/search-index/encoder-worker.ts",
    url: () => new URL("../../plugins/search-index/encoder-worker.ts", import.meta.url).href,
    setting: null,
    idle_ms: 60_000,
    log: jsonLog("error"),
  });
  clients.push(client);
  const input = {
    title: "Title",
    text: `The 🗂 first paragraph of the text that is in English.\f${"Second one of many in it. ".repeat(90)}`,
    pages: [
      { page: 1, start: 0, end: 40 },
      { page: 2, start: 41, end: 3_000 },
    ],
  };
  const segments: EncodedSegment[] = [];
  expect(await client.ask(input, { onPart: (segment) => segments.push(segment) })).toBe("en");
  expect(segments).toEqual([...encodeDocument(input, analyzer)]);
  expect(segments.length).toBe(1);
});

test("the searching worker finds what searching here finds, and sees what was published since", async () => {
  const index = await openTestIndex();
  const client = new WorkerClient<SearchProtocol>({
    path: "plugins/search-index/search-worker.ts",
    url: () => new URL("../../plugins/search-index/search-worker.ts", import.meta.url).href,
    setting: { read_connection: index.store.read_connection, cache_bytes_max: 1 << 20 },
    idle_ms: 60_000,
    log: jsonLog("error"),
  });
  clients.push(client);
  const request = { query: "iron tower", folder_ids: ["fld_a"], limit: 10 };
  for (const id of ["doc_1", "doc_2"]) {
    await index.add(id, `The tower ${id} is of iron.`);
    const result = await client.ask(request);
    expect(result).toEqual(await index.index.search(request));
    expect(result.passages.some((one) => one.document_id === id)).toBe(true);
  }
});
