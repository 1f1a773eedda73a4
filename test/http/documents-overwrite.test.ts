/**
 * New versions and failures, over HTTP: what answers meanwhile, what the record says, and what
 * stays.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { filesOf } from "../helpers/data-directory";
import { expectSound, scriptedExtractor } from "../helpers/documents";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";

let server: TestServer;
let ada: Person;
const scripted = scriptedExtractor();
beforeAll(async () => {
  server = await startTestServer({ plugins: [scripted.plugin] });
  ada = await person(server, "ada");
});
const status = async (id: string): Promise<string> => (await ada.get(id)).status;
const file = (id: string) => ada.send("GET", `/documents/${id}/file`);

describe("overwriting", () => {
  /** A document that answers, and a folder of its own. */
  async function answering(words: string): Promise<{ folder: string; id: string }> {
    const folder = await ada.folder();
    const { id } = (await ada.upload(folder, "a.txt", words)).body;
    await server.settle();
    return { folder, id };
  }
  const words = (folder: string, ...asked: string[]) =>
    Promise.all(asked.map(async (word) => (await ada.found(word, [folder])).length));

  test("without a namesake it creates", async () => {
    const answer = await ada.upload(await ada.folder(), "a.txt", "x", "&overwrite=true");
    expect([answer.status, answer.body.version]).toEqual([201, 1]);
  });

  test("the old version answers until the new one does, in one switch", async () => {
    const { folder, id } = await answering("The old walrus.");
    const before = await ada.get(id);
    const bytes = "#!wait switch\nThe new narwhal.";
    const answer = await ada.upload(folder, "a.txt", bytes, "&overwrite=true");
    expect([answer.status, answer.headers.get("location")]).toEqual([
      200,
      `/api/dev/v1/documents/${id}`,
    ]);
    expect(answer.body).toMatchObject({
      id,
      name: "a.txt",
      status: "syncing",
      version: 2,
      size_bytes: bytes.length,
      sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
      created_at: before.created_at,
      synced_at: before.synced_at,
      folder_ids: [folder],
    });
    await until(async () => (await ada.get(id)).indexing.stage === "extracting");
    expect(await ada.get(id)).toMatchObject({
      status: "syncing",
      version: 2,
      content: "The old walrus.",
      indexing: { attempts: 1 },
    });
    expect((await file(id)).text).toBe("The old walrus.");
    expect(await words(folder, "walrus", "narwhal")).toEqual([1, 0]);
    expect((await ada.send("GET", `/folders/${folder}`)).body.status_counts).toEqual({
      syncing: 1,
      synced: 0,
      sync_failed: 0,
    });
    scripted.open("switch");
    await server.settle();
    expect(await ada.get(id)).toMatchObject({
      status: "synced",
      version: 2,
      content: "The new narwhal.",
      media_type: "text/x-scripted",
    });
    expect((await file(id)).text).toBe(bytes);
    expect(await words(folder, "walrus", "narwhal")).toEqual([0, 1]);
    await expectSound(server);
  });

  test("when the new version fails, the old one goes on answering, and a good one ends it", async () => {
    const { folder, id } = await answering("The old lynx.");
    await ada.upload(folder, "a.txt", "#!fail encrypted\n", "&overwrite=true");
    await server.settle();
    expect(await ada.get(id)).toMatchObject({
      status: "sync_failed",
      version: 2,
      error: { code: "encrypted", message: "It says encrypted." },
      content: "The old lynx.",
    });
    expect((await file(id)).text).toBe("The old lynx.");
    expect(await words(folder, "lynx")).toEqual([1]);
    expect((await ada.send("GET", `/folders/${folder}`)).body.status_counts).toEqual({
      syncing: 0,
      synced: 0,
      sync_failed: 1,
    });
    await expectSound(server);
    expect((await ada.send("POST", `/documents/${id}/reindex`)).body).toMatchObject({
      status: "syncing",
      version: 2,
      error: null,
    });
    await server.settle();
    expect(await ada.get(id)).toMatchObject({ status: "sync_failed", content: "The old lynx." });
    await ada.upload(folder, "a.txt", "The new serval.", "&overwrite=true");
    await server.settle();
    expect(await ada.get(id)).toMatchObject({
      status: "synced",
      version: 3,
      error: null,
      content: "The new serval.",
    });
    expect(await words(folder, "lynx", "serval")).toEqual([0, 1]);
    await expectSound(server);
  });

  test("a further overwrite replaces the one in work", async () => {
    const { folder, id } = await answering("The old yak.");
    const stuck = (
      await ada.upload(folder, "a.txt", "#!wait never\nThe stuck zebu.", "&overwrite=true")
    ).body;
    await until(async () => (await ada.get(id)).indexing.stage === "extracting");
    await ada.upload(folder, "a.txt", "The new gaur.", "&overwrite=true");
    await server.settle();
    expect(await ada.get(id)).toMatchObject({
      status: "synced",
      version: 3,
      content: "The new gaur.",
    });
    expect(await words(folder, "yak", "zebu", "gaur")).toEqual([0, 0, 1]);
    await until(() => !filesOf(server.data).includes(stuck.sha256));
    await expectSound(server);
  });

  test("the same bytes again are a version again", async () => {
    const { folder, id } = await answering("The same.");
    expect((await ada.upload(folder, "a.txt", "The same.", "&overwrite=true")).body).toMatchObject({
      id,
      version: 2,
    });
    await server.settle();
    expect(await ada.get(id)).toMatchObject({ status: "synced", content: "The same." });
    await expectSound(server);
  });

  test("two documents with the same bytes keep the file for each other", async () => {
    const { folder, id } = await answering("Shared bytes.");
    const twin = (await ada.upload(await ada.folder(), "b.txt", "Shared bytes.")).body.id;
    await ada.upload(folder, "a.txt", "Other bytes.", "&overwrite=true");
    await server.settle();
    expect((await file(twin)).text).toBe("Shared bytes.");
    expect((await file(id)).text).toBe("Other bytes.");
  });

  test("a text becomes an upload, the newest of that name", async () => {
    const folder = await ada.folder();
    const older = (await ada.newText(folder, "The older text.", "a.txt")).id;
    const newer = (await ada.newText(folder, "The newer text.", "a.txt")).id;
    await server.settle();
    const answer = await ada.upload(folder, "a.txt", "The upload.", "&overwrite=true");
    expect([answer.status, answer.body]).toEqual([
      200,
      expect.objectContaining({
        id: newer,
        version: 2,
        source: { kind: "upload", uri: null, run_id: null },
      }),
    ]);
    await server.settle();
    expect((await ada.get(older)).content).toBe("The older text.");
    expect((await ada.get(newer)).content).toBe("The upload.");
    expect((await ada.send("PATCH", `/documents/${older}`, { name: "b.txt" })).status).toBe(200);
    expect((await ada.send("PATCH", `/documents/${older}`, { name: "a.txt" })).status).toBe(409);
  });

  test("a text that is newer than an upload of its name is the one that is replaced", async () => {
    const folder = await ada.folder();
    const upload = (await ada.upload(folder, "a.txt", "The upload.")).body.id;
    const text = (await ada.newText(folder, "The text.", "a.txt")).id;
    const elsewhere = await ada.folder();
    await ada.send("POST", `/documents/${text}/links`, { folder_id: elsewhere });
    expect((await ada.upload(folder, "a.txt", "The next.", "&overwrite=true")).body).toMatchObject({
      id: text,
      version: 2,
    });
    await server.settle();
    expect([(await ada.get(upload)).content, (await ada.get(text)).content]).toEqual([
      "The upload.",
      "The next.",
    ]);
    expect((await ada.upload(elsewhere, "a.txt", "x")).status).toBe(409);
    await expectSound(server);
  });

  test("it counts in every folder that holds the document", async () => {
    const { folder, id } = await answering("Words.");
    const other = await ada.folder();
    await ada.send("POST", `/documents/${id}/links`, { folder_id: other });
    await ada.upload(other, "a.txt", "#!wait counted\nMore words.", "&overwrite=true");
    for (const one of [folder, other])
      expect((await ada.send("GET", `/folders/${one}`)).body.status_counts).toEqual({
        syncing: 1,
        synced: 0,
        sync_failed: 0,
      });
    scripted.open("counted");
    await server.settle();
    for (const one of [folder, other])
      expect((await ada.send("GET", `/folders/${one}`)).body.status_counts).toEqual({
        syncing: 0,
        synced: 1,
        sync_failed: 0,
      });
  });
});

