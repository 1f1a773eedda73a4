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

  const refused: [why: string, headers: () => SentHeaders, sent: "nothing" | "no key" | "a key"][] =
    [
      ["no header", () => ({}), "nothing"],
      ["a malformed key", () => ({ authorization: "Bearer nonsense" }), "a key"],
      [
        "a mistyped key",
        () => ({ authorization: `Bearer ${key.slice(0, -1)}${key.endsWith("a") ? "b" : "a"}` }),
        "a key",
      ],
      [
        "a well-formed key that doesn't exist",
        () => ({ authorization: `Bearer dsk_${"A".repeat(key.length - 4)}` }),
        "a key",
      ],
      ["a part of a key", () => ({ authorization: `Bearer ${key.slice(0, 20)}` }), "a key"],
      ["the key without its scheme", () => ({ authorization: key }), "no key"],
      ["another scheme", () => ({ authorization: `Basic ${btoa(`ada:${key}`)}` }), "no key"],
      ["a scheme without a key", () => ({ authorization: "Bearer" }), "no key"],
      ["an empty key", () => ({ authorization: "Bearer " }), "no key"],
      ["a key followed by more text", () => ({ authorization: `Bearer ${key} ${key}` }), "no key"],
      ["two keys at once", () => ({ authorization: `Bearer ${key}, Bearer ${key}` }), "no key"],
      [
        "the key in a cookie",
        () => ({ cookie: `key=${key}; authorization=Bearer ${key}` }),
        "nothing",
      ],
      ["the key in X-Api-Key", () => ({ "x-api-key": key }), "nothing"],
    ];
  describe("a request without a valid key gets a challenge", () => {
    for (const [why, headers, sent] of refused)
      for (const path of ["/folders", "/nowhere", "/api/dev/folders"])
        test(`${why}: ${path}`, async () => {
          const answer = await server.send(null, "GET", path, undefined, headers());
          expectProblem(answer, 401);
          expect(answer.headers.get("www-authenticate")).toBe(
            sent === "nothing"
              ? `Bearer realm="dossier"`
              : `Bearer realm="dossier", error="invalid_token"`,
          );
          expect(answer.body.detail).toMatch(
            sent === "a key" ? /key is not valid/ : /Send the header `Authorization: Bearer/,
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
