/**
 * What imports remember of a source between runs, over HTTP: its credentials, which are never shown
 * again, its items' entity tags, and which items are gone.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { badRequest, definePlugin, fill, Secret, t } from "../../core/sdk";
import {
  ImportSources,
  SourceFailure,
  type ImportOwner,
  type ImportSource,
  type SourceItem,
} from "../../plugins/imports/contract";
import { Tick } from "../../plugins/imports/jobs";
import { misplacedSecret } from "../../core/base/secret-places";
import { placesWith } from "../helpers/databases";
import { expectSound } from "../helpers/documents";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";
import { counts, ended, importOf } from "../helpers/website";

/** The shelf's items by address, and what was asked of it. */
type Book = Partial<SourceItem> & { readonly text?: string };
const shelf = new Map<string, Book>();
const shelf_of_test = { complete: false, gone: [] as string[], fault: "" };
const read: string[] = [];
const calls: { readonly source: any; readonly owner: ImportOwner }[] = [];

const schema = t.Object({
  room: t.Optional(t.String()),
  password: t.Optional(Secret({ description: "Of the shelf." })),
  account: t.Optional(t.Object({ user: t.String(), token: t.Optional(Secret()) })),
});
const source: ImportSource<any> = {
  type: "shelf",
  description: "A shelf.",
  schema,
  check: async ({ room, password }, { owner }) => {
    if (room === "locked")
      throw badRequest(`${owner.email} may not open it with ${password}.`, "/source/room");
  },
  async *items(of, tools) {
    calls.push({ source: of, owner: tools.owner });
    if (shelf_of_test.fault === "failure") throw new SourceFailure(`${of.password} is wrong.`);
    if (shelf_of_test.fault === "fault") throw new TypeError(`${of.password} is undefined`);
    for (const [uri, { text: _text, ...item }] of shelf) yield { uri, ...item };
    for (const uri of shelf_of_test.gone) yield { uri, gone: true };
    if (shelf_of_test.complete) tools.listingComplete();
  },
  async read({ uri }, of) {
    read.push(uri);
    const { text = `The book ${uri}.` } = shelf.get(uri)!;
    if (text === "refused") throw new SourceFailure(`It wants another word than ${of.password}.`);
    return {
      name: `${uri}.txt`,
      media_type: "text/plain",
      bytes: new Blob([text]).stream() as any,
    };
  },
};
const shelves = definePlugin({
  name: "shelves",
  version: "1.0.0",
  setup: () => ({ fills: [fill(ImportSources, source)] }),
});

const word = "correct horse/battery";
const token = "tok-99-staple";
const directory = realpathSync(mkdtempSync(join(tmpdir(), "dossier-shelf-")));
let server: TestServer;
let ada: Person;
beforeAll(async () => {
  server = await startTestServer({
    plugins: [shelves],
    env: { DOSSIER_IMPORTS_DIRECTORIES: directory },
  });
  ada = await person(server, "ada");
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));
beforeEach(() => {
  shelf.clear();
  read.length = 0;
  calls.length = 0;
  Object.assign(shelf_of_test, { complete: false, gone: [], fault: "" });
});

const importing = async (folder_id: string, more: object = {}, of: object = {}) => {
  read.length = 0;
  return importOf(ada, { folder_id, source: { type: "shelf", ...of }, ...more });
};
const put = (books: Readonly<Record<string, Book>>) => {
  for (const [uri, book] of Object.entries(books)) shelf.set(uri, book);
};
const listed = async (folder_id: string): Promise<string[]> =>
  (await ada.send("GET", `/documents?folder_id=${folder_id}`)).body.data
    .map(({ name }: any) => name)
    .toSorted();

