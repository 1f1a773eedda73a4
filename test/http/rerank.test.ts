/** A reranker behind search: its order is used, and a faulty one does no harm. */
import { afterAll, describe, expect, test } from "bun:test";
import { EndpointReranker } from "../../plugins/rerank/reranker";
import { startTestServer } from "../helpers/host";
import { person } from "../helpers/person";

const ending: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ending) await end();
});
const key = "rk-0123456789abcdef";

interface Asked {
  readonly path: string;
  readonly authorization: string | null;
  readonly body: { model?: string; query: string; documents: string[]; top_n: number };
}
type Play = (request: Asked) => Response | Promise<Response>;

function startReranker() {
  let play: Play = () => new Response("no", { status: 500 });
  const requests: Asked[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (request.method !== "POST") return new Response("no", { status: 404 });
      const received_request: Asked = {
        path: pathname,
        authorization: request.headers.get("authorization"),
        body: (await request.json()) as Asked["body"],
      };
      requests.push(received_request);
      return play(received_request);
    },
  });
  ending.push(() => server.stop(true));
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    asked: requests,
    plays(next: Play) {
      play = next;
      requests.length = 0;
    },
  };
}

const scored =
  (relevance: (text: string) => number): Play =>
  ({ body }) =>
    Response.json({
      results: body.documents
        .map((text, index) => ({ index, relevance_score: relevance(text) }))
        .toSorted((a, b) => b.relevance_score - a.relevance_score),
    });
const places = ["pond", "lake", "river"];
const prefersRiver = (text: string): number =>
  places.findIndex((place) => text.includes(place)) / 4;

async function start(env: Record<string, string> = {}) {
  const reranker = startReranker();
  const server = await startTestServer({
    env: {
      DOSSIER_RERANK_BASE_URL: reranker.url,
      DOSSIER_RERANK_API_KEY: key,
      DOSSIER_RERANK_MODEL: "small",
      DOSSIER_RERANK_TIMEOUT: "2s",
      ...env,
    },
  });
  ending.push(() => server.stop());
  const ada = await person(server, "ada");
  const folder = await ada.folder("Birds");
  // The first repeats the word, so that the index ranks it first.
  for (const [at, place] of places.entries())
    await ada.text(folder, `The heron ${"heron ".repeat(3 - at)}stands in the ${place}.`);
  await server.settle();
  const search = async (query = "heron", limit = 10) => {
    const { status, body } = await ada.send("POST", "/search", { query, limit });
    expect(status).toBe(200);
    return body.data as { quote: string; score: number }[];
  };
  const order = async (query?: string, limit?: number): Promise<string[]> =>
    (await search(query, limit)).map(({ quote }) => /(\w+)\.$/.exec(quote)![1]!);
  return { server, reranker, ada, folder, search, order };
}

describe("a reranker", () => {
  test("decides the order of results, and is sent only what it needs", async () => {
    const { reranker, search, order } = await start();
    reranker.plays(scored(prefersRiver));
    expect(await order()).toEqual(["river", "lake", "pond"]);
    expect((await search()).map(({ score }) => score)).toEqual([0.5, 0.25, 0]);
    // The best after reranking, not the best of the index.
    expect(await order("heron", 1)).toEqual(["river"]);
    const [{ path, authorization, body }] = reranker.asked as [Asked];
    expect([path, authorization]).toEqual(["/v1/rerank", `Bearer ${key}`]);
    expect(body).toMatchObject({ model: "small", query: "heron", top_n: 3 });
    expect(body.documents.some((text) => text.includes("stands in the pond."))).toBe(true);
  });
  test("gets only the first passages, and the others follow", async () => {
    const { reranker, order, search } = await start({ DOSSIER_RERANK_PASSAGES_MAX: "2" });
    reranker.plays(scored(prefersRiver));
    expect(await order()).toEqual(["lake", "pond", "river"]);
    const scores = (await search()).map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });
  test("can return logits", async () => {
    const { reranker, order, search } = await start();
    reranker.plays(scored((text) => prefersRiver(text) * 20 - 8));
    expect(await order()).toEqual(["river", "lake", "pond"]);
    for (const { score } of await search()) expect(score > 0 && score < 1).toBe(true);
  });
  test("is used for answers", async () => {
    const { server, reranker, ada, folder } = await start();
    reranker.plays(scored(prefersRiver));
    const chat = (await ada.create("/chats", { usedFolders: [folder] })).id;
    const path = `/chats/${chat}/messages`;
    const { body } = await ada.send("POST", path, { text: "Where does the heron stand?" });
    await server.settle();
    const { result } = (await ada.send("GET", `${path}/${body.requestId}`)).body;
    expect(result.outcome).toBe("answered");
    expect(reranker.asked[0]!.body.query).toBe("Where does the heron stand?");
  });
  test("is not called when none is configured", async () => {
    const { reranker, order } = await start({ DOSSIER_RERANK_BASE_URL: "" });
    expect(await order()).toEqual(["pond", "lake", "river"]);
    expect(reranker.asked).toEqual([]);
  });
});

