/** The state of vectors that are being made: of a document, and counted by its folders. */
import { afterAll, describe, expect, test } from "bun:test";
import { definePlugin, fill } from "../../core/sdk";
import { Embedders } from "../../plugins/search-index/contract";
import { signedIn } from "../helpers/browser";
import { startEmbedder } from "../helpers/embedder";
import { form } from "../helpers/forms";
import { startTestServer, type TestServer } from "../helpers/host";
import { until } from "../helpers/server";

const ending: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ending) await end();
});

/** An embedder that waits with texts that hold this word until its gate is opened. */
function gated(word = "") {
  let gate = Promise.withResolvers<void>();
  const plugin = definePlugin({
    name: "gated-embedder",
    version: "1.0.0",
    setup: () => ({
      fills: [
        fill(Embedders, {
          model: "gated",
          dimensions: null,
          texts_max: 8,
          async embed(texts) {
            if (texts.some((text) => text.includes(word))) await gate.promise;
            return texts.map(() => Float32Array.of(1, 0));
          },
        }),
      ],
    }),
  });
  return {
    plugin,
    open: () => gate.resolve(),
    close: () => {
      gate = Promise.withResolvers();
    },
  };
}

const post = async (server: TestServer, path: string, body?: unknown): Promise<any> => {
  const { status, text, body: answer } = await server.send("ada", "POST", path, body);
  if (status >= 300) throw new Error(text);
  return answer;
};
const folderIn = async (server: TestServer, parentId: string | null = null): Promise<string> =>
  (await post(server, "/folders", { name: "f", parentId })).id;
const get = async (server: TestServer, path: string): Promise<any> =>
  (await server.send("ada", "GET", path)).body;
async function documentIn(server: TestServer, folder_id: string, content = "Text.") {
  const document = await post(server, "/documents", { folder_id, name: "d", content });
  expect(document.indexing.vectors).toBe("none");
  await until(async () => (await get(server, `/documents/${document.id}`)).status !== "syncing");
  return document.id as string;
}
const stateOf = async (server: TestServer, id: string): Promise<string> =>
  (await get(server, `/documents/${id}`)).indexing.vectors;
async function pendingIn(server: TestServer, ids: readonly string[]): Promise<number[]> {
  const { data } = await get(server, "/folders");
  const listed = new Map(data.map(({ id, vectors_pending }: any) => [id, vectors_pending]));
  return ids.map((id) => listed.get(id) as number);
}
const settled = (server: TestServer, folders: readonly string[]) =>
  until(async () => (await pendingIn(server, folders)).every((pending) => pending === 0));

test("without an embedder there are none and nothing is pending", async () => {
  const server = await startTestServer();
  ending.push(() => server.stop());
  const folder = await folderIn(server);
  const id = await documentIn(server, folder);
  expect([await stateOf(server, id), await pendingIn(server, [folder])]).toEqual(["none", [0]]);
});

describe("a document without its vectors yet", () => {
  test("is counted by each folder that holds it, whatever changes, until it has them", async () => {
    const embedder = gated();
    const server = await startTestServer({ plugins: [embedder.plugin] });
    ending.push(() => server.stop());
    const root = await folderIn(server);
    const below = await folderIn(server, root);
    const other = await folderIn(server);
    const folders = [root, below, other];
    const id = await documentIn(server, root);
    const inner = await documentIn(server, below);
    await documentIn(server, root, "");
    expect(await stateOf(server, id)).toBe("pending");

    const steps: [why: string, act: () => Promise<unknown>, pending: number[]][] = [
      ["a folder counts its own", async () => {}, [1, 1, 0]],
      [
        "one with a link in two folders is counted by both",
        () => post(server, `/documents/${id}/links`, { folder_id: other }),
        [1, 1, 1],
      ],
      [
        "a link that is there already counts once",
        () => post(server, `/documents/${id}/links`, { folder_id: other }),
        [1, 1, 1],
      ],
      [
        "one that is taken out is not counted there",
        () => server.send("ada", "DELETE", `/documents/${id}?folder_id=${root}`),
        [0, 1, 1],
      ],
      [
        "one that is restored is",
        () => post(server, `/documents/${id}/restore?folder_id=${root}`),
        [1, 1, 1],
      ],
      [
        "one that is indexed again is counted once",
        async () => {
          await post(server, `/documents/${id}/reindex`);
          await server.settle("index.embed");
        },
        [1, 1, 1],
      ],
      [
        "one with another name is counted once",
        async () => {
          await server.send("ada", "PATCH", `/documents/${id}`, { name: "e" });
          await server.settle("index.embed");
        },
        [1, 1, 1],
      ],
      [
        "an upload is counted, and once after it was replaced",
        async () => {
          for (const content of ["First.", "Second."]) {
            const path = `/documents/file?folder_id=${other}&overwrite=true`;
            await server.send("ada", "POST", path, form("u.txt", content));
            await server.settle("index.embed");
          }
        },
        [1, 1, 2],
      ],
      [
        "one that is taken out of its only folder is counted nowhere",
        () => server.send("ada", "DELETE", `/documents/${inner}?folder_id=${below}`),
        [1, 0, 2],
      ],
    ];
    for (const [why, act, pending] of steps) {
      await act();
      expect([why, await pendingIn(server, folders)]).toEqual([why, pending]);
      for (const [at, folder] of folders.entries())
        expect((await get(server, `/folders/${folder}`)).vectors_pending).toBe(pending[at]);
    }
    const { data } = await get(server, `/documents?folder_id=${root}`);
    expect(data.map(({ indexing, status }: any) => [status, indexing.vectors])).toEqual([
      ["sync_failed", "none"],
      ["synced", "pending"],
    ]);

    embedder.open();
    await settled(server, folders);
    expect(await stateOf(server, id)).toBe("ready");
    embedder.close();
    const late = await documentIn(server, root);
    expect(await stateOf(server, late)).toBe("pending");
    expect(await pendingIn(server, folders)).toEqual([1, 0, 0]);
    expect((await server.send("ada", "DELETE", `/folders/${other}`)).status).toBe(204);
    expect(await stateOf(server, id)).toBe("ready");
    embedder.open();
    await settled(server, [root]);
  });
});

