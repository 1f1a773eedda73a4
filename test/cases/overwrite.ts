/**
 * While a document is overwritten, the old version stays searchable until the new one is indexed,
 * or for good if that fails. The content of test files controls how they are read.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectHas, expectProblem, expectRecord } from "../helpers/contract";
import { filesOf, filesWith } from "../helpers/data-directory";
import { placesWith } from "../helpers/databases";
import { person, type Person } from "../helpers/person";
import { until, type ApiServer, type StartServer } from "../helpers/server";
import { writeStagedPlugin } from "../helpers/staged-plugin";

export function overwriteCases(start: StartServer): void {
  let server: ApiServer;
  let ada: Person;
  let folder: string;
  const stage = writeStagedPlugin();
  const sha256 = (text: string): string =>
    new Bun.CryptoHasher("sha256").update(text).digest("hex");
  const record = async (id: string) => (await ada.send("GET", `/documents/${id}`)).body;
  const original = async (id: string) => (await ada.send("GET", `/documents/${id}/file`)).body;

  beforeAll(async () => {
    server = await start({ env: stage.env });
    ada = await person(server, "ada");
    folder = await ada.folder();
  }, 180_000);
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    stage[Symbol.dispose]();
  });

  /** A document with one indexed version. */
  async function standing(name: string, word: string): Promise<string> {
    const { body } = await ada.upload(folder, name, `The ${word} was here first.`);
    await ada.settled(body.id);
    return body.id;
  }
  /** The old version is used everywhere, whatever the record says about the new one. */
  async function expectOld(id: string, word: string, more: object): Promise<void> {
    const now = await record(id);
    const { content: _content, ...rest } = now;
    expectRecord("document", rest);
    expectHas(now, { content: `The ${word} was here first.`, ...more });
    expect(await original(id)).toBe(`The ${word} was here first.`);
    expect(await ada.found(word)).toEqual([id]);
  }

  describe("an overwrite", () => {
    test("keeps the id, counts the version, and switches atomically when indexed", async () => {
      const id = await standing("report.txt", "kakapo");
      const chat = (await ada.create("/chats", { usedFolders: [folder] })).id;
      const next = "#!hold switch\nThe takahe came later.";
      const answer = await ada.upload(folder, "report.txt", next, "&overwrite=true");
      expect([answer.status, answer.headers.get("location")]).toEqual([
        200,
        `/api/dev/v1/documents/${id}`,
      ]);
      expectRecord("document", answer.body);
      const fresh = {
        id,
        status: "syncing",
        version: 2,
        size_bytes: next.length,
        sha256: sha256(next),
        error: null,
      };
      expectHas(answer.body, fresh);
      await ada.send("POST", "/search", { query: "takahe" });
      await expectOld(id, "kakapo", fresh);
      expectHas((await ada.ask(chat, "cite kakapo")).citations[0], {
        document_id: id,
        document_version: 1,
        quote: "The kakapo was here first.",
        stale: false,
      });
      expect(await ada.found("takahe")).toEqual([]);
      expect(
        (await ada.send("GET", `/documents?folder_id=${folder}&status=syncing`)).body.data.map(
          (document: any) => document.id,
        ),
      ).toEqual([id]);
      await until(async () => (await record(id)).indexing.stage === "extracting");
      expectHas((await record(id)).indexing, { attempts: 1, progress: expect.any(Number) });
      expect((await ada.send("GET", `/folders/${folder}`)).body.status_counts.syncing).toBe(1);

      stage.open("switch");
      expectHas(await ada.settled(id), {
        ...fresh,
        status: "synced",
        content: "The takahe came later.",
        indexing: { stage: "done", progress: 1 },
      });
      expect([await original(id), await ada.found("kakapo"), await ada.found("takahe")]).toEqual([
        next,
        [],
        [id],
      ]);
      const [{ result }] = (await ada.send("GET", `/chats/${chat}/messages`)).body.data;
      expectHas(result.citations[0], {
        document_version: 1,
        quote: "The kakapo was here first.",
        stale: true,
      });
      await until(() =>
        filesWith(server.data, "The kakapo was here first.").every((path) =>
          path.startsWith("dossier.db"),
        ),
      );
    });

    test("of a missing document creates it", async () => {
      const answer = await ada.upload(folder, "new.txt", "New.", "&overwrite=true");
      expect([answer.status, answer.body.version]).toEqual([201, 1]);
    });
    test("with overwrite=false is an ordinary upload", async () => {
      await standing("false.txt", "weka");
      expectProblem(await ada.upload(folder, "false.txt", "x", "&overwrite=false"), 409);
    });
    test("of a text replaces the newest of that name, and makes it an upload", async () => {
      const [older, newer] = [
        await ada.text(folder, "The older text.", "text.txt"),
        await ada.text(folder, "The newer text.", "text.txt"),
      ];
      const answer = await ada.upload(folder, "text.txt", "The upload.", "&overwrite=true");
      expect([answer.status, answer.body.id, answer.body.version, answer.body.source.kind]).toEqual(
        [200, newer.id, 2, "upload"],
      );
      expect([(await ada.settled(newer.id)).content, (await record(older.id)).content]).toEqual([
        "The upload.",
        "The older text.",
      ]);
      expectProblem(await ada.upload(folder, "text.txt", "x"), 409);
      expect((await ada.send("PATCH", `/documents/${older.id}`, { name: "b.txt" })).status).toBe(
        200,
      );
      expectProblem(await ada.send("PATCH", `/documents/${older.id}`, { name: "text.txt" }), 409);
    });
    test("replaces a text that is newer than an upload of its name", async () => {
      const [here, elsewhere] = [await ada.folder(), await ada.folder()];
      const upload = (await ada.upload(here, "a.txt", "The upload.")).body.id;
      const text = (await ada.newText(here, "The text.", "a.txt")).id;
      await ada.send("POST", `/documents/${text}/links`, { folder_id: elsewhere });
      expectHas((await ada.upload(here, "a.txt", "The next.", "&overwrite=true")).body, {
        id: text,
        version: 2,
      });
      expect([(await ada.settled(upload)).content, (await ada.settled(text)).content]).toEqual([
        "The upload.",
        "The next.",
      ]);
      expectProblem(await ada.upload(elsewhere, "a.txt", "x"), 409);
    });
    test("that would create a second upload of its name in another folder is refused", async () => {
      const [here, other, third] = [await ada.folder(), await ada.folder(), await ada.folder()];
      const text = (await ada.text(here, "The text.", "a.txt")).id;
      await ada.send("POST", `/documents/${text}/links`, { folder_id: other });
      const upload = (await ada.upload(third, "a.txt", "The upload.")).body.id;
      const linked = await ada.send("POST", `/documents/${upload}/links`, { folder_id: other });
      expect(linked.status).toBe(200);
      const overwrite = () => ada.upload(here, "a.txt", "The next.", "&overwrite=true");
      const refused = await overwrite();
      expectProblem(refused, 409);
      expect(refused.body.detail).toContain(other);
      expectHas(await record(text), { version: 1, content: "The text." });
      // The upload never takes the text's name, and continues as before.
      expectHas((await ada.upload(third, "a.txt", "Newer.", "&overwrite=true")).body, {
        id: upload,
        version: 2,
      });
      await ada.send("DELETE", `/documents/${upload}?folder_id=${other}`);
      expectHas((await overwrite()).body, { id: text, version: 2 });
      expectProblem(await ada.send("POST", `/documents/${upload}/restore?folder_id=${other}`), 409);
    });
    test("leaves another document with the same bytes its file", async () => {
      const id = await standing("shared.txt", "kokako");
      const words = "The kokako was here first.";
      const twin = (await ada.upload(await ada.folder(), "b.txt", words)).body.id;
      await ada.settled(twin);
      await ada.upload(folder, "shared.txt", "Other bytes.", "&overwrite=true");
      await ada.settled(id);
      expect([await original(twin), await original(id)]).toEqual([words, "Other bytes."]);
    });
    test("counts in every folder that holds the document", async () => {
      const [here, other] = [await ada.folder(), await ada.folder()];
      const { id } = (await ada.upload(here, "a.txt", "Words.")).body;
      await ada.settled(id);
      await ada.send("POST", `/documents/${id}/links`, { folder_id: other });
      await ada.upload(other, "a.txt", "#!hold counted\nMore words.", "&overwrite=true");
      const counts = async () =>
        Promise.all(
          [here, other].map(
            async (folder_id) =>
              (await ada.send("GET", `/folders/${folder_id}`)).body.status_counts,
          ),
        );
      const syncing = { syncing: 1, synced: 0, sync_failed: 0 };
      expect(await counts()).toEqual([syncing, syncing]);
      stage.open("counted");
      await ada.settled(id);
      const synced = { syncing: 0, synced: 1, sync_failed: 0 };
      expect(await counts()).toEqual([synced, synced]);
    });
    test("works under another Unicode normalization of the name", async () => {
      const id = await standing("caf\u00e9.txt", "kiwi");
      const answer = await ada.upload(folder, "cafe\u0301.txt", "The moa.", "&overwrite=true");
      expect([answer.status, answer.body.id]).toEqual([200, id]);
    });
    test("with the same bytes still makes a new version", async () => {
      const id = await standing("same.txt", "tui");
      expectHas(
        (await ada.upload(folder, "same.txt", "The tui was here first.", "&overwrite=true")).body,
        { id, version: 2, status: "syncing" },
      );
      expectHas(await ada.settled(id), { status: "synced", content: "The tui was here first." });
      expect([await original(id), await ada.found("tui")]).toEqual([
        "The tui was here first.",
        [id],
      ]);
    });
    test("during another overwrite replaces that one", async () => {
      const id = await standing("again.txt", "rifleman");
      expect(
        (
          await ada.upload(
            folder,
            "again.txt",
            "#!hold never\nThe second version.",
            "&overwrite=true",
          )
        ).body.version,
      ).toBe(2);
      await until(async () => (await record(id)).indexing.stage === "extracting");
      expect(
        (
          await ada.upload(
            folder,
            "again.txt",
            "#!hold third\nThe third version.",
            "&overwrite=true",
          )
        ).body.version,
      ).toBe(3);
      await expectOld(id, "rifleman", { version: 3, status: "syncing" });
      const stuck = sha256("#!hold never\nThe second version.");
      await until(() => !filesOf(server.data).includes(stuck));
      stage.open("third");
      expectHas(await ada.settled(id), {
        status: "synced",
        version: 3,
        content: "The third version.",
      });
      stage.open("never");
      expect((await ada.send("POST", `/documents/${id}/reindex`)).body.version).toBe(3);
      expectHas(await ada.settled(id), {
        status: "synced",
        version: 3,
        content: "The third version.",
      });
      expect(await ada.found("second")).not.toContain(id);
    });
  });

  describe("an overwrite that fails", () => {
    for (const code of [
      "unsupported_type",
      "too_large",
      "encrypted",
      "corrupt",
      "empty",
      "timeout",
      "out_of_memory",
      "extract_failed",
      "cancelled",
    ])
      test(`with ${code} keeps the old text searchable, and reports it`, async () => {
        const word = `w${code.replaceAll("_", "")}`;
        const id = await standing(`${code}.txt`, word);
        const bad = `#!fail ${code}\n`;
        expect((await ada.upload(folder, `${code}.txt`, bad, "&overwrite=true")).status).toBe(200);
        await ada.settled(id);
        const failed = {
          status: "sync_failed",
          version: 2,
          size_bytes: bad.length,
          sha256: sha256(bad),
          error: { code, message: `It says ${code}.` },
        };
        await expectOld(id, word, failed);
        expectHas((await ada.send("POST", `/documents/${id}/reindex`)).body, {
          status: "syncing",
          version: 2,
          error: null,
        });
        await ada.settled(id);
        await expectOld(id, word, failed);
      });
    test("is repaired by the next", async () => {
      const id = await standing("mended.txt", "kea");
      await ada.upload(folder, "mended.txt", "#!fail corrupt\n", "&overwrite=true");
      await ada.settled(id);
      await ada.upload(folder, "mended.txt", "The kaka.", "&overwrite=true");
      expectHas(await ada.settled(id), {
        status: "synced",
        version: 3,
        content: "The kaka.",
        error: null,
      });
      expect([await ada.found("kea"), await ada.found("kaka")]).toEqual([[], [id]]);
    });
  });

  describe("a file without text", () => {
    for (const code of [
      "unsupported_type",
      "too_large",
      "encrypted",
      "corrupt",
      "empty",
      "timeout",
      "out_of_memory",
      "extract_failed",
    ])
      test(`${code} ends at once, and the original can be fetched`, async () => {
        const here = await ada.folder();
        const bytes = `#!fail ${code}\n`;
        const { id } = (await ada.upload(here, "a.bin", bytes)).body;
        expectHas(await ada.settled(id), {
          status: "sync_failed",
          error: { code, message: `It says ${code}.` },
          content: "",
          indexing: { attempts: 1 },
          synced_at: null,
        });
        expect(await original(id)).toBe(bytes);
        expect((await ada.send("GET", `/folders/${here}`)).body.status_counts).toEqual({
          syncing: 0,
          synced: 0,
          sync_failed: 1,
        });
      });
    test("counts as empty when its text is blank", async () => {
      const { id } = (await ada.upload(await ada.folder(), "a.bin", "#!read\n \n")).body;
      expectHas(await ada.settled(id), { status: "sync_failed", error: { code: "empty" } });
    });
  });

  test("a temporary fault is retried automatically, with the status syncing meanwhile", async () => {
    const { body } = await ada.upload(
      folder,
      "stumbles.txt",
      "#!stumble once\nThe saddleback sings.",
    );
    const seen = new Set<string>();
    await until(async () => {
      const { status, error } = await record(body.id);
      seen.add(`${status} ${error}`);
      return status !== "syncing";
    }, 15_000);
    expect([...seen]).toEqual(["syncing null", "synced null"]);
    expectHas(await record(body.id), {
      content: "The saddleback sings.",
      indexing: { attempts: 2 },
    });
  });

  test("deleting a folder also deletes its documents that are being indexed", async () => {
    const doomed = await ada.folder();
    const { body } = await ada.upload(doomed, "doomed.txt", "#!hold doomed\nThe huia is gone.");
    await until(async () => (await record(body.id)).indexing.stage === "extracting");
    expect((await ada.send("DELETE", `/folders/${doomed}`)).status).toBe(204);
    expectProblem(await ada.send("GET", `/documents/${body.id}`), 404);
    stage.open("doomed");
    await until(
      async () => (await placesWith(server.data, "The huia is gone.")).length === 0,
      2_000,
    );
    expect(await ada.found("huia")).toEqual([]);
  });
}
