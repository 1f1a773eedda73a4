/**
 * Acceptance, on the executable: the official clients of OpenAI and of MCP, and the bridge for
 * desktop programs.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { cleanEnvironment } from "../../scripts/lib/launch";
import { mcpCases } from "../cases/mcp-client";
import { openAiCases } from "../cases/openai-clients";
import { startExecutable, type Executable } from "../helpers/executable";
import { until } from "../helpers/server";

const root = resolve(import.meta.dir, "../..");
const executable = resolve(root, "dist/dossier");

describe("the client of OpenAI", () => openAiCases(startExecutable));
describe("the client of MCP", () => mcpCases(startExecutable));

describe("dossier mcp", () => {
  let dossier: Executable;
  let key: string;
  const environment = (more: Record<string, string>) =>
    cleanEnvironment({ DOSSIER_MCP_URL: dossier.url(), ...more });
  beforeAll(async () => {
    dossier = await startExecutable();
    key = await dossier.key("ada");
    const folder_id = (await dossier.send("ada", "POST", "/folders", { name: "Manuals" })).body.id;
    const content = "The filter is cleaned every ninety days.";
    await dossier.send("ada", "POST", "/documents", { folder_id, name: "Pump", content });
    await until(
      async () =>
        (await dossier.send("ada", "POST", "/search", { query: "filter" })).body.data.length > 0,
    );
  }, 120_000);
  afterAll(() => dossier[Symbol.asyncDispose]());

  test("relays the messages of a desktop program", async () => {
    const client = new Client({ name: "desktop", version: "1" });
    const file = `${dossier.data}/agent.key`;
    await Bun.write(file, `${key}\n`);
    await client.connect(
      new StdioClientTransport({
        command: executable,
        args: ["mcp", "--key-file", file],
        env: environment({}) as Record<string, string>,
      }) as never,
    );
    const { content } = (await client.callTool({
      name: "ask",
      arguments: { question: "How often is the filter cleaned?" },
    })) as any;
    expect(content[0].text).toContain("every ninety days");
    await client.close();
  }, 60_000);

  const runs: [why: string, env: Record<string, string>, says: RegExp, code: number][] = [
    ["an invalid key", { DOSSIER_MCP_KEY: "none" }, /"error":.*API key/, 0],
    [
      "an unreachable server",
      { DOSSIER_MCP_KEY: "none", DOSSIER_MCP_URL: "http://127.0.0.1:9" },
      /"error":.*did not respond/,
      0,
    ],
    ["no key", {}, /DOSSIER_MCP_KEY/, 2],
    ["no address", { DOSSIER_MCP_KEY: "a", DOSSIER_MCP_URL: "nas" }, /--url/, 2],
  ];
  test.each(runs)("%s gives a readable error", async (_why, env, says, code) => {
    const run = Bun.spawn([executable, "mcp"], {
      env: environment(env),
      stdin: new Blob([`${JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/list" })}\n`]),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err, ended] = await Promise.all([run.stdout.text(), run.stderr.text(), run.exited]);
    expect([ended, out + err]).toEqual([code, expect.stringMatching(says)]);
  });
});
