/**
 * The order in which texts are embedded, call by call: owners take turns, a pause holds, and
 * nothing is embedded twice.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { definePlugin, fill } from "../../core/sdk";
import { Embedders } from "../../plugins/search-index/contract";
import { signedIn } from "../helpers/browser";
import { isReference } from "../helpers/embedder";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";

const ending: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ending) await end();
});

/** An embedder of four texts per call; each call waits until it is let through. */
async function started() {
  const calls: { readonly texts: readonly string[]; readonly letThrough: () => void }[] = [];
  let seen = 0;
  const plugin = definePlugin({
    name: "observed-embedder",
    version: "1.0.0",
    setup: () => ({
      fills: [
        fill(Embedders, {
          model: "observed",
          dimensions: null,
          texts_max: 4,
          async embed(texts, { signal }) {
            const vectors = texts.map(() => Float32Array.of(1, 0));
            if (texts.every(isReference)) return vectors;
            const gate = Promise.withResolvers<void>();
            signal.addEventListener("abort", () => gate.reject(signal.reason));
            calls.push({ texts, letThrough: gate.resolve });
            await gate.promise;
            return vectors;
          },
        }),
      ],
    }),
  });
  const server = await startTestServer({ plugins: [plugin] });
  ending.push(() => server.stop());
  return {
    server,
    calls,
    /** The titles of the texts in the next call, which then waits. */
    async next(): Promise<string[]> {
      calls[seen - 1]?.letThrough();
      await until(() => calls.length > seen);
      return calls[seen++]!.texts.map((text) => text.split("\n", 1)[0]!);
    },
    /** Lets every call through until nothing is pending. */
    async finish(folders: readonly [Person, string][]): Promise<void> {
      await until(async () => {
        for (const { letThrough } of calls) letThrough();
        for (const [who, id] of folders)
          if ((await who.send("GET", `/folders/${id}`)).body.vectors_pending > 0) return false;
        return true;
      });
    },
  };
}
async function owner(server: TestServer, name: string) {
  const who = await person(server, name);
  const folder = await who.folder();
  return { who, folder, note: (title: string) => who.text(folder, `${title} says this.`, title) };
}
const paragraphs = (count: number): string =>
  Array.from(
    { length: count },
    (_, i) => `Paragraph ${i}. ${"The harbour is full of ships. ".repeat(16)}`,
  ).join("\n\n");

describe("owners take turns", () => {
  test("a note doesn't wait for another owner's many notes", async () => {
    const { server, next, finish } = await started();
    const ada = await owner(server, "ada");
    const bob = await owner(server, "bob");
    for (let i = 0; i < 20; i++) await ada.note(`a${i}`);
    await next();
    await bob.note("b");
    await ada.note("a20");
    const call = await next();
    expect(call).toHaveLength(4);
    expect(call).toContain("b");
    await finish([
      [ada.who, ada.folder],
      [bob.who, bob.folder],
    ]);
  });
  test("nor for one long document, which isn't started over", async () => {
    const { server, calls, next, finish } = await started();
    const ada = await owner(server, "ada");
    const bob = await owner(server, "bob");
    await ada.who.text(ada.folder, paragraphs(30), "long");
    expect(await next()).toEqual(["long", "long", "long", "long"]);
    await bob.note("b");
    expect((await next()).toSorted()).toEqual(["b", "long", "long", "long"]);
    await ada.note("a");
    // A document that was started comes first.
    expect(await next()).toEqual(["long", "long", "long", "long"]);
    await finish([
      [ada.who, ada.folder],
      [bob.who, bob.folder],
    ]);
    const texts = calls.flatMap((call) => call.texts);
    expect(new Set(texts).size).toBe(texts.length);
  });
  test("with more owners than a call has texts, each is served before anyone twice", async () => {
    const { server, next, finish } = await started();
    const owners = [];
    for (const name of ["ada", "bob", "cleo", "dan", "eve", "fay"])
      owners.push({ name, ...(await owner(server, name)) });
    const first = owners[0]!;
    await first.note("held");
    await next();
    for (let i = 0; i < 4; i++) for (const { name, note } of owners) await note(`${name} ${i}`);
    const served: string[] = [];
    for (let i = 0; i < 3; i++)
      served.push(...(await next()).map((title) => title.split(" ", 1)[0]!));
    expect(Map.groupBy(served, (name) => name).size).toBe(6);
    for (const { name } of owners)
      expect([name, served.filter((owner) => owner === name).length]).toEqual([name, 2]);
    await finish(owners.map(({ who, folder }) => [who, folder]));
  });
  test("one owner's newest documents come first, and calls are full", async () => {
    const { server, next, finish } = await started();
    const ada = await owner(server, "ada");
    await ada.note("held");
    await next();
    for (let i = 0; i < 8; i++) await ada.note(`a${i}`);
    expect([await next(), await next()]).toEqual([
      ["a7", "a6", "a5", "a4"],
      ["a3", "a2", "a1", "a0"],
    ]);
    await finish([[ada.who, ada.folder]]);
  });
  test("with many long documents, all are finished and nothing is embedded twice", async () => {
    const { server, calls, finish } = await started();
    const owners = await Promise.all(
      Array.from({ length: 24 }, (_, i) => owner(server, `owner${i}`)),
    );
    await Promise.all(
      owners.map(({ who, folder }, i) => who.text(folder, paragraphs(8), `long ${i}`)),
    );
    await finish(owners.map(({ who, folder }) => [who, folder]));
    const texts = calls.flatMap((call) => call.texts);
    expect(new Set(texts).size).toBe(texts.length);
  }, 30_000);
});

