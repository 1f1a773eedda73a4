/**
 * Chat sessions: creating, changing, listing, deleting, restoring, and their folders and prompts.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectHas, expectProblem, expectRecord } from "../helpers/contract";
import { person, type Person } from "../helpers/person";
import type { Answered, ApiServer, StartServer } from "../helpers/server";

const pointers = (answer: Answered): string[] =>
  (answer.body?.errors ?? []).map((error: { pointer: string }) => error.pointer);

export function chatCases(start: StartServer): void {
  let server: ApiServer;
  let ada: Person;
  let bob: Person;
  let cleo: Person;
  let dora: Person;
  let folder: string;
  let subfolder: string;
  let prompt: string;
  let other_prompt: string;
  let chat: string;
  let foreign_folder: string;
  let foreign_prompt: string;

  beforeAll(async () => {
    server = await start();
    [ada, bob, cleo, dora] = await Promise.all([
      person(server, "ada"),
      person(server, "bob"),
      person(server, "cleo"),
      person(server, "dora"),
    ]);
    folder = await ada.folder("Reports");
    subfolder = await ada.folder("2026", folder);
    prompt = (await ada.create("/prompts", { name: "Short", text: "Be short." })).id;
    other_prompt = (await ada.create("/prompts", { name: "Kind", text: "Be kind." })).id;
    chat = (await ada.create("/chats", { usedFolders: [folder] })).id;
    foreign_folder = await bob.folder("Private");
    foreign_prompt = (await bob.create("/prompts", { name: "Mine", text: "Mine." })).id;
  }, 180_000);
  afterAll(() => server?.[Symbol.asyncDispose]());

  describe("creating a session", () => {
    type Case = [why: string, body: () => unknown, status: number, expected: () => unknown];
    const refused = (pointer: string) => () => [pointer];
    const cases: Case[] = [
      [
        "no body is needed",
        () => undefined,
        201,
        () => ({ name: null, usedFolders: [], usedPrompts: [] }),
      ],
      [
        "an empty body is enough",
        () => ({}),
        201,
        () => ({
          name: null,
          usedFolders: [],
          usedPrompts: [],
          message_count: 0,
          last_message_at: null,
        }),
      ],
      [
        "null means absent",
        () => ({ name: null, usedFolders: null, usedPrompts: null }),
        201,
        () => ({ name: null, usedFolders: [], usedPrompts: [] }),
      ],
      [
        "everything at once",
        () => ({ name: "  Leave ", usedFolders: [folder], usedPrompts: [prompt] }),
        201,
        () => ({ name: "Leave", usedFolders: [folder], usedPrompts: [prompt] }),
      ],
      ["a blank name means no name", () => ({ name: " \u3000" }), 201, () => ({ name: null })],
      [
        "a subfolder may be used",
        () => ({ usedFolders: [subfolder] }),
        201,
        () => ({ usedFolders: [subfolder] }),
      ],
      [
        "prompts and folders keep their order",
        () => ({ usedFolders: [subfolder, folder], usedPrompts: [other_prompt, prompt] }),
        201,
        () => ({ usedFolders: [subfolder, folder], usedPrompts: [other_prompt, prompt] }),
      ],
      [
        "an id given twice counts once",
        () => ({ usedFolders: [folder, folder], usedPrompts: [prompt, prompt] }),
        201,
        () => ({ usedFolders: [folder], usedPrompts: [prompt] }),
      ],
      [
        "unknown fields are ignored",
        () => ({ name: "x", color: "red", id: "chs_mine" }),
        201,
        () => ({ name: "x" }),
      ],
      [
        "field names are case-sensitive",
        () => ({ Name: "x", usedfolders: [folder] }),
        201,
        () => ({ name: null, usedFolders: [] }),
      ],
      [
        "a name of 255 characters fits, emoji counted once",
        () => ({ name: "😀".repeat(255) }),
        201,
        () => ({ name: "😀".repeat(255) }),
      ],
      [
        "misspelled fields are ignored too",
        () => ({ usedfolders: [folder], used_folders: [folder], id: "chs_x" }),
        201,
        () => ({ usedFolders: [] }),
      ],
      ["a name of 256 is too long", () => ({ name: "a".repeat(256) }), 400, refused("/name")],
      ["a name is text", () => ({ name: 7 }), 400, refused("/name")],
      ["folders are a list", () => ({ usedFolders: folder }), 400, refused("/usedFolders")],
      ["of text", () => ({ usedFolders: [7] }), 400, refused("/usedFolders")],
      ["folders are never null", () => ({ usedFolders: [null] }), 400, refused("/usedFolders")],
      [
        "folders are at most 200",
        () => ({ usedFolders: Array.from({ length: 201 }, (_, i) => `fld_${i}`) }),
        400,
        refused("/usedFolders"),
      ],
      [
        "prompts are at most 20",
        () => ({ usedPrompts: Array.from({ length: 21 }, (_, i) => `prm_${i}`) }),
        400,
        refused("/usedPrompts"),
      ],
      ["prompts are text", () => ({ usedPrompts: [null] }), 400, refused("/usedPrompts")],
      ["prompts are a list", () => ({ usedPrompts: {} }), 400, refused("/usedPrompts")],
      ["prompts may not be lists", () => ({ usedPrompts: [[]] }), 400, refused("/usedPrompts")],
      ["the body is an object", () => [], 400, refused("")],
      [
        "a folder that does not exist",
        () => ({ usedFolders: [folder, "fld_none"] }),
        404,
        refused("/usedFolders"),
      ],
      [
        "a prompt that does not exist",
        () => ({ usedPrompts: ["prm_none"] }),
        404,
        refused("/usedPrompts"),
      ],
      [
        "another user's folder",
        () => ({ usedFolders: [foreign_folder] }),
        403,
        refused("/usedFolders"),
      ],
      [
        "another user's prompt",
        () => ({ usedPrompts: [foreign_prompt] }),
        403,
        refused("/usedPrompts"),
      ],
    ];
    for (const [why, body, status, expected] of cases) {
      test(why, async () => {
        const before = (await ada.send("GET", "/chats")).body.pagination.total;
        const answer = await ada.send("POST", "/chats", body());
        expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
        const after = (await ada.send("GET", "/chats")).body.pagination.total;
        if (status !== 201) {
          const [pointer] = expected() as [string];
          expectProblem(answer, status, status === 400 ? pointer.slice(1) : "");
          expect(pointers(answer)).toEqual(expected() as string[]);
          expect(after).toBe(before);
          return;
        }
        expectRecord("chat", answer.body);
        expectHas(answer.body, expected() as object);
        expect(answer.headers.get("location")).toBe(`/api/dev/v1/chats/${answer.body.id}`);
        expect((await ada.send("GET", `/chats/${answer.body.id}`)).body).toEqual(answer.body);
        expect(after).toBe(before + 1);
      });
    }

    test("the record has exactly the promised fields", async () => {
      const chat = await ada.create("/chats");
      expect(Object.keys(chat).sort()).toEqual([
        "all_folders",
        "created_at",
        "id",
        "last_message_at",
        "message_count",
        "name",
        "pinned",
        "updated_at",
        "usedFolders",
        "usedPrompts",
      ]);
      expect(chat.id).toMatch(/^chs_[0-9A-Z]{26}$/);
      expect(chat).toMatchObject({
        message_count: 0,
        last_message_at: null,
        updated_at: chat.created_at,
      });
      expect(new Date(chat.created_at).toISOString()).toBe(chat.created_at);
    });
  });

  describe("changing a session", () => {
    type Case = [why: string, change: () => object, status: number, changed: () => object];
    const cases: Case[] = [
      ["nothing given changes nothing", () => ({}), 200, () => ({})],
      ["a name alone", () => ({ name: "New" }), 200, () => ({ name: "New" })],
      ["null removes the name", () => ({ name: null }), 200, () => ({ name: null })],
      [
        "folders alone",
        () => ({ usedFolders: [subfolder] }),
        200,
        () => ({ usedFolders: [subfolder] }),
      ],
      [
        "an empty list clears the field",
        () => ({ usedFolders: [], usedPrompts: [] }),
        200,
        () => ({ usedFolders: [], usedPrompts: [] }),
      ],
      [
        "null clears a list",
        () => ({ usedFolders: null, usedPrompts: null }),
        200,
        () => ({ usedFolders: [], usedPrompts: [] }),
      ],
      ["no folders", () => ({ usedFolders: [] }), 200, () => ({ usedFolders: [] })],
      ["no prompts", () => ({ usedPrompts: [] }), 200, () => ({ usedPrompts: [] })],
      ["the pin alone", () => ({ pinned: true }), 200, () => ({ pinned: true })],
      ["all folders alone", () => ({ all_folders: true }), 200, () => ({ all_folders: true })],
      [
        "null means false",
        () => ({ pinned: null, all_folders: null }),
        200,
        () => ({ pinned: false, all_folders: false }),
      ],
      [
        "null clears everything",
        () => ({ name: null, usedFolders: null, usedPrompts: null }),
        200,
        () => ({ name: null, usedFolders: [], usedPrompts: [] }),
      ],
      [
        "prompts are reordered",
        () => ({ usedPrompts: [other_prompt, prompt] }),
        200,
        () => ({ usedPrompts: [other_prompt, prompt] }),
      ],
      [
        "a folder that does not exist",
        () => ({ name: "x", usedFolders: ["fld_none"] }),
        404,
        () => ({}),
      ],
      [
        "another user's prompt",
        () => ({ name: "x", usedPrompts: [foreign_prompt] }),
        403,
        () => ({}),
      ],
      [
        "a name that is too long",
        () => ({ name: "a".repeat(256), usedFolders: [] }),
        400,
        () => ({}),
      ],
    ];
    for (const [why, change, status, changed] of cases) {
      test(why, async () => {
        const before = await ada.create("/chats", {
          name: "Old",
          usedFolders: [folder],
          usedPrompts: [prompt],
        });
        const answer = await ada.send("PUT", `/chats/${before.id}`, change());
        expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
        const after = (await ada.send("GET", `/chats/${before.id}`)).body;
        if (status === 200) {
          expectRecord("chat", answer.body);
          expect(answer.body).toEqual(after);
        }
        expect({ ...after, updated_at: null }).toEqual({
          ...before,
          ...changed(),
          updated_at: null,
        });
      });
    }

    const refused: [string, unknown, string][] = [
      ["a name that is a number", { name: 1 }, "name"],
      ["folders that are a string", { usedFolders: "fld_1" }, "usedFolders"],
      ["folders that are numbers", { usedFolders: [1] }, "usedFolders"],
      ["folders that contain null", { usedFolders: [null] }, "usedFolders"],
      ["prompts that are an object", { usedPrompts: {} }, "usedPrompts"],
      ["prompts that are lists", { usedPrompts: [[]] }, "usedPrompts"],
      ["a pin that is a string", { pinned: "yes" }, "pinned"],
      ["all_folders that is a list", { all_folders: [] }, "all_folders"],
    ];
    for (const [why, body, field] of refused)
      test(`refused: ${why}`, async () =>
        expectProblem(await ada.send("PUT", `/chats/${chat}`, body), 400, field));
  });

  test("lists are newest first, in pages, with only the caller's sessions", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift((await cleo.create("/chats", { name: String(i) })).id);
    await bob.create("/chats");
    const { body } = await cleo.send("GET", "/chats?per_page=2&page=2");
    expect(body.data.map((chat: { id: string }) => chat.id)).toEqual(ids.slice(2, 4));
    expect(body.pagination).toEqual({
      count: 2,
      total: 5,
      per_page: 2,
      total_pages: 3,
      next_page: 3,
      previous_page: 1,
    });
    expect((await dora.send("GET", "/chats")).body).toEqual({
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
    for (const query of ["page=0", "per_page=0", "page=x", "deleted=maybe"])
      expect((await cleo.send("GET", `/chats?${query}`)).status).toBe(400);
  });

  test("a deleted session is 410 except for restoring, and moves to the deleted list", async () => {
    const chat = await dora.create("/chats", { name: "Gone" });
    const path = `/chats/${chat.id}`;
    const deleted = await dora.send("DELETE", path);
    expect([deleted.status, deleted.text]).toEqual([204, ""]);
    const message = "6f1f2c0e-2f0b-4b7e-9f43-1d2a7c9b5e10";
    const calls: [string, string, unknown?][] = [
      ["GET", path],
      ["PUT", path, { name: "x" }],
      ["DELETE", path],
      ["POST", `${path}/messages`, { text: "Hello?" }],
      ["GET", `${path}/messages`],
      ["GET", `${path}/messages/${message}`],
      ["POST", `${path}/messages/${message}/cancel`],
    ];
    for (const [method, at, body] of calls) {
      const answer = await dora.send(method, at, body);
      expect([method, at, answer.status, answer.body.code]).toEqual([method, at, 410, "gone"]);
    }
    const ids = async (query: string) =>
      (await dora.send("GET", `/chats${query}`)).body.data.map((chat: { id: string }) => chat.id);
    expect([await ids(""), await ids("?deleted=true"), await ids("?deleted=false")]).toEqual([
      [],
      [chat.id],
      [],
    ]);
    const restored = await dora.send("POST", `${path}/restore`);
    expect([restored.status, restored.body]).toEqual([200, chat]);
    expect([await ids(""), await ids("?deleted=true")]).toEqual([[chat.id], []]);
    expect((await dora.send("POST", `${path}/restore`)).status).toBe(200);
  });

  test("a missing session is 404, another user's 403, for every request, and nothing changes", async () => {
    const chat = await ada.create("/chats", { name: "Private" });
    const { requestId } = (await ada.send("POST", `/chats/${chat.id}/messages`, { text: "Hello?" }))
      .body;
    await ada.finished(`/chats/${chat.id}/messages/${requestId}`);
    const before = (await ada.send("GET", `/chats/${chat.id}`)).body;
    const calls: [string, string, unknown?][] = [
      ["GET", ""],
      ["PUT", "", { name: "x" }],
      ["DELETE", ""],
      ["POST", "/restore"],
      ["GET", "/messages"],
      ["POST", "/messages", { text: "Mine?" }],
      ["GET", `/messages/${requestId}`],
      ["POST", `/messages/${requestId}/cancel`],
    ];
    for (const [method, at, body] of calls) {
      expect([method, at, (await bob.send(method, `/chats/${chat.id}${at}`, body)).status]).toEqual(
        [method, at, 403],
      );
      expect([method, at, (await bob.send(method, `/chats/chs_none${at}`, body)).status]).toEqual([
        method,
        at,
        404,
      ]);
    }
    await ada.send("DELETE", `/chats/${chat.id}`);
    for (const [method, at, body] of calls)
      expect([method, at, (await bob.send(method, `/chats/${chat.id}${at}`, body)).status]).toEqual(
        [method, at, 403],
      );
    expect((await ada.send("POST", `/chats/${chat.id}/restore`)).body).toEqual(before);
  });

  test("ids of deleted folders, their subfolders and prompts are removed from every session", async () => {
    const root = await ada.folder("Root");
    const sub = await ada.folder("Sub", root);
    const kept_folder = await ada.folder("Kept");
    const prompts = [
      (await ada.create("/prompts", { name: "a", text: "a" })).id,
      (await ada.create("/prompts", { name: "b", text: "b" })).id,
    ];
    const chat = await ada.create("/chats", {
      usedFolders: [sub, kept_folder, root],
      usedPrompts: prompts,
    });
    const deleted = await ada.create("/chats", { usedFolders: [root] });
    await ada.send("DELETE", `/chats/${deleted.id}`);
    expect((await ada.send("DELETE", `/folders/${root}`)).status).toBe(204);
    expect((await ada.send("DELETE", `/prompts/${prompts[0]}`)).status).toBe(204);
    expect((await ada.send("GET", `/chats/${chat.id}`)).body).toMatchObject({
      usedFolders: [kept_folder],
      usedPrompts: [prompts[1]],
    });
    expect((await ada.send("POST", `/chats/${deleted.id}/restore`)).body).toMatchObject({
      usedFolders: [],
    });
  });

  describe("a deleted session", () => {
    let deleted_chat: string;
    let done: string;
    beforeAll(async () => {
      deleted_chat = (await ada.create("/chats", { name: "Gone", usedFolders: [folder] })).id;
      done = (await ada.send("POST", `/chats/${deleted_chat}/messages`, { text: "Anything?" })).body
        .requestId;
      await ada.finished(`/chats/${deleted_chat}/messages/${done}`);
      const answer = await ada.send("DELETE", `/chats/${deleted_chat}`);
      expect([answer.status, answer.body]).toEqual([204, undefined]);
    });
    const cases: [string, string, string, unknown][] = [
      ["reading it", "GET", "", undefined],
      ["changing it", "PUT", "", { name: "x" }],
      ["deleting it again", "DELETE", "", undefined],
      ["asking", "POST", "/messages", { text: "x" }],
      ["its messages", "GET", "/messages", undefined],
      ["polling", "GET", "/messages/{done}", undefined],
      ["polling an unknown message", "GET", "/messages/none", undefined],
      ["cancelling", "POST", "/messages/{done}/cancel", undefined],
    ];
    for (const [why, method, path, body] of cases)
      test(`410: ${why}`, async () =>
        expectProblem(
          await ada.send(method, `/chats/${deleted_chat}${path.replace("{done}", done)}`, body),
          410,
          "expired",
        ));
    test("is listed only among the deleted, and is restored unchanged", async () => {
      const list = async (query: string) =>
        (await ada.send("GET", `/chats?per_page=200${query}`)).body.data.map(({ id }: any) => id);
      expect([
        (await list("")).includes(deleted_chat),
        (await list("&deleted=false")).includes(deleted_chat),
        await list("&deleted=true"),
      ]).toEqual([false, false, [deleted_chat]]);
      const back = await ada.send("POST", `/chats/${deleted_chat}/restore`);
      expectRecord("chat", back.body);
      expect([back.status, back.body]).toEqual([
        200,
        expect.objectContaining({
          id: deleted_chat,
          name: "Gone",
          usedFolders: [folder],
          message_count: 1,
        }),
      ]);
      expect([(await list("")).includes(deleted_chat), await list("&deleted=true")]).toEqual([
        true,
        [],
      ]);
      expect((await ada.send("GET", `/chats/${deleted_chat}/messages/${done}`)).body.status).toBe(
        "COMPLETED",
      );
    });
  });
}
