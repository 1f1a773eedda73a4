/**
 * Tests a page of the documentation as a newcomer would follow it: every block is typed into one
 * shell, in order, against the built executable, and the output is compared with that on the page.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { executable } from "../../scripts/build";
import { cleanEnvironment } from "../../scripts/lib/launch";
import { temporaryDirectory } from "./data-directory";
import { startExecutable, type Executable } from "./executable";
import { callAsAgent } from "./page-agent";
import { blocksOf, difference, filled, linesAreIn, valuesIn, type Block } from "./page-blocks";
import { PageShell, type Printed } from "./page-shell";
import { stages, type Stage, type Staged } from "./page-stage";
import { checkSyntax } from "./page-syntax";

const root = resolve(import.meta.dir, "../..");
const documented_host = "127.0.0.1:4780";

/** A page of the documentation, and what its blocks need. */
export interface Page {
  /** From the root of the project: `docs/start.md`. */
  readonly path: string;
  /**
   * The state at the beginning. `nothing` but a copy of the project; or, as after docs/start.md, a
   * `server` with Ada, its administrator, her folder with a handbook in it, and `dossier` on the
   * `PATH`.
   */
  readonly after: "nothing" | "server";
  /** Settings of the server, such as those that let it reach a test's own addresses. */
  readonly env?: Readonly<Record<string, string>>;
  /** Settings of the server that the reader does not see. */
  readonly server_env?: Readonly<Record<string, string>>;
  /** Further environments. */
  readonly stages?: readonly Stage[];
  /** Blocks that need one of these are skipped: another test has them. */
  readonly elsewhere?: { readonly words: readonly string[]; readonly why: string };
  /** Packages are installed persistently, in directories of the reader. */
  readonly installs?: boolean;
}

/** The result of a page. */
export interface Reading {
  readonly ran: number;
  /** Blocks that were skipped because something is missing. */
  readonly missing: readonly string[];
  /** TypeScript for reading: complete files, which are type-checked together. */
  readonly to_compile: readonly { readonly name: string; readonly text: string }[];
}

/** Tests a whole page. @throws Error that names the block. */
export async function readPage(page: Page): Promise<Reading> {
  await using reader = await Reader.open(page);
  const reading = { ran: 0, missing: [], to_compile: [] } as {
    ran: number;
    missing: string[];
    to_compile: { name: string; text: string }[];
  };
  for (const block of blocksOf(readFileSync(join(root, page.path), "utf8"))) {
    const location = `${page.path}:${block.line}`;
    try {
      const missing = reader.missing(block);
      if (missing !== null) {
        await checkSyntax(block);
        reading.missing.push(`${location}: ${missing}`);
        reader.clearOutput();
      } else if (isForReading(block)) {
        const name = `${page.path.replace(/\W+/g, "-")}-${block.line}`;
        reading.to_compile.push({ name, text: block.text });
      } else {
        const left_out = await reader.read(block);
        if (left_out === null) reading.ran++;
        else reading.missing.push(`${location}: ${left_out}`);
      }
    } catch (error) {
      throw new Error(`${location}: ${error instanceof Error ? error.message : error}`, {
        cause: error,
      });
    }
  }
  return reading;
}

const isForReading = ({ language, marks }: Block): boolean => language === "ts" && marks.size === 0;

/** The data directory at the end of docs/start.md, created once. */
let started: Promise<string> | undefined;
async function dataOfStart(): Promise<string> {
  const data = temporaryDirectory();
  process.on("exit", () => rmSync(data, { recursive: true, force: true }));
  const admin = {
    DOSSIER_ADMIN_EMAIL: "ada@example.com",
    DOSSIER_ADMIN_PASSWORD: "correct horse battery staple",
  };
  const server = await startExecutable({ data, env: { ...default_settings, ...admin } });
  const command = ["key", "create", "--user", "ada@example.com", "--name", "start"];
  const key = await server.mustCli(command);
  const folder = await server.api("POST", "/folders", { name: "Handbooks" }, { key });
  const form = new FormData();
  form.set("file", Bun.file(join(root, "examples/handbook/handbook.pdf")));
  const path = `/documents/file?folder_id=${folder.body.id}`;
  const { body } = await server.api("POST", path, form, { key });
  await server.until(`/documents/${body.id}`, (answer) => answer.body.status === "synced", { key });
  await server.stop();
  return data;
}

/** The default rate limit, unlike in other tests. */
const default_settings = { DOSSIER_RATE_LIMIT_REQUESTS: "600" };

function freePort(): number {
  using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  return server.port!;
}

