/**
 * Trying settings of a model or embedder before storing them: how each fault of an endpoint is
 * reported, what is sent where, and that nothing is stored.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer, type AddressInfo, type Server } from "node:net";
import { signedIn, type Browser } from "../helpers/browser";
import { startEmbedder } from "../helpers/embedder";
import { startTestServer, type TestServer } from "../helpers/host";
import { saysWhole, startProvider } from "../helpers/provider";
import { selfSigned } from "../helpers/self-signed";

const key = "sk-xylophonecanary";
let server: TestServer;
let admin: Browser;
let ada: Browser;
beforeAll(async () => {
  server = await startTestServer({
    env: { DOSSIER_ANSWERS_FALLBACK: "fail", DOSSIER_EMBEDDINGS_PROVIDER: "" },
  });
  admin = await signedIn(server, "grace", { role: "admin" });
  ada = await signedIn(server, "ada");
});
afterAll(() => server.stop());

const tried = (section: string, changes?: object) =>
  admin.send("POST", `/settings/${section}/test`, changes);
const change = (changes: object) => admin.send("PATCH", "/settings", changes);
const storedCount = async () =>
  (await server.store.db.selectFrom("core_settings").selectAll().execute()).length;

/** Settings for trying a language model. */
const model = (base_url: string, more: object = {}) => ({
  "answers.provider": "openai",
  "answers.base_url": base_url,
  "answers.model": "tiny",
  "answers.api_key": key,
  "answers.timeout": "3s",
  ...more,
});

/** An endpoint that answers every POST like this, and lists these models. */
function endpoint(answer: () => Response | Promise<Response>, models: readonly string[] | null) {
  /** The `Authorization` of each request. */
  const keys: (string | null)[] = [];
  const http = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch(request) {
      keys.push(request.headers.get("authorization"));
      if (request.method === "POST") return answer();
      return models === null
        ? new Response("404 page not found", { status: 404 })
        : Response.json({ object: "list", data: models.map((id) => ({ id })) });
    },
  });
  return {
    keys,
    url: `http://127.0.0.1:${http.port}/v1`,
    origin: `http://127.0.0.1:${http.port}`,
    [Symbol.dispose]: () => void http.stop(true),
  };
}
const says = (status: number, body: object | string, headers: Record<string, string> = {}) =>
  typeof body === "string"
    ? new Response(body, { status, headers })
    : Response.json(body, { status, headers });

/** A port that handles every connection like this. */
async function rawPort(meet: (socket: import("node:net").Socket) => void) {
  const raw: Server = createServer((socket) => {
    socket.on("error", () => undefined);
    meet(socket);
  });
  await new Promise<void>((resolve) => raw.listen(0, "127.0.0.1", resolve));
  return {
    host: `127.0.0.1:${(raw.address() as AddressInfo).port}`,
    [Symbol.dispose]: () => void raw.close(),
  };
}