describe("passages keep their order when the reranker", () => {
  const moods: [why: string, play: Play][] = [
    ["fails", () => new Response("secret words", { status: 500 })],
    ["refuses the key", () => new Response("no", { status: 401 })],
    ["sends an HTML page", () => new Response("<html>")],
    ["sends JSON of the wrong shape", () => Response.json({ data: [] })],
    [
      "names a passage that doesn't exist",
      () => Response.json({ results: [{ index: 7, relevance_score: 1 }] }),
    ],
    [
      "names a passage twice",
      () => Response.json({ results: [0, 0].map((index) => ({ index, relevance_score: 1 })) }),
    ],
    [
      "sends a score that isn't a number",
      () => Response.json({ results: [{ index: 0, relevance_score: "1" }] }),
    ],
    [
      "redirects",
      () => new Response(null, { status: 302, headers: { location: "http://127.0.0.1:1/" } }),
    ],
  ];
  test("has any fault", async () => {
    const { reranker, order } = await start();
    for (const [why, play] of moods) {
      reranker.plays(play);
      expect([why, await order()]).toEqual([why, ["pond", "lake", "river"]]);
      // A success in between makes sure that the reranker is called for the next fault.
      reranker.plays(scored(prefersRiver));
      expect([`after it ${why}`, await order()]).toEqual([
        `after it ${why}`,
        ["river", "lake", "pond"],
      ]);
    }
  }, 30_000);
  test("hangs", async () => {
    const { reranker, order } = await start({ DOSSIER_RERANK_TIMEOUT: "100ms" });
    reranker.plays(() => new Promise<Response>(() => undefined));
    expect(await order()).toEqual(["pond", "lake", "river"]);
  });
});

test("a dead reranker is paused, reported, and tried again after a while", async () => {
  const { server, reranker, order } = await start();
  reranker.plays(() => new Response("no", { status: 503 }));
  for (let n = 0; n < 5; n++) await order();
  expect(reranker.asked).toHaveLength(3);
  expect(await server.host.health()).toEqual([
    { plugin: "rerank", failing: expect.stringMatching(/^Passages are not reranked: .*503.*log/) },
  ]);

  let now = 0;
  const endpoint = {
    base_url: reranker.url,
    api_key: undefined,
    model: undefined,
    timeout_ms: 2_000,
    passages_max: 9,
  };
  const log = { warn: () => undefined } as never;
  const own_reranker = new EndpointReranker(endpoint, { now_ms: () => now, log });
  const ranks = () => own_reranker.rerank("q", ["a", "b"], {});
  for (let n = 0; n < 4; n++) expect(await ranks()).toBeNull();
  expect(own_reranker.failing()).not.toBeNull();
  reranker.plays(scored(() => 0.5));
  expect(await ranks()).toBeNull();
  now += 31_000;
  expect(await ranks()).toEqual([0.5, 0.5]);
  expect(own_reranker.failing()).toBeNull();
});

describe("settings", () => {
  test.each([
    [
      "an address without a scheme",
      { DOSSIER_RERANK_BASE_URL: "localhost:8080" },
      /must start with http/,
    ],
    [
      "a password in the address",
      { DOSSIER_RERANK_BASE_URL: "http://u:hush@h/v1" },
      /^(?![\s\S]*hush)[\s\S]*must not contain a user name/,
    ],
    [
      "a timeout of zero",
      { DOSSIER_RERANK_BASE_URL: "http://h/v1", DOSSIER_RERANK_TIMEOUT: "0s" },
      /rerank\.timeout/,
    ],
  ] as [string, Record<string, string>, RegExp][])(
    "%s stops the start",
    async (_why, env, says) => {
      await expect(startTestServer({ env })).rejects.toThrow(says);
    },
  );
});
