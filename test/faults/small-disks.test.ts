/**
 * Small disks that fill up: reads and deletions always work, writes that need space are refused
 * with advice on what to do, and everything works again by itself when there is room.
 */
import { afterEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { startExecutable, type Executable } from "../helpers/executable";
import { runCommand } from "../../scripts/lib/launch";
import { can_mount, mountSmallDisk, type SmallDisk } from "../../scripts/lib/small-disk";

const mebibyte = 2 ** 20;
const takes_all = process.env.DOSSIER_TEST_FAULTS === "all";
let disk: SmallDisk;
let server: Executable | undefined;
afterEach(async () => {
  await server?.kill();
  server = undefined;
  disk?.[Symbol.dispose]();
});

async function start(megabytes: number, env = {}): Promise<Executable> {
  disk = mountSmallDisk(megabytes);
  const data = join(disk.path, "data");
  mkdirSync(data);
  server = await startExecutable({ data, env });
  await server.untilTrue(() => existsSync(join(data, "dossier.db.ballast")));
  return server;
}
const create = async (path: string, body: object): Promise<string> => {
  const { status, body: answer } = await server!.send("ada", "POST", path, body);
  expect(status).toBe(201);
  return answer.id;
};
/** A text that compresses poorly and has many different words. */
function longText(bytes: number): string {
  const words: string[] = [];
  for (let i = 0, length = 0; length < bytes; i++) {
    const word = `w${((i * 2_654_435_761) % 50_021).toString(36)}${i % 12 === 0 ? "." : ""}`;
    words.push(word);
    length += word.length + 1;
  }
  return words.join(" ").slice(0, bytes);
}
const file = (bytes: number): FormData => {
  const form = new FormData();
  form.append("file", new File([longText(bytes)], `${bytes}.txt`));
  return form;
};
/** Folders with documents, and chats. */
async function filled(documents_each: number) {
  const folders = [
    await create("/folders", { name: "A" }),
    await create("/folders", { name: "B" }),
  ];
  const documents: [folder: string, id: string][] = [];
  for (const folder_id of folders)
    for (let i = 0; i < documents_each; i++)
      documents.push([
        folder_id,
        await create("/documents", {
          folder_id,
          content: `The gannet${documents.length} nests on the cliff. `.repeat(100),
        }),
      ]);
  const chats = [];
  for (let i = 0; i < 4; i++) chats.push(await create("/chats", { usedFolders: folders }));
  for (const folder of folders) await settled(folder);
  return { folders, documents, chats };
}
/** A job that found no room tries again after half a minute. */
const settled = (folder: string) =>
  server!.until(`/folders/${folder}`, ({ body }) => body.status_counts?.syncing === 0, {
    limit_ms: 60_000,
  });
const rowsOf = (table: string): number => {
  using database = new Database(join(server!.data, "dossier.db"), { readonly: true });
  return database.query<{ n: number }, []>(`select count(*) as n from ${table}`).get()!.n;
};
const health = async (): Promise<any> => (await fetch(`${server!.url()}/health`)).json();
const status = async (method: string, path: string, body?: unknown): Promise<number> =>
  (await server!.send("ada", method, path, body)).status;
const works = (folder_id: string): Promise<boolean> =>
  server!
    .send("ada", "POST", "/documents", { folder_id, content: "The puffin sleeps again." })
    .then(({ status: answered }) => answered === 201);
/** The data on the disk is intact, and everything that should be found is found. */
async function expectSound(): Promise<void> {
  await server!.stop();
  const database = new Database(join(server!.data, "dossier.db"), { readonly: true });
  expect(database.query("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
  expect(database.query("pragma foreign_key_check").all()).toEqual([]);
  database.close();
}

describe.skipIf(!can_mount)("a disk", () => {
  for (const megabytes of [30, 64, 128])
    test(`of ${megabytes} MB that is filled to the last byte allows every deletion`, async () => {
      await start(megabytes);
      const { folders, documents, chats } = await filled(12);
      const [first, second] = folders as [string, string];
      // Another process takes up all freed space, each time.
      const unlinkSome = async (how_many: number) => {
        for (const [folder_id, id] of documents.splice(0, how_many)) {
          disk.fill();
          expect(await status("DELETE", `/documents/${id}?folder_id=${folder_id}`)).toBe(204);
        }
      };
      await unlinkSome(5);
      const refused = [
        await server!.send("ada", "POST", "/documents", {
          folder_id: first,
          content: longText(200_000),
        }),
        await server!.send("ada", "POST", `/documents/file?folder_id=${first}`, file(50_000)),
      ];
      expect(refused.map((answer) => [answer.status, answer.body.code])).toEqual([
        [507, "storage_full"],
        [507, "storage_full"],
      ]);
      for (const { body } of refused) expect(body.detail).toMatch(/Delete .* no longer needed/);
      expect((await health()).status).toBe("degraded");
      disk.fill();
      expect(await status("DELETE", `/chats/${chats.pop()}`)).toBe(204);
      disk.fill();
      expect(await status("DELETE", `/chats/${chats.pop()}?permanent=true`)).toBe(204);
      expect((await server!.send("ada", "POST", "/search", { query: "gannet20" })).status).toBe(
        200,
      );
      expect(await status("GET", `/documents/${documents.at(-1)![1]}`)).toBe(200);

      await server!.kill();
      disk.fill();
      expect(disk.freeBytes()).toBe(0);
      await server!.restart();
      expect(await status("GET", `/documents/${documents.at(-1)![1]}`)).toBe(200);
      await unlinkSome(3);
      disk.fill();
      expect(await status("DELETE", `/folders/${second}`)).toBe(204);
      expect(await status("GET", `/folders/${second}`)).toBe(404);
      await server!.untilTrue(async () => (await health()).purging.documents === 0);

      disk.empty();
      await server!.untilTrue(() => works(first));
      await settled(first);
      await server!.untilTrue(async () => (await health()).status === "ok");
      await expectSound();
    }, 120_000);

  test("filled by the server alone accepts texts again after deletions", async () => {
    await start(30);
    const keep = await create("/folders", { name: "Keep" });
    const folder_id = await create("/folders", { name: "Large" });
    const add = () =>
      server!.send("ada", "POST", "/documents", { folder_id, content: longText(mebibyte) });
    let answer = await add();
    for (; answer.status === 201;) answer = await add();
    expect([answer.status, answer.body.code]).toEqual([507, "storage_full"]);
    const size = () => statSync(join(server!.data, "dossier.db")).size;
    const size_full = size();
    expect(await status("DELETE", `/folders/${folder_id}`)).toBe(204);
    await server!.untilTrue(() => works(keep));
    await server!.untilTrue(() => size() < size_full / 2);
    await settled(keep);
    await expectSound();
  }, 120_000);

  const unfinished: [why: string, left_bytes: number, table: string, status: number][] = [
    ["of a text that comes in", 14 * mebibyte, "texts_unused", 507],
    ["of the index of a text", 40 * mebibyte, "index_staged", 201],
  ];
  for (const [why, left_bytes, table, answered] of unfinished)
    test.skipIf(!takes_all)(
      `that fills up keeps nothing ${why} and can't be ended`,
      async () => {
        await start(64);
        const { folders } = await filled(4);
        const [folder_id] = folders as [string];
        const pieces = rowsOf("texts_pieces");
        disk.fill(left_bytes);
        const sent = server!.send("ada", "POST", "/documents", {
          folder_id,
          content: longText((answered === 507 ? 12 : 4) * mebibyte),
        });
        let ended = false;
        void sent.finally(() => (ended = true));
        // The index is made after the answer.
        while (!(ended && answered === 507) && rowsOf(table) === 0) await Bun.sleep(1);
        disk.fill();
        const { status: is, body } = await sent;
        expect(is).toBe(answered);
        if (is === 201)
          expect(await status("DELETE", `/documents/${body.id}?folder_id=${folder_id}`)).toBe(204);
        await server!.untilTrue(() => rowsOf(table) === 0);
        if (is === 507) expect(rowsOf("texts_pieces")).toBe(pieces);
        disk.empty();
        await server!.untilTrue(() => works(folder_id));
        await settled(folder_id);
        await expectSound();
      },
      120_000,
    );

  test("of 128 MB with room for a large text but not for its index recovers", async () => {
    await start(128);
    const { folders, documents } = await filled(4);
    const [folder_id] = folders as [string];
    disk.fill(45 * mebibyte);
    const large = await server!.send(
      "ada",
      "POST",
      `/documents/file?folder_id=${folder_id}`,
      file(20 * mebibyte),
    );
    expect(large.status).toBe(201);
    // Whatever the outcome, there is always room to delete. Each check adds a text, without a pause
    // between them, to use up the remaining room.
    for (let goes_on = true; goes_on;)
      goes_on = (await works(folder_id)) && (await read(large.body.id)).status === "syncing";
    for (const [folder, id] of documents.splice(0, 2))
      expect(await status("DELETE", `/documents/${id}?folder_id=${folder}`)).toBe(204);
    await server!.kill();
    await server!.restart();
    for (const [folder, id] of documents.splice(0, 2))
      expect(await status("DELETE", `/documents/${id}?folder_id=${folder}`)).toBe(204);
    // It waits, and continues by itself when there is room.
    disk.empty();
    await server!.untilTrue(async () => (await read(large.body.id)).status === "synced", 60_000);
    await server!.untilTrue(() => works(folder_id));
    await settled(folder_id);
    expect(readdirSync(join(server!.data, "tmp"))).toEqual([]);
    await expectSound();
  }, 180_000);
});

const read = async (id: string): Promise<any> =>
  (await server!.send("ada", "GET", `/documents/${id}?content=false`)).body;

test.skipIf(!can_mount)(
  "the encoder's model takes no space on a small disk: it is kept in memory",
  async () => {
    const dossier = await start(150, { DOSSIER_EMBEDDINGS_PROVIDER: "" });
    const folder = await create("/folders", { name: "A" });
    const content = "The vehicle is sold at nine thousand euros.";
    await create("/documents", { folder_id: folder, content });
    await dossier.until(
      `/folders/${folder}`,
      ({ body }) => body.status_counts?.synced === 1 && body.vectors_pending === 0,
      { limit_ms: 60_000 },
    );
    const found = await dossier.send("ada", "POST", "/search", {
      query: "Wie teuer ist das Auto?",
    });
    expect(found.body.data[0]?.quote).toBe(content);
    expect(readdirSync(join(dossier.data, "models"))).toEqual([]);
    expect(dossier.output()).toContain("it is kept in memory");
  },
  120_000,
);

test.skipIf(!can_mount)("a read-only disk is named by the commands that must write", async () => {
  const dossier = await start(150);
  await dossier.stop();
  disk.protect();
  for (const [words, code, message] of [
    [["doctor"], 1, `The disk of ${dossier.data} is read-only`],
    [["serve"], 2, `${dossier.data} can't be used: its disk is read-only.`],
  ] as const) {
    const run = await runCommand(dossier.data, words);
    expect([words, run.code, run.stdout + run.stderr]).toEqual([
      words,
      code,
      expect.stringContaining(message),
    ]);
  }
});
