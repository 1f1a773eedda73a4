/**
 * Documents from import runs: matched by folder and source, with ready-made text, times, and files
 * that only a run uses.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { definePlugin, fill, type Context } from "../../core/sdk";
import { Documents, FileUses, type IngestRequest } from "../../plugins/documents/contract";
import type { IndexInput } from "../../plugins/search-index/contract";
import { expectSound, scriptedExtractor } from "../helpers/documents";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";
import { withWatchedIndex, type OnPrepare } from "../helpers/watched-index";

let server: TestServer;
let ada: Person;
let documents: Documents;
const preparing: { on: OnPrepare | null } = { on: null };
let inTransaction: Context["inTransaction"];
/** Files that the test's plugin reports as used. */
const in_use = new Set<string>();
const scripted = scriptedExtractor();
const runs = definePlugin({
  name: "runs",
  version: "1.0.0",
  needs: { documents: Documents },
  setup: (ctx) => {
    ({ documents } = ctx.services);
    inTransaction = ctx.inTransaction;
    return { fills: [fill(FileUses, { isUsed: async (_db, sha256) => in_use.has(sha256) })] };
  },
});
beforeAll(async () => {
  const plugins = [scripted.plugin, runs];
  server = await withWatchedIndex(() => startTestServer({ plugins }), preparing);
  ada = await person(server, "ada");
});

const take = async (incoming: Omit<IngestRequest, "admitted">, owner = "usr_ada") => {
  const { folder_id, name, origin } = incoming;
  const intake = { owner_id: owner, folder_id, name, media_type: null, origin, from: "" };
  const admitted = await documents.admit(intake);
  return inTransaction((tx) => documents.ingest(tx, owner, { ...incoming, admitted }));
};
/** Takes in a file with these bytes, as a run does. */
async function bring(
  bytes: string,
  incoming: Omit<IngestRequest, "admitted" | "file" | "declared_type">,
  owner?: string,
) {
  const received = await server.files.receive(new Blob([bytes]).stream(), { bytes_max: 1_000_000 });
  try {
    await received.keep();
    return await take({ ...incoming, declared_type: null, file: received }, owner);
  } finally {
    documents.removeFiles([received.sha256]);
    await received.release();
  }
}
const imported = (folder_id: string, uri: string | null = "https://a.test/page") =>
  ({ folder_id, name: "Page", origin: { kind: "import", uri, run_id: "imp_1" } }) as const;
const sha256 = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");

