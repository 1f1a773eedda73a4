/**
 * Acceptance: settings on the command line, beside a running server that applies them at once, and
 * without one.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startExecutable, type Executable } from "../helpers/executable";

const canary = "sk-xylophonecanary";
const counter = `
import { definePlugin, t } from "dossier";
export default definePlugin({ name: "counter", version: "1.0.0",
  config: t.Object({ most: t.Integer({ default: 3, maximum: 9, changes: "now" }) }),
  setup: () => ({}) });
`;
let server: Executable;
beforeAll(async () => {
  server = await startExecutable({
    files: { "dossier.toml": '[chats]\nrestore_for = "9d"\n' },
    env: { DOSSIER_AUDIT_KEEP: "90d" },
  });
  await server.createUser();
}, 180_000);
afterAll(() => server?.[Symbol.asyncDispose]());

const set = (key: string, value: string) => server.mustCli(["config", "set", key, value]);
const get = (key: string) => server.mustCli(["config", "get", key]);
const folder = async () => (await server.api("POST", "/folders", { name: "One more" })).status;

describe("beside a running server", () => {
  test("a quota applies when the command ends, until it is unset", async () => {
    expect(await set("quotas.folders", "1")).toBe("quotas.folders is now 1.");
    expect([await folder(), await folder()]).toEqual([201, 403]);
    expect(await get("quotas.folders")).toBe("1");
    const unset = ["config", "unset", "quotas.folders"];
    expect(await server.mustCli(unset)).toBe("quotas.folders is back to its default: not set.");
    expect(await folder()).toBe(201);
    expect(await server.mustCli(unset)).toBe(
      "quotas.folders has no stored value: not set (default).",
    );
  });

  const overruled: [where: string, key: string, value: string, winner: string, stays: string][] = [
    ["the environment", "audit.keep", "3d", "DOSSIER_AUDIT_KEEP", "90d"],
    ["dossier.toml", "chats.restore_for", "3d", "dossier.toml", "9d"],
  ];
  test.each(overruled)(
    "%s takes precedence, and the command says so",
    async (_where, key, value, winner, stays) => {
      expect(await set(key, value)).toContain(
        `Stored ${key} as ${value}, but ${winner} overrides it`,
      );
      expect(await get(key)).toBe(stays);
      expect(await server.mustCli(["config", "list"])).toContain(
        `${stays}  (${winner}; overrides the stored value)`,
      );
    },
  );

  const refused: [why: string, words: string[], code: number, says: RegExp][] = [
    [
      "a wrong value",
      ["set", "chats.restore_for", "5"],
      1,
      /chats\.restore_for must be a duration/,
    ],
    ["an unknown setting", ["set", "chats.restore", "5d"], 1, /nearest is chats\.restore_for/],
    ["a start-up setting", ["set", "server.port", "1"], 1, /server\.port can't be stored/],
    ["no value", ["set", "audit.keep"], 2, /Specify the value/],
    ["a value and standard input", ["set", "audit.keep", "5d", "--stdin"], 2, /Specify the value/],
    ["reading an unknown setting", ["get", "audit.keeps"], 2, /no setting audit\.keeps/],
    ["a setting of a plugin without any", ["get", "prompts.most"], 2, /prompts has no settings/],
    [
      "testing a section without a service",
      ["test", "quotas"],
      2,
      /quotas can't be tested. These sections can: ans/,
    ],
  ];
  test.each(refused)("%s is refused", async (_why, words, code, says) => {
    const result = await server.cli(["config", ...words]);
    expect([result.code, result.stderr]).toEqual([code, expect.stringMatching(says)]);
  });

  test("a secret is read from standard input, encrypted and never shown", async () => {
    const words = ["config", "set", "answers.api_key", "--stdin"];
    expect(await server.mustCli(words, { stdin: canary })).not.toContain(canary);
    expect(await get("answers.api_key")).toBe("[secret]");
    for (const list of [["config"], ["config", "list", "--json"]])
      expect(await server.mustCli(list)).not.toContain(canary);
    for (const name of readdirSync(server.data).filter((file) => file.startsWith("dossier.")))
      expect(readFileSync(join(server.data, name)).includes(canary)).toBe(false);
    expect(server.output()).not.toContain(canary);
  });

  test("an endpoint is tested with its settings; the exit code is the result", async () => {
    expect(await server.mustCli(["config", "test", "answers"])).toBe(
      "No language model is used: answers quote sentences from the documents.",
    );
    const env = {
      DOSSIER_ANSWERS_PROVIDER: "openai",
      DOSSIER_ANSWERS_BASE_URL: "http://127.0.0.1:9/v1",
      DOSSIER_ANSWERS_MODEL: "tiny",
    };
    const result = await server.cli(["config", "test", "answers", "--json"], { env });
    expect([result.code, JSON.parse(result.stdout)]).toEqual([
      1,
      expect.objectContaining({ status: "fail", setting: "answers.base_url" }),
    ]);
    expect(result.stderr).toContain("Nothing is listening at 127.0.0.1:9.");
  });

  test("the audit log has each change with the operating system's user", async () => {
    const key = await server.createUser("root@example.com", { role: "admin" });
    const { data } = (await server.api("GET", "/audit?record=answers.api_key", undefined, { key }))
      .body;
    expect(data).toMatchObject([
      { action: "config set", via: "command_line", outcome: "done", actor: expect.any(String) },
    ]);
  });
});

test("stored settings survive a restart and can be changed without a server", async () => {
  await set("index.cache", "64MiB");
  await set("quotas.chats", "7");
  await server.restart();
  expect([await get("index.cache"), await get("quotas.chats")]).toEqual(["64MiB", "7"]);
  await server.stop();
  expect(await set("quotas.folders", "0")).toBe("quotas.folders is now 0.");
  expect(JSON.parse(await server.mustCli(["config", "--json"]))).toContainEqual({
    setting: "quotas.folders",
    value: 0,
    origin: "stored",
  });
  await server.restart();
  expect(await folder()).toBe(403);
}, 120_000);

// Uses its own directory, because with a plugin file every command first tries that file.
test("a plugin file's setting is validated, stored and kept across a restart", async () => {
  await using other = await startExecutable({
    files: { "plugins/counter.ts": counter, "plugins/torn.ts": "export default 5" },
  });
  const too_much = await other.cli(["config", "set", "counter.most", "10"]);
  expect([too_much.code, too_much.stderr]).toEqual([
    1,
    expect.stringMatching(/counter\.most .* at most 9/),
  ]);
  expect(await other.mustCli(["config", "set", "counter.most", "5"])).toBe(
    "counter.most is now 5.",
  );
  await other.restart();
  expect(await other.mustCli(["config", "get", "counter.most"])).toBe("5");
  const left_out = await other.cli(["config", "get", "torn.most"]);
  expect([left_out.code, left_out.stderr]).toEqual([
    2,
    expect.stringContaining("the plugin torn is not loaded: "),
  ]);
}, 120_000);
