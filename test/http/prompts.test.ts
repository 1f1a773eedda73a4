/** Saved prompts, over HTTP. */
import { beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HttpError } from "../../core/base/errors";
import { fill } from "../../core/base/refs";
import { definePlugin } from "../../core/sdk";
import { Prompts, PromptUses } from "../../plugins/prompts/contract";
import { startTestServer, type TestServer } from "../helpers/host";

let server: TestServer;
let prompts: Prompts;
/** What the slot was told, and what it throws when asked to. */
const removed: string[] = [];
let refusal: Error | null = null;
const neighbour = definePlugin({
  name: "neighbour",
  version: "1.0.0",
  needs: { prompts: Prompts },
  setup: ({ services }) => {
    prompts = services.prompts;
    return {
      fills: [
        fill(PromptUses, {
          async remove(tx, owner_id, prompt_id) {
            if (refusal) throw refusal;
            // Still there: the prompt goes after those who use it have let go.
            expect(await services.prompts.require(tx, owner_id, [prompt_id], "/x")).toHaveLength(1);
            removed.push(prompt_id);
          },
        }),
      ],
    };
  },
});

beforeAll(async () => {
  server = await startTestServer({ plugins: [neighbour] });
});
const create = async (who: string, body: object) =>
  (await server.send(who, "POST", "/prompts", body)).body as {
    id: string;
    name: string;
    updated_at: string;
  };

test("a prompt is saved, found by its location, and has the fields of a record", async () => {
  const made = await server.send("ada", "POST", "/prompts", {
    name: "  Plain words ",
    text: " Answer plainly. ",
    description: "For guests",
  });
  expect(made.status).toBe(201);
  expect(made.headers.get("location")).toBe(`/api/dev/v1/prompts/${made.body.id}`);
  expect(made.body).toEqual({
    id: expect.stringMatching(/^prm_[0-9A-HJKMNP-TV-Z]{26}$/),
    name: "Plain words",
    text: " Answer plainly. ",
    description: "For guests",
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updated_at: made.body.created_at,
  });
  const found = await server.send("ada", "GET", made.headers.get("location")!);
  expect([found.status, found.body]).toEqual([200, made.body]);
});

describe("creating", () => {
  const cases: [string, unknown, number, string?][] = [
    ["a description may be null", { name: "a", text: "b", description: null }, 201],
    ["a description may be empty", { name: "a", text: "b", description: "" }, 201],
    ["unknown fields are ignored", { name: "a", text: "b", owner_id: "usr_bob", id: "prm_x" }, 201],
    ["two prompts may have the same name", { name: "a", text: "b" }, 201],
    ["a name of 255 emoji is not too long", { name: "🗂".repeat(255), text: "b" }, 201],
    ["a text of 32,000 emoji is not too long", { name: "a", text: "🗂".repeat(32_000) }, 201],
    ["a missing name", { text: "b" }, 400, "/name"],
    ["a blank name", { name: " \u3000\u0085\u200B", text: "b" }, 400, "/name"],
    ["a name that is a number", { name: 1, text: "b" }, 400, "/name"],
    ["a name that is null", { name: null, text: "b" }, 400, "/name"],
    ["a name of 256", { name: "x".repeat(256), text: "b" }, 400, "/name"],
    ["names of fields are case-sensitive", { Name: "a", text: "b" }, 400, "/name"],
    ["a missing text", { name: "a" }, 400, "/text"],
    ["a blank text", { name: "a", text: "\n\t " }, 400, "/text"],
    ["a text of 32,001", { name: "a", text: "x".repeat(32_001) }, 400, "/text"],
    [
      "a description of 4,001",
      { name: "a", text: "b", description: "x".repeat(4_001) },
      400,
      "/description",
    ],
    [
      "a description that is a list",
      { name: "a", text: "b", description: [] },
      400,
      "/description",
    ],
    ["U+0000 in a text", { name: "a", text: "b\u0000" }, 400, "/text"],
    ["half a surrogate pair in a name", { name: "a\ud800", text: "b" }, 400, "/name"],
    ["a list instead of an object", [], 400],
    ["no body", undefined, 400],
  ];
  for (const [why, body, status, pointer] of cases)
    test(why, async () => {
      const answer = await server.send("eve", "POST", "/prompts", body);
      expect(answer.status).toBe(status);
      if (pointer !== undefined)
        expect(answer.body.errors.map((problem: { pointer: string }) => problem.pointer)).toContain(
          pointer,
        );
    });

  test("what was refused was not saved", async () => {
    const saved = cases.filter(([, , status]) => status === 201).length;
    expect((await server.send("eve", "GET", "/prompts")).body.pagination.total).toBe(saved);
  });
});