describe("a source's secrets", () => {
  const secret_source = {
    type: "shelf",
    room: "north",
    password: word,
    account: { user: "ada", token },
  };
  const shown = {
    type: "shelf",
    room: "north",
    password: { set: true },
    account: { user: "ada", token: { set: true } },
  };
  /** Checks every place where someone could find the secrets. */
  const expectUnseen = async () => {
    for (const secret of [word, encodeURIComponent(word), token]) {
      for (const path of ["/imports?per_page=200", "/import-schedules?per_page=200"])
        expect((await ada.send("GET", path)).text).not.toContain(secret);
      expect(await placesWith(server.data, secret)).toEqual([]);
    }
  };

  test("reach only the source, together with the owner", async () => {
    put({ a: {}, b: { text: "refused" }, c: { error: `No, ${word}.` }, [`at/${word}`]: {} });
    const folder_id = await ada.folder();
    const begun = await ada.send("POST", "/imports", { folder_id, source: secret_source });
    expect([begun.status, begun.body.source]).toEqual([202, shown]);
    const { run, items } = await ended(ada, begun.body.id);
    expect(calls[0]).toEqual({
      source: secret_source,
      owner: { id: "usr_ada", email: "ada@dossier.test" },
    });
    expect([run.source, counts(run)]).toEqual([shown, [4, 4, 1, 3, 0]]);
    expect(items.map(({ uri, error }: any) => [uri, error?.message ?? null])).toEqual([
      ["a", null],
      ["b", "It wants another word than [secret]."],
      ["c", "No, [secret]."],
      [
        "at/[secret]",
        "Its address contains a secret of the source, and addresses are shown in the import.",
      ],
    ]);
    await expectUnseen();

    // The retry of failed items still has them; afterwards the run's copy is deleted.
    put({ b: {}, c: {} });
    shelf.delete(`at/${word}`);
    expect((await ada.send("POST", `/imports/${run.id}/retry`)).status).toBe(202);
    expect(counts((await ended(ada, run.id)).run)).toEqual([3, 3, 3, 0, 0]);
    expect(calls.at(-1)!.source).toEqual(secret_source);
    const row = await server.store.db
      .selectFrom("imports_runs")
      .select("secrets")
      .where("id", "=", run.id)
      .executeTakeFirst();
    expect(row).toEqual({ secrets: null });
  });

  test("are kept for a schedule's runs", async () => {
    put({ a: {} });
    const { body: schedule } = await ada.send("POST", "/import-schedules", {
      folder_id: await ada.folder(),
      source: secret_source,
      every: "0 6 * * *",
      gone: "remove",
    });
    expect([schedule.source, schedule.gone]).toEqual([shown, "remove"]);
    await server.host.queue.enqueue(server.store.db, Tick, { schedule_id: schedule.id, at: 0 });
    await until(() => calls.length === 1);
    await server.settle();
    expect(calls[0]!.source).toEqual(secret_source);
    await expectUnseen();
  });

  /** Why the job of a run failed, as the log and the console show it. */
  const faultOf = async (run_id: string) =>
    (
      await server.store.db
        .selectFrom("core_jobs")
        .select("error")
        .where("subject", "=", run_id)
        .executeTakeFirst()
    )?.error;
  const faults = [
    ["an unreadable source", "failure", /^\[secret\] is wrong\.$/],
    ["a fault of the source", "fault", /^The source could not be read/],
  ] as const;
  test.each(faults)("are not revealed by %s", async (_reason, fault, message) => {
    shelf_of_test.fault = fault;
    const folder_id = await ada.folder();
    const begun = await ada.send("POST", "/imports", { folder_id, source: secret_source });
    if (fault === "fault") {
      await until(async () => (await faultOf(begun.body.id)) === "[secret] is undefined");
      expect((await ada.send("POST", `/imports/${begun.body.id}/cancel`)).status).toBe(202);
    } else expect((await ended(ada, begun.body.id)).run.error.message).toMatch(message);
    const dry = await ada.send("POST", "/imports", {
      folder_id,
      source: secret_source,
      dry_run: true,
    });
    expect(dry.text).not.toContain(word);
    await expectUnseen();
  });

  test("that can't be decrypted fail the run with a clear error", async () => {
    const { body } = await ada.send("POST", "/import-schedules", {
      folder_id: await ada.folder(),
      source: secret_source,
      every: "0 6 * * *",
    });
    await server.store.db
      .updateTable("imports_schedules")
      .set({ secrets: "v1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" })
      .where("id", "=", body.id)
      .execute();
    await server.host.queue.enqueue(server.store.db, Tick, { schedule_id: body.id, at: 0 });
    await server.settle();
    const [run] = (await ada.send("GET", "/imports")).body.data;
    expect([run.schedule_id, run.status, run.error.code]).toEqual([
      body.id,
      "failed",
      "credentials_unreadable",
    ]);
    expect(calls).toEqual([]);
  });

  const refused = [
    ["the mask is no secret", { password: { set: true } }, "/source/password"],
    [
      "a secret in an object must be text",
      { account: { user: "a", token: 5 } },
      "/source/account/token",
    ],
    ["an error of the source has its secret masked", { room: "locked", password: word }, null],
  ] as const;
  test.each(refused)("400: %s", async (_reason, of, pointer) => {
    const folder_id = await ada.folder();
    const { status, body, text } = await ada.send("POST", "/imports", {
      folder_id,
      source: { type: "shelf", ...of },
    });
    expect(status).toBe(400);
    if (pointer === null)
      expect(body.detail).toBe("ada@dossier.test may not open it with [secret].");
    else expect(body.errors[0].pointer).toBe(pointer);
    expect(text).not.toContain(word);
  });

  const misplaced = [
    ["in an array", t.Object({ keys: t.Array(Secret()) })],
    ["in a union", t.Object({ key: t.Union([Secret(), t.Null()]) })],
  ] as const;
  test.each(misplaced)("%s are refused, since they can't be encrypted", (_reason, of) => {
    expect(misplacedSecret(of)).toContain("can't be encrypted");
    expect(misplacedSecret(schema)).toBeNull();
  });
});

