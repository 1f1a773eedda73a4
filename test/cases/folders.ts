/** Folders: their records, the two levels, access, and what is deleted with them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectHas, expectProblem, expectRecord } from "../helpers/contract";
import { placesWith } from "../helpers/databases";
import { person, type Person } from "../helpers/person";
import { until, type ApiServer, type StartServer } from "../helpers/server";
import { whiteSpace } from "../helpers/white-space";

export function folderCases(start: StartServer): void {
  let server: ApiServer;
  let ada: Person;
  let bob: Person;
  let folder: string;
  let sub: string;
  let foreign: string;
  const list = async () => (await ada.send("GET", "/folders?per_page=200")).body;

  beforeAll(async () => {
    server = await start();
    [ada, bob] = [await person(server, "ada"), await person(server, "bob")];
    folder = await ada.folder("Root");
    sub = await ada.folder("Sub", folder);
    foreign = await bob.folder("Private");
  }, 180_000);
  afterAll(() => server?.[Symbol.asyncDispose]());

  describe("creating", () => {
    const cases: [why: string, body: () => object, expected: object][] = [
      [
        "a name is enough",
        () => ({ name: "Reports" }),
        {
          name: "Reports",
          description: null,
          parentId: null,
          document_count: 0,
          status_counts: { syncing: 0, synced: 0, sync_failed: 0 },
          vectors_pending: 0,
        },
      ],
      [
        "with a description, kept as it is sent",
        () => ({ name: "Reports", description: " Of the crews\n" }),
        { description: " Of the crews\n" },
      ],
      [
        "below a root folder",
        () => ({ name: "Sub", parentId: folder }),
        { parentId: expect.stringMatching(/^fld_/) },
      ],
      [
        "null in optional fields means absent",
        () => ({ name: "Reports", description: null, parentId: null }),
        { description: null, parentId: null },
      ],
      ["names may be alike", () => ({ name: "Root" }), { name: "Root" }],
      [
        "a name is trimmed only at its ends",
        () => ({ name: " \u3000 Field  reports\u00a0\n" }),
        { name: "Field  reports" },
      ],
      [
        "any script and combining marks",
        () => ({ name: "Отчёты 報告 تقارير e\u0301 👩🏽‍🚀" }),
        { name: "Отчёты 報告 تقارير e\u0301 👩🏽‍🚀" },
      ],
      [
        "names with a meaning in other contexts",
        () => ({ name: "../../etc/passwd'; drop table folders; -- %00 <b>" }),
        { name: "../../etc/passwd'; drop table folders; -- %00 <b>" },
      ],
      ["an empty description is kept", () => ({ name: "x", description: "" }), { description: "" }],
      [
        "unknown and read-only fields are ignored",
        () => ({
          name: "x",
          colour: "red",
          id: "fld_mine",
          owner_id: "usr_1",
          document_count: 7,
          created_at: "1970-01-01T00:00:00Z",
        }),
        { document_count: 0 },
      ],
      [
        "a name of 255 emoji is not too long",
        () => ({ name: "🗂".repeat(255) }),
        { name: "🗂".repeat(255) },
      ],
      [
        "a description of 4,000 emoji is not too long",
        () => ({ name: "a", description: "🗂".repeat(4_000) }),
        { description: "🗂".repeat(4_000) },
      ],
    ];
    for (const [why, body, expected] of cases)
      test(why, async () => {
        const { total } = (await list()).pagination;
        const { status, body: record, headers } = await ada.send("POST", "/folders", body());
        expect([status, headers.get("location")]).toEqual([
          201,
          `/api/dev/v1/folders/${record.id}`,
        ]);
        expectRecord("folder", record);
        expectHas(record, expected);
        expect(record.id).not.toBe("fld_mine");
        expect((await ada.send("GET", headers.get("location")!)).body).toEqual(record);
        expect(record.created_at).toBe(record.updated_at);
        expect((await list()).pagination.total).toBe(total + 1);
      });
  });

  describe("refused without any change", () => {
    type Case = [why: string, method: string, path: () => string, body: () => unknown, at: string];
    const created = (why: string, at: string, body: () => unknown): Case => [
      why,
      "POST",
      () => "/folders",
      body,
      at,
    ];
    const changed = (why: string, at: string, body: () => unknown): Case => [
      `${why}, on a change`,
      "PUT",
      () => `/folders/${folder}`,
      body,
      at,
    ];
    const cases: Case[] = [
      created("no name", "/name", () => ({ text: "x" })),
      created("a name in other letters", "/name", () => ({ Name: "x", NAME: "x", text: "x" })),
      created("a name that is null", "/name", () => ({ name: null, text: "x" })),
      created("an empty name", "/name", () => ({ name: "", text: "x" })),
      created("a name with U+0000", "/name", () => ({ name: "a\u0000b", text: "x" })),
      created("a name with half a character", "/name", () => ({ name: "a\ud800b", text: "x" })),
      created("a name of 256", "/name", () => ({ name: "x".repeat(256) })),
      ...[1, true, [], {}, ["x"]].map((name) =>
        created(`the name ${JSON.stringify(name)}`, "/name", () => ({ name, text: "x" })),
      ),
      created("every space in one blank name", "/name", () => ({ name: whiteSpace.join("") })),
      created("a blank name, with spaces of no width", "/name", () => ({
        name: " \t\u0085\u00A0\u1680\u2003\u2028\u202F\u205F\u3000\u200B\uFEFF",
      })),
      ...whiteSpace.map((space) =>
        created(
          `a name of U+${space.codePointAt(0)!.toString(16).padStart(4, "0")} alone`,
          "/name",
          () => ({ name: space }),
        ),
      ),
      changed("a blank name", "/name", () => ({ name: " \u2003 " })),
      changed("no name: a folder has one", "/name", () => ({ name: null })),
      changed("a name of 256", "/name", () => ({ name: "x".repeat(256) })),
      created("a description that is a number", "/description", () => ({
        name: "x",
        description: 1,
      })),
      created("a description that is a list", "/description", () => ({
        name: "a",
        description: [],
      })),
      created("a description of 4,001", "/description", () => ({
        name: "a",
        description: "x".repeat(4_001),
      })),
      changed("a description that is a list", "/description", () => ({ description: [] })),
      changed("a description that is a number", "/description", () => ({ description: 1 })),
      created("a parent that is a number", "/parentId", () => ({ name: "x", parentId: 1 })),
      created("a parent that is a subfolder: there are two levels", "/parentId", () => ({
        name: "x",
        parentId: sub,
      })),
      created("a body that is a list", "", () => []),
    ];
    for (const [why, method, path, body, at] of cases)
      test(why, async () => {
        const before = await list();
        const answer = await ada.send(method, path(), body());
        expectProblem(answer, 400, at.slice(1));
        expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([at]);
        expect(await list()).toEqual(before);
      });

    const parents: [why: string, parentId: () => string, status: number][] = [
      ["a missing parent", () => "fld_none", 404],
      ["an empty parent id", () => "", 404],
      ["another user's folder as the parent", () => foreign, 403],
    ];
    for (const [why, parentId, status] of parents)
      test(why, async () => {
        const before = await list();
        expectProblem(
          await ada.send("POST", "/folders", { name: "x", parentId: parentId() }),
          status,
        );
        expect(await list()).toEqual(before);
      });
  });

  describe("changing replaces the fields that are given", () => {
    const cases: [why: string, change: object, expected: object][] = [
      ["the name alone", { name: " New " }, { name: "New", description: "Old words" }],
      [
        "the description alone",
        { description: "New words" },
        { name: "Old", description: "New words" },
      ],
      ["null removes the description", { description: null }, { name: "Old", description: null }],
      ["both", { name: "New", description: "" }, { name: "New", description: "" }],
      ["nothing", {}, { name: "Old", description: "Old words" }],
      [
        "read-only fields",
        { parentId: null, id: "fld_x", created_at: "1970-01-01T00:00:00Z" },
        { name: "Old" },
      ],
      ["a missing parent is ignored too", { parentId: "fld_none" }, { name: "Old" }],
    ];
    for (const [why, change, expected] of cases)
      test(why, async () => {
        const before = await ada.create("/folders", {
          name: "Old",
          description: "Old words",
          parentId: folder,
        });
        await Bun.sleep(2);
        const { status, body } = await ada.send("PUT", `/folders/${before.id}`, change);
        expect(status).toBe(200);
        expectRecord("folder", body);
        expect(body).toEqual({ ...before, ...expected, updated_at: body.updated_at });
        const changes = "name" in change || "description" in change;
        expect(body.updated_at > before.updated_at).toBe(changes);
        expect(body.updated_at >= before.updated_at).toBe(true);
        expect((await ada.send("GET", `/folders/${before.id}`)).body).toEqual(body);
      });
  });

  describe("listing", () => {
    let dora: Person;
    let eli: Person;
    beforeAll(async () => {
      [dora, eli] = [await person(server, "dora"), await person(server, "eli")];
    });
    const namesOf = async (query: string): Promise<[string[], any]> => {
      const { body } = await dora.send("GET", `/folders${query}`);
      return [body.data.map((folder: { name: string }) => folder.name), body.pagination];
    };
    test("an empty list", async () => {
      expect((await dora.send("GET", "/folders")).body).toEqual({
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
    test("newest first, with subfolders, without other users' folders", async () => {
      const root = await dora.create("/folders", { name: "1" });
      await dora.folder("2", root.id);
      await eli.folder("private");
      for (const name of ["3", "4", "5"]) await dora.folder(name);
      expect((await namesOf(""))[0]).toEqual(["5", "4", "3", "2", "1"]);
      expect((await dora.send("GET", "/folders")).body.data.at(-1)).toEqual(root);
    });
    const pages: [string, string, string[], object][] = [
      [
        "the first page",
        "?per_page=2",
        ["5", "4"],
        { count: 2, total: 5, per_page: 2, total_pages: 3, next_page: 2, previous_page: null },
      ],
      [
        "a page in the middle",
        "?page=2&per_page=2",
        ["3", "2"],
        { next_page: 3, previous_page: 1 },
      ],
      [
        "the last page",
        "?page=3&per_page=2",
        ["1"],
        { count: 1, next_page: null, previous_page: 2 },
      ],
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
        const [data, found] = await namesOf(query);
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
        expect((await dora.send("GET", `/folders?${query}`)).status).toBe(400));
    }
    test("500 folders of the same moment fill three pages, each folder once", async () => {
      const { total } = (await eli.send("GET", "/folders")).body.pagination;
      for (let i = 0; i < 500; i++) await eli.folder(`${i}`);
      const seen: string[] = [];
      for (const page of [1, 2, 3])
        seen.push(
          ...(await eli.send("GET", `/folders?per_page=200&page=${page}`)).body.data.map(
            (folder: { name: string }) => folder.name,
          ),
        );
      expect([seen.length, seen.slice(0, 500)]).toEqual([
        500 + total,
        Array.from({ length: 500 }, (_, i) => `${499 - i}`),
      ]);
    });
  });

  describe("a folder that is not the caller's", () => {
    const calls: [string, unknown?][] = [["GET"], ["PUT", { name: "mine" }], ["DELETE"]];
    for (const [method, body] of calls) {
      test(`${method} of another user's is forbidden, and changes nothing`, async () => {
        const record = await ada.create("/folders", { name: "private" });
        expect((await bob.send(method, `/folders/${record.id}`, body)).status).toBe(403);
        expect((await ada.send("GET", `/folders/${record.id}`)).body).toEqual(record);
      });
      test(`${method} of one that does not exist is not found`, async () => {
        for (const id of ["fld_none", "%00", "fld_01ARZ3NDEKTSV4RRFFQ69G5FAV"])
          expect((await ada.send(method, `/folders/${id}`, body)).status).toBe(404);
      });
    }
  });

  describe("deleting", () => {
    test("a folder goes with its subfolders and leaves every session; a repeat is 404", async () => {
      const root = await ada.folder("Root");
      const below = await Promise.all([ada.folder("one", root), ada.folder("two", root)]);
      const chat = await ada.create("/chats", { usedFolders: [below[0], folder, root] });
      const answer = await ada.send("DELETE", `/folders/${root}`);
      expect([answer.status, answer.body]).toEqual([204, undefined]);
      for (const folder_id of [root, ...below])
        for (const method of ["GET", "DELETE"])
          expectProblem(await ada.send(method, `/folders/${folder_id}`), 404);
      expectProblem(await ada.send("PUT", `/folders/${root}`, { name: "x" }), 404);
      expectProblem(await ada.send("POST", "/folders", { name: "x", parentId: root }), 404);
      expect((await ada.send("GET", `/chats/${chat.id}`)).body.usedFolders).toEqual([folder]);
    });
    test("a subfolder is deleted alone", async () => {
      const root = await ada.folder("Root");
      const [one, two] = [await ada.folder("one", root), await ada.folder("two", root)];
      await ada.send("DELETE", `/folders/${one}`);
      expect(
        (await Promise.all([root, one, two].map((id) => ada.send("GET", `/folders/${id}`)))).map(
          ({ status }) => status,
        ),
      ).toEqual([200, 404, 200]);
    });
    test("removes the name from every file of the data directory", async () => {
      const canary = `canary${crypto.randomUUID().replaceAll("-", "")}`;
      const { id } = await ada.create("/folders", { name: canary, description: canary });
      expect((await ada.send("DELETE", `/folders/${id}`)).status).toBe(204);
      await until(async () => (await placesWith(server.data, canary)).length === 0, 2_000);
    });
  });

  test("a folder counts its own live documents by status, not its subfolders'", async () => {
    const root = await ada.folder("Counted");
    const below = await ada.folder("Below", root);
    const [good, , unlinked] = [
      await ada.text(root, "Good."),
      await ada.text(root, ""),
      await ada.text(root, "Taken out."),
      await ada.text(below, "Elsewhere."),
    ];
    await ada.send("DELETE", `/documents/${unlinked.id}?folder_id=${root}`);
    const counts = async (id: string) => {
      const { document_count, status_counts } = (await ada.send("GET", `/folders/${id}`)).body;
      return { document_count, ...status_counts };
    };
    expect(await counts(root)).toEqual({
      document_count: 2,
      syncing: 0,
      synced: 1,
      sync_failed: 1,
    });
    expect(await counts(below)).toEqual({
      document_count: 1,
      syncing: 0,
      synced: 1,
      sync_failed: 0,
    });
    await ada.send("POST", `/documents/${good.id}/links`, { folder_id: below });
    await ada.send("DELETE", `/documents/${good.id}?folder_id=${root}`);
    expect([await counts(root), await counts(below)]).toEqual([
      { document_count: 1, syncing: 0, synced: 0, sync_failed: 1 },
      { document_count: 2, syncing: 0, synced: 2, sync_failed: 0 },
    ]);
    const listed = (await list()).data.find(({ id }: any) => id === root);
    expect(listed).toEqual((await ada.send("GET", `/folders/${root}`)).body);
  });
}