describe("changing", () => {
  const before = { name: "Before", text: "Old text", description: "Note" };
  const cases: [string, unknown, number, object][] = [
    ["a name alone", { name: " After " }, 200, { name: "After" }],
    ["a text alone", { text: "New text" }, 200, { text: "New text" }],
    ["null clears the description", { description: null }, 200, { description: null }],
    ["an empty description is kept as it is", { description: "" }, 200, { description: "" }],
    [
      "everything at once",
      { name: "A", text: "B", description: "C" },
      200,
      { name: "A", text: "B", description: "C" },
    ],
    ["nothing", {}, 200, {}],
    [
      "fields that nobody may set",
      { id: "prm_x", owner_id: "usr_bob", created_at: "2000-01-01T00:00:00Z" },
      200,
      {},
    ],
    [
      "a blank name is refused, and the text beside it not saved",
      { name: " ", text: "New text" },
      400,
      {},
    ],
    ["null is no text", { text: null }, 400, {}],
    ["a text that is too long", { text: "x".repeat(32_001) }, 400, {}],
  ];
  for (const [why, change, status, changed] of cases)
    test(why, async () => {
      const { id } = await create("ada", before);
      const answer = await server.send("ada", "PUT", `/prompts/${id}`, change);
      expect(answer.status).toBe(status);
      const after = (await server.send("ada", "GET", `/prompts/${id}`)).body;
      expect(after).toMatchObject({ id, ...before, ...changed });
      if (status === 200) expect(answer.body).toEqual(after);
    });

  test("a change moves updated_at, an empty one does not", async () => {
    const { id, updated_at } = await create("ada", before);
    await Bun.sleep(2);
    expect((await server.send("ada", "PUT", `/prompts/${id}`, {})).body.updated_at).toBe(
      updated_at,
    );
    const changed = (await server.send("ada", "PUT", `/prompts/${id}`, { name: "After" })).body;
    expect(changed.updated_at > updated_at).toBe(true);
    expect(changed.created_at).toBe(updated_at);
  });
});

describe("listing", () => {
  test("newest first, in pages, each user's own", async () => {
    for (const name of ["one", "two", "three"]) await create("carol", { name, text: "x" });
    await create("dave", { name: "not carol's", text: "x" });
    const first = (await server.send("carol", "GET", "/prompts?per_page=2")).body;
    expect(first.data.map((prompt: { name: string }) => prompt.name)).toEqual(["three", "two"]);
    expect(first.pagination).toEqual({
      count: 2,
      total: 3,
      per_page: 2,
      total_pages: 2,
      next_page: 2,
      previous_page: null,
    });
    const second = (await server.send("carol", "GET", "/prompts?per_page=2&page=2")).body;
    expect(second.data.map((prompt: { name: string }) => prompt.name)).toEqual(["one"]);
    expect(second.pagination).toMatchObject({ count: 1, next_page: null, previous_page: 1 });
  });

  const cases: [string, string, number, object?][] = [
    [
      "a user without prompts has an empty list",
      "",
      200,
      { count: 0, total: 0, per_page: 50, total_pages: 0, next_page: null, previous_page: null },
    ],
    ["above 200 means 200", "?per_page=1000", 200, { per_page: 200 }],
    ["a page past the end is empty", "?page=9", 200, { count: 0, next_page: null }],
    ["page 0", "?page=0", 400],
    ["half a page", "?page=1.5", 400],
    ["a page that is a word", "?page=x", 400],
    ["no items", "?per_page=0", 400],
  ];
  for (const [why, query, status, pagination] of cases)
    test(why, async () => {
      const answer = await server.send("frank", "GET", `/prompts${query}`);
      expect(answer.status).toBe(status);
      if (pagination) expect(answer.body.pagination).toMatchObject(pagination);
    });
});

