/**
 * Reads a page of the documentation as a newcomer does: every block is typed into one shell, in
 * order, against the built executable, and what the page shows is compared with what comes.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { executable } from "../../scripts/build";
import { cleanEnvironment } from "../../scripts/lib/launch";
import { temporaryDirectory } from "./data-directory";
import { startExecutable, type Executable } from "./executable";
import { blocksOf, difference, filled, linesAreIn, valuesIn, type Block } from "./page-blocks";
import { PageShell, type Printed } from "./page-shell";
import { checkSyntax } from "./page-syntax";

const root = resolve(import.meta.dir, "../..");
const documented_host = "127.0.0.1:4780";

export interface Page {
  /** From the root of the project: `docs/start.md`. */
  readonly path: string;
  /**
   * What is there when the reader comes to it. `nothing` but a copy of the project; or, as after
   * docs/start.md, a `server` with Ada, its administrator, her folder with a handbook in it, and
   * `dossier` on the `PATH`.
   */
  readonly after: "nothing" | "server";
  /** Settings of the server, such as those that let it reach a test's own addresses. */
  readonly env?: Readonly<Record<string, string>>;
  /** The TypeScript client is installed where the reader is. */
  readonly client?: boolean;
}

/** What became of a page. */
export interface Reading {
  readonly ran: number;
  /** Blocks that were not run, with the page's reason. */
  readonly not_run: readonly string[];
  /** Blocks whose program is not installed here. */
  readonly missing: readonly string[];
  /** TypeScript that is for reading: whole files whose types are checked together. */
  readonly to_compile: readonly { readonly name: string; readonly text: string }[];
}

/** Tries all of a page. @throws Error that names the block. */
export async function readPage(page: Page): Promise<Reading> {
  await using reader = await Reader.open(page);
  const reading = { ran: 0, not_run: [], missing: [], to_compile: [] } as {
    ran: number;
    not_run: string[];
    missing: string[];
    to_compile: { name: string; text: string }[];
  };
  for (const block of blocksOf(readFileSync(join(root, page.path), "utf8"))) {
    const place = `${page.path}:${block.line}`;
    const reason = block.marks.get("not run");
    const program = block.marks.get("needs");
    try {
      if (reason !== undefined || (program && !Bun.which(program))) {
        await checkSyntax(block);
        if (reason !== undefined) reading.not_run.push(`${place} (${block.language}): ${reason}`);
        else reading.missing.push(`${place}: there is no ${program}`);
        reader.nothingCame();
      } else if (isForReading(block)) {
        const name = `${page.path.replace(/\W+/g, "-")}-${block.line}`;
        reading.to_compile.push({ name, text: block.text });
      } else {
        await reader.read(block);
        reading.ran++;
      }
    } catch (error) {
      throw new Error(`${place}: ${error instanceof Error ? error.message : error}`, {
        cause: error,
      });
    }
  }
  return reading;
}

const isForReading = ({ language, marks }: Block): boolean => language === "ts" && marks.size === 0;

/** What docs/start.md ends with. */
async function firstDocument(server: Executable): Promise<void> {
  const command = ["key", "create", "--user", "ada@example.com", "--name", "start"];
  const key = await server.mustCli(command);
  const folder = await server.api("POST", "/folders", { name: "Handbooks" }, { key });
  const form = new FormData();
  form.set("file", Bun.file(join(root, "examples/handbook/handbook.pdf")));
  const path = `/documents/file?folder_id=${folder.body.id}`;
  const { body } = await server.api("POST", path, form, { key });
  await server.until(`/documents/${body.id}`, (one) => one.body.status === "synced", { key });
}

function freePort(): number {
  using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  return server.port!;
}

/** As its package has it; whoever imports it below finds it. */
function installClient(home: string): void {
  const source = join(root, "client");
  const target = join(home, "node_modules/dossier-client");
  mkdirSync(target, { recursive: true });
  symlinkSync(join(source, "package.json"), join(target, "package.json"));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const command = [process.execPath, compiler, "-p", source, "--outDir", join(target, "dist")];
  const { success, stdout } = Bun.spawnSync(command);
  if (!success) throw new Error(stdout.toString());
}

class Reader implements AsyncDisposable {
  #last: Printed | null = null;
  readonly #all: string[] = [];

  private constructor(
    readonly shell: PageShell,
    readonly home: string,
    readonly data: string,
    readonly server: Executable | null,
    /** What stands in the page, and what stands for it here. */
    readonly names: [string, string][],
  ) {}

