/**
 * Folders, over HTTP: their records, the two levels, who may see them, and what goes when they are
 * deleted.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { definePlugin, fill, HttpError } from "../../core/sdk";
import { FolderContents, Folders } from "../../plugins/folders/contract";
import { startTestServer, type TestServer } from "../helpers/host";
import type { Answered } from "../helpers/server";

let server: TestServer;
let send: TestServer["send"];
let folders: Folders;
/** What the slot was told, and what it throws when asked to. */
const emptied: (readonly string[])[] = [];
let refusal: Error | null = null;
const neighbour = definePlugin({
  name: "neighbour",
  version: "1.0.0",
  needs: { folders: Folders },
  setup: ({ services }) => {
    folders = services.folders;
    return {
      fills: [
        fill(FolderContents, {
          async remove(tx, owner_id, folder_ids) {
            if (refusal) throw refusal;
            // Still there: the folders go after those who keep something in them have let go.
            for (const id of folder_ids) await services.folders.require(tx, owner_id, id);
            emptied.push(folder_ids);
          },
        }),
      ],
    };
  },
});

beforeAll(async () => {
  server = await startTestServer({ plugins: [neighbour] });
  ({ send } = server);
});

const create = async (who: string, body: object): Promise<any> => {
  const { status, body: record, text } = await send(who, "POST", "/folders", body);
  if (status !== 201) throw new Error(`expected 201, not ${status}: ${text}`);
  return record;
};
const pointers = (answer: Answered): string[] =>
  (answer.body?.errors ?? []).map((error: { pointer: string }) => error.pointer);

test("a folder is created, found by its location, and has the fields of a record", async () => {
  const made = await send("ada", "POST", "/folders", {
    name: "  Reports ",
    description: " of the crews ",
  });
  expect(made.status).toBe(201);
  expect(made.headers.get("location")).toBe(`/api/dev/v1/folders/${made.body.id}`);
  expect(made.body).toEqual({
    id: expect.stringMatching(/^fld_[0-9A-HJKMNP-TV-Z]{26}$/),
    name: "Reports",
    description: " of the crews ",
    parentId: null,
    document_count: 0,
    status_counts: { syncing: 0, synced: 0, sync_failed: 0 },
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updated_at: made.body.created_at,
  });
  const found = await send("ada", "GET", made.headers.get("location")!);
  expect([found.status, found.body]).toEqual([200, made.body]);
});

describe("creating", () => {
  let root: any, child: any, foreign: any;
  beforeAll(async () => {
    root = await create("ada", { name: "root" });
    child = await create("ada", { name: "child", parentId: root.id });
    foreign = await create("bob", { name: "private" });
  });
  const cases: [string, () => unknown, number, string?][] = [
    ["a name is enough", () => ({ name: "a" }), 201],
    ["two folders may have the same name", () => ({ name: "a" }), 201],
    ["null means absent", () => ({ name: "a", description: null, parentId: null }), 201],
    [
      "unknown fields are ignored",
      () => ({ name: "a", owner_id: "usr_bob", id: "fld_x", document_count: 7 }),
      201,
    ],
    ["a root folder may be the parent", () => ({ name: "a", parentId: root.id }), 201],
    ["a name of 255 emoji is not too long", () => ({ name: "🗂".repeat(255) }), 201],
    [
      "a description of 4,000 emoji is not too long",
      () => ({ name: "a", description: "🗂".repeat(4_000) }),
      201,
    ],
    ["a missing name", () => ({}), 400, "/name"],
    ["an empty name", () => ({ name: "" }), 400, "/name"],
    [
      "a blank name, in every Unicode space",
      () => ({ name: " \t\u0085\u00A0\u1680\u2003\u2028\u202F\u205F\u3000\u200B\uFEFF" }),
      400,
      "/name",
    ],
    ["a name that is null", () => ({ name: null }), 400, "/name"],
    ["a name that is a number", () => ({ name: 1 }), 400, "/name"],
    ["names of fields are case-sensitive", () => ({ Name: "a" }), 400, "/name"],
    ["a name of 256", () => ({ name: "x".repeat(256) }), 400, "/name"],
    [
      "a description of 4,001",
      () => ({ name: "a", description: "x".repeat(4_001) }),
      400,
      "/description",
    ],
    ["a description that is a list", () => ({ name: "a", description: [] }), 400, "/description"],
    ["a parent that is a number", () => ({ name: "a", parentId: 1 }), 400, "/parentId"],
    ["a subfolder as the parent", () => ({ name: "a", parentId: child.id }), 400, "/parentId"],
    ["a parent that does not exist", () => ({ name: "a", parentId: "fld_none" }), 404],
    ["an empty parent id", () => ({ name: "a", parentId: "" }), 404],
    ["another user's folder as the parent", () => ({ name: "a", parentId: foreign.id }), 403],
    ["a body that is a list", () => [], 400, ""],
  ];
  for (const [why, body, status, pointer] of cases) {
    test(why, async () => {
      const before = (await send("ada", "GET", "/folders")).body.pagination.total;
      const answer = await send("ada", "POST", "/folders", body());
      expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
      if (pointer !== undefined) expect(pointers(answer)).toEqual([pointer]);
      expect((await send("ada", "GET", "/folders")).body.pagination.total).toBe(
        before + (status === 201 ? 1 : 0),
      );
    });
  }
});

