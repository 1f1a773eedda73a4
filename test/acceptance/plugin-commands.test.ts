/** Commands of plugin files on the command line of the built executable. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { buildIfStale } from "../../scripts/build";
import { runCommand, type CommandResult } from "../../scripts/lib/launch";
import { define_plugin } from "../cases/plugin-mistakes";
import { temporaryDirectory } from "../helpers/data-directory";

const commanding = define_plugin(
  "commanding",
  `commands: {
    greet: { name: "greet", summary: "Says hello.", args: ["who"] },
    greetAll: { name: "user greet", summary: "Says hello to every user." },
  },
  tools: {
    told: { name: "told", summary: "Says a setting.", run: async ({ config, print }) => print(config.word as string) },
  },
  config: t.Object({ word: t.String({ default: "yes" }) }),
  setup: () => ({
    commands: {
      greet: async ({ args, print }) => print("Hello " + args[0]),
      greetAll: async ({ print }) => print("Hello all"),
    },
  })`,
);
/** Reports when it is loaded, which built-in commands never do. */
const loud = `process.stderr.write("loaded\\n");\nthrow new Error("too loud");`;

let data: string;
const run = (...words: string[]): Promise<CommandResult> => runCommand(data, words);

beforeAll(async () => {
  await buildIfStale();
  data = temporaryDirectory();
  await Bun.write(join(data, "plugins/commanding.ts"), commanding);
  await Bun.write(join(data, "plugins/loud.ts"), loud);
});
afterAll(() => rmSync(data, { recursive: true, force: true }));

const cases: [string, string[], number, RegExp][] = [
  ["a command runs", ["greet", "Ada"], 0, /^Hello Ada$/],
  ["a subcommand of a built-in command runs", ["user", "greet"], 0, /^Hello all$/],
  ["a tool runs with its settings", ["told"], 0, /^yes$/],
  ["a command has help", ["greet", "--help"], 0, /Usage: dossier greet .*<who>[^]*Says hello\./],
  ["a missing argument is named", ["greet"], 2, /^dossier: Missing required argument 'who'\.\n/],
  ["the list of commands includes it", ["--help"], 0, /greet \[options\] <who> +Says hello\./],
  ["an unknown command is refused", ["greed"], 2, /Did you mean greet\?/],
  [
    "… and plugins left out are named",
    ["greed"],
    2,
    /The plugin loud is left out: too loud .*\.\n/,
  ],
];
for (const [why, words, code, says] of cases)
  test(
    why,
    async () => {
      const result = await run(...words);
      expect(result.code).toBe(code);
      expect((result.stdout + result.stderr).trim()).toMatch(says);
    },
    60_000,
  );

test("a built-in command loads no plugin file", async () => {
  const result = await run("user", "list");
  expect([result.code, result.stderr]).toEqual([0, ""]);
}, 60_000);