  static async open({ after, env = {}, client = false }: Page): Promise<Reader> {
    const home = temporaryDirectory();
    const clone = join(home, "dossier");
    const programs = join(home, "bin");
    for (const directory of [clone, programs, join(home, "mnt"), join(home, "srv")])
      mkdirSync(directory);
    for (const name of readdirSync(root)) symlinkSync(join(root, name), join(clone, name));
    symlinkSync(executable, join(programs, "dossier"));
    // Nobody sits here to look at a browser.
    for (const opener of ["xdg-open", "open"])
      writeFileSync(join(programs, opener), "#!/bin/sh\n", { mode: 0o755 });
    const data = join(home, "data");
    mkdirSync(data);
    const admin = {
      DOSSIER_ADMIN_EMAIL: "ada@example.com",
      DOSSIER_ADMIN_PASSWORD: "correct horse battery staple",
      // As it is for everybody, unlike in other tests.
      DOSSIER_RATE_LIMIT_REQUESTS: "600",
    };
    const server =
      after === "nothing" ? null : await startExecutable({ data, env: { ...admin, ...env } });
    if (server) await firstDocument(server);
    if (client) installClient(home);
    const host = server ? new URL(server.url()).host : null;
    const shell = new PageShell(
      clone,
      cleanEnvironment({
        HOME: home,
        PATH: after === "nothing" ? process.env.PATH! : `${programs}:${process.env.PATH}`,
        DOSSIER_DATA: data,
        DOSSIER_PORT: "0",
        // The address that it takes by itself is another one here.
        ...(host === null ? {} : { DOSSIER_MCP_URL: `http://${host}` }),
        // What is installed already stays as it is.
        npm_config_dry_run: "true",
        ...env,
      }),
    );
    return new Reader(shell, home, data, server, [
      ...(host === null ? [] : [[documented_host, host] as [string, string]]),
      // Ports of the examples, which may be taken here.
      ...["8787", "4781"].map((port): [string, string] => [port, String(freePort())]),
      ["/mnt/nas", join(home, "mnt")],
      ["/srv/", join(home, "srv/")],
      ["/var/lib/dossier", data],
    ]);
  }

  /** One block. @throws Error with what is wrong. */
  async read(block: Block): Promise<void> {
    const { language, marks } = block;
    const text = this.#here(block.text);
    const into = ["file", "append", "after"].find((word) => marks.has(word));
    if (into !== undefined) this.#write(into, marks.get(into)!, text);
    else if (["sh", "bash"].includes(language)) await this.#type(text, marks.get("until"));
    else if (language === "zsh" || language === "fish") await this.#typeInto(language, text);
    else if (language === "toml") await this.#load(text);
    else if (language === "json") this.#compareJson(block.text);
    else if (language === "text") this.#compareText(block.text);
    else throw new Error(`nobody knows what to do with a block of ${language || "no language"}`);
  }

  /** Of another shell than the one that the rest of the page is typed into. */
  async #typeInto(language: string, text: string): Promise<void> {
    const file = join(this.home, `block.${language}`);
    writeFileSync(file, text);
    this.#last = await this.shell.run(`${language} '${file}'`);
  }

  nothingCame(): void {
    this.#last = null;
  }

  async #type(text: string, until: string | undefined): Promise<void> {
    const script = filled(text, this.#all);
    if (until === undefined) this.#last = await this.shell.run(script);
    else {
      const said = await this.shell.begin(script, until);
      const host = /http:\/\/(127\.0\.0\.1:\d+)/.exec(said)?.[1];
      const known = this.names.findIndex(([name]) => name === documented_host);
      if (host && this.server === null) {
        if (known >= 0) this.names.splice(known, 1);
        this.names.unshift([documented_host, host]);
      }
      this.#last = { stdout: said, stderr: "" };
    }
    this.#all.push(this.#last.stdout);
  }

  /** A text of the page as it is here, and what came here as the page says it. */
  #here(text: string): string {
    return this.names.reduce((all, [there, here]) => all.replaceAll(there, here), text);
  }
  #there(text: string): string {
    return this.names.reduce((all, [there, here]) => all.replaceAll(here, there), text);
  }

  #write(how: string, where: string, text: string): void {
    const [words, name] = how === "after" ? where.split(" in ") : ["", where];
    const path = resolve(this.shell.directory, name!);
    if (how === "file") return writeFileSync(path, text);
    const before = readFileSync(path, "utf8");
    if (how === "append") return writeFileSync(path, `${before}\n${text}`);
    const lines = before.split("\n");
    const at = lines.findIndex((line) => line.includes(words!));
    if (at < 0) throw new Error(`there is no line with “${words}” in ${name}`);
    writeFileSync(path, lines.toSpliced(at + 1, 0, text.trimEnd()).join("\n"));
  }

  /** Settings are loaded by the executable, which must find nothing to say about them. */
  async #load(text: string): Promise<void> {
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
    if (!stdout.includes("dossier.toml")) throw new Error(`nothing is taken from it:\n${text}`);
  }

  #compareJson(text: string): void {
    const shown = JSON.parse(text) as unknown;
    const came = valuesIn(this.#there(this.#came()));
    const found = came.map((value) => difference(shown, value));
    if (!found.includes(null))
      throw new Error(`${found.join("\n") || "no JSON came"}\nOf what came:\n${this.#came()}`);
  }

  #compareText(text: string): void {
    if (!linesAreIn(text, this.#there(this.#came())))
      throw new Error(`shown:\n${text}\nand there came:\n${this.#there(this.#came())}`);
  }

  #came(): string {
    if (this.#last === null) throw new Error("there is nothing before it whose output it shows");
    return `${this.#last.stdout}\n${this.#last.stderr}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shell[Symbol.asyncDispose]();
    await this.server?.[Symbol.asyncDispose]();
    if (existsSync(this.home)) rmSync(this.home, { recursive: true, force: true });
  }
}
