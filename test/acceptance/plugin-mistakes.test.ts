/**
 * Mistakes of plugins in the built executable: each is reported with the plugin's name, while the
 * server and another plugin keep working.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { failing, fine, innocent, left_out, settings } from "../cases/plugin-mistakes";
import { processes } from "../helpers/databases";
import { startExecutable, type Executable } from "../helpers/executable";

let server: Executable;
let listed: { name: string; status: string; reason: string | null }[];
let ready: number;
let known: { plugins: { name: string; reason: string }[]; status: string };

const reasonOf = (name: string) => known.plugins.find((plugin) => plugin.name === name)?.reason;

beforeAll(async () => {
  const mistakes = [...left_out, ...failing, ...fine].map(({ name, text }) => [
    `plugins/${name}.ts`,
    text,
  ]);
  server = await startExecutable({
    env: { DOSSIER_SERVER_PUBLIC_URL: "https://dossier.example/papers" },
    files: {
      ...Object.fromEntries(mistakes),
      "plugins/innocent.ts": innocent,
      "dossier.toml": settings,
    },
  });
  await server.createUser("ada@dossier.test", { role: "admin" });
  // Each process knows its own failures, and each connection goes to the next process.
  for (const { ask } of failing)
    for (let n = 0; n < processes; n++) await server.api("GET", ask[0]);
  for (let n = 0; n < processes; n++)
    ready = (await fetch(`${server.url()}/ready`, { keepalive: false })).status;
  // Failures in the background or during /health appear in a later response.
  const everybody = ({ body }: { body: any }) =>
    failing.every(({ name, says }) =>
      body.plugins.some((plugin: any) => plugin.name === name && says.test(plugin.reason)),
    );
  await server.until("/health", everybody, { key: null }).catch(() => undefined);
  known = (await server.api("GET", "/health", undefined, { key: null })).body;
  listed = JSON.parse(await server.mustCli(["plugin", "list", "--json"]));
}, 180_000);
afterAll(() => server?.[Symbol.asyncDispose]());

describe("a plugin is left out with", () => {
  for (const { why, name, says } of left_out)
    test(why, () => {
      expect(reasonOf(name)).toMatch(says);
      const row = listed.find((plugin) => plugin.name === name);
      // Only the server itself knows its public address.
      const status = /public address/.test(why) ? "failing" : "left out";
      expect(row).toMatchObject({ status, reason: expect.stringMatching(says) });
      expect(server.output()).toContain(name);
    });
});

describe("a plugin is named as failing with", () => {
  for (const { why, name, says, ask } of failing)
    test(why, async () => {
      expect(reasonOf(name)).toMatch(says);
      expect(listed.find((plugin) => plugin.name === name)).toMatchObject({ status: "failing" });
      expect((await server.api("GET", ask[0])).status).toBe(ask[1]);
      expect(server.output()).toContain(`"plugin":"${name}"`);
    });
});

test("a correct plugin beside them and the server keep working", async () => {
  expect((await server.api("GET", "/innocent")).body).toEqual({ well: true });
  expect(listed.find((plugin) => plugin.name === "innocent")).toMatchObject({ status: "loaded" });
  expect((await server.api("GET", "/folders")).status).toBe(200);
  expect(ready).toBe(200);
  expect(known.status).toBe("degraded");
  expect(known.plugins.map(({ name }) => name)).not.toContain("innocent");
});
describe("a plugin is loaded with", () => {
  for (const { why, name, path } of fine)
    test(why, async () => {
      expect(listed.find((plugin) => plugin.name === name)).toMatchObject({ status: "loaded" });
      expect((await server.api("GET", path)).status).toBe(200);
      expect((await server.api("GET", "/openapi.json")).status).toBe(200);
    });
});
test("no other plugin is reported", () => {
  const expected = [...left_out, ...failing].map(({ name }) => name).sort();
  expect(known.plugins.map(({ name }) => name).sort()).toEqual(expected);
});
test("a failed replacement leaves the original in use", async () => {
  const answer = await server.call(null, "GET", "/health");
  expect(answer.headers.get("x-ratelimit-limit")).toBe("1000000");
});
test("a settings section of a missing plugin is a warning", () => {
  expect(server.output()).toMatch(/"level":"warn".*there is no section \[news_letter\]/);
});
