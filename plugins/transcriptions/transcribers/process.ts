/** Runs a program in its own process group, within limits; the group is killed at the end. */
import { constants, setPriority } from "node:os";
import { environmentForPrograms } from "../../../core/sdk";

/** The program, where it runs, and its limits. */
export interface ProgramOptions {
  readonly words: readonly string[];
  readonly directory: string;
  /** Marks the processes, so that the next server recognises leftover ones. */
  readonly mark: string;
  readonly stdout_bytes_max: number;
  readonly signal: AbortSignal;
  /** The latest output. */
  readonly onPrinted: (text: string) => void;
  readonly onStarted: (pid: number) => Promise<void>;
}
/** How the program ended, and what it printed. */
export interface ProgramResult {
  readonly exit_code: number | null;
  /** The signal that ended it, such as `SIGSEGV`. */
  readonly ended_by: string | null;
  readonly stdout: string;
  /** The end of standard error. */
  readonly stderr: string;
  readonly printed_too_much: boolean;
}

/** The environment variable with the mark. */
export const mark_name = "DOSSIER_TRANSCRIBING";
const stderr_chars_max = 4_000;
/** How long to wait for output after the program has ended: others may hold its pipes open. */
const drain_ms = 1_000;

/** @throws a system error when it can't be started, the signal's reason when that fired. */
export async function runProgram({
  words,
  directory,
  mark,
  stdout_bytes_max,
  signal,
  onPrinted,
  onStarted,
}: ProgramOptions): Promise<ProgramResult> {
  signal.throwIfAborted();
  const child = Bun.spawn([...words], {
    cwd: directory,
    env: { ...environmentForPrograms(), [mark_name]: mark },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
  let over = false;
  // Not after the end: the process id may have been reused.
  const kill = () => {
    if (!over) killGroup(child.pid);
  };
  signal.addEventListener("abort", kill, { once: true });
  try {
    lowerPriority(child.pid);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    let stderr = "";
    const reading = Promise.all([
      each(child.stdout, (chunk) => {
        bytes += chunk.length;
        if (bytes > stdout_bytes_max) return kill();
        chunks.push(chunk);
        onPrinted(Buffer.from(chunk).toString("latin1"));
      }),
      each(child.stderr, (chunk) => {
        const text = Buffer.from(chunk).toString("utf8");
        stderr = (stderr + text).slice(-stderr_chars_max);
        onPrinted(text);
      }),
    ]);
    await onStarted(child.pid);
    await child.exited;
    // Kills the processes it left behind, too.
    kill();
    over = true;
    await Promise.race([reading, Bun.sleep(drain_ms)]);
    signal.throwIfAborted();
    return {
      exit_code: child.exitCode,
      ended_by: child.signalCode === null ? null : String(child.signalCode),
      stdout: new TextDecoder().decode(Buffer.concat(chunks)),
      stderr,
      printed_too_much: bytes > stdout_bytes_max,
    };
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
  }
}

async function each(
  stream: ReadableStream<Uint8Array>,
  onChunk: (chunk: Uint8Array) => void,
): Promise<void> {
  for await (const chunk of stream) onChunk(chunk);
}

/** Kills the program and everything it has started; does nothing if they have ended. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    /* They have ended. */
  }
}

/** Lower priority than the server's own work. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    /* It has ended already. */
  }
}
