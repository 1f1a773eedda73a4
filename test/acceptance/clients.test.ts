/**
 * Acceptance, on the executable: the main job by the TypeScript client, packed and installed; by
 * clients that openapi-typescript, openapi-python-client and oapi-codegen make of the document; and
 * by the Python clients of OpenAI and MCP. What is not on this machine is skipped, and said.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { temporaryDirectory } from "../helpers/data-directory";
import { startExecutable, type Executable } from "../helpers/executable";
import {
  findOapiCodegen,
  findPython,
  mustTool,
  oapi_codegen,
  programs,
  runTool,
  type Found,
} from "../helpers/foreign-tools";
import { blocksOf } from "../helpers/page-blocks";

const root = resolve(import.meta.dir, "../..");
const handbook = join(root, "examples/handbook/handbook.pdf");
const compiler = [process.execPath, join(root, "node_modules/typescript/bin/tsc")];
const scratch = temporaryDirectory();
const document_file = join(scratch, "openapi.json");

/** What languages there are: before the tests, so that those of the others can be skipped. */
const [python, go] = await Promise.all([findPython(), findOapiCodegen()]);
const pathOf = (found: Found): string => ("path" in found ? found.path : "");
const nameOf = (name: string, found: Found): string =>
  "missing" in found ? `${name} (skipped: ${found.missing})` : name;

let server: Executable, key: string;
beforeAll(async () => {
  const user = { DOSSIER_WEBHOOKS_ALLOW_NETWORKS: "127.0.0.0/8" };
  server = await startExecutable({ env: user });
  key = await server.createUser("ada@example.com", { role: "admin" });
  const document = await fetch(`${server.url()}/api/dev/v1/openapi.json`);
  await Bun.write(document_file, await document.text());
}, 120_000);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  rmSync(scratch, { recursive: true, force: true });
});

/** What docs/clients.md says to type for this program. */
const page = blocksOf(readFileSync(join(root, "docs/clients.md"), "utf8"));
const documented = (mark: string, value: string): string =>
  page.find(({ marks }) => marks.get(mark) === value)!.text;
