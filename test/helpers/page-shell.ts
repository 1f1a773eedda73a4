/**
 * One bash session that runs the blocks of a page one after the other, so that variables, functions
 * and the directory persist. Output is returned per block.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pauses } from "./pauses";

/** The output of a block. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** More than any block needs. */
const limit_ms = 90_000;
const end_marker = "---end-of-block---";

/** A running shell. */
export class PageShell implements AsyncDisposable {
  private readonly bash;
  private readonly scripts = mkdtempSync(join(tmpdir(), "dossier-page-"));
  private readonly running = new Map<string, number>();
  private stdout = "";
  private stderr = "";
  private count = 0;
  /** The current directory. */
  directory: string;

  /** `command`: starts the bash. */
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

  /** The path of a file as this process sees it; the shell may have an `/etc` of its own. */
  pathOf(path: string): string {
    return path.startsWith("/etc/") ? `/proc/${this.bash.pid}/root${path}` : path;
  }

  private async read(
    stream: ReadableStream<Uint8Array>,
    onText: (text: string) => void,
  ): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of stream) onText(decoder.decode(bytes, { stream: true }));
  }

  private type(line: string): void {
    this.bash.stdin.write(`${line}\n`);
    void this.bash.stdin.flush();
  }

  /** Writes the block to a file for `source`, so that no command reads the next one as its input. */
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
    this.type(`printf '\\n%s%s\\n' '${end_marker}' "$PWD"; printf '%s' '${end_marker}' >&2`);
    const deadline = performance.now() + limit_ms;
    const pauses = new Pauses();
    while (
      !this.stdout.endsWith("\n") ||
      !this.stdout.includes(end_marker) ||
      !this.stderr.includes(end_marker)
    ) {
      const printed = `${this.stdout}\n${this.stderr}`;
      if (this.bash.exitCode !== null) {
        // The last output may not have been read yet.
        await Bun.sleep(20);
        throw new Error(`the block failed:\n${text}\n${this.stdout}\n${this.stderr}`);
      }
      if (performance.now() > deadline)
        throw new Error(`the block did not end:\n${text}\n${printed}`);
      await pauses.next();
    }
    const [stdout, directory] = this.stdout.split(`\n${end_marker}`) as [string, string];
    this.directory = directory.trim();
    return { stdout, stderr: this.stderr.slice(0, this.stderr.indexOf(end_marker)) };
  }

  /**
   * Starts a block that keeps running, and waits until it has printed `words`. If it is running
   * already, it is ended first, as by Ctrl-C. Returns the output so far.
   */
  async begin(text: string, words: string): Promise<string> {
    const before = this.running.get(text);
    if (before !== undefined) await this.end(before);
    const log_path = join(this.scripts, `${this.count}.log`);
    // A process group of its own, so that all of it ends together.
    const { stdout } = await this.run(
      `set -m; (source '${this.script(text)}') </dev/null >'${log_path}' 2>&1 & set +m; echo $!`,
    );
    this.running.set(text, Number(stdout));
    const deadline = performance.now() + limit_ms;
    for (;;) {
      // The shell creates the file when it starts the block.
      const so_far = await Bun.file(log_path)
        .text()
        .catch(() => "");
      if (so_far.includes(words)) return so_far;
      if (performance.now() > deadline || !this.isRunning(Number(stdout)))
        throw new Error(`the block never printed “${words}”:\n${text}\n${so_far}`);
      await Bun.sleep(20);
    }
  }

  private isRunning(group: number): boolean {
    try {
      return process.kill(-group, 0);
    } catch {
      return false;
    }
  }

  private async end(group: number): Promise<void> {
    if (this.isRunning(group)) process.kill(-group, "SIGINT");
    const deadline = performance.now() + 15_000;
    while (this.isRunning(group)) {
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
