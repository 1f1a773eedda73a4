/**
 * The API behind the session: which origins may call it, which credentials it ignores, the headers
 * of every response, and its OpenAPI document.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { refusalOf } from "../../plugins/console/surface";
import { signedIn, visit, type Browser } from "../helpers/browser";
import { startTestServer, type TestServer } from "../helpers/host";

let server: TestServer;
let ada: Browser;
beforeAll(async () => {
  server = await startTestServer();
  ada = await signedIn(server, "ada");
});

describe("a request that changes something", () => {
  const own_origin = "http://dossier.test";
  const cases: [string, Record<string, string>, boolean][] = [
    ["from the page itself", { "sec-fetch-site": "same-origin", origin: own_origin }, true],
    [
      "from the page itself, by a browser that sends no Origin",
      { "sec-fetch-site": "same-origin", origin: "" },
      true,
    ],
    ["from the page itself, by an old browser", { "sec-fetch-site": "", origin: own_origin }, true],
    [
      "with the default port written out",
      { "sec-fetch-site": "", origin: "http://dossier.test:80" },
      true,
    ],
    ["with neither Origin nor Sec-Fetch-Site", { "sec-fetch-site": "", origin: "" }, false],
    ["from another site", { "sec-fetch-site": "cross-site", origin: "http://evil.test" }, false],
    ["from another site, without Origin", { "sec-fetch-site": "cross-site", origin: "" }, false],
    [
      "from another site that claims our origin",
      { "sec-fetch-site": "cross-site", origin: own_origin },
      false,
    ],
    [
      "from a sibling of the same domain",
      { "sec-fetch-site": "same-site", origin: "http://wiki.dossier.test" },
      false,
    ],
    ["typed into the address bar", { "sec-fetch-site": "none", origin: "" }, false],
    [
      "from another origin, by an old browser",
      { "sec-fetch-site": "", origin: "http://evil.test" },
      false,
    ],
    ["from another port", { "sec-fetch-site": "", origin: "http://dossier.test:8080" }, false],
    [
      "from a host that only begins like ours",
      { "sec-fetch-site": "", origin: "http://dossier.test.evil.test" },
      false,
    ],
    ["from a sandboxed frame", { "sec-fetch-site": "", origin: "null" }, false],
    [
      "from a sandboxed frame of our own",
      { "sec-fetch-site": "same-origin", origin: "null" },
      false,
    ],
    ["from an invalid origin", { "sec-fetch-site": "", origin: "dossier.test" }, false],
    [
      "from a DNS name rebound to this machine",
      { "sec-fetch-site": "same-origin", origin: "http://evil.test" },
      false,
    ],
  ];
  const calls: [string, string, string, object | undefined, number][] = [
    ["of the API", "POST", "/folders", { name: "x" }, 201],
    ["of the account", "DELETE", "/account/sessions", undefined, 204],
    [
      "of the account, by PUT",
      "PUT",
      "/account/password",
      { current_password: "", new_password: "" },
      400,
    ],
    ["to sign in", "POST", "/session", { email: "nobody@example.com", password: "" }, 401],
    ["to sign out", "DELETE", "/session", undefined, 204],
  ];
  for (const [why, headers, good] of cases)
    test(`${why} is ${good ? "answered" : "refused"}`, async () => {
      for (const [, method, path, body, status] of calls) {
        const browser = await signedIn(server, "grace");
        const answer = await visit(server, {
          address: `10.1.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`,
        }).send(method, path, body, { cookie: browser.cookie(), ...headers });
        if (good) expect([path, answer.status]).toEqual([path, status]);
        else
          expect([path, answer.status, answer.body.code, answer.headers.get("set-cookie")]).toEqual(
            [path, 403, "cross_site", null],
          );
      }
    });
  test("that was refused has changed nothing", async () => {
    await ada.send(
      "POST",
      "/folders",
      { name: "forged" },
      { "sec-fetch-site": "cross-site", origin: "http://evil.test" },
    );
    await ada.send("POST", "/folders", { name: "forged" }, { "sec-fetch-site": "", origin: "" });
    expect((await ada.send("GET", "/folders")).text).not.toContain("forged");
  });
  test("that is sent as a form, as another site could, is refused by its type too", async () => {
    const send = (type: string) =>
      server.fetch(
        new Request("http://dossier.test/console/api/v1/folders", {
          method: "POST",
          body: `{"name":"x"}`,
          headers: {
            host: "dossier.test",
            cookie: ada.cookie(),
            "content-type": type,
            origin: "http://dossier.test",
            "sec-fetch-site": "same-origin",
          },
        }),
      );
    for (const type of [
      "application/x-www-form-urlencoded",
      "text/plain",
      "multipart/form-data; boundary=x",
    ])
      expect((await send(type)).status).toBe(415);
  });

  const addresses: [string, { host: string; secure: boolean }, string, string | null, boolean][] = [
    [
      "the public address, when a proxy calls by an internal address",
      { host: "127.0.0.1:4780", secure: false },
      "https://papers.example",
      "https://papers.example",
      true,
    ],
    [
      "another address, when a public one is set",
      { host: "127.0.0.1:4780", secure: false },
      "https://other.example",
      "https://papers.example",
      false,
    ],
    [
      "the requested address, in addition to a public one",
      { host: "192.168.1.5:4780", secure: false },
      "http://192.168.1.5:4780",
      "https://papers.example",
      true,
    ],
    [
      "plain HTTP, for a page that is known to be secure",
      { host: "papers.example", secure: true },
      "http://papers.example",
      "https://papers.example",
      false,
    ],
    [
      "HTTPS, for a server that does not know its proxy",
      { host: "papers.example", secure: false },
      "https://papers.example",
      null,
      true,
    ],
    [
      "IPv6",
      { host: "[::1]:4780", secure: false },
      "http://[::1]:4780",
      "https://papers.example",
      true,
    ],
    [
      "this machine, by the name localhost",
      { host: "localhost:4780", secure: false },
      "http://localhost:4780",
      "https://papers.example",
      true,
    ],
    [
      "the same host in another case",
      { host: "Papers.Example", secure: false },
      "http://papers.example",
      null,
      true,
    ],
    [
      "a foreign name that points here, when a public address is set",
      { host: "evil.example:4780", secure: false },
      "http://evil.example:4780",
      "https://papers.example",
      false,
    ],
    [
      "a foreign name that begins like an address",
      { host: "127.0.0.1.evil.example", secure: false },
      "http://127.0.0.1.evil.example",
      "https://papers.example",
      false,
    ],
    [
      "the public address, under an internal name",
      { host: "dossier:4780", secure: false },
      "https://papers.example",
      "https://papers.example",
      true,
    ],
  ];
  test.each(addresses)(
    "the origin check of %s: %#",
    (_why, { host, secure }, origin, public_url, good) => {
      const request = new Request("http://x.test/", { method: "POST", headers: { origin } });
      expect(
        refusalOf(request, { host, secure, address: "", peer: "", base_path: "" }, public_url) ===
          undefined,
      ).toBe(good);
    },
  );
});

describe("credentials", () => {
  test("/api/dev ignores cookies, also next to a bad key, and sets none", async () => {
    const key = await server.key("ada");
    for (const path of ["/api/dev/v1/folders", "/api/dev/folders", "/api/dev/v1/nowhere"]) {
      for (const authorization of ["", `Bearer ${key}x`])
        expect((await ada.send("GET", `/${path}`, undefined, { authorization })).status).toBe(401);
    }
    const answer = await ada.send("GET", "//api/dev/v1/folders", undefined, {
      authorization: `Bearer ${key}`,
    });
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([200, null]);
  });
  test("the console accepts no API key", async () => {
    const key = await server.key("ada");
    for (const path of ["/folders", "/account/sessions", "/keys", "/events"])
      expect(
        (await visit(server).send("GET", path, undefined, { authorization: `Bearer ${key}` }))
          .status,
      ).toBe(401);
    // A bad key next to a valid cookie is ignored.
    expect(
      (await ada.send("GET", "/folders", undefined, { authorization: "Bearer dsk_wrong" })).status,
    ).toBe(200);
  });
  test("both show the same records, and each user only their own", async () => {
    const { body: folder } = await ada.send("POST", "/folders", { name: "Shared view" });
    expect((await server.send("ada", "GET", `/folders/${folder.id}`)).body).toEqual(folder);
    expect(
      (await (await signedIn(server, "bob")).send("GET", `/folders/${folder.id}`)).status,
    ).toBe(403);
  });
  test("an administrator can't access other users' records", async () => {
    const { body: folder } = await ada.send("POST", "/folders", { name: "Private" });
    const root = await signedIn(server, "root", { role: "admin" });
    for (const [method, path, body] of [
      ["GET", `/folders/${folder.id}`],
      ["PUT", `/folders/${folder.id}`, { name: "x" }],
      ["DELETE", `/folders/${folder.id}`],
      ["GET", `/documents?folder_id=${folder.id}`],
      ["POST", "/chats", { usedFolders: [folder.id] }],
    ] as const) {
      expect([method, (await root.send(method, path, body)).status]).toEqual([method, 403]);
    }
    expect((await root.send("GET", "/folders")).text).not.toContain("Private");
  });
  test("calls of the console alone are not in the API", async () => {
    for (const [method, path] of [
      ["GET", "/session"],
      ["GET", "/keys"],
      ["POST", "/keys"],
      ["GET", "/users"],
      ["GET", "/system"],
      ["GET", "/usage"],
      ["GET", "/pages"],
    ] as const) {
      expect([
        path,
        (await server.send("ada", method, path, method === "POST" ? {} : undefined)).status,
      ]).toEqual([path, 404]);
    }
  });
});

test("the console and the API have separate request limits", async () => {
  const limited = await startTestServer({
    env: { DOSSIER_RATE_LIMIT_REQUESTS: "3", DOSSIER_RATE_LIMIT_WINDOW: "1h" },
  });
  const browser = await signedIn(limited, "ada");
  const api = async () => (await limited.send("ada", "GET", "/folders")).status;
  const page = async () => (await browser.send("GET", "/folders")).status;
  expect([await api(), await api(), await api(), await api()]).toEqual([200, 200, 200, 429]);
  expect([await page(), await page(), await page(), await page()]).toEqual([200, 200, 200, 429]);
  const other = await signedIn(limited, "bob");
  expect((await other.send("GET", "/folders")).headers.get("x-ratelimit-remaining")).toBe("2");
  // Signed-out visitors at the same address are counted separately; the page's files are not
  // counted.
  const stranger = visit(limited);
  expect((await stranger.send("GET", "/session")).headers.get("x-ratelimit-remaining")).toBe("2");
  for (let n = 0; n < 10; n++)
    expect(
      (await stranger.send("GET", "//console/", undefined, { accept: "text/html" })).status,
    ).toBe(200);
});

describe("every response", () => {
  const strict = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  const page =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
    "font-src 'self'; media-src 'self' blob:; worker-src 'self'; connect-src 'self'; " +
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types dossier";
  const cases: [string, string, string, Record<string, string>, number, string, string][] = [
    ["the page", "GET", "//console/", {}, 200, page, "no-cache"],
    [
      "the page at a path below it",
      "GET",
      "//console/folders/fld_x?page=2",
      { accept: "text/html,application/xhtml+xml" },
      200,
      page,
      "no-cache",
    ],
    ["the redirect to it", "GET", "//console", {}, 302, strict, "no-store"],
    ["a missing file", "GET", "//console/assets/nothing.js", {}, 404, strict, "no-store"],
    [
      "a missing picture",
      "GET",
      "//console/logo.png",
      { accept: "image/png" },
      404,
      strict,
      "no-store",
    ],
    [
      "path traversal out of the assets",
      "GET",
      "//console/assets/..%2f..%2fdossier.db",
      {},
      404,
      strict,
      "no-store",
    ],
    ["a method not allowed", "POST", "//console/folders", {}, 405, strict, "no-store"],
    ["an unknown call", "GET", "/nowhere", {}, 404, strict, "no-store"],
    ["an unknown call when signed out", "GET", "/nowhere", { cookie: "" }, 401, strict, "no-store"],
    [
      "an unknown path next to the calls",
      "GET",
      "//console/api/nowhere",
      { accept: "text/html" },
      404,
      strict,
      "no-store",
    ],
    ["a list", "GET", "/folders", {}, 200, strict, "no-store"],
    [
      "a refusal",
      "DELETE",
      "/session",
      { "sec-fetch-site": "cross-site" },
      403,
      strict,
      "no-store",
    ],
    ["the document", "GET", "//console/api/openapi.json", {}, 200, strict, "no-cache"],
  ];
  test.each(cases)("%s", async (_why, method, path, headers, status, policy, cache) => {
    const browser = await signedIn(server, "ada");
    const answer = await browser.send(method, path, undefined, headers);
    const own_headers = Object.fromEntries(
      [
        "content-security-policy",
        "cache-control",
        "x-content-type-options",
        "referrer-policy",
        "cross-origin-opener-policy",
        "cross-origin-resource-policy",
      ].map((name) => [name, answer.headers.get(name)]),
    );
    expect<object>({ status: answer.status, ...own_headers }).toEqual({
      status,
      "content-security-policy": policy,
      "cache-control": cache,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    });
    for (const name of [
      "x-request-id",
      "x-ratelimit-limit",
      "x-ratelimit-remaining",
      "x-ratelimit-reset",
    ])
      expect([name, answer.headers.get(name)]).toEqual([name, expect.stringMatching(/\w/)]);
  });

  test("returns a name full of markup as plain text", async () => {
    const name = `</script><img src=x onerror="alert(1)">`;
    const { body, headers } = await ada.send("POST", "/folders", { name });
    expect([body.name, headers.get("content-type")]).toEqual([
      name,
      expect.stringMatching(/^application\/json/),
    ]);
    const { headers: of_error, text } = await ada.send(
      "GET",
      `/folders/${encodeURIComponent(name)}`,
    );
    expect([of_error.get("content-type"), text]).toEqual([
      "application/problem+json",
      expect.not.stringContaining("<img"),
    ]);
    expect(
      (await ada.send("GET", "//console/%3Cimg%20src%3Dx%3E", undefined, { accept: "text/html" }))
        .text,
    ).not.toContain("<img src=x>");
  });

  test("/ redirects to the console, and HEAD works like GET", async () => {
    const { status, headers } = await visit(server).send("GET", "//");
    expect([status, headers.get("location")]).toEqual([302, "/console/"]);
    for (const path of ["//console/", "/session", "//console/api/openapi.json"]) {
      const answer = await visit(server).send("HEAD", path, undefined, {
        "sec-fetch-site": "",
        origin: "",
      });
      expect([path, answer.status, answer.text]).toEqual([path, 200, ""]);
    }
  });
});

describe("a file of the console", () => {
  const assetOf = async (kind: RegExp) =>
    [
      ...(
        await visit(server).send("GET", "//console/", undefined, { accept: "text/html" })
      ).text.matchAll(/(?:src|href)="([^"]+)"/g),
    ]
      .map(([, path]) => path!)
      .find((path) => kind.test(path))!;
  const get = (path: string, headers: Record<string, string>) =>
    server.fetch(new Request(`http://dossier.test${path}`, { headers }));

  test("is cached forever, compressed if the client accepts it, and revalidated", async () => {
    const path = await assetOf(/\.js$/);
    const packed = await get(path, { "accept-encoding": "br, gzip" });
    expect(
      Object.fromEntries(
        ["content-type", "content-encoding", "cache-control", "vary"].map((name) => [
          name,
          packed.headers.get(name),
        ]),
      ),
    ).toEqual({
      "content-type": "text/javascript; charset=utf-8",
      "content-encoding": "gzip",
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
    });
    const text = new TextDecoder().decode(
      Bun.gunzipSync(new Uint8Array(await packed.arrayBuffer())),
    );
    for (const [accept, encoding] of [
      ["", null],
      ["identity", null],
      ["gzip;q=0", null],
      ["gzip;q=0.5", "gzip"],
      ["*", "gzip"],
      ["deflate", null],
    ] as const) {
      const answer = await get(path, accept === "" ? {} : { "accept-encoding": accept });
      expect([accept, answer.headers.get("content-encoding")]).toEqual([accept, encoding]);
      if (encoding === null) expect(await answer.text()).toBe(text);
    }
    const revalidated = await get(path, { "if-none-match": packed.headers.get("etag")! });
    expect([revalidated.status, await revalidated.text()]).toEqual([304, ""]);
  });
  test("is sent uncompressed when it is a font", async () => {
    const answer = await get(await assetOf(/\.woff2$/), { "accept-encoding": "gzip" });
    expect([
      answer.headers.get("content-type"),
      answer.headers.get("content-encoding"),
      new TextDecoder().decode((await answer.arrayBuffer()).slice(0, 4)),
    ]).toEqual(["font/woff2", null, "wOF2"]);
  });
  test("of the page is revalidated each time", async () => {
    const first = await get("/console/", { accept: "text/html" });
    const revalidated = await get("/console/chats", {
      accept: "text/html",
      "if-none-match": `W/${first.headers.get("etag")!}`,
    });
    expect([revalidated.status, revalidated.headers.get("content-security-policy")]).toEqual([
      304,
      first.headers.get("content-security-policy"),
    ]);
  });
});

describe("its OpenAPI document", () => {
  let document: any;
  beforeAll(async () => {
    document = (await visit(server).send("GET", "//console/api/openapi.json")).body;
  });
  test("has every call of the API and of the console, each with an example", () => {
    const of_api = server.host.mounted.filter(
      ({ route }) => !route.root && route.surface === undefined,
    ).length;
    const operations = Object.values(document.paths as Record<string, Record<string, any>>).flatMap(
      (methods) => Object.values(methods),
    );
    expect(operations.length).toBeGreaterThan(of_api + 20);
    expect(Object.keys(document.paths).every((path) => path.startsWith("/console/api/v1/"))).toBe(
      true,
    );
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    const lacking = operations.flatMap((of) =>
      [
        of.requestBody?.content?.["application/json"],
        ...Object.values<any>(of.responses).map(({ content }) => content?.["application/json"]),
      ]
        .filter((body) => body && body.example === undefined)
        .map(() => of.operationId),
    );
    expect(lacking).toEqual([]);
  });
  test("describes the cookie, and no key", () => {
    expect(document.security).toEqual([{ session: [] }]);
    expect(Object.keys(document.components.securitySchemes)).toEqual(["session"]);
    expect(document.paths["/console/api/v1/session"].post.security).toEqual([]);
  });
});