/** Types it where the document is, with a program of that name that runs `command`. */
async function typed(program: string, command: readonly string[], path = ""): Promise<string> {
  const bin = join(scratch, "bin");
  mkdirSync(bin, { recursive: true });
  const words = command.map((word) => `'${word}'`).join(" ");
  writeFileSync(join(bin, program), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  const PATH = [bin, path, process.env.PATH].filter((one) => one !== "").join(delimiter);
  const shell = ["bash", "-euo", "pipefail", "-c", `${documented("needs", program)}`];
  const { code, stdout, stderr } = await runTool(shell, { cwd: scratch, env: { PATH } });
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

test("docs/clients.md names the versions that are tried here", async () => {
  const text = page.map((block) => block.text).join("");
  const requirements = readFileSync(join(programs, "requirements.txt"), "utf8");
  const { devDependencies: packages } = await Bun.file(join(root, "package.json")).json();
  for (const one of [
    /^openapi-python-client==.*$/m.exec(requirements)![0],
    `openapi-typescript@${packages["openapi-typescript"]}`,
    oapi_codegen,
  ])
    expect(text).toContain(one);
});

const job_done = {
  status: "synced",
  found: true,
  answer: expect.stringContaining("every ninety days"),
  quote_is_text: true,
  names: ["handbook.pdf"],
  gone: [404, "not_found"],
};
/** Runs a program with the server's address, a key and a PDF; answers what it printed. */
const job = async (...command: readonly string[]): Promise<any> =>
  JSON.parse(await mustTool([...command, server.url(), key, handbook]));

describe("TypeScript", () => {
  const project = join(scratch, "typescript");

  beforeAll(async () => {
    mkdirSync(project);
    const pack = ["npm", "pack", "--silent", "--pack-destination", project];
    const tarball = (await mustTool(pack, { cwd: join(root, "client") })).trim().split("\n").at(-1);
    await Bun.write(join(project, "package.json"), '{"private": true, "type": "module"}');
    const install = ["npm", "install", "--offline", "--no-audit", "--no-fund", "--silent"];
    await mustTool([...install, `./${tarball}`], { cwd: project });
    for (const name of ["openapi-fetch", "openapi-typescript-helpers"])
      symlinkSync(join(root, "node_modules", name), join(project, "node_modules", name));
    for (const name of ["sdk.ts", "fetch.ts", "types.ts", "node.d.ts", "tsconfig.json"])
      cpSync(join(programs, name), join(project, name));
    const generator = join(root, "node_modules/openapi-typescript/bin/cli.js");
    // It takes the version that is installed here, whatever package the page names.
    await typed("npx", ["sh", "-c", `shift; exec node "${generator}" "$@"`, "npx"]);
    renameSync(join(scratch, "schema.ts"), join(project, "schema.ts"));
    await mustTool([...compiler, "-p", "."], { cwd: project });
  }, 120_000);

  const runtimes: [name: string, command: string[] | null][] = [
    ["Node", ["node"]],
    ["Bun", [process.execPath]],
    ["Deno", Bun.which("deno") ? ["deno", "run", "--allow-all"] : null],
  ];
  for (const [name, command] of runtimes)
    test.skipIf(!command)(
      `the client of Dossier, packed and installed, in ${name}`,
      async () => {
        expect(await job(...command!, join(project, "sdk.js"))).toEqual({
          ...job_done,
          phases: ["sending", "indexing"],
          streamed: true,
        });
      },
      60_000,
    );
  test("openapi-typescript and openapi-fetch", async () => {
    expect(await job("node", join(project, "fetch.js"))).toEqual(job_done);
  }, 60_000);
});

describe.skipIf("missing" in python)(nameOf("Python", python), () => {
  const project = join(scratch, "dossier-python");
  const run = [pathOf(python)];
  const env = { PYTHONPATH: project, PYTHONDONTWRITEBYTECODE: "1" };

  let said: string;
  beforeAll(async () => {
    writeFileSync(join(scratch, "config.yaml"), documented("file", "config.yaml"));
    const generator = [...run, "-m", "openapi_python_client"];
    // It formats what it makes by a program beside it.
    said = await typed("openapi-python-client", generator, dirname(pathOf(python)));
  }, 120_000);

  test("openapi-python-client has nothing to warn of", () => {
    expect(said).not.toMatch(/warning|error/i);
  });
  test("openapi-python-client", async () => {
    const done = await mustTool(
      [...run, join(programs, "main_job.py"), server.url(), key, handbook],
      { env },
    );
    expect(JSON.parse(done)).toEqual(job_done);
  }, 60_000);
  test("openapi-python-client reads what every operation answers", async () => {
    const program = [join(programs, "every_operation.py"), server.url(), key, document_file];
    const results: [string, [number, string]][] = Object.entries(
      JSON.parse(await mustTool([...run, ...program], { env })),
    );
    expect(results.filter(([, [status]]) => status === 0)).toEqual([]);
    expect(results.filter(([, [status]]) => status >= 500)).toEqual([]);
    const fine = results.filter(([, [status]]) => status < 300);
    expect(results.length - fine.length).toBeLessThan(15);
    expect(fine.length).toBeGreaterThan(55);
  }, 60_000);
  test("the official clients of OpenAI and MCP", async () => {
    const { openai, mcp } = await job(...run, join(programs, "official.py"));
    expect(openai).toEqual({
      found: true,
      answer: expect.stringContaining("every ninety days"),
      streamed: true,
      marker: "[1]",
      quoted: expect.stringContaining("every ninety days"),
      names: expect.arrayContaining(["handbook.pdf"]),
      gone: [404, "not_found"],
    });
    expect(mcp).toEqual({
      tools: expect.arrayContaining(["search", "ask", "add_text"]),
      added: expect.stringContaining("doc_"),
      found: expect.stringContaining("oiled in May"),
      answer: expect.stringContaining("oiled in May"),
      listed: expect.stringContaining("Pump"),
    });
  }, 60_000);
});

describe.skipIf("missing" in go)(nameOf("Go", go), () => {
  const project = join(scratch, "go");
  test("oapi-codegen", async () => {
    await typed("oapi-codegen", [pathOf(go)]);
    mkdirSync(project);
    renameSync(join(scratch, "dossier-go"), join(project, "dossier"));
    for (const name of ["main.go", "go.mod", "go.sum"])
      cpSync(join(programs, name), join(project, name));
    await mustTool(["go", "build", "-o", "job", "."], { cwd: project, ms: 180_000 });
    expect(await job(join(project, "job"))).toEqual(job_done);
  }, 200_000);
});
