/** Chat sessions over HTTP: creating, changing, deleting, restoring, and what they use. */
import { beforeAll, describe, expect, test } from "bun:test";
import { startTestServer, type TestServer } from "../helpers/host";
import type { Answered } from "../helpers/server";

let server: TestServer;
let send: TestServer["send"];
let folder: string, subfolder: string, prompt: string, other_prompt: string;
let foreign_folder: string, foreign_prompt: string;

const created = async (answer: Promise<Answered>): Promise<any> => {
  const { status, body, text } = await answer;
  if (status !== 201) throw new Error(`expected 201, not ${status}: ${text}`);
  return body;
};
const pointers = (answer: Answered): string[] =>
  (answer.body?.errors ?? []).map((error: { pointer: string }) => error.pointer);

beforeAll(async () => {
  server = await startTestServer();
  ({ send } = server);
  folder = (await created(send("ada", "POST", "/folders", { name: "Reports" }))).id;
  subfolder = (await created(send("ada", "POST", "/folders", { name: "2026", parentId: folder })))
    .id;
  prompt = (await created(send("ada", "POST", "/prompts", { name: "Short", text: "Be short." })))
    .id;
  other_prompt = (
    await created(send("ada", "POST", "/prompts", { name: "Kind", text: "Be kind." }))
  ).id;
  foreign_folder = (await created(send("bob", "POST", "/folders", { name: "Private" }))).id;
  foreign_prompt = (await created(send("bob", "POST", "/prompts", { name: "Mine", text: "Mine." })))
    .id;
});

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
      () => ({ name: null, usedFolders: [], usedPrompts: [] }),
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
    ["a blank name is none", () => ({ name: " \u3000" }), 201, () => ({ name: null })],
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
    ["a name of 256 does not", () => ({ name: "a".repeat(256) }), 400, refused("/name")],
    ["a name is text", () => ({ name: 7 }), 400, refused("/name")],
    ["folders are a list", () => ({ usedFolders: folder }), 400, refused("/usedFolders")],
    ["of text", () => ({ usedFolders: [7] }), 400, refused("/usedFolders")],
    [
      "of at most 200",
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
      const before = (await send("ada", "GET", "/chats")).body.pagination.total;
      const answer = await send("ada", "POST", "/chats", body());
      expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
      const after = (await send("ada", "GET", "/chats")).body.pagination.total;
      if (status !== 201) {
        expect(pointers(answer)).toEqual(expected() as string[]);
        expect(after).toBe(before);
        return;
      }
      expect(answer.body).toMatchObject(expected() as object);
      expect(answer.headers.get("location")).toBe(`/api/dev/v1/chats/${answer.body.id}`);
      expect((await send("ada", "GET", `/chats/${answer.body.id}`)).body).toEqual(answer.body);
      expect(after).toBe(before + 1);
    });
  }

  test("the record has exactly the fields that are promised", async () => {
    const chat = await created(send("ada", "POST", "/chats"));
    expect(Object.keys(chat).sort()).toEqual([
      "created_at",
      "id",
      "last_message_at",
      "message_count",
      "name",
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
    ["null takes the name away", () => ({ name: null }), 200, () => ({ name: null })],
    [
      "folders alone",
      () => ({ usedFolders: [subfolder] }),
      200,
      () => ({ usedFolders: [subfolder] }),
    ],
    [
      "an empty list empties",
      () => ({ usedFolders: [], usedPrompts: [] }),
      200,
      () => ({ usedFolders: [], usedPrompts: [] }),
    ],
    [
      "null empties a list",
      () => ({ usedFolders: null, usedPrompts: null }),
      200,
      () => ({ usedFolders: [], usedPrompts: [] }),
    ],
    [
      "prompts get a new order",
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
      const before = await created(
        send("ada", "POST", "/chats", {
          name: "Old",
          usedFolders: [folder],
          usedPrompts: [prompt],
        }),
      );
      const answer = await send("ada", "PUT", `/chats/${before.id}`, change());
      expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
      const after = (await send("ada", "GET", `/chats/${before.id}`)).body;
      if (status === 200) expect(answer.body).toEqual(after);
      expect({ ...after, updated_at: null }).toEqual({ ...before, ...changed(), updated_at: null });
    });
  }
});