/** A copy of the project, and the rest of a reader's home directory. */
function createHome(home: string): { readonly clone: string; readonly programs: string } {
  const clone = join(home, "dossier");
  const programs = join(home, "bin");
  for (const directory of [clone, programs, join(home, "mnt"), join(home, "srv")])
    mkdirSync(directory);
  for (const name of readdirSync(root)) symlinkSync(join(root, name), join(clone, name));
  symlinkSync(executable, join(programs, "dossier"));
  // No browser is opened.
  for (const opener of ["xdg-open", "open"])
    writeFileSync(join(programs, opener), "#!/bin/sh\n", { mode: 0o755 });
  return { clone, programs };
}

/** Files shown in a directory tree. @throws Error with those that don't exist. */
function requireNamed(picture: string, directories: readonly string[]): void {
  const names = picture.match(/[\w/-]+\.ts\b|\bcore\/\w+/g) ?? [];
  const places = ["", ...directories];
  const nowhere = names.filter((name) => !places.some((at) => existsSync(join(root, at, name))));
  if (nowhere.length > 0) throw new Error(`there is no ${nowhere.join(", no ")}`);
}

class Reader implements AsyncDisposable {
  private last_output: Printed | null = null;
  private readonly outputs: string[] = [];

  private constructor(
    readonly shell: PageShell,
    readonly home: string,
    readonly data: string,
    readonly server: Executable | null,
    /** Replacements of texts in the page. */
    readonly names: [string, string][],
    readonly staged: ReadonlyMap<string, Staged>,
    readonly path: string,
  ) {}

  static async open(page: Page): Promise<Reader> {
    const { after, env = {}, stages: wanted = [], elsewhere, installs } = page;
    const home = temporaryDirectory();
    const data = join(home, "data");
    const { clone, programs } = createHome(home);
    if (after === "server") cpSync(await (started ??= dataOfStart()), data, { recursive: true });
    else mkdirSync(data);
    const staged = new Map<string, Staged>();
    for (const name of wanted) staged.set(name, await stages[name]({ home, data }));
    for (const word of elsewhere?.words ?? []) staged.set(word, { missing: elsewhere!.why });
    const common_env = Object.assign({}, env, ...[...staged.values()].map((page) => page.env));
    const server_settings = [...staged.values()].map((page) => page.server_env);
    const server_env = Object.assign(
      { ...default_settings, ...common_env, ...page.server_env },
      ...server_settings,
    );
    const server = after === "nothing" ? null : await startExecutable({ data, env: server_env });
    for (const { onServerStart } of staged.values()) onServerStart?.();
    const host = server ? new URL(server.url()).host : null;
    const path = [
      ...[...staged.values()].flatMap((page) => page.path ?? []),
      ...(after === "nothing" && wanted.length === 0 ? [] : [programs]),
      process.env.PATH!,
    ].join(delimiter);
    const shell = new PageShell(
      clone,
      cleanEnvironment({
        HOME: home,
        PATH: path,
        DOSSIER_DATA: data,
        DOSSIER_PORT: "0",
        // The default address is a different one here.
        ...(host === null ? {} : { DOSSIER_MCP_URL: `http://${host}` }),
        // Installed packages stay unchanged.
        ...(installs ? {} : { npm_config_dry_run: "true" }),
        ...common_env,
      }),
      [...staged.values()].find((page) => page.shell)?.shell,
    );
    const names: [string, string][] = [
      ...[...staged.values()].flatMap((page) => (page.names ?? []) as [string, string][]),
      ...(host === null ? [] : [[documented_host, host] as [string, string]]),
      // Ports of the examples, which may be in use here.
      ...["8787", "4781"].map((port): [string, string] => [port, String(freePort())]),
      // No other server is contacted.
      ["s3.eu-west-1.amazonaws.com", "127.0.0.1:9"],
      ["/mnt/nas", join(home, "mnt")],
      ["/srv/", join(home, "srv/")],
      ["/var/lib/dossier", data],
    ];
    return new Reader(shell, home, data, server, names, staged, path);
  }

  /** What a block needs and is missing; null when nothing is. */
  missing({ marks }: Block): string | null {
    for (const word of marks.get("needs")?.split(" ") ?? []) {
      const stage = this.staged.get(word);
      if (stage?.missing !== undefined) return stage.missing;
      if (!stage && !Bun.which(word, { PATH: this.path })) return `there is no ${word}`;
    }
    return null;
  }

  /** Tests one block. Returns why it was skipped, or null. @throws Error with what is wrong. */
  async read(block: Block): Promise<string | null> {
    const online = block.marks.get("online");
    try {
      await this.readBlock(block);
      return null;
    } catch (error) {
      const left_out = online !== undefined && !(await this.succeeds(online));
      if (!left_out) throw error;
      this.clearOutput();
      return `there is no network: \`${online}\` fails`;
    }
  }

  private async succeeds(command: string): Promise<boolean> {
    const probe = Bun.spawn(["bash", "-c", command], { stdout: "ignore", stderr: "ignore" });
    return (await probe.exited) === 0;
  }

