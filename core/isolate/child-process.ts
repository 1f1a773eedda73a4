/**
 * One child process, seen from its parent: it takes a request, sends messages and one result, or
 * dies.
 */
import { setPriority } from "node:os";
import { requireDescriptors } from "../base/descriptors";
import { settlesWithin } from "../lib/timeout";
import { TaskFailure } from "./contract";
import { decodeLines } from "../lib/json-lines";
import { encodeLine, type Reply, type Request } from "./protocol";

/** Requests have priority over files: a child yields when both need a processor. */
const niceness = 5;
/** How much of a child's standard error is kept for the log. */
const stderr_characters_max = 4_000;
/** How long to wait for remaining output of a child that has ended. */
const drain_ms = 1_000;

interface PendingRun {
  readonly onMessage: (message: unknown) => void;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A running child. It runs one task at a time. */
export class ChildProcess {
  private readonly process: Bun.Subprocess<"pipe", "pipe", "pipe">;
  private pending: PendingRun | undefined;
  /** The number of runs it was given. */
  runs = 0;
  /** The end of what it printed to standard error. */
  stderr_tail = "";
  /** Resolves when it is gone and all its output has been read. */
  readonly ended: Promise<void>;

  /**
   * Starts a child. A kernel memory limit (RLIMIT_DATA) was tried and rejected: WebAssembly memory
   * then grows ten times slower. @throws when the system can't start a process
   */
  constructor(command: readonly string[]) {
    requireDescriptors();
    this.process = Bun.spawn([...command], {
      // Nothing of the parent's environment; and the kernel ends the child when the parent is
      // killed.
      env: { BUN_FEATURE_FLAG_NO_ORPHANS: "1" },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    lowerPriority(this.pid);
    const output = Promise.all([this.readReplies(), this.readErrors()]);
    this.ended = this.process.exited.then(async () => {
      await settlesWithin(output, drain_ms);
      const exit = this.process.signalCode ?? `exit code ${this.process.exitCode}`;
      this.crashed(`The process of the task ended unexpectedly (${exit}).`);
    });
  }

  get pid(): number {
    return this.process.pid;
  }
  /** Whether it can be given a task. */
  get alive(): boolean {
    const { killed, exitCode, signalCode } = this.process;
    return !killed && exitCode === null && signalCode === null;
  }

  /**
   * Runs one task at a time. When the promise settles, `onMessage` has received every message, even
   * if the child was killed. @throws TaskFailure `threw`, or `crashed` when the child ended without
   * a result
   */
  run(request: Request, onMessage: (message: unknown) => void): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.runs++;
      this.pending = { onMessage, resolve, reject };
      void this.send(encodeLine(request));
    });
  }

  /** Stops it until `resume`. False where processes can't be stopped, and when it has ended. */
  pause(): boolean {
    return this.signal("SIGSTOP");
  }

  resume(): void {
    this.signal("SIGCONT");
  }

  private signal(name: "SIGSTOP" | "SIGCONT"): boolean {
    // Windows has neither signal, and would end the process.
    if (process.platform === "win32" || !this.alive) return false;
    try {
      return process.kill(this.pid, name);
    } catch {
      return false; // It has just ended.
    }
  }

  /** Ends it at once. The current run fails as `crashed`. */
  kill(): void {
    this.process.kill("SIGKILL");
  }

  /** A child that has died is noticed by its exit; the failed write adds nothing. */
  private async send(bytes: Uint8Array): Promise<void> {
    try {
      this.process.stdin.write(bytes);
      await this.process.stdin.flush();
    } catch {
      // See above.
    }
  }

  private async readReplies(): Promise<void> {
    try {
      for await (const reply of decodeLines<Reply>(this.process.stdout)) this.onReply(reply);
    } catch {
      this.kill();
      this.crashed("The process of the task wrote something that is no reply.");
    }
  }

  private async readErrors(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.process.stderr)
      this.stderr_tail = (this.stderr_tail + decoder.decode(chunk, { stream: true })).slice(
        -stderr_characters_max,
      );
  }

  private onReply(reply: Reply): void {
    if ("message" in reply) return this.pending?.onMessage(reply.message);
    const pending = this.settle();
    if ("error" in reply)
      pending?.reject(new TaskFailure("threw", reply.error.message, reply.error.code));
    else pending?.resolve(reply.result);
  }

  private crashed(message: string): void {
    this.settle()?.reject(new TaskFailure("crashed", message));
  }

  private settle(): PendingRun | undefined {
    const pending = this.pending;
    this.pending = undefined;
    return pending;
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // It has already died, or this system has no priorities.
  }
}