describe("changing", () => {
  const cases: [string, object, object][] = [
    ["only what is given is replaced", { name: "new" }, { name: "new", description: "old" }],
    ["the name is trimmed", { name: " new " }, { name: "new" }],
    ["null takes the description away", { description: null }, { name: "old", description: null }],
    ["a description may become empty", { description: "" }, { description: "" }],
    ["nothing given changes nothing", {}, { name: "old", description: "old" }],
    ["the parent can't be changed", { parentId: "fld_none" }, { name: "old", parentId: null }],
  ];
  for (const [why, body, expected] of cases) {
    test(why, async () => {
      const before = await create("cleo", { name: "old", description: "old" });
      await Bun.sleep(2);
      const answer = await send("cleo", "PUT", `/folders/${before.id}`, body);
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject(expected);
      expect(answer.body.created_at).toBe(before.created_at);
      const changes = "name" in body || "description" in body;
      expect(answer.body.updated_at > before.updated_at).toBe(changes);
      expect((await send("cleo", "GET", `/folders/${before.id}`)).body).toEqual(answer.body);
    });
  }

  const refused: [string, unknown, string][] = [
    ["a blank name", { name: " " }, "/name"],
    ["a name that is null", { name: null }, "/name"],
    ["a name of 256", { name: "x".repeat(256) }, "/name"],
    ["a description that is a number", { description: 1 }, "/description"],
  ];
  for (const [why, body, pointer] of refused) {
    test(`${why} is refused, and changes nothing`, async () => {
      const before = await create("cleo", { name: "old", description: "old" });
      const answer = await send("cleo", "PUT", `/folders/${before.id}`, body);
      expect([answer.status, pointers(answer)]).toEqual([400, [pointer]]);
      expect((await send("cleo", "GET", `/folders/${before.id}`)).body).toEqual(before);
    });
  }
});

describe("listing", () => {
  const names = async (query: string): Promise<[string[], any]> => {
    const { body } = await send("dora", "GET", `/folders${query}`);
    return [body.data.map((folder: { name: string }) => folder.name), body.pagination];
  };
  test("an empty list", async () => {
    expect((await send("eve", "GET", "/folders")).body).toEqual({
      data: [],
      pagination: {
        count: 0,
        total: 0,
        per_page: 50,
        total_pages: 0,
        next_page: null,
        previous_page: null,
      },
    });
  });
  test("newest first, subfolders among them, nobody else's", async () => {
    const root = await create("dora", { name: "1" });
    await create("dora", { name: "2", parentId: root.id });
    await create("eli", { name: "private" });
    for (const name of ["3", "4", "5"]) await create("dora", { name });
    expect((await names(""))[0]).toEqual(["5", "4", "3", "2", "1"]);
    expect((await send("dora", "GET", "/folders")).body.data.at(-1)).toEqual(root);
  });
  const pages: [string, string, string[], object][] = [
    [
      "the first page",
      "?per_page=2",
      ["5", "4"],
      { count: 2, total: 5, per_page: 2, total_pages: 3, next_page: 2, previous_page: null },
    ],
    ["a page in the middle", "?page=2&per_page=2", ["3", "2"], { next_page: 3, previous_page: 1 }],
    ["the last page", "?page=3&per_page=2", ["1"], { count: 1, next_page: null, previous_page: 2 }],
    [
      "a page past the end",
      "?page=9&per_page=2",
      [],
      { count: 0, total: 5, total_pages: 3, next_page: null, previous_page: 3 },
    ],
    [
      "more than 200 means 200",
      "?per_page=9999",
      ["5", "4", "3", "2", "1"],
      { per_page: 200, total_pages: 1 },
    ],
  ];
  for (const [why, query, expected, pagination] of pages) {
    test(why, async () => {
      const [data, found] = await names(query);
      expect(data).toEqual(expected);
      expect(found).toMatchObject(pagination);
    });
  }
  for (const query of [
    "page=0",
    "page=-1",
    "page=x",
    "page=1.5",
    "per_page=0",
    "per_page=",
    "per_page=-3",
  ]) {
    test(`${query} is refused`, async () =>
      expect((await send("dora", "GET", `/folders?${query}`)).status).toBe(400));
  }
  test("500 folders of the same moment come on three pages, each once", async () => {
    for (let i = 0; i < 500; i++) await create("finn", { name: `${i}` });
    const seen: string[] = [];
    for (const page of [1, 2, 3])
      seen.push(
        ...(await send("finn", "GET", `/folders?per_page=200&page=${page}`)).body.data.map(
          (folder: { name: string }) => folder.name,
        ),
      );
    expect(seen).toEqual(Array.from({ length: 500 }, (_, i) => `${499 - i}`));
  });
});

