/** Which origins may call the API from a page, and how preflight requests are answered. */
import { beforeAll, describe, expect, test } from "bun:test";
import { Cors } from "../../core/http/cors";
import { signedIn } from "../helpers/browser";
import { startTestServer, type TestServer } from "../helpers/host";

const app = "https://app.example";
const preflight = (origin: string, method = "POST") => ({
  origin,
  "access-control-request-method": method,
  "access-control-request-headers": "authorization,content-type",
});
let open: TestServer;
let closed: TestServer;
let any: TestServer;

beforeAll(async () => {
  open = await startTestServer({
    env: { DOSSIER_SERVER_CORS_ORIGINS: `${app}, http://localhost:5173/` },
  });
  any = await startTestServer({ env: { DOSSIER_SERVER_CORS_ORIGINS: "*" } });
  closed = await startTestServer();
});

describe("preflight", () => {
  const rows: [string, () => TestServer, string, string, number, string | null, string | null][] = [
    ["an allowed origin", () => open, "/folders", app, 204, app, "GET, HEAD, POST"],
    [
      "an allowed origin that is set with a trailing slash",
      () => open,
      "/folders/fld_1",
      "http://localhost:5173",
      204,
      "http://localhost:5173",
      "DELETE, GET, HEAD, PUT",
    ],
    ["the deprecated path", () => open, "/api/dev/folders", app, 204, app, "GET, HEAD, POST"],
    ["any other origin", () => open, "/folders", "https://evil.example", 204, null, null],
    ["another port", () => open, "/folders", `${app}:8443`, 204, null, null],
    ["another scheme", () => open, "/folders", "http://app.example", 204, null, null],
    ["a page without an origin", () => open, "/folders", "null", 204, null, null],
    ["every origin", () => any, "/folders", "https://x.example", 204, "*", "GET, HEAD, POST"],
    [
      "an unknown path, which the request itself reports",
      () => open,
      "/nothing",
      app,
      204,
      app,
      "DELETE, GET, HEAD, PATCH, POST, PUT",
    ],
    ["no allowed origins", () => closed, "/folders", app, 401, null, null],
    ["the console, with its cookie", () => any, "//console/api/v1/folders", app, 401, null, null],
    ["the root of the server", () => any, "//health", app, 405, null, null],
  ];
  test.each(rows)("%s", async (_why, server, path, origin, status, allowed, methods) => {
    const answer = await server().send(null, "OPTIONS", path, undefined, preflight(origin));
    const { headers } = answer;
    expect([
      answer.status,
      headers.get("access-control-allow-origin"),
      headers.get("access-control-allow-methods"),
      headers.get("access-control-allow-headers"),
      headers.get("access-control-allow-credentials"),
    ]).toEqual([status, allowed, methods, methods && "authorization,content-type", null]);
    for (const name of ["x-request-id", "x-ratelimit-limit"]) expect(headers.has(name)).toBe(true);
  });

  test("without CORS, OPTIONS is 405 with Allow when there is a key", async () => {
    const answer = await closed.send("ada", "OPTIONS", "/folders", undefined, preflight(app));
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
    expect(answer.headers.get("vary")).toBeNull();
  });

  test("it doesn't count toward the request limit", async () => {
    const left = async () => {
      const { headers } = await open.send(null, "OPTIONS", "/folders", undefined, preflight(app));
      return headers.get("x-ratelimit-remaining");
    };
    expect(await left()).toBe(await left());
  });
});

describe("the request after it", () => {
  const rows: [string, string | null, string, number][] = [
    ["a record", "ada", "/folders", 200],
    ["a refusal", null, "/folders", 401],
    ["an unknown path", "ada", "/nothing", 404],
  ];
  test.each(rows)(
    "%s can be read by a page of an allowed origin",
    async (_w, who, path, status) => {
      const answer = await open.send(who, "GET", path, undefined, { origin: app });
      expect(answer.status).toBe(status);
      expect(answer.headers.get("access-control-allow-origin")).toBe(app);
      expect(answer.headers.get("access-control-expose-headers")).toContain("X-Request-Id");
      expect(answer.headers.get("vary")).toContain("Origin");
      expect(answer.headers.has("access-control-allow-credentials")).toBe(false);
    },
  );

  test("of another origin can't be read by the page, and responses vary by origin", async () => {
    const answer = await open.send("ada", "GET", "/folders", undefined, {
      origin: "https://evil.example",
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    expect(answer.headers.get("vary")).toContain("Origin");
  });

  test("of the console, with its cookie, is not shared with other origins", async () => {
    const browser = await signedIn(any, "ada");
    const answer = await browser.send("GET", "/folders", undefined, { origin: app });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });
});

test.each(["app.example", "https://app.example/path", "null", "https://*.example", "ftp://a"])(
  "%s is not a valid origin",
  (origin) => {
    expect(() => Cors.of([app, origin])).toThrow("server.cors_origins");
  },
);
