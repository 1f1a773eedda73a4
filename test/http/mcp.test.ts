/** The Model Context Protocol in this process: the official client, and raw messages. */
import { beforeAll, describe, expect, test } from "bun:test";
import { tokensOf } from "../../core/lib/tokens";
import { mcpCases } from "../cases/mcp-client";
import { mcp } from "../helpers/clients";
import { startTestServer, type TestServer } from "../helpers/host";
import { breaksOff, startProvider } from "../helpers/provider";
import { until } from "../helpers/server";

describe("the client of the SDK", () => mcpCases(startTestServer));

const headers = { accept: "application/json, text/event-stream" };
const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };

describe("raw messages", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({
      env: { DOSSIER_SERVER_CORS_ORIGINS: "https://agents.example" },
      public_url: "https://papers.example",
    });
  });
  const send = (body: unknown, sent: Record<string, string> = {}, method = "POST") =>
    server.send("ada", method, "//mcp", body, { ...headers, ...sent });

  const rows: [why: string, body: unknown, sent: Record<string, string>, status: number][] = [
    ["any message, without a session", list, {}, 200],
    ["a page of the public address", list, { origin: "https://papers.example" }, 200],
    ["a page of an allowed origin", list, { origin: "https://agents.example" }, 200],
    ["any other page", list, { origin: "https://evil.example" }, 403],
    ["a page without an origin", list, { origin: "null" }, 403],
    ["a batch of messages", [list, list], {}, 400],
    ["not JSON-RPC", { id: 1 }, {}, 400],
    ["invalid JSON", "{", { "content-type": "application/json" }, 400],
    ["not JSON", "a=b", { "content-type": "application/x-www-form-urlencoded" }, 415],
    ["an unsupported Accept header", list, { accept: "text/html" }, 406],
    ["an unknown protocol version", list, { "mcp-protocol-version": "1999-01-01" }, 400],
    ["a message that is too large", { ...list, params: { a: "a".repeat(5 * 2 ** 20) } }, {}, 413],
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }, {}, 202],
  ];
  test.each(rows)("%s", async (_why, body, sent, status) => {
    const answer = await send(body, sent);
    expect([answer.status, answer.body?.jsonrpc]).toEqual([
      status,
      status === 202 ? undefined : "2.0",
    ]);
    if (status === 200) expect(answer.body.result.tools.length).toBeGreaterThan(5);
    else if (status !== 202) expect(answer.body.error.message).toMatch(/\w+/);
  });

  test.each([["GET"], ["DELETE"]])("%s is refused, since there are no sessions", async (method) => {
    const answer = await send(undefined, {}, method);
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
  });

  test("no key", async () => {
    const answer = await server.send(null, "POST", "//mcp", list, headers);
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
      401,
      'Bearer realm="dossier"',
    ]);
  });
});

test("tool results stay below the token limit, and say what is missing", async () => {
  const server = await startTestServer({ env: { DOSSIER_MCP_ANSWER_TOKENS: "1000" } });
  const ids: string[] = [];
  for (let n = 0; n < 60; n++) {
    const name = `Folder ${n} ${"of many words ".repeat(15)}`;
    ids.push((await server.send("ada", "POST", "/folders", { name })).body.id);
  }
  const content = "The ferry leaves at nine, and again at ten. ".repeat(200);
  for (let n = 0; n < 6; n++) {
    const document = { folder_id: ids[0], name: `Ferry ${n}`, content: `${n}: ${content}` };
    await server.send("ada", "POST", "/documents", document);
  }
  await server.settle();
  const ada = await mcp(server, "ada");
  const seen = new Set<string>();
  for (let skip: number | null = 0; skip !== null;) {
    const { content: parts } = (await ada.callTool({
      name: "list_folders",
      arguments: { skip },
    })) as any;
    for (const [id] of parts[0].text.matchAll(/fld_\w+/g)) seen.add(id);
    const next = /list_folders with skip (\d+) goes on/.exec(parts[0].text);
    skip = next ? Number(next[1]) : null;
  }
  expect([...seen].toSorted()).toEqual(ids.toSorted());
  const calls: [tool: string, args: object, says: RegExp][] = [
    ["list_folders", {}, /more did not fit/],
    ["search", { query: "ferry", limit: 25 }, /more did not fit/],
    ["ask", { question: "When does the ferry leave?" }, /nine/],
  ];
  for (const [name, args, says] of calls) {
    const { content: parts } = (await ada.callTool({ name, arguments: args as never })) as any;
    expect(parts[0].text).toMatch(says);
    expect(tokensOf(parts[0].text)).toBeLessThan(1_000);
  }
}, 60_000);

test("a client that disconnects stops the work on its answer", async () => {
  const provider = startProvider();
  provider.answerWith(() => breaksOff("The heron stands in shallow water [1]. It ", true));
  const server = await startTestServer({
    env: {
      DOSSIER_ANSWERS_PROVIDER: "openai",
      DOSSIER_ANSWERS_BASE_URL: provider.base_url,
      DOSSIER_ANSWERS_MODEL: "tiny-1",
      DOSSIER_ANSWERS_REWRITE_TIMEOUT: "0s",
    },
  });
  const folder_id = (await server.send("ada", "POST", "/folders", { name: "Birds" })).body.id;
  const content = "The heron stands in shallow water. It waits for fish without moving.";
  await server.send("ada", "POST", "/documents", { folder_id, name: "herons", content });
  await server.settle();
  const left = new AbortController();
  const params = { name: "ask", arguments: { question: "Where does the heron stand?" } };
  const request = new Request("http://dossier.test/mcp", {
    method: "POST",
    headers: {
      ...headers,
      authorization: `Bearer ${await server.key("ada")}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    signal: left.signal,
  });
  const answer = server.fetch(request).catch(() => undefined);
  await until(() => provider.asked().length === 1);
  left.abort();
  await until(() => provider.asked()[0]!.signal.aborted);
  await answer;
  const [chat] = (await server.send("ada", "GET", "/chats")).body.data;
  const [message] = (await server.send("ada", "GET", `/chats/${chat.id}/messages`)).body.data;
  expect(message.status).toBe("CANCELLED");
  provider.stop();
}, 60_000);

test("when disabled, /mcp is not found", async () => {
  const server = await startTestServer({ env: { DOSSIER_MCP_ENABLED: "false" } });
  expect((await server.send("ada", "POST", "//mcp", list, headers)).status).toBe(404);
});
