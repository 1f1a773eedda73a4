/** Runs one case: the server, the attacker and the other user, each in a process of its own. */
import { chmodSync, writeFileSync } from "node:fs";
import { has_proc, peakRssMib, resetPeak } from "../bench/measure";
import { apiCall, temporaryDirectory } from "../bench/server";
import { freePort } from "../lib/free-port";
import { createKey, launch, type Launched } from "../lib/launch";
import type { Answers } from "./attack";
import type { Order } from "./attacker";
import type { Case } from "./case";
import { Child } from "./child";
import type { NeighbourOrder, Noticed } from "./neighbour";
import type { Outcome, Stall } from "./outcome";

/** What all cases have in common. */
export interface RunOptions {
  /** The executable. */
  readonly program: string;
  readonly seconds: number;
  /** Ends it. */
  readonly signal: AbortSignal;
}

const settings = {
  // The limit on requests is a limit on the small ones; here it would hide what a request costs.
  DOSSIER_RATE_LIMIT_REQUESTS: "1000000000",
  DOSSIER_SERVER_LOG_LEVEL: "warn",
};
const alone_ms = 2_000;
/** Work in the background goes on after the last response. */
const after_ms = 1_000;
const timer_ms = 5;
const settled_ms_max = 120_000;

/** Starts the server for a case, lets it run, and stops everything. */
export async function runCase(one: Case, options: RunOptions): Promise<Outcome> {
  const at = temporaryDirectory();
  let server: Launched | undefined;
  try {
    server = await start(one, options, at.directory);
    return { name: one.name, ...(await measure(one, options, at.directory, server)) };
  } catch (error) {
    const output = server?.output().slice(-1_000) ?? "";
    return { name: one.name, error: `${(error as Error).stack}\n${output}` };
  } finally {
    server?.kill("SIGKILL");
    await server?.exited;
    at.remove();
  }
}

async function start(
  { env, full_log }: Case,
  { program, signal }: RunOptions,
  data: string,
): Promise<Launched> {
  const all = { data, program, signal, env: { ...settings, ...env } };
  if (!full_log) return launch(all);
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const wrapper = `${data}-wrapper.sh`;
  writeFileSync(wrapper, `#!/bin/sh\necho ${address}\nexec ${program} "$@" >/dev/full 2>&1\n`);
  chmodSync(wrapper, 0o755);
  const server = await launch({ ...all, program: wrapper, args: ["--port", String(port)] });
  const isReady = () =>
    fetch(`${address}/health`).then(
      () => true,
      () => false,
    );
  while (!(await isReady())) await Bun.sleep(50);
  return server;
}

async function measure(
  one: Case,
  { program, seconds, signal }: RunOptions,
  data: string,
  { url, pid, output }: Launched,
): Promise<Omit<Outcome, "name">> {
  const keyOf = (email: string, role: "admin" | "member" = "member") =>
    createKey(data, email, { program, role });
  const admin_key = await keyOf("admin@example.com", "admin");
  await using neighbour = new Child("neighbour.ts", signal);
  const other: NeighbourOrder = { url, key: await keyOf("other@example.com"), pid };
  await neighbour.ask("prepare", other);
  await using attacker = new Child("attack.ts", signal);
  const order: Order = { url, key: await keyOf("attacker@example.com"), admin_key };
  if (one.without_vectors) {
    const body = { "index.pause_vectors": true };
    await apiCall(url, admin_key)("PATCH", "/settings", body);
  }
  await attacker.ask("prepare", { order, name: one.name });
  await settled(one, url);

  // This process does nothing else.
  const delay = new OwnDelay();
  const measureDuring = async <T>(work: () => Promise<T>): Promise<readonly [Noticed, T]> => {
    const noticed = neighbour.ask<Noticed>("measure", null);
    const result = await work();
    await neighbour.ask("end", null);
    return [await noticed, result];
  };
  const [alone] = await measureDuring(() => Bun.sleep(alone_ms));
  if (has_proc) resetPeak(pid);
  const logged = output().length;
  delay.most_ms = 0;
  const [beside, answers] = await measureDuring(async () => {
    const [answers] = await Promise.all([
      attacker.ask<Answers>("run", seconds),
      Bun.sleep(seconds * 1_000),
    ]);
    await Bun.sleep(after_ms);
    return answers;
  });
  const stalls = stallsIn(output().slice(logged));
  const rss_mib = has_proc ? Math.max(peakRssMib(pid), beside.rss_mib) : 0;
  return { alone, beside, answers, rss_mib, own_delay_ms: delay.stop(), stalls };
}

/** Waits until what the seeds have left is done. */
async function settled({ without_vectors }: Case, url: string): Promise<void> {
  for (const until = performance.now() + settled_ms_max; performance.now() < until;) {
    type Health = { readonly vectors: { readonly state: string } };
    const { vectors } = (await (await fetch(`${url}/health`)).json()) as Health;
    if (without_vectors || vectors.state !== "pending") return;
    await Bun.sleep(100);
  }
  throw new Error("the vectors of the seeds were not made in time");
}

/** The longest stalls that the server has logged, with what it was doing. */
function stallsIn(log: string): Stall[] {
  return log
    .split("\n")
    .filter((line) => line.includes('"stall_ms"'))
    .map((line) => JSON.parse(line) as Stall);
}

/** How late the timers of this process are: it waited for a core, as the server had to. */
class OwnDelay {
  most_ms = 0;
  private begun_ms = performance.now();
  private readonly timer = setInterval(() => {
    const now_ms = performance.now();
    this.most_ms = Math.max(this.most_ms, now_ms - this.begun_ms - timer_ms);
    this.begun_ms = now_ms;
  }, timer_ms);

  stop(): number {
    clearInterval(this.timer);
    return this.most_ms;
  }
}