test("lists are newest first, in pages, and hold the caller's sessions alone", async () => {
  const ids: string[] = [];
  for (let i = 0; i < 5; i++)
    ids.unshift((await created(send("grace", "POST", "/chats", { name: String(i) }))).id);
  await created(send("heidi", "POST", "/chats"));
  const { body } = await send("grace", "GET", "/chats?per_page=2&page=2");
  expect(body.data.map((chat: { id: string }) => chat.id)).toEqual(ids.slice(2, 4));
  expect(body.pagination).toEqual({
    count: 2,
    total: 5,
    per_page: 2,
    total_pages: 3,
    next_page: 3,
    previous_page: 1,
  });
  expect((await send("nobody", "GET", "/chats")).body).toEqual({
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
    expect((await send("grace", "GET", `/chats?${query}`)).status).toBe(400);
});

test("a deleted session is 410 for everything but restoring it, and moves to the other list", async () => {
  const chat = await created(send("ivan", "POST", "/chats", { name: "Gone" }));
  const path = `/chats/${chat.id}`;
  const gone = await send("ivan", "DELETE", path);
  expect([gone.status, gone.text]).toEqual([204, ""]);
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
    const answer = await send("ivan", method, at, body);
    expect([method, at, answer.status, answer.body.code]).toEqual([method, at, 410, "gone"]);
  }
  const ids = async (query: string) =>
    (await send("ivan", "GET", `/chats${query}`)).body.data.map((one: { id: string }) => one.id);
  expect([await ids(""), await ids("?deleted=true"), await ids("?deleted=false")]).toEqual([
    [],
    [chat.id],
    [],
  ]);
  const restored = await send("ivan", "POST", `${path}/restore`);
  expect([restored.status, restored.body]).toEqual([200, chat]);
  expect([await ids(""), await ids("?deleted=true")]).toEqual([[chat.id], []]);
  expect((await send("ivan", "POST", `${path}/restore`)).status).toBe(200);
});

test("a missing session is 404 and another user's is 403, whatever is asked, and nothing changes", async () => {
  const chat = await created(send("ada", "POST", "/chats", { name: "Private" }));
  const { requestId } = (
    await send("ada", "POST", `/chats/${chat.id}/messages`, { text: "Hello?" })
  ).body;
  await server.settle();
  const before = (await send("ada", "GET", `/chats/${chat.id}`)).body;
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
    expect([
      method,
      at,
      (await send("bob", method, `/chats/${chat.id}${at}`, body)).status,
    ]).toEqual([method, at, 403]);
    expect([method, at, (await send("bob", method, `/chats/chs_none${at}`, body)).status]).toEqual([
      method,
      at,
      404,
    ]);
  }
  await send("ada", "DELETE", `/chats/${chat.id}`);
  for (const [method, at, body] of calls)
    expect([
      method,
      at,
      (await send("bob", method, `/chats/${chat.id}${at}`, body)).status,
    ]).toEqual([method, at, 403]);
  expect((await send("ada", "POST", `/chats/${chat.id}/restore`)).body).toEqual(before);
});

test("a deleted folder's id leaves every session, its subfolders' too; a deleted prompt's as well", async () => {
  const root = (await created(send("judy", "POST", "/folders", { name: "Root" }))).id;
  const sub = (await created(send("judy", "POST", "/folders", { name: "Sub", parentId: root }))).id;
  const kept = (await created(send("judy", "POST", "/folders", { name: "Kept" }))).id;
  const prompts = [
    (await created(send("judy", "POST", "/prompts", { name: "a", text: "a" }))).id,
    (await created(send("judy", "POST", "/prompts", { name: "b", text: "b" }))).id,
  ];
  const chat = await created(
    send("judy", "POST", "/chats", { usedFolders: [sub, kept, root], usedPrompts: prompts }),
  );
  const deleted = await created(send("judy", "POST", "/chats", { usedFolders: [root] }));
  await send("judy", "DELETE", `/chats/${deleted.id}`);
  expect((await send("judy", "DELETE", `/folders/${root}`)).status).toBe(204);
  expect((await send("judy", "DELETE", `/prompts/${prompts[0]}`)).status).toBe(204);
  expect((await send("judy", "GET", `/chats/${chat.id}`)).body).toMatchObject({
    usedFolders: [kept],
    usedPrompts: [prompts[1]],
  });
  expect((await send("judy", "POST", `/chats/${deleted.id}/restore`)).body).toMatchObject({
    usedFolders: [],
  });
});

test("the quota counts live sessions, exactly under concurrency, and names the limit", async () => {
  const limited = await startTestServer({ env: { DOSSIER_QUOTAS_CHATS: "3" } });
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => limited.send("ada", "POST", "/chats")),
  );
  const made = answers.filter(({ status }) => status === 201);
  expect([made.length, answers.filter(({ status }) => status === 403).length]).toEqual([3, 9]);
  const refused = answers.find(({ status }) => status === 403)!;
  expect([refused.body.code, refused.body.detail.includes("3")]).toEqual(["quota_exceeded", true]);
  const id = made[0]!.body.id;
  await limited.send("ada", "DELETE", `/chats/${id}`);
  expect((await limited.send("ada", "POST", "/chats")).status).toBe(201);
  expect((await limited.send("ada", "POST", `/chats/${id}/restore`)).body.code).toBe(
    "quota_exceeded",
  );
  expect((await limited.send("ada", "GET", "/chats?deleted=true")).body.pagination.total).toBe(1);
  await limited.stop();
});
