/**
 * Documents and limits: quotas, how long a removed document can be restored, and what deletion
 * leaves behind.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { PurgeDocuments } from "../../plugins/documents/jobs";
import { filesOf } from "../helpers/data-directory";
import { onSqlite, placesWith } from "../helpers/databases";
import { expectSound } from "../helpers/documents";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";

describe("with a quota of three documents and a kilobyte", () => {
  let server: TestServer;
  let ada: Person;
  beforeAll(async () => {
    server = await startTestServer({
      env: { DOSSIER_QUOTAS_DOCUMENTS: "3", DOSSIER_QUOTAS_STORAGE: "1KiB" },
    });
    ada = await person(server, "ada");
  });
  const refused = { status: 403, code: "quota_exceeded" };

  test("only three of twenty simultaneous texts fit; deleting for good makes room", async () => {
    const folder = await ada.folder();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        ada.send("POST", "/documents", { folder_id: folder, content: `number ${i}` }),
      ),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([
      ...Array(3).fill(201),
      ...Array(17).fill(403),
    ]);
    expect(answers.find((answer) => answer.status === 403)!.body).toMatchObject({
      ...refused,
      detail: expect.stringContaining("3 documents"),
    });
    expect((await ada.upload(folder, "a.txt", "x")).body).toMatchObject(refused);
    await server.settle();
    await expectSound(server);
    // A document that is only removed can be restored, so it still counts.
    const [{ id }] = (await ada.send("GET", `/documents?folder_id=${folder}`)).body.data;
    await ada.send("DELETE", `/documents/${id}?folder_id=${folder}`);
    expect(
      (await ada.send("POST", "/documents", { folder_id: folder, content: "x" })).body,
    ).toMatchObject(refused);
    await ada.send("DELETE", `/folders/${folder}`);
    expect((await ada.newText(await ada.folder(), "There is room at once.")).version).toBe(1);
    await server.settle();
    await expectSound(server);
  });

  test("storage counts texts and files, and an overwrite by its difference", async () => {
    const folder = await ada.folder();
    expect((await ada.upload(folder, "a.txt", "a".repeat(600))).status).toBe(201);
    expect((await ada.upload(folder, "b.txt", "b".repeat(600))).body).toMatchObject({
      ...refused,
      detail: expect.stringContaining("1 KiB"),
    });
    expect(
      (await ada.send("POST", "/documents", { folder_id: folder, content: "é".repeat(300) })).body,
    ).toMatchObject(refused);
    expect((await ada.upload(folder, "a.txt", "A".repeat(1_000), "&overwrite=true")).status).toBe(
      200,
    );
    expect(
      (await ada.upload(folder, "a.txt", "A".repeat(1_100), "&overwrite=true")).body,
    ).toMatchObject(refused);
    expect((await ada.upload(folder, "a.txt", "A".repeat(100), "&overwrite=true")).status).toBe(
      200,
    );
    expect(
      (await ada.send("POST", "/documents", { folder_id: folder, content: "é".repeat(400) }))
        .status,
    ).toBe(201);
    await server.settle();
    await expectSound(server);
    await ada.send("DELETE", `/folders/${folder}`);
  });

  test("simultaneous uploads don't exceed it together", async () => {
    const folder = await ada.folder();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => ada.upload(folder, `${i}.txt`, `${i}`.repeat(400))),
    );
    expect(answers.filter((answer) => answer.status === 201).length).toBe(2);
    expect(answers.filter((answer) => answer.status === 403).length).toBe(8);
    await server.settle();
    await expectSound(server);
  });
});

describe("a removed document", () => {
  test("is purged when its time is over, with its file and text", async () => {
    const server = await startTestServer({ env: { DOSSIER_DOCUMENTS_RESTORE_FOR: "1h" } });
    const ada = await person(server, "ada");
    const [one, two] = [await ada.folder(), await ada.folder()];
    const deleted_id = (await ada.upload(one, "gone.txt", "The moa ran.")).body.id;
    const kept_id = (await ada.upload(one, "kept.txt", "The kiwi runs.")).body.id;
    await ada.send("POST", `/documents/${kept_id}/links`, { folder_id: two });
    await server.settle();
    for (const id of [deleted_id, kept_id])
      expect((await ada.send("DELETE", `/documents/${id}?folder_id=${one}`)).status).toBe(204);
    const purge = async () => {
      await server.host.queue.enqueue(server.store.db, PurgeDocuments, {});
      await server.settle();
    };
    await purge();
    expect((await ada.send("GET", `/documents/${deleted_id}`)).status).toBe(200);
    await server.store.db
      .updateTable("documents_links")
      .set({ deleted_at: Date.now() - 2 * 3_600_000 })
      .where("deleted_at", "is not", null)
      .execute();
    await purge();
    expect((await ada.send("GET", `/documents/${deleted_id}`)).status).toBe(404);
    expect(
      (await ada.send("POST", `/documents/${deleted_id}/restore?folder_id=${one}`)).status,
    ).toBe(404);
    expect(await ada.get(kept_id)).toMatchObject({ folder_ids: [two], status: "synced" });
    // Its link to the first folder is purged too.
    expect((await ada.send("POST", `/documents/${kept_id}/restore?folder_id=${one}`)).status).toBe(
      404,
    );
    expect(await ada.found("moa")).toEqual([]);
    expect(await ada.found("kiwi")).toEqual([kept_id]);
    await expectSound(server);
  });

  test("with a removal time in the future, from a wrong clock, has it corrected", async () => {
    const server = await startTestServer();
    const ada = await person(server, "ada");
    const folder = await ada.folder();
    const { id } = await ada.text(folder, "The takahe walks.");
    await ada.send("DELETE", `/documents/${id}?folder_id=${folder}`);
    const { db } = server.store;
    const deleted_at = Date.now() + 365 * 24 * 3_600_000;
    await db.updateTable("documents_links").set({ deleted_at }).execute();
    await server.host.queue.enqueue(db, PurgeDocuments, {});
    await server.settle();
    const [link] = await db.selectFrom("documents_links").selectAll().execute();
    expect(link!.deleted_at).toBeLessThanOrEqual(Date.now());
    // It can still be restored for the usual time from then on.
    const restored = await ada.send("POST", `/documents/${id}/restore?folder_id=${folder}`);
    expect([restored.status, await ada.found("takahe")]).toEqual([200, [id]]);
  });
});

describe("deleting for good leaves the text in no file of the data directory", () => {
  const canary = () => `canary${crypto.randomUUID().replaceAll("-", "")}`;
  const within2s = (data: string, word: string) =>
    until(async () => (await placesWith(data, word)).length === 0, 2_000);

  test("when its folder is deleted", async () => {
    const server = await startTestServer();
    const ada = await person(server, "ada");
    const folder = await ada.folder();
    const words = [canary(), canary(), canary()];
    await ada.newText(folder, `Text ${words[0]} ends.`, words[1]);
    await ada.upload(folder, "file.txt", `File ${words[2]} ends.`);
    await server.settle();
    for (const word of words) expect(await placesWith(server.data, word)).not.toEqual([]);
    await ada.send("DELETE", `/folders/${folder}`);
    for (const word of words) await within2s(server.data, word);
    expect(filesOf(server.data)).toEqual([]);
  });

  test("when it is overwritten", async () => {
    const server = await startTestServer();
    const ada = await person(server, "ada");
    const folder = await ada.folder();
    const [of_file, of_text] = [canary(), canary()];
    await ada.upload(folder, "file.txt", `File ${of_file} ends.`);
    await ada.newText(folder, `Text ${of_text} ends.`, "text.txt");
    await server.settle();
    await ada.upload(folder, "file.txt", "Other words.", "&overwrite=true");
    await ada.upload(folder, "text.txt", "More words.", "&overwrite=true");
    await server.settle();
    for (const word of [of_file, of_text]) await within2s(server.data, word);
    await expectSound(server);
  });
});

onSqlite("copies").test("at the start, originals that no document uses are deleted", async () => {
  const first = await startTestServer();
  const received = await first.files.receive(new Blob(["left behind by a crash"]).stream(), {
    bytes_max: 100,
  });
  await received.keep();
  await received.release();
  const ada = await person(first, "ada");
  const { sha256 } = (await ada.upload(await ada.folder(), "used.txt", "in use")).body;
  await first.settle();
  const copy = `${first.data}-copy`;
  await Bun.$`cp -r ${first.data} ${copy}`.quiet();
  const second = await startTestServer({ data: copy });
  await until(() => filesOf(second.data).length === 1);
  expect(filesOf(second.data)).toEqual([sha256]);
});

onSqlite("copies").describe("at the start, no original is deleted", () => {
  const cases: [why: string, change: (data: string) => Promise<unknown>][] = [
    [
      "that is older than the database: it belongs to another one",
      (data) => Bun.$`rm ${data}/dossier.db ${data}/dossier.db-wal ${data}/dossier.db-shm`.quiet(),
    ],
    [
      "while a rollback has put a database aside, which may need it",
      (data) => Bun.write(`${data}/backups/20260105T120000Z-rolled-back.db`, ""),
    ],
  ];
  test.each(cases)("%s", async (_why, change) => {
    const first = await startTestServer();
    const ada = await person(first, "ada");
    await ada.upload(await ada.folder(), "used.txt", "in use");
    const received = await first.files.receive(new Blob(["in use elsewhere"]).stream(), {
      bytes_max: 100,
    });
    await received.keep();
    await received.release();
    await first.settle();
    const originals = filesOf(first.data);
    const copy = `${first.data}-copy`;
    await Bun.$`cp -r --preserve=timestamps ${first.data} ${copy}`.quiet();
    await change(copy);
    const second = await startTestServer({ data: copy });
    await Bun.sleep(500);
    expect(filesOf(second.data)).toEqual(originals);
    expect(originals).toHaveLength(2);
  });
});
