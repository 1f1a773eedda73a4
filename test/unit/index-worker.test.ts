/**
 * Workers: started on demand, stopped when idle, replaced when they die; no question waits forever.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonLog } from "../../core/base/log";
import { isStorageFault } from "../../core/store/storage-errors";
import { window_units } from "../../core/lib/text-window";
import { HttpError, type ReadConnectionSpec } from "../../core/sdk";
import { analyzer } from "../../plugins/search-index/analysis/analyzer";
import type { EncoderProtocol } from "../../plugins/search-index/indexing/encoder-worker";
import { encodeDocument, type EncodedSegment } from "../../plugins/search-index/indexing/encoder";
import { placed, type PlacedSegment } from "../../plugins/search-index/index-versions";
import type { SearchProtocol } from "../../plugins/search-index/ranking/search-handler";
import { Turns } from "../../plugins/search-index/workers/turns";
import { WorkerClient, type WorkerOptions } from "../../plugins/search-index/workers/worker-client";
import type { FragileProtocol } from "../helpers/fragile-worker";
import { openTestIndex } from "../helpers/search-index";

const directory = mkdtempSync(join(tmpdir(), "dossier-worker-"));
const clients: { stop(): void }[] = [];
afterAll(() => {
  for (const client of clients) void client.stop();
  rmSync(directory, { recursive: true, force: true });
});

const ada = { owner: "usr_ada" };
const bob = { owner: "usr_bob" };
type Fragile = WorkerClient<FragileProtocol>;
interface FragileOptions extends Pick<WorkerOptions<FragileProtocol>, "hang_ms" | "isLarge"> {
  readonly idle_ms?: number;
  readonly broken?: boolean;
}
function fragile({ broken = false, idle_ms = 60_000, ...more }: FragileOptions = {}): Fragile & {
  readonly deaths: () => number;
} {
  let deaths = 0;
  const client: Fragile = new WorkerClient({
    path: "fragile-worker.ts",
    url: () => new URL("../helpers/fragile-worker.ts", import.meta.url).href,
    setting: { marker: "here", broken },
    idle_ms,
    ...more,
    log: jsonLog("warn", () => {
      deaths++;
    }),
  });
  clients.push(client);
  return Object.assign(client, { deaths: () => deaths });
}

describe("a worker", () => {
  test("answers every question in turn", async () => {
    const worker = fragile();
    expect(
      await Promise.all([
        worker.ask({ order: "answer" }, ada),
        worker.ask({ order: "count" }, ada),
        worker.ask({ order: "count" }, ada),
      ]),
    ).toEqual(["here", "2", "3"]);
  });
  test("that throws reports the error and continues", async () => {
    const worker = fragile();
    await expect(worker.ask({ order: "fail" }, ada)).rejects.toThrow("it failed");
    expect(await worker.ask({ order: "count" }, ada)).toBe("2");
    expect(worker.deaths()).toBe(0);
  });
  test("whose database is unavailable passes on that error", async () => {
    const refused = fragile().ask({ order: "be away" }, ada);
    await expect(refused).rejects.toBeInstanceOf(HttpError);
    await expect(refused).rejects.toMatchObject({
      status: 503,
      code: "unavailable",
      detail: "It is away.",
      headers: { "retry-after": "5" },
    });
  });
  test("whose disk can't be read passes on the cause, by which a job waits", async () => {
    const refused = await fragile()
      .ask({ order: "be unreadable" }, ada)
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 503, cause: { code: "SQLITE_IOERR_READ" } });
    expect(isStorageFault(refused)).toBe(true);
  });
  test("that fails to open its resources says so for each question", async () => {
    const worker = fragile({ broken: true });
    await expect(worker.ask({ order: "answer" }, ada)).rejects.toThrow("it can't be opened");
    await expect(worker.ask({ order: "answer" }, ada)).rejects.toThrow("it can't be opened");
  });
  test("that dies is replaced, and the question is retried", async () => {
    const worker = fragile();
    expect(await worker.ask({ order: "die once", file: join(directory, "once") }, ada)).toBe(
      "here",
    );
    expect(worker.deaths()).toBe(1);
  });
  test("that dies twice on a question fails it and answers the next", async () => {
    const worker = fragile();
    await expect(worker.ask({ order: "die" }, ada)).rejects.toThrow("crashed");
    expect(await worker.ask({ order: "answer" }, ada)).toBe("here");
  });
  test("that answers in parts gives each once, in order, even if it dies meanwhile", async () => {
    for (const file of [join(directory, "exists-not"), undefined]) {
      const worker = fragile();
      const parts: number[] = [];
      expect(
        await worker.ask(
          { order: "parts", ...(file && { file }) },
          { ...ada, onPart: (part) => parts.push(part) },
        ),
      ).toBe("here");
      expect(parts).toEqual([1, 2, 3]);
      expect(worker.deaths()).toBe(file ? 1 : 0);
    }
  });
  test("whose parts are not consumed pauses and answers others meanwhile", async () => {
    const worker = fragile();
    const taken = Promise.withResolvers<void>();
    const parts: number[] = [];
    const onPart = (part: number) => {
      parts.push(part);
      return taken.promise;
    };
    const answer = worker.ask({ order: "many parts" }, { ...ada, onPart });
    while (parts.length === 0) await Bun.sleep(1);
    for (let n = 0; n < 20; n++) expect(await worker.ask({ order: "answer" }, bob)).toBe("here");
    expect(parts.length).toBeLessThan(10);
    taken.resolve();
    expect(await answer).toBe("here");
    expect(parts).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
  });
  test("whose parts are not consumed stops when the question is aborted", async () => {
    const worker = fragile();
    const leaving = new AbortController();
    const parts: number[] = [];
    const onPart = (part: number) => {
      parts.push(part);
      return Promise.withResolvers<void>().promise;
    };
    const answer = worker.ask({ order: "many parts" }, { ...ada, onPart, signal: leaving.signal });
    answer.catch(() => undefined);
    while (parts.length === 0) await Bun.sleep(1);
    leaving.abort();
    await expect(answer).rejects.toThrow();
    expect(await worker.ask({ order: "answer" }, ada)).toBe("here");
  });
  test("that dies fails no other question", async () => {
    const worker = fragile();
    const results = await Promise.allSettled([
      worker.ask({ order: "answer" }, ada),
      worker.ask({ order: "die" }, ada),
      worker.ask({ order: "answer" }, ada),
      worker.ask({ order: "die" }, ada),
      worker.ask({ order: "count" }, ada),
    ]);
    expect(results.map((result) => result.status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(worker.deaths()).toBe(4);
  });
  test("that dies on an aborted question blames no other", async () => {
    const worker = fragile();
    const giving_up = new AbortController();
    const given_up = worker.ask({ order: "die late" }, { ...ada, signal: giving_up.signal });
    const next = worker.ask({ order: "die once", file: join(directory, "next") }, ada);
    giving_up.abort(new Error("enough"));
    await expect(given_up).rejects.toThrow("enough");
    expect(await next).toBe("here");
    expect(worker.deaths()).toBe(2);
  });
  test("that is idle is stopped, and restarted by the next question", async () => {
    const worker = fragile({ idle_ms: 20 });
    expect(await worker.ask({ order: "count" }, ada)).toBe("1");
    await Bun.sleep(200);
    expect(await worker.ask({ order: "count" }, ada)).toBe("1");
    expect(worker.deaths()).toBe(0);
  });
  test("is not waited for by an aborted question", async () => {
    const worker = fragile();
    const giving_up = new AbortController();
    const answer = worker.ask({ order: "hang" }, { ...ada, signal: giving_up.signal });
    setTimeout(() => giving_up.abort(new Error("enough")), 50);
    await expect(answer).rejects.toThrow("enough");
    await expect(
      worker.ask({ order: "answer" }, { ...ada, signal: giving_up.signal }),
    ).rejects.toThrow("enough");
  });
  test("that is stopped leaves no question waiting and accepts none", async () => {
    const worker = fragile();
    const answer = worker.ask({ order: "hang" }, ada);
    setTimeout(() => void worker.stop(), 50);
    await expect(answer).rejects.toThrow("stopping");
    await expect(worker.ask({ order: "answer" }, ada)).rejects.toThrow("stopping");
  });
});

describe("turns in a worker:", () => {
  /** Asks, and records the order of the answers. */
  function asking(worker: Fragile) {
    const order: string[] = [];
    return {
      order,
      ask: (name: string, request: FragileProtocol["request"], options: { owner: string }) =>
        worker.ask(request, options).then(() => order.push(name)),
    };
  }

  test("another owner's request is answered before a backlog", async () => {
    const { order, ask } = asking(fragile());
    const backlog = Array.from({ length: 50 }, (_, i) => ask(`ada ${i}`, { order: "long" }, ada));
    await Promise.all([...backlog, ask("bob", { order: "answer" }, bob)]);
    expect(order[0]).toBe("bob");
    expect(order.slice(1)).toEqual(Array.from({ length: 50 }, (_, i) => `ada ${i}`));
  });
  test("owners with long requests take turns", async () => {
    const { order, ask } = asking(fragile());
    await Promise.all([
      ...[1, 2].map((i) => ask(`ada ${i}`, { order: "long" }, ada)),
      ...[1, 2].map((i) => ask(`bob ${i}`, { order: "long" }, bob)),
    ]);
    expect(order).toEqual(["ada 1", "bob 1", "ada 2", "bob 2"]);
  });
  test("short requests, however many, don't starve a long one", async () => {
    const { order, ask } = asking(fragile());
    const long = ask("long", { order: "long" }, ada);
    const short = Array.from({ length: 100 }, (_, i) =>
      ask("short", { order: "answer" }, { owner: `usr_${i}` }),
    );
    await Promise.all([long, ...short]);
    expect(order.indexOf("long")).toBeLessThan(30);
  });
  test("one that has just had its turn comes after a new one", () => {
    const turns = new Turns();
    const long = { owner: "ada", background: false };
    const short = { owner: "bob", background: false };
    turns.add(long);
    expect(turns.next()).toBe(long);
    turns.add(short);
    turns.giveWay(long);
    expect(turns.next()).toBe(short);
    turns.end(short);
    expect(turns.next()).toBe(long);
  });
  test("a request yields sooner when another one has been sent meanwhile", async () => {
    const worker = fragile();
    const first = worker.ask({ order: "two milliseconds" }, ada);
    const second = worker.ask({ order: "answer" }, bob);
    expect([await first, await second]).toEqual(["it should yield", "here"]);
  });
  test("background work runs when there is no other work", async () => {
    const { order, ask } = asking(fragile());
    const background = { ...ada, background: true };
    await Promise.all([
      ask("background", { order: "long" }, background),
      ask("bob", { order: "long" }, bob),
      ask("ada", { order: "long" }, ada),
    ]);
    expect(order.at(-1)).toBe("background");
  });
  test("a request aborted before its turn is never started", async () => {
    const worker = fragile();
    const giving_up = new AbortController();
    const ending = new AbortController();
    const { signal } = giving_up;
    // It stays in progress until those behind it have been aborted.
    const first = worker.ask({ order: "endless" }, { ...ada, signal: ending.signal });
    const given_up = Array.from({ length: 100 }, () =>
      worker.ask({ order: "answer" }, { ...ada, signal }),
    );
    giving_up.abort(new Error("enough"));
    expect((await Promise.allSettled(given_up)).map(({ status }) => status)).toEqual(
      Array(100).fill("rejected"),
    );
    ending.abort(new Error("ended"));
    await expect(first).rejects.toThrow("ended");
    expect(await worker.ask({ order: "count" }, ada)).toBe("2");
  });
  test("a request aborted in progress ends, and its owner's next one starts", async () => {
    const worker = fragile();
    const giving_up = new AbortController();
    const endless = worker.ask({ order: "endless" }, { ...ada, signal: giving_up.signal });
    const next = worker.ask({ order: "answer" }, ada);
    setTimeout(() => giving_up.abort(new Error("enough")), 50);
    await expect(endless).rejects.toThrow("enough");
    expect(await next).toBe("here");
    expect(worker.deaths()).toBe(0);
  });
  test("a worker that never yields is replaced, and its request fails", async () => {
    const worker = fragile({ hang_ms: 100 });
    const hanging = worker.ask({ order: "hang" }, ada);
    const other = worker.ask({ order: "answer" }, bob);
    await expect(hanging).rejects.toThrow("did not give way");
    expect(await other).toBe("here");
    expect(worker.deaths()).toBe(2);
  });
  test("at most two large requests are sent to the worker at a time", async () => {
    const worker = fragile({ isLarge: ({ order }) => order === "endless" });
    const giving_up = new AbortController();
    const cy = { owner: "usr_cy" };
    const endless = [ada, bob, cy].map((owner) =>
      worker.ask({ order: "endless" }, { ...owner, signal: giving_up.signal }),
    );
    const most = () => worker.ask({ order: "most at once" }, { owner: "usr_dan" });
    while ((await most()) < "2");
    // By then, everything sent to the worker has had its turns.
    for (let round = 0; round < 20; round++) expect(await most()).toBe("2");
    giving_up.abort(new Error("enough"));
    for (const result of await Promise.allSettled(endless)) expect(result.status).toBe("rejected");
  });
  test("large requests are from different owners if possible", async () => {
    const { order, ask } = asking(fragile({ isLarge: ({ order }) => order === "long" }));
    await Promise.all([
      ...[1, 2, 3].map((i) => ask(`ada ${i}`, { order: "long" }, ada)),
      ask("bob", { order: "long" }, bob),
      ask("cy", { order: "long" }, { owner: "usr_cy" }),
    ]);
    // It starts when nobody else waits: three of the others have their answers.
    expect(order.indexOf("ada 3")).toBeGreaterThanOrEqual(3);
  });
});