test("a pause holds what waits, keeps finished vectors, and is visible", async () => {
  const { server, calls, next, finish } = await started();
  const admin = await signedIn(server, "grace", { role: "admin" });
  const ada = await owner(server, "ada");
  const set = async (vectors: "open" | "paused"): Promise<void> => {
    const { status, body } = await admin.send("PUT", "/system/queue/vectors", { vectors });
    expect([status, body]).toEqual([200, { vectors }]);
  };
  const pending = async () =>
    (await ada.who.send("GET", `/folders/${ada.folder}`)).body.vectors_pending;
  const board = async () => (await admin.send("GET", "/system/queue")).body.vectors;
  const health = async () => (await server.send(null, "GET", "/health")).body;
  const checked = async () => {
    const { checks } = (await admin.send("GET", "/system")).body;
    return checks.find(({ name }: any) => name === "Vectors");
  };
  expect([await board(), (await health()).vectors]).toEqual([
    { state: "ready", documents: 0, passages: 0, per_second: null, left_s: null, failing: null },
    { state: "ready", documents: 0 },
  ]);
  await ada.who.text(ada.folder, paragraphs(12), "long");
  await next();
  expect(await board()).toMatchObject({ state: "pending", documents: 1, left_s: null });
  await set("paused");
  // The call in progress must not be lost.
  calls[0]!.letThrough();
  await server.settle();
  await ada.note("a");
  await server.settle();
  expect([calls.length, await pending()]).toEqual([1, 2]);
  expect(await health()).toMatchObject({
    status: "ok",
    vectors: { state: "paused", documents: 2 },
  });
  expect(await board()).toMatchObject({
    state: "paused",
    documents: 2,
    per_second: expect.any(Number),
    left_s: null,
  });
  expect(await checked()).toMatchObject({
    status: "warn",
    detail: expect.stringContaining("2 documents are waiting"),
  });
  await set("open");
  await next();
  expect(await board()).toMatchObject({ state: "pending", left_s: expect.any(Number) });
  await finish([[ada.who, ada.folder]]);
  expect((await board()).state).toBe("ready");
  const texts = calls.flatMap((call) => call.texts);
  expect(new Set(texts).size).toBe(texts.length);
  const { data } = (await admin.send("GET", "/audit?action=setVectors")).body;
  expect(data.map(({ record }: any) => record)).toEqual(["vectors.open", "vectors.paused"]);
  const member = await signedIn(server, "bob");
  expect((await member.send("PUT", "/system/queue/vectors", { vectors: "paused" })).status).toBe(
    403,
  );
});