describe("an item with an entity tag", () => {
  type Then = readonly [book: Book, more: object, reads: boolean];
  const cases: readonly (readonly [reason: string, ...Then])[] = [
    ["is not read while the tag is unchanged", { etag: "1" }, {}, false],
    ["is read when the tag has changed", { etag: "2" }, {}, true],
    ["is read when it has lost its tag", {}, {}, true],
    ["is read when overwriting", { etag: "1" }, { overwrite: true }, true],
    ["is read when its folder has changed", { etag: "1", folder: "B" }, {}, true],
  ];
  test.each(cases)("%s", async (_reason, book, more, reads) => {
    const folder_id = await ada.folder();
    put({ a: { etag: "1", folder: "A" }, b: { etag: "b" } });
    expect(counts((await importing(folder_id)).run)).toEqual([2, 2, 2, 0, 0]);
    put({ a: { folder: "A", ...book } });
    const { run, items } = await importing(folder_id, more);
    expect(run.succeeded_item_count).toBe(2);
    expect(read.includes("a")).toBe(reads);
    if (!reads) {
      expect([read, counts(run)]).toEqual([[], [2, 2, 2, 0, 2]]);
      expect(items.map(({ status, error }: any) => [status, error])).toEqual([
        ["skipped", null],
        ["skipped", null],
      ]);
      expect((await ada.get(items[0].document_id)).name).toBe("a.txt");
    }
  });

  test.each([
    [
      "was removed from its folder",
      (id: string, folder: string) => ada.send("DELETE", `/documents/${id}?folder_id=${folder}`),
    ],
    // As happens when an update's new reader can't read it.
    ["could not be indexed again", (id: string) => setStatus(id, "sync_failed")],
  ])("is read when its document %s", async (_reason, lose) => {
    const folder_id = await ada.folder();
    put({ a: { etag: "1" } });
    const { items } = await importing(folder_id);
    await lose(items[0].document_id, folder_id);
    await importing(folder_id);
    expect(read).toEqual(["a"]);
    await setStatus(items[0].document_id, "synced");
  });
  const setStatus = (document_id: string, status: string) =>
    server.store.db
      .updateTable("documents_links")
      .set({ status })
      .where("document_id", "=", document_id)
      .execute();

  test("may have a very long tag, and is read again if it failed", async () => {
    const folder_id = await ada.folder();
    put({ a: { etag: "x".repeat(5_000) }, b: { etag: "1", text: "refused" } });
    expect(counts((await importing(folder_id)).run)).toEqual([2, 2, 1, 1, 0]);
    expect(counts((await importing(folder_id)).run)).toEqual([2, 2, 1, 1, 1]);
    expect(read).toEqual(["b"]);
    put({ a: { etag: `${"x".repeat(4_999)}y` } });
    await importing(folder_id);
    expect(read.toSorted()).toEqual(["a", "b"]);
  });

  test("is remembered for the same source only", async () => {
    const folder_id = await ada.folder();
    put({ a: { etag: "1" } });
    await importing(folder_id, {}, { room: "north", password: word });
    await importing(folder_id, {}, { room: "south", password: word });
    expect(read).toEqual(["a"]);
    await importing(folder_id, {}, { room: "north", password: "another" });
    expect(read).toEqual([]);
    await importing(await ada.folder(), {}, { room: "north" });
    expect(read).toEqual(["a"]);
  });
});