describe("a file without text", () => {
  const codes = [
    "unsupported_type",
    "too_large",
    "encrypted",
    "corrupt",
    "empty",
    "timeout",
    "out_of_memory",
    "extract_failed",
  ];
  for (const code of codes) {
    test(`${code} ends at once, and the original can be fetched`, async () => {
      const bytes = `#!fail ${code}\n`;
      const { id } = (await ada.upload(await ada.folder(), "a.bin", bytes)).body;
      await server.settle();
      expect(await ada.get(id)).toMatchObject({
        status: "sync_failed",
        error: { code, message: `It says ${code}.` },
        content: "",
        indexing: { attempts: 1 },
        synced_at: null,
      });
      expect((await file(id)).text).toBe(bytes);
    });
  }
  test("read as blank it is empty", async () => {
    const { id } = (await ada.upload(await ada.folder(), "a.bin", "#!read\n \n")).body;
    await server.settle();
    expect(await ada.get(id)).toMatchObject({ status: "sync_failed", error: { code: "empty" } });
  });
  test("a reader that fails without a reason is tried three times, syncing all the while", async () => {
    const folder = await ada.folder();
    const before = scripted.runs();
    const { id } = (await ada.upload(folder, "a.bin", "#!throw\n")).body;
    for (const attempt of [1, 2]) {
      await until(async () => (await ada.get(id)).indexing.attempts === attempt);
      expect(await status(id)).toBe("syncing");
      await until(
        async () =>
          (
            await server.store.db
              .updateTable("core_jobs")
              .set({ run_at: Date.now() })
              .where("subject", "=", id)
              .where("state", "=", "ready")
              .returning("id")
              .execute()
          ).length > 0,
      );
    }
    await server.settle();
    expect(await ada.get(id)).toMatchObject({
      status: "sync_failed",
      error: { code: "extract_failed" },
      indexing: { attempts: 3 },
    });
    expect(scripted.runs() - before).toBe(3);
    await expectSound(server);
  });
  test("warnings of the reader are in the record", async () => {
    const { id } = (await ada.upload(await ada.folder(), "a.bin", "#!warn\nWords.")).body;
    await server.settle();
    expect((await ada.get(id)).warnings).toEqual([
      { code: "odd", message: "Something is odd.", page: 1 },
    ]);
  });
});

test("a folder is deleted while its file is being read", async () => {
  const folder = await ada.folder();
  const { id } = (await ada.upload(folder, "a.bin", "#!wait deleted\nWords.")).body;
  await until(async () => (await ada.get(id)).indexing.stage === "extracting");
  expect((await ada.send("DELETE", `/folders/${folder}`)).status).toBe(204);
  expect((await ada.send("GET", `/documents/${id}`)).status).toBe(404);
  await server.settle();
  await expectSound(server);
});

test("after all of this, everything that is counted is what counting it gives", async () => {
  await server.settle();
  await expectSound(server);
});
