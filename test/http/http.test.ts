/** The gateway: what every response carries, and the order in which a request is refused. */
import { beforeAll, describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { definePlugin } from "../../core/plugin/contract";
import { reply, route } from "../../core/http/route";
import { PageOf, PageQuery, pageWindow, toPage } from "../../core/http/pagination";
import { startTestServer, type TestServer } from "../helpers/host";
import { until } from "../helpers/server";

const words = { tag: "Test", answers: { 200: { description: "Fine." } } };
const echo = definePlugin({
  name: "echo",
  version: "1.0.0",
  routes: {
    list: route.get("/echo", {
      ...words,
      summary: "List",
      operation: "listEcho",
      query: Type.Object({ ...PageQuery.properties, flag: Type.Optional(Type.Boolean()) }),
      answers: { 200: { description: "Fine.", schema: PageOf(Type.Integer()) } },
    }),
    make: route.post("/echo", {
      ...words,
      summary: "Make",
      operation: "makeEcho",
      body: Type.Object({
        name: Type.String(),
        size: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
      }),
    }),
    small: route.post("/echo/small", {
      ...words,
      summary: "Small",
      operation: "smallEcho",
      body: Type.Object({}),
      body_bytes_max: 1_000,
    }),
    large: route.post("/echo/large", {
      ...words,
      summary: "Large",
      operation: "largeEcho",
      body: Type.Object({ name: Type.String() }),
      body_bytes_max: 16 * 2 ** 20,
    }),
    bare: route.post("/echo/bare", { ...words, summary: "Bare", operation: "bareEcho" }),
    optional: route.post("/echo/optional", {
      ...words,
      summary: "Optional",
      operation: "optionalEcho",
      body: Type.Object({ name: Type.Optional(Type.String()) }),
      body_optional: true,
    }),
    one: route.get("/echo/:id", { ...words, summary: "One", operation: "oneEcho" }),
    broken: route.get("/echo/broken/now", { ...words, summary: "Broken", operation: "brokenEcho" }),
    wait: route.get("/echo/wait/now", {
      ...words,
      summary: "Wait",
      operation: "waitEcho",
      waits: true,
    }),
  },
  setup: () => ({
    routes: {
      list: ({ query }) => toPage([pageWindow(query).offset], 120, query),
      make: ({ body, caller }) =>
        reply(201, { ...body, owner: caller.owner_id }, { location: "/api/dev/v1/echo/1" }),
      small: () => ({}),
      large: ({ body }) => ({ length: body.name.length, end: body.name.slice(-9) }),
      bare: () => ({ ok: true }),
      optional: ({ body }) => body,
      one: ({ params }) => ({ id: params.id }),
      broken: () => {
        throw new Error("select secret from /home/ada");
      },
      wait: ({ wait_ms }) => ({ wait_ms }),
    },
  }),
});

/** A list of `count` numbers, without its brackets. */
const many = (count: number): string => Array.from({ length: count }, () => 0).join(",");

let server: TestServer;
let limited: TestServer;
beforeAll(async () => {
  server = await startTestServer({ plugins: [echo] });
  limited = await startTestServer({ plugins: [echo], env: { DOSSIER_RATE_LIMIT_REQUESTS: "3" } });
});

describe("every response has its request id and the three rate headers", () => {
  const cases: [string, string | null, string, string, number][] = [
    ["a success", "ada", "GET", "/echo", 200],
    ["no key", null, "GET", "/echo", 401],
    ["an unknown route with a key", "ada", "GET", "/nothing", 404],
    ["an unknown route without a key is not revealed", null, "GET", "/nothing", 401],
    ["an unknown path outside the API", null, "GET", "//nothing", 404],
    ["the wrong method", "ada", "PATCH", "/echo", 405],
    ["OPTIONS", "ada", "OPTIONS", "/echo", 405],
    ["the OpenAPI document without a key", null, "GET", "/openapi.json", 200],
    ["health without a key", null, "GET", "//health", 200],
    ["an internal fault", "ada", "GET", "/echo/broken/now", 500],
    ["the alias", "ada", "GET", "/api/dev/echo", 200],
    ["HEAD", "ada", "HEAD", "/echo", 200],
  ];
  for (const [why, who, method, path, status] of cases)
    test(why, async () => {
      const answer = await server.send(who, method, path);
      expect(answer.status).toBe(status);
      expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
      for (const name of ["limit", "remaining", "reset"])
        expect(answer.headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
      if (status >= 400) {
        expect(answer.headers.get("content-type")).toBe("application/problem+json");
        expect(answer.body).toMatchObject({
          status,
          request_id: answer.headers.get("x-request-id"),
          code: expect.any(String),
          detail: expect.any(String),
          type: expect.any(String),
          title: expect.any(String),
        });
      }
      if (method === "HEAD") expect(answer.text).toBe("");
    });
});

describe("authentication", () => {
  const cases: [string, Record<string, string>, number, string?][] = [
    ["no Authorization header", {}, 401, `Bearer realm="dossier"`],
    [
      "an invalid key",
      { authorization: "Bearer nonsense" },
      401,
      `Bearer realm="dossier", error="invalid_token"`,
    ],
    ["another scheme", { authorization: "Basic YTpi" }, 401],
    ["two tokens in one header", { authorization: "Bearer a, Bearer b" }, 401],
    ["an empty token", { authorization: "Bearer " }, 401],
    ["a cookie is ignored", { cookie: "session=1" }, 401],
  ];
  for (const [why, headers, status, challenge] of cases)
    test(why, async () => {
      const answer = await server.send(null, "GET", "/echo", undefined, headers);
      expect(answer.status).toBe(status);
      expect(answer.headers.get("www-authenticate")).toStartWith("Bearer");
      if (challenge) expect(answer.headers.get("www-authenticate")).toBe(challenge);
    });
  test("the scheme is case-insensitive", async () =>
    expect(
      (
        await server.send(null, "GET", "/echo", undefined, {
          authorization: `bEARER ${await server.key("ada")}`,
        })
      ).status,
    ).toBe(200));
  test("a key without the scope is refused before its body is read", async () => {
    await server.key("eve");
    const { token } = await server.accounts.createKey("usr_eve", {
      name: "reader",
      scopes: ["read"],
    });
    const refused = await server.send(null, "POST", "/echo", "{", {
      authorization: `Bearer ${token}`,
    });
    expect([refused.status, refused.body.code]).toEqual([403, "missing_scope"]);
    expect(
      (await server.send(null, "GET", "/echo", undefined, { authorization: `Bearer ${token}` }))
        .status,
    ).toBe(200);
  });
});

describe("bodies", () => {
  const json = { "content-type": "application/json" };
  /** Declares the largest length that the route takes. */
  const large = { ...json, "content-length": String(16 * 2 ** 20) };
  const cases: [
    string,
    string,
    string | undefined,
    Record<string, string>,
    number,
    string | RegExp,
  ][] = [
    ["a valid body", "/echo", `{"name":"x"}`, json, 201, /"owner":"usr_ada"/],
    [
      "with a charset",
      "/echo",
      `{"name":"x"}`,
      { "content-type": "application/json; charset=utf-8" },
      201,
      "",
    ],
    ["with a byte order mark", "/echo", `\ufeff{"name":"x"}`, json, 201, ""],
    ["null for an optional field", "/echo", `{"name":"x","size":null}`, json, 201, ""],
    ["unknown fields are ignored", "/echo", `{"name":"x","colour":"red"}`, json, 201, ""],
    ["malformed", "/echo", `{"name":`, json, 400, "malformed_json"],
    ["a long word is cut", "/echo", "a".repeat(1_000), json, 400, /[^a]a{60,100}…/],
    ["trailing junk", "/echo", `{"name":"x"} y`, json, 400, "malformed_json"],
    ["not UTF-8", "/echo", "\u0000bytes", json, 400, "malformed_json"],
    ["a list instead of an object", "/echo", `[]`, json, 400, /The body must be an object/],
    ["a missing field is reported", "/echo", `{}`, json, 400, /`name` is required/],
    [
      "a field in the wrong case is missing",
      "/echo",
      `{"Name":"x"}`,
      json,
      400,
      /`name` is required/,
    ],
    ["a wrong type is reported", "/echo", `{"name":1}`, json, 400, /`name` must be a string/],
    [
      "a union names its types",
      "/echo",
      `{"name":"x","size":"big"}`,
      json,
      400,
      /`size` must be an integer or null/,
    ],
    ["U+0000 in a text", "/echo", `{"name":"a\\u0000b"}`, json, 400, /U\+0000/],
    ["a lone surrogate", "/echo", `{"name":"\\ud800"}`, json, 400, /surrogate/],
    ["a whole surrogate pair", "/echo", `{"name":"\\ud83d\\ude00"}`, json, 201, "😀"],
    [
      "U+0000 deep inside is reported",
      "/echo",
      `{"name":"x","more":[1,{"a":[]},{"b":"\\u0000"}]}`,
      json,
      400,
      /"pointer":"\/more\/2\/b"/,
    ],
    ["excessive nesting", "/echo", "[".repeat(60_000), json, 400, /64 levels/],
    [
      "the most values allowed",
      "/echo",
      `{"name":"x","a":[${many(19_997)}]}`,
      json,
      201,
      `"name":"x"`,
    ],
    ["one more", "/echo", `{"name":"x","a":[${many(19_998)}]}`, json, 400, /20000 values/],
    ["empty lists count", "/echo", `[${"[],".repeat(20_000)}1]`, json, 400, /20000 values/],
    ["commas in a text", "/echo", JSON.stringify({ name: ",".repeat(30_000) }), json, 201, ""],
    ["above the default limit", "/echo", `{"name":"${"x".repeat(65_536)}"}`, json, 413, /64 KiB/],
    [
      "a large text",
      "/echo/large",
      JSON.stringify({ name: `${"é\n\u{1f600}".repeat(200_000)}the end` }),
      json,
      200,
      JSON.stringify({ length: 800_007, end: "\u{1f600}the end" }),
    ],
    ["a truncated large text", "/echo/large", `{"name":"${"é".repeat(200_000)}`, json, 400, /JSON/],
    [
      "a large text with U+0000",
      "/echo/large",
      `{"name":"${"é".repeat(200_000)}\\u0000"}`,
      json,
      400,
      /"pointer":"\/name"/,
    ],
    [
      "a large body of small values",
      "/echo/large",
      `{"name":[${"{},".repeat(2_000_000)}1]}`,
      json,
      400,
      /20000 values/,
    ],
    [
      "a large body of deep values",
      "/echo/large",
      `{"name":${"[".repeat(2_000_000)}`,
      json,
      400,
      /64 levels/,
    ],
    [
      "a large body of the wrong shape",
      "/echo/large",
      JSON.stringify({ title: "x".repeat(300_000) }),
      json,
      400,
      /`name` is required/,
    ],
    [
      "the deepest nesting allowed",
      "/echo",
      `{"name":"x","a":${"[".repeat(63)}${"]".repeat(63)}}`,
      json,
      201,
      "",
    ],
    [
      "one level too deep",
      "/echo",
      `{"name":"x","a":${"[".repeat(64)}${"]".repeat(64)}}`,
      json,
      400,
      /64 levels/,
    ],
    [
      "brackets in a text",
      "/echo",
      JSON.stringify({ name: `\\"${"[{".repeat(99)}` }),
      json,
      201,
      "",
    ],
    [
      "excessive nesting, with an escape",
      "/echo",
      `{"more":"\\u0041","deep":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
      json,
      400,
      /64 levels/,
    ],
    ["no body where one is required", "/echo", undefined, json, 400, /needs a JSON body/],
    [
      "another media type",
      "/echo",
      "name=x",
      { "content-type": "application/x-www-form-urlencoded" },
      415,
      "unsupported_media_type",
    ],
    [
      "no media type",
      "/echo",
      `{"name":"x"}`,
      { "content-type": "" },
      415,
      "unsupported_media_type",
    ],
    [
      "a body that is declared as compressed",
      "/echo",
      `{"name":"x"}`,
      { ...json, "content-encoding": "gzip" },
      415,
      /Content-Encoding is gzip/,
    ],
    [
      "a body that is declared as not compressed",
      "/echo",
      `{"name":"x"}`,
      { ...json, "content-encoding": "Identity" },
      201,
      "",
    ],
    ["too large", "/echo/small", JSON.stringify({ a: "x".repeat(2_000) }), json, 413, /1000 bytes/],
    [
      "size is checked before type",
      "/echo/small",
      "x".repeat(2_000),
      { "content-type": "text/plain", "content-length": "2000" },
      413,
      "",
    ],
    ["no body where none is expected", "/echo/bare", undefined, {}, 200, ""],
    ["no body where it is optional", "/echo/optional", undefined, {}, 200, "{}"],
  ];
  for (const [why, path, body, headers, status, says] of cases)
    test(why, async () => {
      const sent = why === "not UTF-8" ? new Uint8Array([0x7b, 0xff, 0x7d]) : body;
      const answer = await server.send("ada", "POST", path, sent, headers);
      expect(answer.status).toBe(status);
      if (says instanceof RegExp) expect(answer.text).toMatch(says);
      else expect(answer.text).toContain(says);
    });
  const chunked: [string, string, string, Record<string, string>, number][] = [
    ["without a byte is none, where it is optional", "/echo/optional", "", {}, 200],
    ["without a byte is none, whatever its type", "/echo/optional", "", json, 200],
    ["with bytes needs its type", "/echo/optional", "{}", {}, 415],
    ["without a byte is no JSON where that is required", "/echo", "", json, 400],
  ];
  test.each(chunked)("a body of unknown length %s", async (_why, path, text, headers, status) => {
    const stream = new ReadableStream({
      start(controller) {
        if (text !== "") controller.enqueue(new TextEncoder().encode(text));
        controller.close();
      },
    });
    expect((await server.send("ada", "POST", path, stream, headers)).status).toBe(status);
  });
  test("large bodies take turns and are read in turn; small ones don't wait for them", async () => {
    const parts = ["ada", "ada", "ben", "ada"].map((who) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const state = { who, asked: false, answered: false, send: resolve };
      const stream = new ReadableStream(
        {
          async pull(controller) {
            state.asked = true;
            await promise;
            controller.enqueue(new TextEncoder().encode(`{"name":"x"}`));
            controller.close();
          },
        },
        { highWaterMark: 0 },
      );
      const answer = server.send(who, "POST", "/echo/large", stream, large).then((got) => {
        state.answered = true;
        return got.status;
      });
      return { state, answer };
    });
    const requestedParts = () => parts.filter(({ state }) => state.asked);
    const names = () => requestedParts().map(({ state }) => state.who);
    await until(() => requestedParts().length === 2);
    expect((await server.send("ada", "POST", "/echo", { name: "small" })).status).toBe(201);
    expect(names().toSorted()).toEqual(["ada", "ben"]);
    // Whichever of ada's two came first.
    const first = requestedParts().find(({ state }) => state.who === "ada")!;
    first.state.send();
    expect(await first.answer).toBe(200);
    await until(() => requestedParts().length === 3);
    expect(names().toSorted()).toEqual(["ada", "ada", "ben"]);
    for (const { state } of parts) state.send();
    expect(await Promise.all(parts.map(({ answer }) => answer))).toEqual([200, 200, 200, 200]);
  });
  test("more bodies than can wait get 503 with Retry-After", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const heldParts = () =>
      new ReadableStream({
        async pull(controller) {
          await promise;
          controller.enqueue(new TextEncoder().encode(`{"name":"x"}`));
          controller.close();
        },
      });
    let ended = 0;
    const sent = Array.from({ length: 40 }, () =>
      server.send("ada", "POST", "/echo/large", heldParts(), large).finally(() => ended++),
    );
    const refused = await Promise.race(sent);
    expect([refused.status, refused.body.code]).toEqual([503, "unavailable"]);
    await until(() => ended === 7);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    resolve();
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(33);
    expect(statuses.filter((status) => status === 503)).toHaveLength(7);
  });
  /** A body without a declared length: this much white space, then a name. */
  const streamed = (spaces: number) => {
    const parts = [new Uint8Array(spaces).fill(0x20), new TextEncoder().encode(`{"name":"x"}`)];
    return new ReadableStream({
      pull(controller) {
        controller.enqueue(parts.shift());
        if (parts.length === 0) controller.close();
      },
    });
  };
  const lengths: [why: string, spaces: number, count: number][] = [
    ["a hundred small bodies without a length are all read at once", 10, 100],
    ["ten large bodies without a length are read in turn", 300_000, 10],
  ];
  for (const [why, spaces, count] of lengths)
    test(why, async () => {
      const answers = await Promise.all(
        Array.from({ length: count }, () =>
          server.send("ada", "POST", "/echo/large", streamed(spaces), json),
        ),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    });
  test("the limit applies to a streamed body without a length too", async () => {
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(600));
      },
    });
    expect((await server.send("ada", "POST", "/echo/small", stream, json)).status).toBe(413);
  });
});

describe("lists", () => {
  const cases: [string, string, number, object | RegExp][] = [
    [
      "defaults",
      "",
      200,
      { count: 1, total: 120, per_page: 50, total_pages: 3, next_page: 2, previous_page: null },
    ],
    ["the last page", "?page=3", 200, { next_page: null, previous_page: 2 }],
    ["past the end", "?page=9", 200, { next_page: null, previous_page: 3 }],
    ["more than 200 is clamped", "?per_page=1000", 200, { per_page: 200, total_pages: 1 }],
    ["zero is refused", "?page=0", 400, /\?page/],
    ["a fraction is refused", "?page=1.5", 400, /positive integer/],
    ["hexadecimal is refused", "?page=0x10", 400, /positive integer/],
    ["a word is refused", "?per_page=many", 400, /\?per_page/],
    ["an empty value is refused", "?per_page=", 400, /\?per_page/],
    ["a repeated parameter is refused", "?page=1&page=2", 400, /more than once/],
    ["a space is refused", "?page=%201", 400, /positive integer/],
    ["a flag is true or false", "?flag=yes", 400, /\?flag/],
    ["unknown fields are ignored", "?colour=red", 200, { per_page: 50 }],
    [
      "a page far beyond the end",
      "?page=999999999999999",
      200,
      { next_page: null, previous_page: 3 },
    ],
  ];
  for (const [why, query, status, says] of cases)
    test(why, async () => {
      const answer = await server.send("ada", "GET", `/echo${query}`);
      expect(answer.status).toBe(status);
      if (says instanceof RegExp) expect(answer.text).toMatch(says);
      else expect(answer.body.pagination).toMatchObject(says);
    });
});

test("an internal fault reveals no internals", async () => {
  const { text } = await server.send("ada", "GET", "/echo/broken/now");
  expect(text).not.toMatch(/secret|home|select|stack/i);
});
test("405 lists the allowed methods", async () => {
  expect((await server.send("ada", "DELETE", "/echo")).headers.get("allow")).toBe(
    "GET, HEAD, POST",
  );
});

describe("the unversioned paths", () => {
  const cases: [string, string, string, number, boolean][] = [
    ["an unversioned path works as an alias", "GET", "/api/dev/echo?page=2", 200, true],
    ["a request with a body works too", "POST", "/api/dev/echo", 201, true],
    ["an unknown path is deprecated too", "GET", "/api/dev/nothing", 404, true],
    ["the versioned path is not deprecated", "GET", "/api/dev/v1/echo", 200, false],
    ["a path that only looks similar is not an alias", "GET", "/api/devx/echo", 404, false],
  ];
  for (const [why, method, path, status, deprecated] of cases)
    test(why, async () => {
      const answer = await server.send(
        "ada",
        method,
        path,
        method === "POST" ? { name: "x" } : undefined,
      );
      expect(answer.status).toBe(status);
      expect(answer.headers.get("warning")?.startsWith("299 ") ?? false).toBe(deprecated);
      expect(answer.headers.has("deprecation")).toBe(deprecated);
      expect(answer.headers.get("link")?.includes("successor-version") ?? false).toBe(deprecated);
      if (status === 201) expect(answer.headers.get("location")).toBe("/api/dev/v1/echo/1");
    });
});

describe("the rate limit", () => {
  test("an owner's requests are counted together, then refused with Retry-After", async () => {
    const remaining = [];
    for (let i = 0; i < 3; i++)
      remaining.push(
        (await limited.send("ada", "GET", "/echo")).headers.get("x-ratelimit-remaining"),
      );
    expect(remaining).toEqual(["2", "1", "0"]);
    const refused = await limited.send("ada", "GET", "/echo");
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect((await limited.send("bob", "GET", "/echo")).status).toBe(200);
  });
  test("requests without a valid key count by address, and 429 comes before 401", async () => {
    const visit = (address: string) =>
      limited.fetch(
        new Request("http://dossier.test/api/dev/v1/echo", {
          headers: { authorization: "Bearer wrong" },
        }),
        address,
      );
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await visit("192.0.2.1")).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
    expect((await visit("192.0.2.2")).status).toBe(401);
  });
  test("X-Forwarded-For is trusted from trusted proxies only", async () => {
    const proxied = await startTestServer({
      env: { DOSSIER_RATE_LIMIT_REQUESTS: "1", DOSSIER_SERVER_TRUSTED_PROXIES: "10.0.0.0/8" },
    });
    const visit = async (peer: string, forwarded: string) =>
      (
        await proxied.fetch(
          new Request("http://dossier.test/api/dev/v1/x", {
            headers: { "x-forwarded-for": forwarded },
          }),
          peer,
        )
      ).status;
    expect([
      await visit("10.1.1.1", "1.1.1.1, 198.51.100.1"),
      await visit("10.1.1.1", "198.51.100.2"),
      await visit("10.1.1.1", "203.0.113.9, 198.51.100.1"),
    ]).toEqual([401, 401, 429]);
    expect([
      await visit("192.0.2.7", "198.51.100.3"),
      await visit("192.0.2.7", "198.51.100.4"),
    ]).toEqual([401, 429]);
  });
});

test("Prefer: wait is limited to thirty seconds", async () => {
  const waits = await Promise.all(
    ["wait=5", "respond-async, wait=20", "wait=600", "return=minimal"].map(
      async (prefer) =>
        (await server.send("ada", "GET", "/echo/wait/now", undefined, { prefer })).body.wait_ms,
    ),
  );
  expect(waits).toEqual([5_000, 20_000, 30_000, 0]);
});
