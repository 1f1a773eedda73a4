/** docs/configuration.md lists exactly the settings and commands that exist. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { resolve } from "node:path";
import { version } from "../../core/base/version";
import { startExecutable, type Executable } from "../helpers/executable";

const root = resolve(import.meta.dir, "../..");
const configuration = await Bun.file(resolve(root, "docs/configuration.md")).text();

let dossier: Executable;
beforeAll(async () => {
  dossier = await startExecutable();
}, 120_000);
afterAll(() => dossier[Symbol.asyncDispose]());

test("the settings table lists exactly the settings that exist", async () => {
  const listed = rowsOf("Settings")
    .slice(1)
    .flatMap((row) =>
      [...row.split("|")[1]!.matchAll(/`([a-z_]+)?\.([a-z_]+)`/g)].reduce<string[]>(
        (all, [, section, key]) => [...all, `${section ?? all.at(-1)!.split(".")[0]}.${key}`],
        [],
      ),
    );
  // Retention times have their own table, which repeats some of the settings.
  const kept_rows = tableOf("How long things are kept").flatMap((row) =>
    [...row.split("|")[2]!.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, name]) => name!),
  );
  expect(listed).toEqual([...new Set(listed)]);
  expect([...new Set([...listed, ...kept_rows])].toSorted()).toEqual(
    Object.keys(await settings()).toSorted(),
  );
});

test("every command in the table exists", async () => {
  const listed = rowsOf("The command line").flatMap(
    (row) => /`dossier ([a-z]+(?: [a-z]+)?)/.exec(row)?.[1] ?? [],
  );
  for (const words of listed)
    expect({ words, code: (await dossier.cli([...words.split(" "), "--help"])).code }).toEqual({
      words,
      code: 0,
    });
  expect(await dossier.mustCli(["version"])).toContain(version);
}, 180_000);

const tableOf = (heading: string): string[] =>
  (configuration.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| "));
const rowsOf = (heading: string): string[] =>
  tableOf(heading).filter((line) => line.startsWith("| `"));

/** Every known setting, taken from core and the built-in plugins. */
async function settings(): Promise<Record<string, true>> {
  const { builtIn } = await import("../../plugins/built-in");
  const { coreSections } = await import("../../core/cli/config-sources");
  const sections = [
    ...coreSections,
    ...builtIn.map((plugin) => [plugin.section, plugin.config] as const),
  ];
  return Object.fromEntries(
    sections.flatMap(([section, schema]) =>
      Object.keys(schema.properties).map((key) => [`${section}.${key}`, true as const]),
    ),
  );
}