function encodingWorker(read_connection: ReadConnectionSpec): WorkerClient<EncoderProtocol> {
  const client = new WorkerClient<EncoderProtocol>({
    path: "plugins/search-index/indexing/encoder-worker.ts",
    url: () =>
      new URL("../../plugins/search-index/indexing/encoder-worker.ts", import.meta.url).href,
    setting: { read_connection },
    idle_ms: 60_000,
    log: jsonLog("error"),
  });
  clients.push(client);
  return client;
}

test("the encoding worker gives the same as encoding in this thread", async () => {
  const { store, texts } = await openTestIndex();
  const client = encodingWorker(store.read_connection);
  const input = {
    title: "Title",
    text: `The 🗂 first paragraph of the text that is in English.\f${"Second one of many in it. ".repeat(90)}`,
    pages: [
      { page: 1, start: 0, end: 40 },
      { page: 2, start: 41, end: 3_000 },
    ],
  };
  type Part = EncodedSegment | PlacedSegment;
  const segments: Part[] = [];
  expect(await client.ask(input, { ...ada, onPart: (segment) => segments.push(segment) })).toBe(
    "en",
  );
  const encoded = [...encodeDocument(input, analyzer)];
  expect(segments).toEqual(encoded);
  expect(segments.length).toBe(1);
  const written = await texts.prepare(input.text);
  await store.inTransaction((tx) => written.keep(tx));
  const of_stored: Part[] = [];
  await client.ask(
    { ...input, text: null, stored: written.stored },
    { ...ada, onPart: (segment) => of_stored.push(segment) },
  );
  expect(of_stored).toEqual(encoded.map(placed));
});

