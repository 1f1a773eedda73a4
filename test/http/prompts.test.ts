/** Saved prompts in this process: the shared cases, and the service for other plugins. */
import { beforeAll, describe, expect, test } from "bun:test";
import { HttpError } from "../../core/base/errors";
import { fill } from "../../core/base/refs";
import { definePlugin, type Page } from "../../core/sdk";
import { Prompts, PromptUses } from "../../plugins/prompts/contract";
import { promptCases } from "../cases/prompts";
import { startTestServer, type TestServer } from "../helpers/host";
import { person } from "../helpers/person";

describe("prompts", () => promptCases(startTestServer));

let server: TestServer;
let prompts: Prompts;
/** The prompts the slot was called with, and what it throws when set. */
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
            // The prompt must still exist: it is deleted after its users have let go of it.
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

describe("deleting", () => {
  test("is permanent, and plugins that use the prompt are told first", async () => {
    const { id } = await create("ada", { name: "x", text: "x" });
    const answer = await server.send("ada", "DELETE", `/prompts/${id}`);
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect(removed).toContain(id);
    expect((await server.send("ada", "GET", `/prompts/${id}`)).status).toBe(404);
    expect((await server.send("ada", "DELETE", `/prompts/${id}`)).status).toBe(404);
  });

  test("is rolled back when one of them fails", async () => {
    const { id } = await create("ada", { name: "x", text: "x" });
    refusal = new HttpError(409, "in_use", "It is in use.");
    expect((await server.send("ada", "DELETE", `/prompts/${id}`)).status).toBe(409);
    refusal = null;
    expect((await server.send("ada", "GET", `/prompts/${id}`)).status).toBe(200);
  });
});

describe("the service for other plugins", () => {
  const ask = (who: string, ids: readonly string[]) =>
    prompts.require(server.store.db, `usr_${who}`, ids, "/usedPrompts");

  test("returns prompts in the given order, each once", async () => {
    const a = await create("ada", { name: "a", text: "first" });
    const b = await create("ada", { name: "b", text: "second" });
    expect((await ask("ada", [b.id, a.id, b.id])).map(({ id, text }) => [id, text])).toEqual([
      [b.id, "second"],
      [a.id, "first"],
    ]);
    expect(await ask("ada", [])).toEqual([]);
  });

  test("refuses a missing one with 404, naming the field, even next to a foreign one", async () => {
    const { id } = await create("ada", { name: "a", text: "x" });
    const error = await ask("bob", [id, "prm_none"]).catch((thrown: HttpError) => thrown);
    expect(error).toMatchObject({
      status: 404,
      errors: [{ pointer: "/usedPrompts", detail: "The prompt prm_none could not be found." }],
    });
  });

  test("refuses another user's with 403", async () => {
    const { id } = await create("ada", { name: "a", text: "x" });
    expect(await ask("bob", [id]).catch((thrown: HttpError) => thrown)).toMatchObject({
      status: 403,
      errors: [{ pointer: "/usedPrompts" }],
    });
  });
});

test("a read-only key can't save prompts", async () => {
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

test("a page of long texts is read while it is received", async () => {
  const reader = await person(server, "reader");
  const text = "x".repeat(32_000);
  const ids: string[] = [];
  for (let n = 0; n < 30; n++)
    ids.push((await reader.create("/prompts", { name: `${n}`, text })).id);
  const response = await server.fetch(
    new Request("http://dossier.test/api/dev/v1/prompts?per_page=50", {
      headers: { authorization: `Bearer ${reader.key}` },
    }),
  );
  await reader.send("DELETE", `/prompts/${ids[0]}`);
  const { data, pagination } = (await response.json()) as Page<{ readonly id: string }>;
  expect(data.map(({ id }) => id)).toEqual(ids.slice(1).toReversed());
  expect([pagination.count, pagination.total]).toEqual([29, 30]);
});