describe("imported documents", () => {
  test("are identified by folder and source, whatever their name", async () => {
    const [folder, other] = [await ada.folder(), await ada.folder()];
    const first = await bring("The old otter.", imported(folder));
    expect(first).toMatchObject({ version: 1, outcome: "created" });
    await server.settle();
    expect(await ada.get(first.document_id)).toMatchObject({
      status: "synced",
      name: "Page",
      source: { kind: "import", uri: "https://a.test/page", run_id: "imp_1" },
      folder_ids: [folder],
    });
    expect(await bring("The old otter.", imported(folder))).toEqual({
      ...first,
      outcome: "unchanged",
    });
    expect(await bring("The old otter.", imported(other))).toMatchObject({ outcome: "created" });
    expect(await bring("The old otter.", imported(folder, "https://a.test/other"))).toMatchObject({
      outcome: "created",
    });
    expect(await bring("Without a source.", imported(folder, null))).toMatchObject({
      outcome: "created",
    });
    expect(await bring("Without a source.", imported(folder, null))).toMatchObject({
      outcome: "created",
    });
    expect(await ada.names(folder)).toEqual(["Page", "Page", "Page", "Page"]);
    await server.settle();
    await expectSound(server);
  });

  test("that changed get a new version; the old text is found until indexing ends", async () => {
    const folder = await ada.folder();
    const { document_id } = await bring("The old walrus.", imported(folder));
    await server.settle();
    expect(await bring("#!wait intake\nThe new narwhal.", imported(folder))).toEqual({
      document_id,
      version: 2,
      outcome: "replaced",
    });
    await until(async () => (await ada.get(document_id)).indexing.stage === "extracting");
    expect(await ada.get(document_id)).toMatchObject({
      status: "syncing",
      version: 2,
      content: "The old walrus.",
    });
    scripted.open("intake");
    await server.settle();
    expect([await ada.found("walrus", [folder]), await ada.found("narwhal", [folder])]).toEqual([
      [],
      [document_id],
    ]);
    await expectSound(server);
  });

  test("are imported again after a failure, even with the same bytes", async () => {
    const folder = await ada.folder();
    const { document_id } = await bring("#!fail encrypted\n", imported(folder));
    await server.settle();
    expect(await ada.get(document_id)).toMatchObject({ status: "sync_failed" });
    expect(await bring("#!fail encrypted\n", imported(folder))).toMatchObject({
      document_id,
      version: 2,
      outcome: "replaced",
    });
    await server.settle();
  });

  test("are created anew after they were removed from the folder", async () => {
    const folder = await ada.folder();
    const { document_id } = await bring("A page.", imported(folder));
    await ada.send("DELETE", `/documents/${document_id}?folder_id=${folder}`);
    expect((await bring("A page.", imported(folder))).document_id).not.toBe(document_id);
    await server.settle();
  });

  const names: [why: string, given: string, kept: string][] = [
    ["white space and control characters", " a\n\tb\u0000c ", "a b c"],
    ["nothing left", " \u0007 ", "Untitled"],
    ["longer than the limit", "\u{1f43b}".repeat(300), "\u{1f43b}".repeat(255)],
  ];
  test.each(names)("a name: %s", async (_why, name, stored_name) => {
    const folder = await ada.folder();
    await bring("x", { ...imported(folder), name });
    expect(await ada.names(folder)).toEqual([stored_name]);
  });

  test("are refused in another user's or a deleted folder, and the file is removed", async () => {
    const folder = await ada.folder();
    await server.key("ben");
    await expect(bring("not for ben", imported(folder), "usr_ben")).rejects.toMatchObject({
      status: 403,
    });
    await expect(bring("not for ben", imported("fld_none"))).rejects.toMatchObject({ status: 404 });
    await until(async () => !(await server.files.open(sha256("not for ben"))));
  });
});

describe("files of the user's device", () => {
  const sent = (folder_id: string, overwrite = false) =>
    ({
      folder_id,
      name: "notes.txt",
      overwrite,
      origin: { kind: "upload", uri: null, run_id: "imp_2" },
    }) as const;

  test("follow the same-name rule of uploads", async () => {
    const folder = await ada.folder();
    const { document_id } = await bring("one", sent(folder));
    await expect(bring("two", sent(folder))).rejects.toMatchObject({ status: 409 });
    expect((await ada.upload(folder, "notes.txt", "three")).status).toBe(409);
    expect(await bring("two", sent(folder, true))).toEqual({
      document_id,
      version: 2,
      outcome: "replaced",
    });
    expect((await ada.get(document_id)).source).toEqual({
      kind: "upload",
      uri: null,
      run_id: "imp_2",
    });
    await server.settle();
    await expectSound(server);
  });
});

