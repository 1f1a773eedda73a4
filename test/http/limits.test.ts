/** Rate limit and quotas as callers meet them: over HTTP. */
import { describe, expect, test } from "bun:test";
import { startTestServer } from "../helpers/host";
import type { Answered } from "../helpers/server";

/** So long that no test crosses into the next window. */
const limited = (requests: number) =>
  startTestServer({
    env: { DOSSIER_RATE_LIMIT_REQUESTS: String(requests), DOSSIER_RATE_LIMIT_WINDOW: "30d" },
  });
const remaining = (answer: { readonly headers: Headers }) =>
  Number(answer.headers.get("x-ratelimit-remaining"));

describe("the rate limit", () => {
  test("is the owner's: every key takes from it, another owner does not", async () => {
    const server = await limited(3);
    await server.key("ada");
    const { token } = await server.accounts.createKey("usr_ada", { name: "second" });
    expect(remaining(await server.send("ada", "GET", "/prompts"))).toBe(2);
    expect(
      remaining(
        await server.send(null, "GET", "/prompts", undefined, { authorization: `Bearer ${token}` }),
      ),
    ).toBe(1);
    expect(remaining(await server.send("bob", "GET", "/prompts"))).toBe(2);
    expect(remaining(await server.send("ada", "GET", "/prompts"))).toBe(0);
    const refused = await server.send("ada", "GET", "/prompts");
    expect([refused.status, remaining(refused)]).toEqual([429, 0]);
    const reset_s = Number(refused.headers.get("x-ratelimit-reset"));
    const now_s = Date.now() / 1_000;
    expect(reset_s % (30 * 86_400)).toBe(0);
    expect(reset_s).toBeGreaterThan(now_s);
    expect(Math.abs(Number(refused.headers.get("retry-after")) - (reset_s - now_s))).toBeLessThan(
      60,
    );
    expect(refused.body).toMatchObject({ status: 429, code: "rate_limited" });
  });

  test("is the address's without a good key, and apart from every owner's", async () => {
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

  test("lets exactly as many through as it says, when all come at once", async () => {
    const server = await limited(40);
    await server.key("ada");
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => server.send("ada", "GET", "/prompts")),
    );
    const statuses = (status: number) =>
      answers.filter((answer) => answer.status === status).length;
    expect([statuses(200), statuses(429)]).toEqual([40, 60]);
  });

  test("shows on every answer, whatever it is", async () => {
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

describe("a quota", () => {
  test("is exact when 50 folders are made at once, and names the limit", async () => {
    const server = await startTestServer({ env: { DOSSIER_QUOTAS_FOLDERS: "20" } });
    await server.key("ada");
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_each, i) =>
        server.send("ada", "POST", "/folders", { name: `Folder ${i}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201).length).toBe(20);
    const refused = answers.filter(({ status }) => status === 403);
    expect(refused.length).toBe(30);
    for (const { body } of refused)
      expect(body).toMatchObject({
        code: "quota_exceeded",
        detail: expect.stringContaining("at most 20 folders"),
      });
    expect((await server.send("ada", "GET", "/folders")).body.pagination.total).toBe(20);
  });

  test("is each user's own, and what is deleted makes room", async () => {
    const server = await startTestServer({ env: { DOSSIER_QUOTAS_FOLDERS: "1" } });
    const first = await server.send("ada", "POST", "/folders", { name: "a" });
    expect([
      first.status,
      (await server.send("ada", "POST", "/folders", { name: "b" })).status,
      (await server.send("bob", "POST", "/folders", { name: "b" })).status,
    ]).toEqual([201, 403, 201]);
    await server.send("ada", "DELETE", `/folders/${first.body.id}`);
    expect((await server.send("ada", "POST", "/folders", { name: "b" })).status).toBe(201);
  });
});