test("the encoding worker gives the same for a text read in windows as for the whole", async () => {
  const { store, texts } = await openTestIndex();
  const client = encodingWorker(store.read_connection);
  const text = `# The 🗂 of ice\n\n${"It is cold 🥶 there, and in it are words. ".repeat(30_000)}`;
  const written = await texts.prepare(text);
  await store.inTransaction((tx) => written.keep(tx));
  const input = { title: "Title", pages: [{ page: 1, start: 0, end: text.length }] };
  const segments: (EncodedSegment | PlacedSegment)[] = [];
  expect(
    await client.ask(
      { ...input, text: null, stored: written.stored },
      { ...ada, onPart: (segment) => segments.push(segment) },
    ),
  ).toBe("en");
  expect(text.length).toBeGreaterThan(2 * window_units);
  expect(segments).toEqual([...encodeDocument({ ...input, text }, analyzer)].map(placed));
});

test("the search worker finds the same as this thread, and sees new documents", async () => {
  const index = await openTestIndex();
  const client = new WorkerClient<SearchProtocol>({
    path: "plugins/search-index/ranking/search-worker.ts",
    url: () => new URL("../../plugins/search-index/ranking/search-worker.ts", import.meta.url).href,
    setting: { read_connection: index.store.read_connection, cache_bytes_max: 1 << 20 },
    idle_ms: 60_000,
    log: jsonLog("error"),
  });
  clients.push(client);
  const request = { owner_id: "usr_ada", query: "iron tower", limit: 10 };
  for (const id of ["doc_1", "doc_2"]) {
    await index.add(id, `The tower ${id} is of iron.`);
    const {
      loose_chunks,
      is_beyond_memory: _,
      is_short,
      ...result
    } = (await client.ask({ search: { ...request, folder_ids: "fld_a fld_b" } }, ada))!;
    const folder_ids = ["fld_a", "fld_b"];
    expect(result).toEqual(await index.index.search({ ...request, folder_ids }));
    expect([loose_chunks > 0, is_short]).toEqual([true, false]);
    expect(result.passages.some((passage) => passage.document_id === id)).toBe(true);
  }
});

test("a stopped search worker reads no more, so the log can be truncated", async () => {
  for (let round = 0; round < 5; round++) {
    const index = await openTestIndex();
    const client = new WorkerClient<SearchProtocol>({
      path: "plugins/search-index/ranking/search-worker.ts",
      url: () =>
        new URL("../../plugins/search-index/ranking/search-worker.ts", import.meta.url).href,
      setting: { read_connection: index.store.read_connection, cache_bytes_max: 1 << 20 },
      idle_ms: 60_000,
      log: jsonLog("error"),
    });
    await index.add("doc_1", "The tower is of iron.");
    const request = { owner_id: "usr_ada", query: "tower", folder_ids: "fld_a", limit: 10 };
    await client.ask({ search: request }, ada);
    const searching = client.ask({ search: request }, ada).catch(() => undefined);
    await client.stop();
    await searching;
    await index.close(true);
    const log_path = `${index.path}-wal`;
    expect(existsSync(log_path) ? statSync(log_path).size : 0).toBe(0);
    rmSync(index.directory, { recursive: true });
  }
}, 60_000);