describe("a folder that is not the caller's", () => {
  const calls: [string, unknown?][] = [["GET"], ["PUT", { name: "mine" }], ["DELETE"]];
  for (const [method, body] of calls) {
    test(`${method} of another user's is forbidden, and changes nothing`, async () => {
      const folder = await create("ada", { name: "private" });
      expect((await send("bob", method, `/folders/${folder.id}`, body)).status).toBe(403);
      expect((await send("ada", "GET", `/folders/${folder.id}`)).body).toEqual(folder);
    });
    test(`${method} of one that does not exist is not found`, async () => {
      for (const id of ["fld_none", "%00", "fld_01ARZ3NDEKTSV4RRFFQ69G5FAV"])
        expect((await send("ada", method, `/folders/${id}`, body)).status).toBe(404);
    });
  }
});

describe("deleting", () => {
  test("takes the subfolders with it, and those who keep something in them are told first", async () => {
    const root = await create("gil", { name: "root" });
    const child = await create("gil", { name: "child", parentId: root.id });
    const other = await create("gil", { name: "other" });
    emptied.length = 0;
    const gone = await send("gil", "DELETE", `/folders/${root.id}`);
    expect([gone.status, gone.text]).toEqual([204, ""]);
    expect(emptied).toEqual([[child.id, root.id]]);
    for (const id of [root.id, child.id])
      expect((await send("gil", "GET", `/folders/${id}`)).status).toBe(404);
    expect((await send("gil", "DELETE", `/folders/${root.id}`)).status).toBe(404);
    expect((await send("gil", "GET", "/folders")).body.data).toEqual([other]);
  });
  test("a subfolder leaves its parent", async () => {
    const root = await create("gil", { name: "root" });
    const child = await create("gil", { name: "child", parentId: root.id });
    expect((await send("gil", "DELETE", `/folders/${child.id}`)).status).toBe(204);
    expect((await send("gil", "GET", `/folders/${root.id}`)).status).toBe(200);
  });
  test("does not happen when one of them fails", async () => {
    const root = await create("gil", { name: "root" });
    refusal = new HttpError(409, "conflict", "not now");
    expect((await send("gil", "DELETE", `/folders/${root.id}`)).status).toBe(409);
    refusal = null;
    expect((await send("gil", "GET", `/folders/${root.id}`)).status).toBe(200);
  });
  test("leaves the name in no file of the data directory", async () => {
    const canary = `canary${crypto.randomUUID().replaceAll("-", "")}`;
    const folder = await create("gil", { name: canary, description: canary });
    expect((await send("gil", "DELETE", `/folders/${folder.id}`)).status).toBe(204);
    const holds = () =>
      readdirSync(server.data, { recursive: true, withFileTypes: true }).some(
        (entry) =>
          entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(canary),
      );
    for (let waited_ms = 0; holds() && waited_ms < 2_000; waited_ms += 50) await Bun.sleep(50);
    expect(holds()).toBe(false);
  });
});

