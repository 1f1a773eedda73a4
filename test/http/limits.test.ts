/** Rate limit and quotas in this process: the shared cases, and some that need this process. */
import { describe, expect, test } from "bun:test";
import { quotaCases, rateLimitCases } from "../cases/limits";
import { startTestServer } from "../helpers/host";
import type { Answered } from "../helpers/server";

/** So long that no test reaches the next window. */
const limited = (requests: number) =>
  startTestServer({
    env: { DOSSIER_RATE_LIMIT_REQUESTS: String(requests), DOSSIER_RATE_LIMIT_WINDOW: "30d" },
  });

describe("the rate limit", () => {
  rateLimitCases(startTestServer);

  test("counts by address without a valid key, separately from every owner", async () => {
    const server = await limited(2);
    const from = (address: string, headers = {}) =>
      server.fetch(new Request("http://dossier.test/api/dev/v1/prompts", { headers }), address);
    expect((await from("192.0.2.1")).status).toBe(401);
    expect((await from("192.0.2.1", { authorization: "Bearer dsk_wrong" })).status).toBe(401);
    expect((await from("192.0.2.1")).status).toBe(429);
    expect((await from("192.0.2.2")).status).toBe(401);
    expect(
      (await from("192.0.2.1", { authorization: `Bearer ${await server.key("ada")}` })).status,
    ).toBe(200);
  });

  test("lets exactly the limit through when all requests come at once", async () => {
    const server = await limited(40);
    await server.key("ada");
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => server.send("ada", "GET", "/prompts")),
    );
    const statuses = (status: number) =>
      answers.filter((answer) => answer.status === status).length;
    expect([statuses(200), statuses(429)]).toEqual([40, 60]);
  });

  test("is shown on every response", async () => {
    const server = await limited(1_000);
    const answers: [string, Answered][] = [
      ["200", await server.send("ada", "GET", "/prompts")],
      ["400", await server.send("ada", "POST", "/prompts", {})],
      ["401", await server.send(null, "GET", "/prompts")],
      ["404", await server.send("ada", "GET", "/prompts/prm_none")],
      ["unknown route", await server.send("ada", "GET", "/nothing")],
      ["405", await server.send("ada", "PATCH", "/prompts")],
      ["415", await server.send("ada", "POST", "/prompts", "x", { "content-type": "text/plain" })],
      ["OpenAPI", await server.send(null, "GET", "/openapi.json")],
      ["health", await server.send(null, "GET", "//health")],
    ];
    for (const [what, { headers }] of answers) {
      expect([what, headers.get("x-ratelimit-limit")]).toEqual([what, "1000"]);
      expect([what, headers.get("x-ratelimit-remaining")]).toEqual([
        what,
        expect.stringMatching(/^\d+$/),
      ]);
      expect([what, headers.get("x-ratelimit-reset")]).toEqual([
        what,
        expect.stringMatching(/^\d+$/),
      ]);
    }
  });
});

describe("quotas", () => quotaCases(startTestServer));
