/**
 * Authentication: the response to a request without a valid key, and the accepted forms of a key.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectProblem } from "../helpers/contract";
import type { ApiServer, SentHeaders, StartServer } from "../helpers/server";

export function accessCases(start: StartServer): void {
  let server: ApiServer;
  let key: string;
  beforeAll(async () => {
    server = await start();
    key = await server.key("ada");
  }, 180_000);
  afterAll(() => server?.[Symbol.asyncDispose]());

  const refused: [why: string, headers: () => SentHeaders, sent: boolean][] = [
    ["no header", () => ({}), false],
    ["a malformed key", () => ({ authorization: "Bearer nonsense" }), true],
    [
      "a mistyped key",
      () => ({ authorization: `Bearer ${key.slice(0, -1)}${key.endsWith("a") ? "b" : "a"}` }),
      true,
    ],
    [
      "a well-formed key that doesn't exist",
      () => ({ authorization: `Bearer dsk_${"A".repeat(key.length - 4)}` }),
      true,
    ],
    ["a part of a key", () => ({ authorization: `Bearer ${key.slice(0, 20)}` }), true],
    ["the key without its scheme", () => ({ authorization: key }), true],
    ["another scheme", () => ({ authorization: `Basic ${btoa(`ada:${key}`)}` }), true],
    ["a scheme without a key", () => ({ authorization: "Bearer" }), true],
    ["an empty key", () => ({ authorization: "Bearer " }), true],
    ["a key followed by more text", () => ({ authorization: `Bearer ${key} ${key}` }), true],
    ["two keys at once", () => ({ authorization: `Bearer ${key}, Bearer ${key}` }), true],
    ["the key in a cookie", () => ({ cookie: `key=${key}; authorization=Bearer ${key}` }), false],
    ["the key in X-Api-Key", () => ({ "x-api-key": key }), false],
  ];
  describe("a request without a valid key gets a challenge", () => {
    for (const [why, headers, sent] of refused)
      for (const path of ["/folders", "/nowhere", "/api/dev/folders"])
        test(`${why}: ${path}`, async () => {
          const answer = await server.send(null, "GET", path, undefined, headers());
          expectProblem(answer, 401);
          expect(answer.headers.get("www-authenticate")).toBe(
            sent ? `Bearer realm="dossier", error="invalid_token"` : `Bearer realm="dossier"`,
          );
          expect(answer.text).not.toContain(key.slice(0, 20));
        });
    test("the key in the query", async () =>
      expectProblem(
        await server.send(null, "GET", `/folders?api_key=${key}&access_token=${key}`),
        401,
      ));
  });

  const accepted: [why: string, headers: () => SentHeaders][] = [
    ["the scheme Bearer", () => ({ authorization: `Bearer ${key}` })],
    ["the scheme bearer", () => ({ authorization: `bearer ${key}` })],
    ["the scheme BEARER", () => ({ authorization: `BEARER ${key}` })],
    ["the scheme bEaReR", () => ({ authorization: `bEaReR ${key}` })],
    ["a valid key and a cookie", () => ({ authorization: `Bearer ${key}`, cookie: "session=1" })],
  ];
  for (const [why, headers] of accepted)
    test(`${why} is accepted`, async () =>
      expect((await server.send(null, "GET", "/folders", undefined, headers())).status).toBe(200));
}