describe("a language model that", () => {
  type Case = [
    why: string,
    answer: () => Response | Promise<Response>,
    models: readonly string[] | null,
    status: "ok" | "warn" | "fail",
    detail: RegExp,
    setting: string | null,
  ];
  const list = ["qwen3:8b", "llama3:latest"];
  const no_model = { error: { message: "model 'tiny' not found, try pulling it first" } };
  const cases: Case[] = [
    ["answers", () => saysWhole("yes"), list, "ok", /^tiny at 127\..* responded in \d/, null],
    [
      "has only reasoned so far",
      () => says(200, { choices: [{ message: { role: "assistant", content: null } }] }),
      list,
      "ok",
      /responded/,
      null,
    ],
    [
      "rejects the key",
      () => says(401, { error: { message: `Incorrect key: ${key}` } }),
      list,
      "fail",
      /rejects the API key \(401\)\.$/,
      "answers.api_key",
    ],
    [
      "forbids access",
      () => says(403, "no"),
      list,
      "fail",
      /rejects the API key/,
      "answers.api_key",
    ],
    [
      "lacks the model, and says so",
      () => says(404, no_model),
      list,
      "fail",
      /has no model tiny\. It has qwen3:8b, llama3:latest\.$/,
      "answers.model",
    ],
    [
      "lacks the model, and calls it a bad request",
      () => says(400, { error: { message: "bad request" } }),
      ["other"],
      "fail",
      /has no model tiny\. It has other\.$/,
      "answers.model",
    ],
    [
      "lacks the model, and lists none",
      () => says(404, no_model),
      null,
      "fail",
      /has no model tiny\.$/,
      "answers.model",
    ],
    [
      "is at another path",
      () => says(404, "404 page not found"),
      null,
      "fail",
      /has nothing at \/v1\/chat\/completions \(404\)\.$/,
      "answers.base_url",
    ],
    [
      "has the model but refuses",
      () => says(400, { error: { message: `odd\u0007 words\nof ${key}, Bearer abcdefghi` } }),
      ["tiny"],
      "fail",
      /rejects the request \(400\): “odd words of \[secret\], Bearer \[secret\]”$/,
      "answers.model",
    ],
    [
      "has the model by its full name",
      () => says(422, { detail: "x".repeat(3_000) }),
      ["tiny:latest"],
      "fail",
      /rejects the request \(422\): “x{200} …”$/,
      "answers.model",
    ],
    [
      "is rate limited",
      () => says(429, ""),
      list,
      "warn",
      /no more requests at the moment \(429\)/,
      null,
    ],
    [
      "fails",
      () => says(500, "a stack\nof secrets"),
      list,
      "fail",
      /responds with status 500\.$/,
      null,
    ],
    [
      "reports an error with 200",
      () => says(200, { error: { message: "no credit" } }),
      list,
      "fail",
      /refuses: “no credit”$/,
      "answers.model",
    ],
    [
      "is a web page",
      () => says(200, "<h1>Hello</h1>", { "content-type": "text/html" }),
      list,
      "fail",
      /responds, but not as \/chat\/completions of/,
      "answers.base_url",
    ],
    [
      "is another JSON service",
      () => says(200, { hello: "world" }),
      list,
      "fail",
      /responds, but not as/,
      "answers.base_url",
    ],
    [
      "sends truncated JSON",
      () => says(200, '{"choices": ['),
      list,
      "fail",
      /not as/,
      "answers.base_url",
    ],
    [
      "redirects",
      () => says(307, "", { location: "https://elsewhere.test/v1/chat" }),
      list,
      "fail",
      /redirects to https:\/\/elsewhere\.test\. Redirects are not followed\.$/,
      "answers.base_url",
    ],
    [
      "sends an endless response",
      () => says(200, { choices: "x".repeat(3 * 2 ** 20) }),
      list,
      "fail",
      /responds, but not as/,
      "answers.base_url",
    ],
  ];
  test.each(cases)("%s", async (_why, answer, models, status, detail, setting) => {
    using at = endpoint(answer, models);
    const { body, text } = await tried("answers", model(at.url));
    expect(body).toEqual({
      section: "answers",
      status,
      detail: expect.stringMatching(detail),
      fix: status === "ok" ? null : expect.any(String),
      setting,
      duration_ms: expect.any(Number),
    });
    expect(text).not.toContain("canary");
    expect(at.keys[0]).toBe(`Bearer ${key}`);
  });

  test("rejects max_tokens is asked without it", async () => {
    const bodies: any[] = [];
    const provider = startProvider();
    provider.answerWith(({ body }) => {
      bodies.push(body);
      return "max_tokens" in body ? says(400, { error: "unsupported" }) : saysWhole("yes");
    });
    expect((await tried("answers", model(provider.base_url))).body.status).toBe("ok");
    expect(bodies).toHaveLength(2);
    provider.stop();
  });

  test("needs a key but gets none", async () => {
    using at = endpoint(() => says(401, ""), null);
    const { body } = await tried("answers", model(at.url, { "answers.api_key": null }));
    expect([body.setting, body.detail]).toEqual([
      "answers.api_key",
      expect.stringMatching(/requires an API key \(401\), and none was sent\.$/),
    ]);
    expect(at.keys).toEqual([null]);
  });

  test("is at an address that lacks /v1", async () => {
    using at = endpoint(() => says(404, "404 page not found"), null);
    const { body } = await tried("answers", model(at.origin));
    expect([body.detail, body.fix]).toEqual([
      expect.stringMatching(/has nothing at \/chat\/completions \(404\)\.$/),
      expect.stringMatching(/most end with \/v1/),
    ]);
  });
});

