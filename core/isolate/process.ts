/**
 * One child process, seen from its parent: a request goes in, messages and one answer come out, or
 * it dies.
 */
import { setPriority } from "node:os";
import { TaskFailure } from "./contract";
import { decodeLines, encodeLine, type Reply, type Request } from "./protocol";

/** Requests go before files: a child takes second place when both want a processor. */
const niceness = 5;
/** How much of what a child prints on standard error is kept, for the log. */
const stderr_characters_max = 4_000;
/** How long to wait for the rest of the output of a child that has ended. */
const drain_ms = 1_000;

export interface ChildProcess {
  readonly pid: number;
  readonly alive: () => boolean;
  /** How many runs it was given. */
  readonly runs: () => number;
  /** The end of what it printed on standard error. */
  readonly printed: () => string;
  /**
   * Runs one task; one at a time. `onMessage` has seen every message when the promise settles, also
   * when the child was killed meanwhile.
   * @throws TaskFailure `threw`, or `crashed` when the child ended without an answer
   */
  readonly run: (request: Request, onMessage: (message: unknown) => void) => Promise<unknown>;
  readonly kill: () => void;
  /** It is gone, and so is everything it had to say. */
  readonly ended: Promise<void>;
}

type Waiting = {
  readonly onMessage: (message: unknown) => void;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
};

/**
 * Starts a child. A memory limit of the kernel (RLIMIT_DATA) was tried and left out: WebAssembly
 * memory then grows ten times slower.
 * @throws when the system can't start a process
 */
export function startChild(command: readonly string[]): ChildProcess {
  const process = Bun.spawn([...command], {
    env: { BUN_FEATURE_FLAG_NO_ORPHANS: "1" }, // Nothing of the parent's environment; and the kernel ends the child when the parent is killed.
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  stepBack(process.pid);
  let waiting: Waiting | undefined;
  let runs = 0;
  let printed = "";

  const settle = (): Waiting | undefined => {
    const current = waiting;
    waiting = undefined;
    return current;
  };
  const hear = (reply: Reply): void => {
    if ("message" in reply) waiting?.onMessage(reply.message);
    else if ("error" in reply)
      settle()?.reject(new TaskFailure("threw", reply.error.message, reply.error.code));
    else settle()?.resolve(reply.result);
  };
  const listen = async (): Promise<void> => {
    try {
      for await (const reply of decodeLines<Reply>(process.stdout)) hear(reply);
    } catch {
      process.kill("SIGKILL");
      settle()?.reject(
        new TaskFailure("crashed", "The process of the task wrote something that is no reply."),
      );
    }
  };
  const drain = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of process.stderr)
      printed = (printed + decoder.decode(chunk, { stream: true })).slice(-stderr_characters_max);
  };
  const output = Promise.all([listen(), drain()]);
  const ended = process.exited.then(async () => {
    await Promise.race([output, Bun.sleep(drain_ms)]);
    settle()?.reject(
      new TaskFailure(
        "crashed",
        `The process of the task ended unexpectedly (${process.signalCode ?? `exit code ${process.exitCode}`}).`,
      ),
    );
  });

  return {
    pid: process.pid,
    alive: () => !process.killed && process.exitCode === null && process.signalCode === null,
    runs: () => runs,
    printed: () => printed,
    run: (request, onMessage) =>
      new Promise((resolve, reject) => {
        runs++;
        waiting = { onMessage, resolve, reject };
        void sendTo(process.stdin, encodeLine(request));
      }),
    kill: () => process.kill("SIGKILL"),
    ended,
  };
}

function stepBack(pid: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    /* It has died already, or this system has no such order. */
  }
}

/** A child that has died meanwhile says so by its end; the failed write adds nothing. */
async function sendTo(stdin: Bun.FileSink, bytes: Uint8Array): Promise<void> {
  try {
    stdin.write(bytes);
    await stdin.flush();
  } catch {
    /* see above */
  }
}
