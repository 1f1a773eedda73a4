/** When a client disconnects or cancels a call, the work for it stops, at every endpoint. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { definePlugin, fill } from "../../core/sdk";
import { Answerers } from "../../plugins/chats/contract";
import { Rerankers } from "../../plugins/search/contract";
import { mcp } from "../helpers/clients";
import { startTestServer, type TestServer } from "../helpers/host";
import { person } from "../helpers/person";
import { until } from "../helpers/server";

/** The work in progress, and how often some was told to stop. */
let working = 0;
let ended = 0;
const untilTold = (signal: AbortSignal | undefined): Promise<never> => {
  working += 1;
  return new Promise<never>((_, reject) =>
    signal!.addEventListener("abort", () => {
      working -= 1;
      ended += 1;
      reject(signal!.reason as Error);
    }),
  );
};
const patient = definePlugin({
  name: "patient",
  version: "1.0.0",
  setup: () => ({
    fills: [
      fill(Answerers, { name: "patient", rank: 1_000, answer: ({ signal }) => untilTold(signal) }),
      fill(Rerankers, {
        passages_max: 10,
        rerank: (_q, _t, how) => untilTold(how.signal),
      }),
    ],
  }),
});

let server: TestServer;
let folder: string;
let key: string;
let read_key: string;
const agents: Client[] = [];
beforeAll(async () => {
  server = await startTestServer({ plugins: [patient] });
  const ada = await person(server, "ada");
  folder = await ada.folder("Otters");
  for (const name of ["one", "two", "three"])
    await ada.text(folder, `The otter ${name} sleeps in the reeds.`, name);
  key = await server.key("ada");
  read_key = await server.newKey("ada", ["read"]);
});
afterAll(() => Promise.all(agents.map((agent) => agent.close())));

/** A request that the client aborts. */
const posted = (path: string, body: object) => async (signal: AbortSignal) => {
  const request = new Request(`http://dossier.test${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify(body),
    signal,
  });
  const answer = await server.fetch(request);
  await answer.body?.cancel();
};
/** A call that the SDK's client cancels, by a message. */
const called =
  (name: string, body: () => object, options: object = {}, by = () => key) =>
  async (signal: AbortSignal) => {
    const agent = await mcp(server, "ada", { key: by() });
    agents.push(agent);
    await agent.callTool({ name, arguments: { ...body() } }, undefined, { signal, ...options });
  };
const question = "Where does the otter sleep?";
const conversation = { model: "dossier", messages: [{ role: "user", content: question }] };
const tool = (name: string, arguments_: object) => ({
  jsonrpc: "2.0",
  id: 7,
  method: "tools/call",
  params: { name, arguments: arguments_ },
});

const doors: [door: string, begin: (signal: AbortSignal) => Promise<unknown>][] = [
  ["POST /search", posted("/api/dev/v1/search", { query: "otter" })],
  ["/v1/chat/completions", posted("/v1/chat/completions", conversation)],
  [
    "/v1/vector_stores/…/search",
    (signal) => posted(`/v1/vector_stores/${folder}/search`, { query: "otter" })(signal),
  ],
  ["/mcp search, by disconnecting", posted("/mcp", tool("search", { query: "otter" }))],
  ["/mcp ask, by disconnecting", posted("/mcp", tool("ask", { question }))],
  ["/mcp search, by a message", called("search", () => ({ query: "otter" }))],
  ["/mcp ask, by a message", called("ask", () => ({ question }))],
  [
    "/mcp ask with progress, by a message",
    called("ask", () => ({ question }), { onprogress: () => undefined }),
  ],
  [
    "/mcp ask with a read-only key",
    called(
      "ask",
      () => ({ question }),
      {},
      () => read_key,
    ),
  ],
];
test.each(doors)("%s", async (_door, begin) => {
  const leaving = new AbortController();
  const before = ended;
  const over = begin(leaving.signal).catch(() => undefined);
  await until(() => working === 1);
  leaving.abort();
  await until(() => working === 0);
  await over;
  expect(ended).toBe(before + 1);
  await server.settle();
  expect(working).toBe(0);
});

test("/v1/chat/completions as a stream", async () => {
  const before = ended;
  const answer = await server.fetch(
    new Request("http://dossier.test/v1/chat/completions", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ ...conversation, stream: true }),
    }),
  );
  await until(() => working === 1);
  await answer.body!.cancel();
  await until(() => working === 0);
  expect(ended).toBe(before + 1);
});

test("cancelling another client's call with the same key has no effect", async () => {
  const leaving = new AbortController();
  const over = called("search", () => ({ query: "otter" }))(leaving.signal).catch(() => undefined);
  await until(() => working === 1);
  const stranger = await mcp(server, "ada", { key });
  agents.push(stranger);
  for (let id = 0; id < 5; id++)
    await stranger.notification({ method: "notifications/cancelled", params: { requestId: id } });
  await stranger.listTools();
  expect(working).toBe(1);
  leaving.abort();
  await until(() => working === 0);
  await over;
});