describe("an address where", () => {
  const expectFault = async (base_url: string, detail: RegExp, more: object = {}) =>
    expect((await tried("answers", model(base_url, more))).body).toMatchObject({
      status: "fail",
      detail: expect.stringMatching(detail),
      fix: expect.stringContaining("answers.base_url"),
      setting: "answers.base_url",
    });

  test("nothing listens", async () => {
    let closed: string;
    {
      using port = await rawPort(() => undefined);
      closed = port.host;
    }
    await expectFault(`http://${closed}/v1`, /^Nothing is listening at 127\.0\.0\.1:\d+\.$/);
  });
  test("the name can't be resolved", () =>
    expectFault("http://nothing-here.invalid/v1", /^The name nothing-here\.invalid can't be reso/));
  test("the server never responds", async () => {
    using port = await rawPort(() => undefined);
    await expectFault(`http://${port.host}/v1`, /is too slow: .* within 0\.2 s\.$/, {
      "answers.timeout": "200ms",
    });
  });
  test("the server starts and falls silent", async () => {
    using port = await rawPort((socket) =>
      socket.on("data", () => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{")),
    );
    await expectFault(`http://${port.host}/v1`, /is too slow/, { "answers.timeout": "200ms" });
  });
  test("the server closes the connection", async () => {
    using port = await rawPort((socket) => socket.destroy());
    await expectFault(`http://${port.host}/v1`, /accepts the connection, then closes it\.$/);
  });
  test("the server does not speak HTTP", async () => {
    using port = await rawPort((socket) => socket.write("SSH-2.0-OpenSSH_9.6\r\n"));
    await expectFault(`http://${port.host}/v1`, /does not speak HTTP\.$/);
  });
  test("the server speaks plain HTTP instead of TLS", async () => {
    using at = endpoint(() => saysWhole("yes"), null);
    await expectFault(at.url.replace("http:", "https:"), /does not speak TLS\.$/);
  });
  test("the server speaks TLS instead of plain HTTP, or its certificate is untrusted", async () => {
    const tls = await selfSigned("tiny");
    const https = Bun.serve({ port: 0, hostname: "127.0.0.1", tls, fetch: () => saysWhole("yes") });
    const host = `127.0.0.1:${https.port}`;
    await expectFault(`http://${host}/v1`, /then closes it\.$/);
    await expectFault(`https://${host}/v1`, /^The certificate of .* is not trusted \(\w+\)\.$/);
    await https.stop(true);
  });
});

describe("an embedder that", () => {
  const embedder = startEmbedder({ small: 512, large: 1_024 });
  afterAll(() => embedder.stop());
  const settings = (more: object = {}) => ({
    "embeddings.provider": "openai",
    "embeddings.base_url": embedder.url,
    "embeddings.model": "small",
    "embeddings.timeout": "300ms",
    ...more,
  });
  type Case = [
    why: string,
    mood: Parameters<typeof embedder.setBehaviour>[0],
    more: object,
    status: "ok" | "warn" | "fail",
    detail: RegExp,
    setting: string | null,
  ];
  const refusesDimensions = (dimensions: number) => ({
    // The first request asks for them, and the second does not.
    refuses: () => (embedder.asked.at(-1)!.dimensions === dimensions ? 400 : undefined),
  });
  const cases: Case[] = [
    ["works", "well", {}, "ok", /^small at .* created vectors of 512 numbers/, null],
    ["gives fewer", "well", { "embeddings.dimensions": 64 }, "ok", /vectors of 64 numbers/, null],
    [
      "has other dimensions",
      "wrong dimension",
      { "embeddings.dimensions": 64 },
      "fail",
      /creates vectors of 65 numbers, not of 64\.$/,
      "embeddings.dimensions",
    ],
    [
      "can't reduce dimensions",
      refusesDimensions(64),
      { "embeddings.dimensions": 64 },
      "fail",
      /creates vectors of 512 numbers, and refuses to create vectors of 64\.$/,
      "embeddings.dimensions",
    ],
    [
      "lacks the model",
      "well",
      { "embeddings.model": "none" },
      "fail",
      /has no model none\.$/,
      "embeddings.model",
    ],
    ["is silent", "silent", {}, "fail", /too slow.* 0\.3 s/, "embeddings.base_url"],
    ["wants a key", "401", {}, "fail", /none was sent/, "embeddings.api_key"],
    ["fails", "500", {}, "fail", /responds with status 500\.$/, null],
    ["breaks off", "broken off", {}, "fail", /not as \/embeddings/, "embeddings.base_url"],
    ["gives too few", "too few", {}, "fail", /not as \/embeddings/, "embeddings.base_url"],
    ["gives too many", "too many", {}, "fail", /not as \/embeddings/, "embeddings.base_url"],
    ["gives no numbers", "no numbers", {}, "fail", /not as \/embeddings/, "embeddings.base_url"],
    ["gives words", "NaN", {}, "fail", /not as \/embeddings/, "embeddings.base_url"],
    [
      "has no address",
      "well",
      { "embeddings.base_url": null },
      "fail",
      /^embeddings\.base_url is not set/,
      "embeddings.base_url",
    ],
    [
      "is built in",
      "well",
      { "embeddings.provider": "builtin", "embeddings.model": null },
      "ok",
      /^The built-in encoder created a vector in \d/,
      null,
    ],
    [
      "is built in and lacks the model",
      "well",
      { "embeddings.provider": "builtin", "embeddings.model": "gigantic" },
      "fail",
      /is gigantic, which the built-in encoder does not have/,
      "embeddings.model",
    ],
    ["is turned off", "well", { "embeddings.provider": "none" }, "ok", /words only/, null],
  ];
  test.each(cases)("%s", async (_why, mood, more, status, detail, setting) => {
    embedder.setBehaviour(mood);
    expect((await tried("embeddings", settings(more))).body).toMatchObject({
      status,
      detail: expect.stringMatching(detail),
      setting,
    });
  });
});

describe("a trial", () => {
  test("stores and changes nothing", async () => {
    using at = endpoint(() => saysWhole("yes"), null);
    const before = await storedCount();
    expect((await tried("answers", model(at.url))).body.status).toBe("ok");
    expect(await storedCount()).toBe(before);
    const { body } = await admin.send("GET", "/settings");
    expect(body.find((setting: any) => setting.setting === "answers.provider").value).toBe(
      "extractive",
    );
  });

  test("without a body tries the current settings", async () => {
    expect((await tried("answers")).body).toMatchObject({
      status: "ok",
      detail: "No language model is used: answers quote sentences from the documents.",
    });
  });

  test("sends a stored key only to its own server", async () => {
    using home = endpoint(() => saysWhole("yes"), null);
    using away = endpoint(() => says(401, ""), null);
    await change(model(home.url));
    expect((await tried("answers")).body.status).toBe("ok");
    expect((await tried("answers", { "answers.base_url": `${home.origin}/v2` })).body.status).toBe(
      "ok",
    );
    expect(home.keys).toEqual([`Bearer ${key}`, `Bearer ${key}`]);
    const { body } = await tried("answers", { "answers.base_url": away.url });
    expect(body).toMatchObject({
      status: "fail",
      detail: expect.stringContaining(`was not sent, because it is used at ${home.origin}.`),
      fix: "Enter the key together with the address.",
      setting: "answers.api_key",
    });
    expect(away.keys).toEqual([null]);
    await tried("answers", { "answers.base_url": away.url, "answers.api_key": "sk-another" });
    expect(away.keys[1]).toBe("Bearer sk-another");
    await change(Object.fromEntries(Object.keys(model("")).map((setting) => [setting, null])));
  });

  test("uses overriding values, and says so", async () => {
    using at = endpoint(() => saysWhole("yes"), null);
    const { body } = await tried("answers", model(at.url, { "answers.fallback": "extractive" }));
    expect([body.status, body.detail]).toEqual([
      "ok",
      expect.stringContaining(
        "answers.fallback is set by DOSSIER_ANSWERS_FALLBACK, and that value was tested.",
      ),
    ]);
  });

  test("ignores settings of other sections, and says so", async () => {
    const { status, body } = await tried("answers", { "embeddings.model": "m" });
    expect([status, body.detail]).toEqual([
      200,
      expect.stringContaining(
        "Not tested, because it belongs to another section: embeddings.model.",
      ),
    ]);
  });

  const refused: [why: string, section: string, changes: object, status: number, says: RegExp][] = [
    ["an unknown section", "nothing", {}, 404, /could not be found/],
    ["a section without a service", "quotas", {}, 404, /could not be found/],
    ["an unknown setting", "answers", { "answers.modell": "m" }, 400, /nearest is answers/],
    ["a wrong value", "answers", { "answers.timeout": "soon" }, 400, /must be a duration/],
    [
      "an incomplete group",
      "answers",
      { "answers.provider": "openai", "answers.model": "m" },
      400,
      /^answers\.base_url is required/,
    ],
    ["an invalid address", "answers", model("ftp://x"), 400, /must start with http/],
    [
      "a password in the address",
      "answers",
      model("http://a:b@x/v1"),
      400,
      /not contain a user name/,
    ],
  ];
  test.each(refused)("of %s is refused", async (_why, section, changes, status, says) => {
    const { status: got, body } = await tried(section, changes);
    expect([got, body.detail]).toEqual([status, expect.stringMatching(says)]);
  });
  test("that is refused names the field", async () => {
    const changes = { "answers.provider": "openai", "answers.model": "m" };
    expect((await tried("answers", changes)).body.errors[0].pointer).toBe("/answers.base_url");
    expect((await change(changes)).body.errors[0].pointer).toBe("/answers.base_url");
  });

  test("is for administrators only, and only from the console", async () => {
    const path = "/settings/answers/test";
    expect((await ada.send("POST", path, {})).status).toBe(403);
    expect((await ada.send("GET", "/settings/sections")).status).toBe(403);
    expect((await server.send("ada", "POST", path, {})).status).toBe(403);
    expect((await server.send(null, "POST", path, {})).status).toBe(401);
    const foreign = { origin: "https://evil.test", "sec-fetch-site": "cross-site" };
    expect((await admin.send("POST", path, {}, foreign)).status).toBe(403);
  });

  test("is in the audit log, without its values", async () => {
    using at = endpoint(() => saysWhole("yes"), null);
    await tried("answers", model(at.url));
    const { body, text } = await admin.send("GET", "/audit?action=trySettings&per_page=1");
    expect(body.data).toEqual([
      expect.objectContaining({ record: "answers", actor: "grace@dossier.test", outcome: "done" }),
    ]);
    expect(text).not.toContain("canary");
  });

  test("waits for its turn, and is refused when too many wait", async () => {
    const gate = Promise.withResolvers<void>();
    using at = endpoint(async () => {
      await gate.promise;
      return saysWhole("yes");
    }, null);
    const all = Array.from({ length: 9 }, () => tried("answers", model(at.url)));
    const refusal = await Promise.race(all);
    expect([refusal.status, refusal.headers.get("retry-after")]).toEqual([503, "5"]);
    gate.resolve();
    const statuses = (await Promise.all(all)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 503]);
  });
});

test("the sections that can be tried are listed, and each setting's providers", async () => {
  const { body } = await admin.send("GET", "/settings/sections");
  expect(body).toContainEqual({ section: "answers", title: "Language model" });
  expect(body).toContainEqual({ section: "embeddings", title: "Embeddings" });
  expect(body).toContainEqual({ section: "rerank", title: "Reranker" });
  const settings = (await admin.send("GET", "/settings")).body;
  const providersOf = (name: string) =>
    settings.find(({ setting }: any) => setting === name).providers;
  expect(providersOf("answers.provider")).toBeNull();
  expect(providersOf("answers.base_url")).toEqual(["openai"]);
  expect(providersOf("embeddings.threads")).toEqual(["builtin"]);
});