test("a document is found by its words as well as before, while others have vectors", async () => {
  const embedder = gated("river");
  const server = await startTestServer({ plugins: [embedder.plugin] });
  ending.push(() => server.stop());
  const folder = await folderIn(server);
  const early = await documentIn(server, folder, "A heron stands at the old pond.");
  await settled(server, [folder]);
  const late = await documentIn(server, folder, "The heron, the heron of the river.");
  const found = async () =>
    (await post(server, "/search", { query: "heron" })).data.map((one: any) => one.document_id);
  expect(await stateOf(server, late)).toBe("pending");
  expect(await found()).toEqual([late, early]);
  embedder.open();
  await settled(server, [folder]);
  expect(await found()).toEqual([late, early]);
});

test("pending vectors follow the settings", async () => {
  const server = await startTestServer({ env: { DOSSIER_EMBEDDINGS_PROVIDER: "" } });
  const embedder = startEmbedder({ small: 64, large: 128 });
  const admin = await signedIn(server, "grace", { role: "admin" });
  ending.push(
    () => server.stop(),
    () => embedder.stop(),
  );
  const change = async (settings: object): Promise<void> => {
    expect((await admin.send("PATCH", "/settings", settings)).status).toBe(200);
  };
  await change({ "embeddings.provider": "none" });
  const folder = await folderIn(server);
  const first = await documentIn(server, folder);
  const states = (...ids: string[]) => Promise.all(ids.map((id) => stateOf(server, id)));

  await change({
    "embeddings.provider": "openai",
    "embeddings.base_url": embedder.url,
    "embeddings.model": "small",
  });
  await until(async () => (await states(first))[0] === "ready");
  expect(await pendingIn(server, [folder])).toEqual([0]);

  await change({ "embeddings.provider": "none" });
  await until(async () => (await states(first))[0] === "none");
  const second = await documentIn(server, folder);
  expect([await states(first, second), await pendingIn(server, [folder])]).toEqual([
    ["none", "none"],
    [0],
  ]);

  embedder.setBehaviour("silent");
  const calls_before = embedder.asked.length;
  await change({ "embeddings.provider": "openai" });
  // A job cancelled while it starts learns of it only when its lease is renewed.
  await until(() => embedder.asked.length > calls_before);
  expect(await states(second)).toEqual(["pending"]);
  expect([await states(first), await pendingIn(server, [folder])]).toEqual([["ready"], [1]]);

  await change({ "embeddings.model": "large" });
  await until(async () => (await pendingIn(server, [folder]))[0] === 2);
  expect(await states(first, second)).toEqual(["pending", "pending"]);
  embedder.setBehaviour("well");
  await change({ "embeddings.timeout": "2s" });
  await settled(server, [folder]);
  expect(await states(first, second)).toEqual(["ready", "ready"]);
});

test("a new embedder counts many documents in batches, each of them once", async () => {
  const many = 230;
  const server = await startTestServer({ env: { DOSSIER_EMBEDDINGS_PROVIDER: "" } });
  const embedder = startEmbedder({ small: 64 });
  const admin = await signedIn(server, "grace", { role: "admin" });
  ending.push(
    () => server.stop(),
    () => embedder.stop(),
  );
  const change = async (settings: object): Promise<void> => {
    expect((await admin.send("PATCH", "/settings", settings)).status).toBe(200);
  };
  await change({ "embeddings.provider": "none" });
  const folder = await folderIn(server);
  const other = await folderIn(server);
  const ids: string[] = [];
  for (let at = 0; at < many; at += 10) {
    const texts = Array.from({ length: 10 }, (_, n) => ({ content: `Text ${at + n}.` }));
    const created = await Promise.all(
      texts.map((text) => post(server, "/documents", { folder_id: folder, ...text })),
    );
    ids.push(...created.map(({ id }) => id));
  }
  await server.settle();
  embedder.setBehaviour("silent");
  await change({
    "embeddings.provider": "openai",
    "embeddings.base_url": embedder.url,
    "embeddings.model": "small",
  });
  await until(async () => (await pendingIn(server, [folder]))[0]! > 0);
  // Whether or not it has been counted already.
  for (const id of [ids[0]!, ids.at(-1)!]) {
    expect(await stateOf(server, id)).toBe("pending");
    await post(server, `/documents/${id}/links`, { folder_id: other });
  }
  await until(async () => (await pendingIn(server, [folder]))[0] === many);
  expect(await pendingIn(server, [other])).toEqual([2]);
  embedder.setBehaviour("well");
  await change({ "embeddings.timeout": "2s" });
  await settled(server, [folder, other]);
  expect(await stateOf(server, ids[0]!)).toBe("ready");
}, 60_000);
