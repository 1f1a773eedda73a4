/**
 * A program whose tasks misbehave in every way that the isolate must survive. Runs as a child, or
 * as a parent that will be killed.
 */
import { runChild } from "../../core/isolate/child";
import { ChildPool } from "../../core/isolate/pool";
import { jsonLog } from "../../core/base/log";
import { task, type Task } from "../../core/isolate/contract";

const buffers: Uint8Array[] = [];
const keep = (megabytes: number): void =>
  void buffers.push(new Uint8Array(megabytes * 1024 ** 2).fill(1));
const spin = (): never => {
  for (;;);
};

/** The tasks by name. */
export const tasks: Readonly<Record<string, Task>> = {
  echo: task(async (input: unknown) => input),
  pid: task(async () => process.pid),
  surroundings: task(async () => ({ names: Object.keys(process.env) })),
  print: task(async () => {
    console.log("{}");
    process.stdout.write("{}\n");
    console.info("x".repeat(100_000));
    return "printed";
  }),
  sleep: task(async (ms: number, send: (pid: number) => void) => {
    send(process.pid);
    await Bun.sleep(ms);
    return process.pid;
  }),
  /** Takes so much time of a processor. */
  work: task(async (ms: number) => {
    const begun = process.cpuUsage();
    for (let took_ms = 0; took_ms < ms;) {
      const { user, system } = process.cpuUsage(begun);
      took_ms = (user + system) / 1_000;
    }
    return ms;
  }),
  hang: task(async (_: unknown, send: (pid: number) => void) => {
    send(process.pid);
    return spin();
  }),
  stop: task(async () => {
    process.kill(process.pid, "SIGSTOP");
    return spin();
  }),
  talkAndHang: task(async (count: number, send: (message: unknown) => void) => {
    for (let i = 0; i < count; i++) send({ i, padding: "x".repeat(500) });
    return spin();
  }),
  talkAndDie: task(async (count: number, send: (message: unknown) => void) => {
    for (let i = 0; i < count; i++) send({ i, padding: "x".repeat(500) });
    process.kill(process.pid, "SIGKILL");
    return spin();
  }),
  swell: task(async (megabytes: number) => {
    keep(megabytes);
    return process.pid;
  }),
  bomb: task(async () => {
    for (;;) keep(16);
  }),
  throw: task(async () => {
    throw Object.assign(new Error("The file is odd."), { code: "odd" });
  }),
  throwText: task(async () => {
    throw "just text";
  }),
  exit: task(async () => {
    console.error("last words");
    process.exit(3);
  }),
  strayRejection: task(async () => {
    void Promise.reject(new Error("nobody waits for this"));
    await Bun.sleep(60_000);
  }),
  garble: task(async () => {
    (await import("node:fs")).writeSync(1, "not json\n");
    await Bun.sleep(60_000);
  }),
};
/** The command that starts the program as a child. */
export const child_command = [process.execPath, import.meta.path, "child"];

if (import.meta.main) {
  if (process.argv[2] === "child") {
    void process.stdout.writable; // Makes the pipe non-blocking, as a library might.
    await runChild((_plugin, name) => tasks[name]);
  }
  // A parent: starts one task, prints the pid of its child, and stays.
  const isolate = new ChildPool({ command: child_command, log: jsonLog("error") });
  const say = (pid: unknown): void => void process.stdout.write(`${pid}\n`);
  const limits = { timeout_ms: 60_000, memory_max_bytes: 2 ** 30 };
  if (process.argv[2] === "busy")
    await isolate.run("test", "hang", null, { ...limits, onMessage: say });
  say(await isolate.run("test", "pid", null, limits));
  await Bun.sleep(60_000);
}