describe("what other plugins ask for", () => {
  let root: any, child: any, other: any, foreign: any;
  beforeAll(async () => {
    root = await create("hal", { name: "root" });
    child = await create("hal", { name: "child", parentId: root.id });
    other = await create("hal", { name: "other" });
    foreign = await create("ivy", { name: "private" });
  });
  const scopes: [string, () => string[], () => string[]][] = [
    ["a root folder brings its subfolders", () => [root.id], () => [root.id, child.id]],
    ["each folder comes once", () => [child.id, root.id, root.id], () => [child.id, root.id]],
    ["a subfolder comes alone", () => [child.id], () => [child.id]],
    ["several roots", () => [other.id, root.id], () => [other.id, root.id, child.id]],
    ["no folders", () => [], () => []],
  ];
  for (const [why, asked, expected] of scopes) {
    test(`with subfolders: ${why}`, async () =>
      expect(
        (await folders.requireWithSubfolders(server.store.db, "usr_hal", asked(), "/x")).sort(),
      ).toEqual(expected().sort()));
  }
  const refusals: [string, () => string[], number][] = [
    [
      "one that is missing is 404 and names the field, even beside another user's",
      () => [root.id, foreign.id, "fld_none"],
      404,
    ],
    ["one of another user is 403", () => [root.id, foreign.id], 403],
  ];
  for (const [why, asked, status] of refusals) {
    test(`with subfolders: ${why}`, async () => {
      const error = await folders
        .requireWithSubfolders(server.store.db, "usr_hal", asked(), "/x")
        .then(
          () => null,
          (thrown: HttpError) => thrown,
        );
      expect([error?.status, error?.errors?.map(({ pointer }) => pointer)]).toEqual([
        status,
        ["/x"],
      ]);
    });
  }
  test("all: every folder of the owner and no other", async () => {
    expect((await folders.listIds(server.store.db, "usr_hal")).sort()).toEqual(
      [root.id, child.id, other.id].sort(),
    );
  });
  test("count: changes of one transaction are added up", async () => {
    await server.store.inTransaction((tx) =>
      folders.moveCounters(tx, [
        { folder_id: root.id, status: "syncing", by: 3 },
        { folder_id: root.id, status: "syncing", by: -1 },
        { folder_id: root.id, status: "synced", by: 1 },
        { folder_id: other.id, status: "sync_failed", by: 1 },
      ]),
    );
    const counts = async (id: string) => (await send("hal", "GET", `/folders/${id}`)).body;
    expect(await counts(root.id)).toMatchObject({
      document_count: 3,
      status_counts: { syncing: 2, synced: 1, sync_failed: 0 },
    });
    expect(await counts(other.id)).toMatchObject({
      document_count: 1,
      status_counts: { syncing: 0, synced: 0, sync_failed: 1 },
    });
    expect(await counts(child.id)).toMatchObject({ document_count: 0 });
  });
});

describe("with a quota of two folders", () => {
  let small: TestServer;
  beforeAll(async () => {
    small = await startTestServer({ env: { DOSSIER_QUOTAS_FOLDERS: "2" } });
  });
  test("twenty at once leave two, and deleting makes room again", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => small.send("ada", "POST", "/folders", { name: `${i}` })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([
      ...Array(2).fill(201),
      ...Array(18).fill(403),
    ]);
    expect(answers.find((answer) => answer.status === 403)!.body).toMatchObject({
      code: "quota_exceeded",
      detail: expect.stringContaining("2 folders"),
    });
    const [root] = (await small.send("ada", "GET", "/folders")).body.data;
    expect((await small.send("ada", "DELETE", `/folders/${root.id}`)).status).toBe(204);
    expect((await small.send("ada", "POST", "/folders", { name: "again" })).status).toBe(201);
    expect((await small.send("ada", "POST", "/folders", { name: "too many" })).status).toBe(403);
  });
  test("a deleted folder gives back its subfolders too", async () => {
    const { body: root } = await small.send("bob", "POST", "/folders", { name: "root" });
    expect(
      (await small.send("bob", "POST", "/folders", { name: "child", parentId: root.id })).status,
    ).toBe(201);
    await small.send("bob", "DELETE", `/folders/${root.id}`);
    for (const status of [201, 201, 403])
      expect((await small.send("bob", "POST", "/folders", { name: "again" })).status).toBe(status);
  });
});