describe("ready-made text", () => {
  const content = "First words. Second words.";
  const times = [
    { start: 0, end: 12, time_start: 0, time_end: 1.5 },
    { start: 13, end: 26, time_start: 1.5, time_end: 4 },
  ];
  const transcript = (
    folder_id: string,
  ): Omit<IngestRequest, "admitted" | "file" | "declared_type"> => ({
    folder_id,
    name: "Talk",
    origin: { kind: "transcription", uri: null, run_id: "trn_1" },
    text: { content, media_type: "text/vtt", times },
  });
  const stored = async (document_id: string) =>
    server.store.db
      .selectFrom("documents_versions")
      .selectAll()
      .where("document_id", "=", document_id)
      .executeTakeFirstOrThrow();

  test("is indexed as it is, and its file is kept as the original but not read", async () => {
    const folder = await ada.folder();
    const before = scripted.runs();
    const { document_id } = await bring("#!fail corrupt\nnot read", {
      ...transcript(folder),
      origin: { kind: "transcription", uri: null, run_id: "trn_2" },
    });
    await server.settle();
    expect(await ada.get(document_id)).toMatchObject({
      status: "synced",
      content,
      media_type: "text/vtt",
      source: { kind: "transcription", uri: null, run_id: "trn_2" },
    });
    expect((await ada.send("GET", `/documents/${document_id}/file`)).text).toBe(
      "#!fail corrupt\nnot read",
    );
    expect(await ada.found("second", [folder])).toEqual([document_id]);
    await ada.send("POST", `/documents/${document_id}/reindex`);
    await server.settle();
    expect(await ada.get(document_id)).toMatchObject({ status: "synced", content });
    expect(scripted.runs()).toBe(before);
    await expectSound(server);
  });

  test("keeps its times in the index, also after reindexing and renaming", async () => {
    const folder = await ada.folder();
    const inputs: IndexInput[] = [];
    preparing.on = (input, prepare) => {
      inputs.push(input);
      return prepare();
    };
    const { document_id } = await take({ ...transcript(folder), file: null, declared_type: null });
    await server.settle();
    await ada.send("PATCH", `/documents/${document_id}`, { name: "The talk" });
    await server.settle();
    await ada.send("POST", `/documents/${document_id}/reindex`);
    await server.settle();
    preparing.on = null;
    expect(inputs.map((input) => [input.title, JSON.parse(input.times!)])).toEqual([
      ["Talk", times],
      ["The talk", times],
      ["The talk", times],
    ]);
    expect(JSON.parse((await stored(document_id)).times)).toEqual(times);
    expect(await ada.get(document_id)).toMatchObject({
      size_bytes: content.length,
      sha256: sha256(content),
    });
  });

  test("never clashes and never replaces another document", async () => {
    const folder = await ada.folder();
    const both = [
      await take({ ...transcript(folder), file: null, declared_type: null }),
      await take({ ...transcript(folder), file: null, declared_type: null }),
    ];
    expect(both.map(({ outcome }) => outcome)).toEqual(["created", "created"]);
    await server.settle();
  });

  test("makes an imported page unchanged when it is the same, whatever the bytes", async () => {
    const folder = await ada.folder();
    const page = (text: string) => ({
      ...imported(folder),
      text: { content: text, media_type: "text/html", times: [] },
    });
    const first = await bring("<p>The words.<!-- 1 -->", page("The words."));
    await server.settle();
    expect(await bring("<p>The words.<!-- 2 -->", page("The words."))).toEqual({
      ...first,
      outcome: "unchanged",
    });
    expect(await bring("<p>Other words.", page("Other words."))).toMatchObject({
      version: 2,
      outcome: "replaced",
    });
    await server.settle();
    await expectSound(server);
  });

  test("is repaired without moving offsets if the index can't store it", async () => {
    const folder = await ada.folder();
    const { document_id } = await take({
      ...imported(folder),
      file: null,
      declared_type: null,
      text: { content: "a\0b\ud800c words", media_type: "text/plain", times: [] },
    });
    await server.settle();
    expect((await ada.get(document_id)).content).toBe("a b\ufffdc words");
  });
});

test("an original that only a run uses is kept until the run releases it", async () => {
  const received = await server.files.receive(new Blob(["a recording"]).stream(), {
    bytes_max: 100,
  });
  in_use.add(received.sha256);
  await received.keep();
  await received.release();
  documents.removeFiles([received.sha256]);
  await Bun.sleep(50);
  expect(await server.files.open(received.sha256)).toBeDefined();
  in_use.delete(received.sha256);
  documents.removeFiles([received.sha256]);
  await until(async () => !(await server.files.open(received.sha256)));
});