describe("a prompt that is not the caller's", () => {
  for (const [method, body] of [["GET"], ["PUT", { name: "Mine now" }], ["DELETE"]] as const) {
    test(`${method} of another user's is forbidden, and changes nothing`, async () => {
      const { id } = await create("ada", { name: "Private", text: "x" });
      expect((await server.send("bob", method, `/prompts/${id}`, body)).status).toBe(403);
      expect((await server.send("ada", "GET", `/prompts/${id}`)).body.name).toBe("Private");
    });
    test(`${method} of one that does not exist is not found`, async () => {
      expect(
        (await server.send("bob", method, "/prompts/prm_01J9ZK3V6W8Q2T4Y5N7B1C0DEF", body)).status,
      ).toBe(404);
    });
  }
  test("a malformed change is 400 before anything is looked up", async () => {
    expect((await server.send("bob", "PUT", "/prompts/prm_none", { name: " " })).status).toBe(400);
  });
});

describe("deleting", () => {
  test("is for good, and those who use the prompt are told first", async () => {
    const { id } = await create("ada", { name: "x", text: "x" });
    const answer = await server.send("ada", "DELETE", `/prompts/${id}`);
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect(removed).toContain(id);
    expect((await server.send("ada", "GET", `/prompts/${id}`)).status).toBe(404);
    expect((await server.send("ada", "DELETE", `/prompts/${id}`)).status).toBe(404);
  });

  test("does not happen when one of them fails", async () => {
    const { id } = await create("ada", { name: "x", text: "x" });
    refusal = new HttpError(409, "in_use", "It is in use.");
    expect((await server.send("ada", "DELETE", `/prompts/${id}`)).status).toBe(409);
    refusal = null;
    expect((await server.send("ada", "GET", `/prompts/${id}`)).status).toBe(200);
  });

  test("leaves the text in no file of the data directory", async () => {
    const text = `a secret recipe ${crypto.randomUUID()}`;
    const { id } = await create("ada", { name: "x", text });
    const holders = () =>
      readdirSync(server.data, { recursive: true, withFileTypes: true })
        .filter(
          (entry) =>
            entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text),
        )
        .map((entry) => entry.name);
    expect(holders()).not.toEqual([]);
    await server.send("ada", "DELETE", `/prompts/${id}`);
    for (let tries = 0; tries < 200 && holders().length > 0; tries++) await Bun.sleep(10);
    expect(holders()).toEqual([]);
  });
});

describe("what other plugins ask for", () => {
  const ask = (who: string, ids: readonly string[]) =>
    prompts.require(server.store.db, `usr_${who}`, ids, "/usedPrompts");

  test("prompts in the order of their ids, each once", async () => {
    const a = await create("ada", { name: "a", text: "first" });
    const b = await create("ada", { name: "b", text: "second" });
    expect((await ask("ada", [b.id, a.id, b.id])).map(({ id, text }) => [id, text])).toEqual([
      [b.id, "second"],
      [a.id, "first"],
    ]);
    expect(await ask("ada", [])).toEqual([]);
  });

  test("one that is missing is 404 and names the field, even beside another user's", async () => {
    const { id } = await create("ada", { name: "a", text: "x" });
    const error = await ask("bob", [id, "prm_none"]).catch((thrown: HttpError) => thrown);
    expect(error).toMatchObject({
      status: 404,
      errors: [{ pointer: "/usedPrompts", detail: "The prompt prm_none could not be found." }],
    });
  });

  test("one of another user is 403", async () => {
    const { id } = await create("ada", { name: "a", text: "x" });
    expect(await ask("bob", [id]).catch((thrown: HttpError) => thrown)).toMatchObject({
      status: 403,
      errors: [{ pointer: "/usedPrompts" }],
    });
  });
});

test("a key that may only read may not save", async () => {
  await server.key("ada");
  const { token } = await server.accounts.createKey("usr_ada", {
    name: "reader",
    scopes: ["read"],
  });
  const headers = { authorization: `Bearer ${token}` };
  expect((await server.send(null, "GET", "/prompts", undefined, headers)).status).toBe(200);
  expect(
    (await server.send(null, "POST", "/prompts", { name: "a", text: "b" }, headers)).status,
  ).toBe(403);
});
