/**
 * Workers: started when asked, stopped when idle, replaced when they die; and no question waits for
 * ever.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonLog } from "../../core/base/log";
import { window_units } from "../../core/lib/text-window";
import { HttpError, type ReadConnectionSpec } from "../../core/sdk";
import { analyzer } from "../../plugins/search-index/analysis/analyzer";
import type { EncoderProtocol } from "../../plugins/search-index/indexing/encoder-worker";
import { encodeDocument, type EncodedSegment } from "../../plugins/search-index/indexing/encoder";
import { placed, type PlacedSegment } from "../../plugins/search-index/index-versions";
import type { SearchProtocol } from "../../plugins/search-index/ranking/search-handler";
import { WorkerClient, type WorkerOptions } from "../../plugins/search-index/workers/worker-client";
import type { FragileProtocol } from "../helpers/fragile-worker";
import { openTestIndex } from "../helpers/search-index";

const directory = mkdtempSync(join(tmpdir(), "dossier-worker-")),
  clients: { stop(): void }[] = [];
afterAll(() => {
  for (const client of clients) void client.stop();
  rmSync(directory, { recursive: true, force: true });
});

const ada = { owner: "usr_ada" },
  bob = { owner: "usr_bob" };
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
  test("answers, every question in turn", async () => {
    const worker = fragile();
    expect(
      await Promise.all([
        worker.ask({ order: "answer" }, ada),
        worker.ask({ order: "count" }, ada),
        worker.ask({ order: "count" }, ada),
      ]),
    ).toEqual(["here", "2", "3"]);
  });
  test("that throws tells why, and goes on", async () => {
    const worker = fragile();
    await expect(worker.ask({ order: "fail" }, ada)).rejects.toThrow("it failed");
    expect(await worker.ask({ order: "count" }, ada)).toBe("2");
    expect(worker.deaths()).toBe(0);
  });
  test("whose database is away tells it as the answer that it is", async () => {
    const refused = fragile().ask({ order: "be away" }, ada);
    await expect(refused).rejects.toBeInstanceOf(HttpError);
    await expect(refused).rejects.toMatchObject({
      ...{ status: 503, code: "unavailable", detail: "It is away." },
      headers: { "retry-after": "5" },
    });
  });
  test("that can't open what it needs says so each time it is asked", async () => {
    const worker = fragile({ broken: true });
    await expect(worker.ask({ order: "answer" }, ada)).rejects.toThrow("it can't be opened");
    await expect(worker.ask({ order: "answer" }, ada)).rejects.toThrow("it can't be opened");
  });
  test("that dies is replaced, and the question is asked again", async () => {
    const worker = fragile();
    expect(await worker.ask({ order: "die once", file: join(directory, "once") }, ada)).toBe(
      "here",
    );
    expect(worker.deaths()).toBe(1);
  });
  test("that dies twice of one question fails it, and answers the next", async () => {
    const worker = fragile();
    await expect(worker.ask({ order: "die" }, ada)).rejects.toThrow("died");
    expect(await worker.ask({ order: "answer" }, ada)).toBe("here");
  });
  test("that answers in parts gives each once and in order, even when it dies in between", async () => {
    for (const file of [join(directory, "exists-not"), undefined]) {
      const worker = fragile(),
        parts: number[] = [];
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
  test("whose parts nobody takes makes few more of them, and answers others meanwhile", async () => {
    const worker = fragile(),
      taken = Promise.withResolvers<void>(),
      parts: number[] = [];
    const onPart = (part: number) => {
      parts.push(part);
      return taken.promise;
    };
    const asked = worker.ask({ order: "many parts" }, { ...ada, onPart });
    while (parts.length === 0) await Bun.sleep(1);
    for (let n = 0; n < 20; n++) expect(await worker.ask({ order: "answer" }, bob)).toBe("here");
    expect(parts.length).toBeLessThan(10);
    taken.resolve();
    expect(await asked).toBe("here");
    expect(parts).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
  });
  test("whose parts nobody takes ends when nobody waits for it", async () => {
    const worker = fragile(),
      leaving = new AbortController(),
      parts: number[] = [];
    const onPart = (part: number) => {
      parts.push(part);
      return Promise.withResolvers<void>().promise;
    };
    const asked = worker.ask({ order: "many parts" }, { ...ada, onPart, signal: leaving.signal });
    asked.catch(() => undefined);
    while (parts.length === 0) await Bun.sleep(1);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    expect(await worker.ask({ order: "answer" }, ada)).toBe("here");
  });
  test("that dies takes no other question along", async () => {
    const worker = fragile();
    const asked = await Promise.allSettled([
      worker.ask({ order: "answer" }, ada),
      worker.ask({ order: "die" }, ada),
      worker.ask({ order: "answer" }, ada),
      worker.ask({ order: "die" }, ada),
      worker.ask({ order: "count" }, ada),
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
    const given_up = worker.ask({ order: "die late" }, { ...ada, signal: giving_up.signal }),
      next = worker.ask({ order: "die once", file: join(directory, "next") }, ada);
    giving_up.abort(new Error("enough"));
    await expect(given_up).rejects.toThrow("enough");
    expect(await next).toBe("here");
    expect(worker.deaths()).toBe(2);
  });
  test("that is idle is stopped, and started again when it is asked", async () => {
    const worker = fragile({ idle_ms: 20 });
    expect(await worker.ask({ order: "count" }, ada)).toBe("1");
    await Bun.sleep(200);
    expect(await worker.ask({ order: "count" }, ada)).toBe("1");
    expect(worker.deaths()).toBe(0);
  });
  test("is not waited for by a question that was given up", async () => {
    const worker = fragile(),
      giving_up = new AbortController();
    const asked = worker.ask({ order: "hang" }, { ...ada, signal: giving_up.signal });
    setTimeout(() => giving_up.abort(new Error("enough")), 50);
    await expect(asked).rejects.toThrow("enough");
    await expect(
      worker.ask({ order: "answer" }, { ...ada, signal: giving_up.signal }),
    ).rejects.toThrow("enough");
  });
  test("that is stopped leaves no question waiting, and takes none", async () => {
    const worker = fragile(),
      asked = worker.ask({ order: "hang" }, ada);
    setTimeout(() => void worker.stop(), 50);
    await expect(asked).rejects.toThrow("stopping");
    await expect(worker.ask({ order: "answer" }, ada)).rejects.toThrow("stopping");
  });
});

describe("turns in a worker", () => {
  /** Asks, and notes in which order the answers come. */
  function asking(worker: Fragile) {
    const order: string[] = [];
    return {
      order,
      ask: (name: string, request: FragileProtocol["request"], options: { owner: string }) =>
        worker.ask(request, options).then(() => order.push(name)),
    };
  }

  test("another owner's request is answered before the rest of a backlog", async () => {
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
  test("no number of short requests keeps a long one from ending", async () => {
    const { order, ask } = asking(fragile());
    const long = ask("long", { order: "long" }, ada);
    const short = Array.from({ length: 100 }, (_, i) =>
      ask("short", { order: "answer" }, { owner: `usr_${i}` }),
    );
    await Promise.all([long, ...short]);
    expect(order.indexOf("long")).toBeLessThan(30);
  });
  test("work in the background comes when nobody else has any", async () => {
    const { order, ask } = asking(fragile());
    const background = { ...ada, background: true };
    await Promise.all([
      ask("background", { order: "long" }, background),
      ask("bob", { order: "long" }, bob),
      ask("ada", { order: "long" }, ada),
    ]);
    expect(order.at(-1)).toBe("background");
  });
  test("what was given up before its turn is never begun", async () => {
    const worker = fragile(),
      giving_up = new AbortController(),
      ending = new AbortController(),
      { signal } = giving_up;
    // It is in work until those behind it have been given up.
    const first = worker.ask({ order: "endless" }, { ...ada, signal: ending.signal }),
      given_up = Array.from({ length: 100 }, () =>
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
  test("what is given up in work ends there, and the next one of its owner begins", async () => {
    const worker = fragile(),
      giving_up = new AbortController();
    const endless = worker.ask({ order: "endless" }, { ...ada, signal: giving_up.signal }),
      next = worker.ask({ order: "answer" }, ada);
    setTimeout(() => giving_up.abort(new Error("enough")), 50);
    await expect(endless).rejects.toThrow("enough");
    expect(await next).toBe("here");
    expect(worker.deaths()).toBe(0);
  });
  test("a worker that never gives way is replaced; whose request it was gets an error", async () => {
    const worker = fragile({ hang_ms: 100 }),
      hanging = worker.ask({ order: "hang" }, ada),
      other = worker.ask({ order: "answer" }, bob);
    await expect(hanging).rejects.toThrow("did not give way");
    expect(await other).toBe("here");
    expect(worker.deaths()).toBe(2);
  });
  test("large requests are with the worker two at a time", async () => {
    const worker = fragile({ isLarge: ({ order }) => order === "endless" }),
      giving_up = new AbortController(),
      cy = { owner: "usr_cy" },
      endless = [ada, bob, cy].map((owner) =>
        worker.ask({ order: "endless" }, { ...owner, signal: giving_up.signal }),
      ),
      most = () => worker.ask({ order: "most at once" }, { owner: "usr_dan" });
    while ((await most()) < "2");
    // Whatever is with the worker has had its turns by then.
    for (let round = 0; round < 20; round++) expect(await most()).toBe("2");
    giving_up.abort(new Error("enough"));
    for (const one of await Promise.allSettled(endless)) expect(one.status).toBe("rejected");
  });
  test("large requests are of different owners if possible", async () => {
    const { order, ask } = asking(fragile({ isLarge: ({ order }) => order === "long" }));
    await Promise.all([
      ...[1, 2, 3].map((i) => ask(`ada ${i}`, { order: "long" }, ada)),
      ask("bob", { order: "long" }, bob),
      ask("cy", { order: "long" }, { owner: "usr_cy" }),
    ]);
    // It begins when nobody else waits: three of the others have their answers.
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

test("the encoding worker gives what encoding here gives", async () => {
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

test("the encoding worker gives of a text that it reads in a window what it gives of the whole", async () => {
  const { store, texts } = await openTestIndex(),
    client = encodingWorker(store.read_connection);
  const text = `# The 🗂 of ice\n\n${"It is cold 🥶 there, and in it are words. ".repeat(30_000)}`;
  const written = await texts.prepare(text);
  await store.inTransaction((tx) => written.keep(tx));
  const input = { title: "Title", pages: [{ page: 1, start: 0, end: text.length }] },
    segments: (EncodedSegment | PlacedSegment)[] = [];
  expect(
    await client.ask(
      { ...input, text: null, stored: written.stored },
      { ...ada, onPart: (segment) => segments.push(segment) },
    ),
  ).toBe("en");
  expect(text.length).toBeGreaterThan(2 * window_units);
  expect(segments).toEqual([...encodeDocument({ ...input, text }, analyzer)].map(placed));
});

test("the searching worker finds what searching here finds, and sees what was published since", async () => {
  const index = await openTestIndex();
  const client = new WorkerClient<SearchProtocol>({
    path: "plugins/search-index/ranking/search-worker.ts",
    url: () => new URL("../../plugins/search-index/ranking/search-worker.ts", import.meta.url).href,
    setting: { read_connection: index.store.read_connection, cache_bytes_max: 1 << 20 },
    idle_ms: 60_000,
    log: jsonLog("error"),
  });
  clients.push(client);
  const request = { owner_id: "usr_ada", query: "iron tower", folder_ids: ["fld_a"], limit: 10 };
  for (const id of ["doc_1", "doc_2"]) {
    await index.add(id, `The tower ${id} is of iron.`);
    const {
      loose_chunks,
      is_beyond_memory: _,
      is_short,
      ...result
    } = (await client.ask({ search: request }, ada))!;
    expect(result).toEqual(await index.index.search(request));
    expect([loose_chunks > 0, is_short]).toEqual([true, false]);
    expect(result.passages.some((one) => one.document_id === id)).toBe(true);
  }
});

test("a searching worker that was stopped reads no more: the log can be emptied", async () => {
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
    const request = { owner_id: "usr_ada", query: "tower", folder_ids: ["fld_a"], limit: 10 };
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
