/** Acceptance: `dossier completions` in real shells, with typed input and the Tab key. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildIfStale, executable } from "../../scripts/build";
import { cleanEnvironment, runCommand } from "../../scripts/lib/launch";
import { define_plugin } from "../cases/plugin-mistakes";
import { temporaryDirectory } from "../helpers/data-directory";
import { until } from "../helpers/server";

const commanding = define_plugin(
  "commanding",
  `commands: {
    greet: {
      name: "greet",
      summary: "Says 'hello': in \\\`words\\\` and $signs.",
      args: ["who"],
      options: [{ flags: "--tone <tone>", description: "how", choices: ["kind", "very loud"] }],
    },
    greetAll: { name: "user greet", summary: "Says hello to every user." },
  },
  setup: () => ({ commands: { greet: async () => {}, greetAll: async () => {} } })`,
);

let data: string;
beforeAll(async () => {
  await buildIfStale();
  data = temporaryDirectory();
  await Bun.write(join(data, "data/plugins/commanding.ts"), commanding);
  for (const file of ["backup of may.zip", "orig.txt"]) await Bun.write(join(data, file), "");
  mkdirSync(join(data, "originals"));
});
afterAll(() => rmSync(data, { recursive: true, force: true }));

/** The line typed before Tab, and the line after it. */
const rows: [why: string, typed: string, becomes: string][] = [
  ["a command of core", "dossier plu", "dossier plugin "],
  ["a subcommand", "dossier plugin che", "dossier plugin check "],
  ["a command of a built-in plugin", "dossier folder l", "dossier folder list "],
  ["a command of a plugin file", "dossier gre", "dossier greet "],
  ["a plugin's subcommand of a built-in command", "dossier user gre", "dossier user greet "],
  ["a command after help", "dossier help ses", "dossier help session "],
  ["an option", "dossier serve --po", "dossier serve --port "],
  ["an option after a command's arguments", "dossier greet Ada --to", "dossier greet Ada --tone "],
  [
    "an option after a value that looks like a command",
    "dossier document add --folder user --wa",
    "dossier document add --folder user --wait ",
  ],
  ["a value from a fixed set", "dossier user role --role me", "dossier user role --role member "],
  ["such a value after =", "dossier user role --role=me", "dossier user role --role=member "],
  ["a value of a plugin's option", "dossier greet --tone ki", "dossier greet --tone kind "],
  ["a value with a space", "dossier greet --tone ve", String.raw`dossier greet --tone very\ loud `],
  ["an argument from a fixed set", "dossier completions zs", "dossier completions zsh "],
  ["a file", "dossier restore back", String.raw`dossier restore backup\ of\ may.zip `],
  [
    "another file after two",
    "dossier document add a.txt b.txt back",
    String.raw`dossier document add a.txt b.txt backup\ of\ may.zip `,
  ],
  [
    "only a directory",
    "dossier restore a --originals or",
    "dossier restore a --originals originals/",
  ],
  ["nothing for a free value", "dossier user role --email or", "dossier user role --email or"],
  ["nothing after the last argument", "dossier restore a or", "dossier restore a or"],
];

const environment = () =>
  cleanEnvironment({
    PATH: `${dirname(executable)}:${process.env.PATH}`,
    DOSSIER_DATA: join(data, "data"),
    TERM: "dumb",
    HOME: data,
    LC_ALL: "C.UTF-8",
  });

/** A shell at a terminal. Ctrl-G prints the line that is being typed, between marks. */
class Typist implements Disposable {
  private output = "";
  private readonly shell: Bun.Subprocess;

  constructor(command: readonly string[]) {
    this.shell = Bun.spawn([...command], {
      cwd: data,
      env: environment(),
      terminal: {
        cols: 200,
        rows: 50,
        data: (_, bytes) => void (this.output += new TextDecoder().decode(bytes)),
      },
    });
  }

  async untilSaid(words: RegExp): Promise<RegExpExecArray> {
    await until(() => words.test(this.output));
    return words.exec(this.output)!;
  }

  type(keys: string): void {
    this.output = "";
    this.shell.terminal!.write(keys);
  }

  /** Returns the line after these keys, then clears it. */
  async lineAfter(keys: string): Promise<string> {
    this.type(`${keys}\u0007`);
    const [, line] = await this.untilSaid(/<<([^<]*)>>/);
    this.type("\u0015");
    return line!;
  }

  [Symbol.dispose](): void {
    this.shell.kill("SIGKILL");
    this.shell.terminal?.close();
  }
}

const interactive: [shell: string, command: string[], setup: string][] = [
  [
    "bash",
    ["bash", "--noprofile", "--norc", "-i"],
    `bind -x '"\\C-g": printf "<<%s>>" "$READLINE_LINE"'; source <(dossier completions bash)`,
  ],
  [
    "zsh",
    ["zsh", "-f", "-i"],
    'show() { print -rn -- "<<$BUFFER>>" }; zle -N show; bindkey "^G" show; autoload -Uz compinit; ' +
      "compinit -u -D; source <(dossier completions zsh)",
  ],
];
for (const [shell, command, setup] of interactive)
  describe.skipIf(!Bun.which(shell))(`in ${shell}`, () => {
    let typist: Typist;
    beforeAll(async () => {
      typist = new Typist(command);
      typist.type(`${setup}; printf 'rea%s\\n' dy\n`);
      await typist.untilSaid(/ready/);
    });
    afterAll(() => typist[Symbol.dispose]());
    test.each(rows)("%s", async (_why, typed, becomes) => {
      expect(await typist.lineAfter(`${typed}\t`)).toBe(becomes);
    });
  });

describe.skipIf(!Bun.which("fish"))("in fish", () => {
  /** What fish offers for each row, in order. */
  let offered: string[][];
  beforeAll(async () => {
    const asks = rows.map(([, typed]) => `complete -C '${typed}'; echo ---`);
    const script = ["dossier completions fish | source", ...asks].join("\n");
    const run = Bun.spawn(["fish", "--no-config", "-c", script], { cwd: data, env: environment() });
    offered = (await run.stdout.text())
      .split("---\n")
      .map((text) => text.split("\n").filter((line) => line !== ""));
  });
  test.each(rows.map(([why, typed, becomes], at) => [why, typed, becomes, at] as const))(
    "%s",
    (_why, typed, becomes, at) => {
      const last = typed.slice(typed.lastIndexOf(" ") + 1);
      const wanted = becomes.slice(typed.length - last.length).trimEnd();
      expect(offered[at]!.map((line) => line.split("\t")[0])).toEqual(
        typed === becomes ? [] : [wanted.replaceAll("\\ ", " ")],
      );
    },
  );
});

test("fish shows descriptions, with special characters of plugins escaped", async () => {
  const { code, stdout } = await runCommand(join(data, "data"), ["completions", "fish"]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining("-a 'greet' -d 'Says \\'hello\\': in `words` and $signs.'"),
  ]);
});

test("an unknown shell is refused as wrong usage, with a list of the known ones", async () => {
  const { code, stderr } = await runCommand(join(data, "data"), ["completions", "tcsh"]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/bash, zsh, fish/)]);
});
