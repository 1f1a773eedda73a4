/** Saved prompts: their records, access, and what is deleted with them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectHas, expectProblem, expectRecord } from "../helpers/contract";
import { placesWith } from "../helpers/databases";
import { person, type Person } from "../helpers/person";
import { until, type ApiServer, type StartServer } from "../helpers/server";

export function promptCases(start: StartServer): void {
  let server: ApiServer;
  let ada: Person;
  let bob: Person;
  let prompt: string;
  const list = async () => (await ada.send("GET", "/prompts?per_page=200")).body;

  beforeAll(async () => {
    server = await start();
    [ada, bob] = [await person(server, "ada"), await person(server, "bob")];
    prompt = (await ada.create("/prompts", { name: "Short", text: "Be short." })).id;
  }, 180_000);
  afterAll(() => server?.[Symbol.asyncDispose]());

  describe("creating", () => {
    const cases: [why: string, body: object, expected: object][] = [
      [
        "the name is trimmed, but not the text",
        { name: "  Plain words ", text: " Answer plainly. ", description: "For guests" },
        { name: "Plain words", text: " Answer plainly. ", description: "For guests" },
      ],
      ["a name and a text are enough", { name: "a", text: "b" }, { description: null }],
      ["names may repeat", { name: "Short", text: "b" }, { name: "Short" }],
      [
        "a description may be null",
        { name: "a", text: "b", description: null },
        { description: null },
      ],
      [
        "a description may be empty",
        { name: "a", text: "b", description: "" },
        { description: "" },
      ],
      [
        "unknown fields are ignored",
        { name: "a", text: "b", owner_id: "usr_bob", id: "prm_x" },
        { name: "a", text: "b" },
      ],
      [
        "a name of 255 emoji is not too long",
        { name: "🗂".repeat(255), text: "b" },
        { name: "🗂".repeat(255) },
      ],
      [
        "a text of 32,000 emoji is not too long",
        { name: "a", text: "🗂".repeat(32_000) },
        { text: "🗂".repeat(32_000) },
      ],
    ];
    for (const [why, body, expected] of cases)
      test(why, async () => {
        const { total } = (await list()).pagination;
        const { status, body: record, headers } = await ada.send("POST", "/prompts", body);
        expect([status, headers.get("location")]).toEqual([
          201,
          `/api/dev/v1/prompts/${record.id}`,
        ]);
        expectRecord("prompt", record);
        expectHas(record, expected);
        expect(record.created_at).toBe(record.updated_at);
        expect((await ada.send("GET", headers.get("location")!)).body).toEqual(record);
        expect((await list()).pagination.total).toBe(total + 1);
      });
  });

  test("a page of long texts has every one of them, newest first", async () => {
    const writer = await person(server, "writer");
    const texts = Array.from({ length: 40 }, (_, at) => `${at} `.padEnd(32_000, `ä🗂${at} `));
    for (const text of texts) await writer.create("/prompts", { name: "Long", text });
    const { body } = await writer.send("GET", "/prompts?per_page=30&page=1");
    expect(body.data.map((prompt: { text: string }) => prompt.text)).toEqual(
      texts.toReversed().slice(0, 30),
    );
    expectHas(body.pagination, { count: 30, total: 40, total_pages: 2, next_page: 2 });
  });

  describe("refused without any change", () => {
    type Case = [why: string, method: "POST" | "PUT", body: unknown, at: string];
    const cases: Case[] = [
      ["no name", "POST", { text: "x" }, "/name"],
      ["a name in other letter case", "POST", { Name: "x", NAME: "x", text: "x" }, "/name"],
      ["a name that is null", "POST", { name: null, text: "x" }, "/name"],
      ["an empty name", "POST", { name: "", text: "x" }, "/name"],
      ["a blank name", "POST", { name: " \u3000\u0085\u200B", text: "b" }, "/name"],
      ["a name of 256 characters", "POST", { name: "x".repeat(256), text: "b" }, "/name"],
      ["a name with U+0000", "POST", { name: "a\u0000b", text: "x" }, "/name"],
      ["a name with an unpaired surrogate", "POST", { name: "a\ud800b", text: "x" }, "/name"],
      ...[1, true, [], {}, ["x"]].map((name): Case => [
        `the name ${JSON.stringify(name)}`,
        "POST",
        { name, text: "x" },
        "/name",
      ]),
      ["no text", "POST", { name: "x" }, "/text"],
      ["blank text", "POST", { name: "x", text: " \n\t " }, "/text"],
      ["a number for a text", "POST", { name: "x", text: 1 }, "/text"],
      ["a text of 32,001 characters", "POST", { name: "a", text: "x".repeat(32_001) }, "/text"],
      ["U+0000 in a text", "POST", { name: "a", text: "b\u0000" }, "/text"],
      [
        "a description of 4,001 characters",
        "POST",
        { name: "a", text: "b", description: "x".repeat(4_001) },
        "/description",
      ],
      [
        "a description that is a list",
        "POST",
        { name: "a", text: "b", description: [] },
        "/description",
      ],
      ["a list instead of an object", "POST", [], ""],
      ["no body", "POST", undefined, ""],
      ["an emptied text", "PUT", { text: "" }, "/text"],
      ["a null text", "PUT", { text: null }, "/text"],
      ["a text that is too long", "PUT", { text: "x".repeat(32_001) }, "/text"],
      ["an emptied name", "PUT", { name: " " }, "/name"],
      ["a blank name with a valid text", "PUT", { name: " ", text: "New text" }, "/name"],
    ];
    for (const [why, method, body, at] of cases)
      test(`${method}: ${why}`, async () => {
        const before = await list();
        const path = method === "POST" ? "/prompts" : `/prompts/${prompt}`;
        const answer = await ada.send(method, path, body);
        expectProblem(answer, 400, at.slice(1));
        expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([at]);
        expect(await list()).toEqual(before);
      });
  });

  describe("changing replaces the fields that are given", () => {
    const cases: [why: string, change: object, expected: object][] = [
      [
        "the name alone",
        { name: " New " },
        { name: "New", text: "Be short.", description: "Old words" },
      ],
      [
        "the text alone, kept unchanged",
        { text: " Be\nlong. " },
        { name: "Old", text: " Be\nlong. " },
      ],
      ["null removes a description", { description: null }, { description: null }],
      ["an empty description is kept", { description: "" }, { description: "" }],
      [
        "everything at once",
        { name: "A", text: "B", description: "C" },
        { name: "A", text: "B", description: "C" },
      ],
      ["nothing", {}, { name: "Old", text: "Be short.", description: "Old words" }],
      [
        "read-only fields",
        { id: "prm_x", owner_id: "usr_bob", created_at: "2000-01-01T00:00:00Z" },
        {},
      ],
    ];
    for (const [why, change, expected] of cases)
      test(why, async () => {
        const before = await ada.create("/prompts", {
          name: "Old",
          text: "Be short.",
          description: "Old words",
        });
        await Bun.sleep(2);
        const { status, body } = await ada.send("PUT", `/prompts/${before.id}`, change);
        expect(status).toBe(200);
        expectRecord("prompt", body);
        expect(body).toEqual({ ...before, ...expected, updated_at: body.updated_at });
        const changes = "name" in change || "text" in change || "description" in change;
        expect(body.updated_at > before.updated_at).toBe(changes);
        expect((await ada.send("GET", `/prompts/${before.id}`)).body).toEqual(body);
      });
  });

  describe("listing", () => {
    let cleo: Person;
    beforeAll(async () => {
      cleo = await person(server, "cleo");
    });
    test("a user without prompts has an empty list", async () => {
      expect((await cleo.send("GET", "/prompts")).body.pagination).toEqual({
        count: 0,
        total: 0,
        per_page: 50,
        total_pages: 0,
        next_page: null,
        previous_page: null,
      });
    });
    test("newest first, in pages, only the user's own", async () => {
      for (const name of ["one", "two", "three"])
        await cleo.create("/prompts", { name, text: "x" });
      await bob.create("/prompts", { name: "not cleo's", text: "x" });
      const first = (await cleo.send("GET", "/prompts?per_page=2")).body;
      expect(first.data.map(({ name }: { name: string }) => name)).toEqual(["three", "two"]);
      expect(first.pagination).toEqual({
        count: 2,
        total: 3,
        per_page: 2,
        total_pages: 2,
        next_page: 2,
        previous_page: null,
      });
      const second = (await cleo.send("GET", "/prompts?per_page=2&page=2")).body;
      expect(second.data.map(({ name }: { name: string }) => name)).toEqual(["one"]);
      expect(second.pagination).toMatchObject({ count: 1, next_page: null, previous_page: 1 });
    });
    const cases: [why: string, query: string, status: number, pagination?: object][] = [
      ["above 200 means 200", "?per_page=1000", 200, { per_page: 200 }],
      ["a page past the end is empty", "?page=9", 200, { count: 0, next_page: null }],
      ["page 0", "?page=0", 400],
      ["a fractional page", "?page=1.5", 400],
      ["a page that isn't a number", "?page=x", 400],
      ["no items", "?per_page=0", 400],
    ];
    for (const [why, query, status, pagination] of cases)
      test(why, async () => {
        const answer = await cleo.send("GET", `/prompts${query}`);
        expect(answer.status).toBe(status);
        if (pagination) expect(answer.body.pagination).toMatchObject(pagination);
      });
  });

  describe("a prompt that is not the caller's", () => {
    for (const [method, body] of [["GET"], ["PUT", { name: "Mine now" }], ["DELETE"]] as const) {
      test(`${method} of another user's is forbidden, and changes nothing`, async () => {
        const record = await ada.create("/prompts", { name: "Private", text: "x" });
        expect((await bob.send(method, `/prompts/${record.id}`, body)).status).toBe(403);
        expect((await ada.send("GET", `/prompts/${record.id}`)).body).toEqual(record);
      });
      test(`${method} of one that does not exist is not found`, async () =>
        expect(
          (await bob.send(method, "/prompts/prm_01J9ZK3V6W8Q2T4Y5N7B1C0DEF", body)).status,
        ).toBe(404));
    }
    test("a malformed change is 400 before any lookup", async () =>
      expect((await bob.send("PUT", "/prompts/prm_none", { name: " " })).status).toBe(400));
  });

  describe("deleting", () => {
    test("a prompt is removed from every session; a repeat is 404", async () => {
      const { id } = await ada.create("/prompts", { name: "x", text: "x" });
      const chat = await ada.create("/chats", { usedPrompts: [id, prompt] });
      const answer = await ada.send("DELETE", `/prompts/${id}`);
      expect([answer.status, answer.body]).toEqual([204, undefined]);
      for (const method of ["GET", "DELETE"])
        expectProblem(await ada.send(method, `/prompts/${id}`), 404);
      expect((await ada.send("GET", `/chats/${chat.id}`)).body.usedPrompts).toEqual([prompt]);
      expect((await list()).data.map((prompt: any) => prompt.id)).not.toContain(id);
    });
    test("removes the text from every file of the data directory", async () => {
      const text = `a secret recipe ${crypto.randomUUID()}`;
      const { id } = await ada.create("/prompts", { name: "x", text });
      expect(await placesWith(server.data, text)).not.toEqual([]);
      await ada.send("DELETE", `/prompts/${id}`);
      await until(async () => (await placesWith(server.data, text)).length === 0, 2_000);
    });
  });
}
