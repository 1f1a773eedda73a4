/**
 * A deletion has two phases: what it takes is gone for everyone in one step, and rows are purged
 * afterwards in parts, with other requests in between.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { definePlugin, fill } from "../../core/sdk";
import { DocumentUses } from "../../plugins/documents/contract";
import { expectSound } from "../helpers/documents";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";

let server: TestServer;
let ada: Person;
let bob: Person;
/** While this is set, no part of a purge finishes a document. */
let is_held = false;
let parts = 0;
/** The turns of the event loop so far, and those in which a part ran. */
let turns = 0;
const turns_of_parts = new Set<number>();
const holder = definePlugin({
  name: "holder",
  version: "1.0.0",
  setup: () => ({
    fills: [
      fill(DocumentUses, {
        remove: async () => {
          parts++;
          turns_of_parts.add(turns);
          return !is_held;
        },
      }),
    ],
  }),
});

beforeAll(async () => {
  server = await startTestServer({
    plugins: [holder],
    env: { DOSSIER_QUOTAS_DOCUMENTS: "500", DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.0/8" },
  });
  [ada, bob] = [await person(server, "ada"), await person(server, "bob")];
});
const purging = async (): Promise<number> =>
  (await server.send(null, "GET", "//health")).body.purging.documents;
const documentsHeld = (owner_id: string): Promise<any> =>
  server.store.db
    .selectFrom("quotas_used")
    .select(["what", "used"])
    .where("owner_id", "=", owner_id)
    .where("what", "in", ["documents", "folders", "storage"])
    .orderBy("what")
    .execute();

describe("while a deleted folder's rows are still there", () => {
  let root: string;
  let sub: string;
  let other: string;
  let chat: string;
  let poll: string;
  let alone: string;
  let below: string;
  let taken_out: string;
  let upload: string;
  let shared: string;
  let transcription: string;
  let run: string;

  beforeAll(async () => {
    other = await ada.folder("other");
    const before = await documentsHeld("usr_ada");
    root = await ada.folder("root");
    sub = await ada.folder("sub", root);
    [alone, below, taken_out, shared] = await Promise.all(
      [root, sub, root, sub].map(
        async (folder, n) => (await ada.newText(folder, `The wombat number ${n} digs.`)).id,
      ),
    );
    await ada.send("DELETE", `/documents/${taken_out}?folder_id=${root}`);
    await ada.send("POST", `/documents/${shared}/links`, { folder_id: other });
    upload = (await ada.upload(root, "wombat.txt", "The uploaded wombat digs.")).body.id;
    transcription = (
      await ada.upload(root, "wombat.vtt", "WEBVTT\n\n00:00.000 --> 00:02.000\nThe wombat digs.\n")
    ).body.id;
    const form = new FormData();
    form.append("files", new Blob(["The imported wombat digs."]), "imported.txt");
    run = (await ada.send("POST", `/imports/files?folder_id=${root}`, form)).body.id;
    await server.settle();
    chat = (await ada.create("/chats", { usedFolders: [root, other, sub] })).id;
    const { body } = await ada.send("POST", `/chats/${chat}/messages`, { text: "Who digs?" });
    poll = `/chats/${chat}/messages/${body.requestId}`;
    await ada.finished(poll);

    is_held = true;
    expect((await ada.send("DELETE", `/folders/${root}`)).status).toBe(204);
    await until(() => parts > 2);
    const left = await server.store.db.selectFrom("documents").select("id").execute();
    expect(left.map(({ id }) => id)).toEqual(
      expect.arrayContaining([alone, below, taken_out, upload, shared, transcription]),
    );
    // The shared document is counted as it is in the other folder too.
    const [documents, folders] = await documentsHeld("usr_ada");
    expect([documents.used, folders.used]).toEqual([1, before[0].used]);
  });

  const missing: [string, () => [string, string, object?]][] = [
    ["the folder", () => ["GET", `/folders/${root}`]],
    ["changing it", () => ["PUT", `/folders/${root}`, { name: "x" }]],
    ["deleting it again", () => ["DELETE", `/folders/${root}`]],
    ["a subfolder", () => ["GET", `/folders/${sub}`]],
    ["a new subfolder", () => ["POST", "/folders", { name: "x", parentId: root }]],
    ["its list", () => ["GET", `/documents?folder_id=${root}`]],
    ["what could be restored", () => ["GET", `/documents?folder_id=${root}&deleted=true`]],
    ["a document", () => ["GET", `/documents/${alone}`]],
    ["a document without its text", () => ["GET", `/documents/${alone}?content=false`]],
    ["a document of a subfolder", () => ["GET", `/documents/${below}`]],
    ["a document that was taken out", () => ["GET", `/documents/${taken_out}`]],
    ["an original", () => ["GET", `/documents/${upload}/file`]],
    ["renaming", () => ["PATCH", `/documents/${alone}`, { name: "x" }]],
    ["indexing again", () => ["POST", `/documents/${alone}/reindex`]],
    ["linking", () => ["POST", `/documents/${alone}/links`, { folder_id: other }]],
    ["linking into it", () => ["POST", `/documents/${shared}/links`, { folder_id: root }]],
    ["restoring", () => ["POST", `/documents/${taken_out}/restore?folder_id=${root}`]],
    ["taking out", () => ["DELETE", `/documents/${shared}?folder_id=${sub}`]],
    ["a new text", () => ["POST", "/documents", { folder_id: root, content: "x" }]],
    ["searching it", () => ["POST", "/search", { query: "digs", folder_ids: [root] }]],
    ["searching a document", () => ["POST", "/search", { query: "digs", document_ids: [alone] }]],
    ["a chat over it", () => ["POST", "/chats", { usedFolders: [root] }]],
  ];
  for (const [why, request] of missing)
    test(`not found: ${why}`, async () => {
      const [method, path, body] = request();
      const answer = await ada.send(method, path, body);
      expect([answer.status, answer.body.code]).toEqual([404, "not_found"]);
    });

  test("lists, search, chats, citations, imports and health say the same", async () => {
    const { data, pagination } = (await ada.send("GET", "/folders")).body;
    expect([data.map(({ id }: any) => id), pagination.total]).toEqual([[other], 1]);
    expect(await ada.names(other)).toHaveLength(1);
    expect((await ada.get(shared)).folder_ids).toEqual([other]);
    expect(await ada.found("wombat")).toEqual([shared]);
    expect((await ada.send("GET", `/chats/${chat}`)).body.usedFolders).toEqual([other]);
    const { result } = (await ada.send("GET", poll)).body;
    expect(result.citations.length).toBeGreaterThan(0);
    for (const citation of result.citations)
      if (citation.document_id !== shared)
        expect(citation).toMatchObject({ quote: "", stale: true });
    expect((await ada.send("GET", `/imports/${run}/items`)).body.pagination.total).toBe(0);
    expect(await purging()).toBe(6);
  });

  test("a name of an upload is free again, and so is the quota", async () => {
    expect((await ada.upload(other, "wombat.txt", "Another wombat.")).status).toBe(201);
    expect((await ada.folder("root")).startsWith("fld_")).toBe(true);
  });

  test("a document of two trees goes with the second one", async () => {
    const before = await documentsHeld("usr_ada");
    expect((await ada.send("DELETE", `/folders/${other}`)).status).toBe(204);
    expect((await ada.send("GET", `/documents/${shared}`)).status).toBe(404);
    expect(await ada.found("wombat")).toEqual([]);
    const after = await documentsHeld("usr_ada");
    expect([after[0].used, after[2].used, before[0].used]).toEqual([0, 0, 2]);
    expect(await purging()).toBe(8);
  });

  afterAll(() => {
    is_held = false;
  });
  test("then the rows go too", async () => {
    is_held = false;
    await server.settle();
    await expectSound(server);
    expect(await purging()).toBe(0);
    expect((await ada.send("GET", `/imports/${run}`)).body.status).toMatch(/^completed/);
    for (const table of ["documents", "documents_versions", "documents_links", "index_segments"])
      expect([table, await server.store.db.selectFrom(table).selectAll().execute()]).toEqual([
        table,
        [],
      ]);
  });
});

test("others are served between the parts of a large purge", async () => {
  const folder = await ada.folder("large");
  await Promise.all(Array.from({ length: 400 }, (_, n) => ada.newText(folder, `The emu ${n}.`)));
  await server.settle();
  turns = 0;
  turns_of_parts.clear();
  let deleting = true;
  const countTurns = (): void => {
    turns++;
    if (deleting) setImmediate(countTurns);
  };
  countTurns();
  expect((await ada.send("DELETE", `/folders/${folder}`)).status).toBe(204);
  let served = 0;
  for (; (await purging()) > 0; served++) {
    expect((await bob.send("GET", "/folders")).status).toBe(200);
    // In this process nothing else would come to its turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
  deleting = false;
  // Whatever waited for its turn had one between two parts.
  expect([served > 0, turns_of_parts.size > 5]).toEqual([true, true]);
});
