/**
 * A bash that somebody types into: one block after the other, in one session, so that variables,
 * functions and the directory stay. What it prints is told block by block.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pauses } from "./pauses";

export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** Longer than a block takes, and shorter than somebody who waits. */
const limit_ms = 90_000;
const mark = "---end-of-block---";

export class PageShell implements AsyncDisposable {
  private readonly bash;
  private readonly scripts = mkdtempSync(join(tmpdir(), "dossier-page-"));
  private readonly running = new Map<string, number>();
  private stdout = "";
  private stderr = "";
  private count = 0;
  /** Where the reader is. */
  directory: string;

  /** `command`: what becomes the bash. */
  constructor(
    directory: string,
    env: Record<string, string>,
    command: readonly string[] = ["bash", "--noprofile", "--norc"],
  ) {
    this.directory = directory;
    this.bash = Bun.spawn([...command], {
      cwd: directory,
      env,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    void this.read(this.bash.stdout, (text) => (this.stdout += text));
    void this.read(this.bash.stderr, (text) => (this.stderr += text));
    this.type("set -euo pipefail");
  }

  /** A file of the machine that this shell sees, which may have its own `/etc`. */
  pathOf(path: string): string {
    return path.startsWith("/etc/") ? `/proc/${this.bash.pid}/root${path}` : path;
  }

  private async read(
    stream: ReadableStream<Uint8Array>,
    take: (text: string) => void,
  ): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of stream) take(decoder.decode(bytes, { stream: true }));
  }

  private type(line: string): void {
    this.bash.stdin.write(`${line}\n`);
    void this.bash.stdin.flush();
  }

  /** A file with the block. The shell reads it by `source`, so that no command eats the next one. */
  private script(text: string): string {
    const path = join(this.scripts, `${this.count++}.sh`);
    writeFileSync(path, text);
    return path;
  }

  /** Runs a block to its end. @throws Error with what it printed, when it fails. */
  async run(text: string): Promise<Printed> {
    this.stdout = "";
    this.stderr = "";
    this.type(`source '${this.script(text)}' </dev/null`);
    this.type(`printf '\\n%s%s\\n' '${mark}' "$PWD"; printf '%s' '${mark}' >&2`);
    const deadline = performance.now() + limit_ms;
    const pauses = new Pauses();
    while (
      !this.stdout.endsWith("\n") ||
      !this.stdout.includes(mark) ||
      !this.stderr.includes(mark)
    ) {
      const printed = `${this.stdout}\n${this.stderr}`;
      if (this.bash.exitCode !== null) {
        // What it printed last may be on its way.
        await Bun.sleep(20);
        throw new Error(`it failed:\n${text}\n${this.stdout}\n${this.stderr}`);
      }
      if (performance.now() > deadline) throw new Error(`it does not end:\n${text}\n${printed}`);
      await pauses.next();
    }
    const [stdout, directory] = this.stdout.split(`\n${mark}`) as [string, string];
    this.directory = directory.trim();
    return { stdout, stderr: this.stderr.slice(0, this.stderr.indexOf(mark)) };
  }

  /**
   * Begins a block that goes on and on, and waits until it has said `words`. The same block again
   * ends the one before, as Ctrl-C does. Answers what it said so far.
   */
  async begin(text: string, words: string): Promise<string> {
    const before = this.running.get(text);
    if (before !== undefined) await this.end(before);
    const said = join(this.scripts, `${this.count}.log`);
    // A process group of its own, so that all of it ends together.
    const { stdout } = await this.run(
      `set -m; (source '${this.script(text)}') </dev/null >'${said}' 2>&1 & set +m; echo $!`,
    );
    this.running.set(text, Number(stdout));
    const deadline = performance.now() + limit_ms;
    for (;;) {
      // It is there once the shell has come to it.
      const so_far = await Bun.file(said)
        .text()
        .catch(() => "");
      if (so_far.includes(words)) return so_far;
      if (performance.now() > deadline || !this.lives(Number(stdout)))
        throw new Error(`it never said “${words}”:\n${text}\n${so_far}`);
      await Bun.sleep(20);
    }
  }

  private lives(group: number): boolean {
    try {
      return process.kill(-group, 0);
    } catch {
      return false;
    }
  }

  private async end(group: number): Promise<void> {
    if (this.lives(group)) process.kill(-group, "SIGINT");
    const deadline = performance.now() + 15_000;
    while (this.lives(group)) {
      if (performance.now() > deadline) process.kill(-group, "SIGKILL");
      await Bun.sleep(10);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.running.values()].map((group) => this.end(group)));
    this.bash.kill("SIGKILL");
    await this.bash.exited;
    rmSync(this.scripts, { recursive: true, force: true });
  }
}
