/**
 * The child's side: runs tasks from standard input, one after another, until its parent is gone.
 */
import { writeSync } from "node:fs";
import type { Task } from "./contract";
import { decodeLines } from "../lib/json-lines";
import { encodeLine, type Reply, type Request } from "./protocol";

/** Finds a plugin's task by name; may load the plugin first. */
export type FindTask = (
  plugin: string,
  task: string,
) => Task | undefined | Promise<Task | undefined>;

/** Serves tasks until standard input ends, then ends the process. */
export async function runChild(findTask: FindTask): Promise<never> {
  keepStandardOutputFree();
  endOnUncaughtErrors();
  for await (const request of decodeLines<Request>(Bun.stdin.stream()))
    void answer(findTask, request);
  // The parent closed the pipe, perhaps by dying: nobody is left to report to.
  process.exit(0);
}

async function answer(findTask: FindTask, { plugin, task, input }: Request): Promise<void> {
  try {
    const definition = await findTask(plugin, task);
    if (!definition) throw new Error(`The plugin ${plugin} has no task ${task}.`);
    send({ result: await definition.run(input, (message) => send({ message })) });
  } catch (error) {
    send({ error: describe(error) });
  }
}

function describe(error: unknown): { message: string; code?: string } {
  if (!(error instanceof Error)) return { message: String(error) };
  return "code" in error && typeof error.code === "string"
    ? { message: error.message, code: error.code }
    : { message: error.message };
}

/** Returns when the bytes are in the pipe, where killing this process can't undo them. */
function send(reply: Reply): void {
  const bytes = encodeLine(reply);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Bun.sleepSync(1); // The pipe is full, and something has made it non-blocking.
    }
  }
}

/** Standard output carries the replies; output of tasks and libraries goes to standard error. */
function keepStandardOutputFree(): void {
  console.log = console.error;
  console.info = console.error;
  console.debug = console.error;
  Object.defineProperty(process, "stdout", { value: process.stderr });
}

/**
 * An error outside any task leaves this process in an unknown state: it exits, which tells the
 * parent.
 */
function endOnUncaughtErrors(): void {
  const end = (error: unknown): never => {
    console.error(error);
    process.exit(1);
  };
  process.on("uncaughtException", end);
  process.on("unhandledRejection", end);
}
