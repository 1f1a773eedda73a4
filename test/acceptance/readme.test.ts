/**
 * What README.md and docs/configuration.md show is run as it stands there: the first answer with
 * curl, the plugin of 25 lines, every setting and every command.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { resolve } from "node:path";
import { version } from "../../core/base/version";
import { cleanEnvironment } from "../../scripts/lib/launch";
import { startExecutable, type Executable } from "../helpers/executable";

const root = resolve(import.meta.dir, "../..");
const readme = await Bun.file(resolve(root, "README.md")).text();
const configuration = await Bun.file(resolve(root, "docs/configuration.md")).text();
/** The fenced blocks of a language, below a heading. */
function blocks(heading: string, language: string): string[] {
  const section = readme.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  return [...section.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    ([, text]) => text!,
  );
}
const plugin = blocks("A plugin in 25 lines", "ts")[0]!;

let dossier: Executable;
beforeAll(async () => {
  dossier = await startExecutable({ files: { "plugins/folder-count.ts": plugin } });
}, 120_000);
afterAll(() => dossier[Symbol.asyncDispose]());

test.skipIf(!Bun.which("curl"))(
  "the first answer, line by line",
  async () => {
    const script = blocks("The first answer in five minutes", "sh")
      .join("\n")
      .replaceAll("127.0.0.1:4780", new URL(dossier.url()).host);
    expect(script.split("\n").length).toBeGreaterThan(10);
    const run = Bun.spawn(["bash", "-euo", "pipefail", "-c", script], {
      cwd: root,
      env: cleanEnvironment({ DOSSIER_DATA: dossier.data }),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: 60_000,
    });
    const [stdout, stderr, code] = await Promise.all([
      run.stdout.text(),
      run.stderr.text(),
      run.exited,
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { status, result } = JSON.parse(stdout.slice(stdout.indexOf("{")));
    expect(status).toBe("COMPLETED");
    expect(result.answer).toContain("every ninety days");
    expect(result.citations[0]).toMatchObject({ id: 1, page: 3, document_name: "handbook.pdf" });
  },
  60_000,
);

test("the plugin has 25 lines, is loaded and answers", async () => {
  expect(plugin.trimEnd().split("\n").length).toBeLessThanOrEqual(25);
  const key = await dossier.createUser("grace@example.com");
  await dossier.api("POST", "/folders", { name: "One" }, { key });
  expect((await dossier.api("GET", "/folder-count", undefined, { key })).body).toEqual({
    count: 1,
  });
});

test("every setting is in its table, and every setting of the table exists", async () => {
  const listed = rowsOf("Settings")
    .slice(1)
    .flatMap((row) =>
      [...row.split("|")[1]!.matchAll(/`([a-z_]+)?\.([a-z_]+)`/g)].reduce<string[]>(
        (all, [, section, key]) => [...all, `${section ?? all.at(-1)!.split(".")[0]}.${key}`],
        [],
      ),
    );
  // Times after which something goes have a table of their own, which repeats some.
  const kept = tableOf("How long things are kept").flatMap((row) =>
    [...row.split("|")[2]!.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, name]) => name!),
  );
  expect(listed).toEqual([...new Set(listed)]);
  expect([...new Set([...listed, ...kept])].toSorted()).toEqual(
    Object.keys(await settings()).toSorted(),
  );
});

test("every command of its table exists", async () => {
  const listed = rowsOf("The command line").flatMap(
    (row) => /`dossier ([a-z]+(?: [a-z]+)?)/.exec(row)?.[1] ?? [],
  );
  for (const words of listed)
    expect({ words, code: (await dossier.cli([...words.split(" "), "--help"])).code }).toEqual({
      words,
      code: 0,
    });
  expect(await dossier.mustCli(["version"])).toContain(version);
});

const tableOf = (heading: string): string[] =>
  (configuration.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| "));
const rowsOf = (heading: string): string[] =>
  tableOf(heading).filter((line) => line.startsWith("| `"));

/** Every setting that an unknown name could have meant, from the plugins themselves. */
async function settings(): Promise<Record<string, true>> {
  const { builtIn } = await import("../../plugins/built-in");
  const { coreSections } = await import("../../core/cli/config-sources");
  const sections = [...coreSections, ...builtIn.map((one) => [one.section, one.config] as const)];
  return Object.fromEntries(
    sections.flatMap(([section, schema]) =>
      Object.keys(schema.properties).map((key) => [`${section}.${key}`, true as const]),
    ),
  );
}