describe("an item gone from a source", () => {
  const event = {
    "by name": () => void shelf_of_test.gone.push("b", "never there"),
    "by a complete listing": () => {
      shelf.delete("b");
      shelf_of_test.complete = true;
    },
  };
  type Told = keyof typeof event;
  const cases: readonly (readonly [reason: string, how: Told, more: object, left: string[]])[] = [
    ["is kept", "by name", {}, ["a.txt", "b.txt"]],
    ["is kept", "by a complete listing", { gone: "keep" }, ["a.txt", "b.txt"]],
    ["is removed", "by name", { gone: "remove" }, ["a.txt"]],
    ["is removed", "by a complete listing", { gone: "remove" }, ["a.txt"]],
  ];
  test.each(cases)("%s: reported %s", async (_reason, how, more, left) => {
    const folder_id = await ada.folder();
    put({ a: { etag: "1" }, b: { etag: "1" } });
    const before = await importing(folder_id);
    if (how === "by name") shelf.delete("b");
    event[how]();
    const { run, items } = await importing(folder_id, more);
    expect([counts(run), run.gone_item_count]).toEqual([[2, 2, 2, 0, 1], 1]);
    expect(items[1]).toEqual({
      id: expect.stringMatching(/^itm_/),
      uri: "b",
      status: "succeeded",
      document_id: before.items[1].document_id,
      error: null,
      gone: true,
    });
    expect(await listed(folder_id)).toEqual(left);
    expect([run.status, run.gone]).toEqual(["completed", left.length === 1 ? "remove" : undefined]);

    // It is reported once; it can still be removed later, and it may come back.
    expect((await importing(folder_id)).run.gone_item_count).toBeUndefined();
    shelf_of_test.complete = true;
    await importing(folder_id, { gone: "remove" });
    if (how === "by a complete listing") expect(await listed(folder_id)).toEqual(["a.txt"]);
    put({ b: { etag: "1" } });
    shelf_of_test.gone = [];
    await importing(folder_id);
    expect([read, await listed(folder_id)]).toEqual([["b"], ["a.txt", "b.txt"]]);
    await expectSound(server);
  });

  test("stays while another source lists it, and can be restored once removed", async () => {
    const folder_id = await ada.folder();
    put({ a: {}, b: {} });
    await importing(folder_id, {}, { room: "north" });
    const { items } = await importing(folder_id, {}, { room: "south" });
    shelf.delete("b");
    shelf_of_test.complete = true;
    await importing(folder_id, { gone: "remove" }, { room: "north" });
    expect(await listed(folder_id)).toEqual(["a.txt", "b.txt"]);
    await importing(folder_id, { gone: "remove" }, { room: "south" });
    expect(await listed(folder_id)).toEqual(["a.txt"]);
    const path = `/documents/${items[1].document_id}/restore?folder_id=${folder_id}`;
    expect((await ada.send("POST", path)).status).toBe(200);
  });

  test("is one of many, also in subfolders; a failed listing removes none", async () => {
    const folder_id = await ada.folder();
    for (let i = 0; i < 50; i++) put({ [`n${i}`]: i % 2 === 0 ? { folder: "Even" } : {} });
    await importing(folder_id);
    shelf.clear();
    shelf_of_test.fault = "failure";
    await importing(folder_id, { gone: "remove" });
    expect((await listed(folder_id)).length).toBe(25);
    Object.assign(shelf_of_test, { fault: "", complete: true });
    const { run } = await importing(folder_id, { gone: "remove" });
    expect([counts(run), run.gone_item_count]).toEqual([[50, 50, 50, 0, 0], 50]);
    const { body } = await ada.send("GET", "/folders?per_page=200");
    const counted = body.data.filter(
      ({ id, parentId }: any) => id === folder_id || parentId === folder_id,
    );
    expect(counted.map(({ document_count }: any) => document_count)).toEqual([0, 0]);
    await expectSound(server);
  });

  test("can be a file in a directory", async () => {
    mkdirSync(join(directory, "in"));
    for (const name of ["a.txt", "b.txt", "in/c.txt"]) writeFileSync(join(directory, name), name);
    const folder_id = await ada.folder();
    const of = { folder_id, source: { type: "directory", path: directory }, gone: "remove" };
    await importOf(ada, of);
    rmSync(join(directory, "in"), { recursive: true });
    const { run } = await importOf(ada, of);
    expect([run.gone_item_count, await listed(folder_id)]).toEqual([1, ["a.txt", "b.txt"]]);
  });

  test("a value other than keep or remove is refused", async () => {
    const folder_id = await ada.folder();
    const { status, body } = await ada.send("POST", "/imports", {
      folder_id,
      source: { type: "shelf" },
      gone: "burn",
    });
    expect([status, body.errors[0].pointer]).toEqual([400, "/gone"]);
  });
});

test("deleting a folder or document also deletes what was remembered of its items", async () => {
  const folder_id = await ada.folder();
  put({ a: { folder: "Sub" }, b: {} });
  await importing(folder_id);
  const rows = async () =>
    (
      await server.store.db
        .selectFrom("imports_listed")
        .select("uri")
        .where("run_folder_id", "=", folder_id)
        .orderBy("uri")
        .execute()
    ).map(({ uri }: any) => uri);
  expect(await rows()).toEqual(["a", "b"]);
  const { body } = await ada.send("GET", "/folders?per_page=200");
  const sub = body.data.find(({ parentId }: any) => parentId === folder_id);
  await ada.send("DELETE", `/folders/${sub.id}`);
  await server.settle();
  expect(await rows()).toEqual(["b"]);
  await ada.send("DELETE", `/folders/${folder_id}`);
  await server.settle();
  expect(await rows()).toEqual([]);
});