  private async readBlock(block: Block): Promise<void> {
    const { language, marks } = block;
    if (marks.has("restarted")) await this.restart();
    const text = this.localised(block.text);
    const into = ["file", "append", "after"].find((word) => marks.has(word));
    if (into !== undefined) this.write(into, marks.get(into)!, text);
    else if (marks.has("picture")) requireNamed(text, marks.get("picture")!.split(" "));
    else if (marks.has("agent"))
      await callAsAgent(filled(text, this.outputs), marks.get("agent")!, this.path);
    else if (["sh", "bash"].includes(language)) await this.type(text, marks.get("until"));
    else if (language === "zsh" || language === "fish") await this.typeInto(language, text);
    else if (language === "toml") await this.load(text);
    else if (language === "json") this.compareJson(block.text);
    else if (language === "text") this.compareText(block.text);
    else throw new Error(`no test of blocks of ${language || "no language"}`);
  }

  /** Of another shell than the page's. */
  private async typeInto(language: string, text: string): Promise<void> {
    const file = join(this.home, `block.${language}`);
    writeFileSync(file, text);
    this.last_output = await this.shell.run(`${language} '${file}'`);
  }

  private async restart(): Promise<void> {
    await this.server!.restart();
    const at = this.names.findIndex(([name]) => name === documented_host);
    this.names[at] = [documented_host, new URL(this.server!.url()).host];
  }

  clearOutput(): void {
    this.last_output = null;
  }

  private async type(text: string, until: string | undefined): Promise<void> {
    const script = filled(text, this.outputs);
    if (until === undefined) this.last_output = await this.shell.run(script);
    else {
      const log = await this.shell.begin(script, until);
      const host = /http:\/\/(127\.0\.0\.1:\d+)/.exec(log)?.[1];
      const name_index = this.names.findIndex(([name]) => name === documented_host);
      if (host && this.server === null) {
        if (name_index >= 0) this.names.splice(name_index, 1);
        this.names.unshift([documented_host, host]);
      }
      this.last_output = { stdout: log, stderr: "" };
    }
    this.outputs.push(this.last_output.stdout);
  }

  /** Translates a text of the page to this environment. */
  private localised(text: string): string {
    return this.names.reduce((all, [documented, local]) => all.replaceAll(documented, local), text);
  }
  /** Translates actual output back to the texts of the page. */
  private documented(text: string): string {
    return this.names.reduce((all, [documented, local]) => all.replaceAll(local, documented), text);
  }

  private write(mode: string, where: string, text: string): void {
    const [words, name] = mode === "after" ? where.split(" in ") : ["", where];
    const path = this.shell.pathOf(resolve(this.shell.directory, this.localised(name!)));
    if (mode === "file") {
      mkdirSync(dirname(path), { recursive: true });
      return writeFileSync(path, text);
    }
    const before = readFileSync(path, "utf8");
    if (mode === "append") return writeFileSync(path, `${before}\n${text}`);
    const lines = before.split("\n");
    const at = lines.findIndex((line) => line.includes(words!));
    if (at < 0) throw new Error(`there is no line with “${words}” in ${name}`);
    writeFileSync(path, lines.toSpliced(at + 1, 0, text.trimEnd()).join("\n"));
  }

  /** The executable must load the settings without a complaint. */
  private async load(text: string): Promise<void> {
    const directory = join(this.home, "settings");
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory);
    writeFileSync(join(directory, "dossier.toml"), text);
    const run = Bun.spawn([executable, "config", "--json", "--data", directory], {
      env: cleanEnvironment({ DOSSIER_PLUGINS_DIRECTORY: join(this.data, "plugins") }),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr] = await Promise.all([run.stdout.text(), run.stderr.text()]);
    if ((await run.exited) !== 0 || stderr !== "") throw new Error(`${stderr}${stdout}\n${text}`);
    if (!stdout.includes("dossier.toml")) throw new Error(`no setting comes from it:\n${text}`);
  }

  private compareJson(text: string): void {
    const shown = JSON.parse(text) as unknown;
    const actual = valuesIn(this.documented(this.output()));
    const differences = actual.map((value) => difference(shown, value));
    if (!differences.includes(null))
      throw new Error(`${differences.join("\n") || "no JSON"}\nin this output:\n${this.output()}`);
  }

  private compareText(text: string): void {
    if (!linesAreIn(text, this.documented(this.output())))
      throw new Error(`shown:\n${text}\nactual output:\n${this.documented(this.output())}`);
  }

  private output(): string {
    if (this.last_output === null)
      throw new Error("no command before this block has printed anything");
    return `${this.last_output.stdout}\n${this.last_output.stderr}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shell[Symbol.asyncDispose]();
    await this.server?.[Symbol.asyncDispose]();
    for (const { close } of this.staged.values()) await close?.();
    if (existsSync(this.home)) rmSync(this.home, { recursive: true, force: true });
  }
}
