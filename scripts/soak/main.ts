/**
 * `npm run soak -- MINUTES`: several users working on dist/dossier, which is killed every 15
 * seconds, on a small disk that fills up and is emptied (if it can be mounted). Says every minute
 * how far it is; finally reports what was lost, stuck or left over, how long a user who only lists
 * had to wait, and whether memory grew. When it is ended early, it reports what it has seen by
 * then, without the checks. Exit code 1 if anything was found or it was ended early.
 */
import { counted } from "../../core/lib/counted";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInterruptible, type StartedPrograms } from "../lib/interruption";
import { createKey, launch, type Launched } from "../lib/launch";
import { can_mount, mountSmallDisk, type SmallDisk } from "../lib/small-disk";
import { MemoryLog } from "./memory";
import { minutesFrom } from "./minutes";
import { outside_host, startOutside } from "./outside";
import { Progress } from "./progress";
import { Unexpected, User } from "./user";
import { verifyDirectory, verifyUser } from "./verify";

const kill_every_ms = 15_000;
const disk_megabytes = 700;
const fill_every_ms = 40_000;
const filled_for_ms = 8_000;
const fill_step_bytes = 2 ** 22;
const users = 4;
const clients_each = 2;

const minutes = minutesFrom(process.argv[2], 20);
const seed = Number(process.env.DOSSIER_SOAK_SEED ?? Math.floor(Math.random() * 2 ** 31));
let state = seed;
/** Mulberry32. */
const random = (): number => {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
};

const outside = startOutside(random);

/** A line of the log. */
interface Stall {
  readonly stall_ms: number;
  /** Of the loop, and of the whole process. */
  readonly loop_cpu_ms: number;
  readonly cpu_ms: number;
  readonly in_work: readonly string[];
}

class Soak {
  readonly findings: string[] = [];
  readonly waits_ms: number[] = [];
  readonly users: User[] = [];
  kills = 0;
  /** Nothing is known of what was lost before this. */
  is_complete = false;
  private readonly stalls: Stall[] = [];
  private readonly memory = new MemoryLog();
  private readonly progress = new Progress(() => this.figures());
  private server!: Launched;
  private up = false;
  private ending = false;

  constructor(
    private readonly data: string,
    private readonly disk: SmallDisk | undefined,
    private readonly started: StartedPrograms,
  ) {
    started.defer(() => this.progress[Symbol.dispose]());
    started.defer(async () => {
      this.server?.kill("SIGKILL");
      await this.server?.exited;
    });
  }

  async run(): Promise<void> {
    await this.start();
    for (let n = 0; n < users; n++) {
      const name = `user${n}`;
      const key = await createKey(this.data, `${name}@example.com`);
      const url = () => this.server.url;
      const user = new User({ name: `${n}u`, key, url, random, site: outside.site_url });
      await user.send("POST", "/webhooks", {
        event_type: "import.finished",
        url: `${outside.receiver_url}/${name}`,
      });
      this.users.push(user);
    }
    const working = this.users.flatMap((user) =>
      Array.from({ length: clients_each }, () => this.work(user)),
    );
    const beside = [this.list(), this.fillDisk()];
    await this.killUntil(performance.now() + minutes * 60_000);
    this.ending = true;
    await Promise.all([...working, ...beside]);
    this.disk?.empty();
    await this.verify();
  }

  /** Runs the users while the server is up. */
  private async work(user: User): Promise<void> {
    while (!this.ending) {
      if (!this.up) await Bun.sleep(50);
      else
        await user.act().catch((error: unknown) => {
          if (error instanceof Unexpected) this.findings.push(error.message);
        });
      await Bun.sleep(random() * 20);
    }
  }

  /** Another user, who only lists, to measure the effect of the others. */
  private async list(): Promise<void> {
    const [user] = this.users;
    while (!this.ending) {
      await Bun.sleep(20);
      if (!this.up) continue;
      const begun_ms = performance.now();
      const answered = await user!.send("GET", "/folders").catch(() => null);
      if (answered && this.up) this.waits_ms.push(performance.now() - begun_ms);
    }
  }

  private async fillDisk(): Promise<void> {
    while (this.disk && !this.ending) {
      await this.sleep(fill_every_ms);
      // To the last byte, or nearly; in steps, because large writes block the whole machine.
      const left_bytes = random() < 0.5 ? 0 : Math.floor(random() * 20 * 2 ** 20);
      for (let free = this.disk.freeBytes(); free > left_bytes; free -= fill_step_bytes) {
        this.disk.fill(Math.max(left_bytes, free - fill_step_bytes));
        await Bun.sleep(5);
      }
      await this.sleep(filled_for_ms);
      this.disk.empty();
    }
  }

  private async killUntil(end_ms: number): Promise<void> {
    while (performance.now() < end_ms) {
      await Bun.sleep(Math.min(kill_every_ms, Math.max(0, end_ms - performance.now())));
      this.up = false;
      this.noteStalls();
      this.memory.note(this.server.pid, this.progress.minutes);
      this.server.kill("SIGKILL");
      await this.server.exited;
      this.kills += 1;
      await this.start();
    }
  }

  private async start(): Promise<void> {
    this.server = await launch({
      data: this.data,
      env: {
        DOSSIER_RATE_LIMIT_REQUESTS: "1000000000",
        DOSSIER_SERVER_LOG_LEVEL: "warn",
        DOSSIER_WEBHOOKS_ALLOW_NETWORKS: outside_host,
        DOSSIER_WEBHOOKS_RETRY_DELAYS: "50ms,150ms",
        DOSSIER_IMPORTS_ALLOW_NETWORKS: outside_host,
      },
      signal: this.started.signal,
    });
    this.up = true;
  }

  private async verify(): Promise<void> {
    for (const [at, user] of this.users.entries()) {
      const say = (what: string): void => {
        this.progress.doing = `checking user ${at + 1} of ${users}, ${what}`;
      };
      this.findings.push(...(await verifyUser(user, say)));
    }
    for (const [id, times] of outside.posts)
      if (times > 3) this.findings.push(`the delivery ${id} came ${times} times`);
    this.noteStalls();
    this.progress.doing = "waiting for the server to end";
    this.server.kill("SIGTERM");
    const code = await this.server.exited;
    if (code !== 0) this.findings.push(`the server ended with ${code}`);
    this.progress.doing = "checking the database and the files";
    this.findings.push(...verifyDirectory(this.data));
    this.is_complete = true;
  }

  private noteStalls(): void {
    for (const line of this.server.output().split("\n"))
      if (line.includes('"the server was blocked"')) this.stalls.push(JSON.parse(line));
  }

  private async sleep(ms: number): Promise<void> {
    const end_ms = performance.now() + ms;
    while (!this.ending && performance.now() < end_ms) await Bun.sleep(100);
  }

  private sum(count: (user: User) => number): number {
    return this.users.reduce((total, user) => total + count(user), 0);
  }

  /** One line of what happened so far. */
  private figures(): string {
    const answers = ({ statuses }: User) => [...statuses.values()].reduce((sum, n) => sum + n, 0);
    return (
      `${counted(this.kills, "kill")}, ${counted(this.sum(answers), "answer")}, ` +
      `${counted(
        this.sum(({ ledger }) => ledger.documents.size),
        "document",
      )}, ` +
      `memory ${this.memory.of(Math.min(this.progress.minutes, minutes) - 1.5)}, ` +
      counted(this.findings.length, "finding")
    );
  }

  report(): string {
    const waits = this.waits_ms.toSorted((a, b) => a - b);
    const at = (share: number) => waits[Math.floor((waits.length - 1) * share)]?.toFixed(0);
    const statuses = new Map<number, number>();
    for (const user of this.users)
      for (const [status, times] of user.statuses)
        statuses.set(status, (statuses.get(status) ?? 0) + times);
    return [
      `seed ${seed}, ${counted(minutes, "minute")}, ${counted(this.kills, "kill")}` +
        (this.is_complete ? "" : `; not complete after ${this.progress.minutes.toFixed(1)}`),
      `disk: ${this.disk ? `of ${disk_megabytes} MB, filled and emptied` : "not mounted"}`,
      `answers by status: ${[...statuses]
        .sort()
        .map((entry) => entry.join(" x "))
        .join(", ")}`,
      `documents ${this.sum(({ ledger }) => ledger.documents.size)} kept, ` +
        `${this.sum(({ ledger }) => ledger.deleted.size)} deleted, ` +
        `${this.sum(({ ledger }) => ledger.unsure.size)} unsure; ${outside.posts.size} deliveries`,
      `list of another user: p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)} ms; ` +
        `the server noticed ${counted(this.stalls.length, "time")} that it was blocked`,
      ...this.stalls
        .toSorted((a, b) => b.stall_ms - a.stall_ms)
        .slice(0, 8)
        .map(
          ({ stall_ms, loop_cpu_ms, cpu_ms, in_work }) =>
            `  ${stall_ms} ms (CPU ${loop_cpu_ms} of ${cpu_ms}): ${in_work}`,
        ),
      ...this.memory.report(),
      ...this.findings.slice(0, 40).map((finding) => `FOUND ${finding}`),
      counted(this.findings.length, "finding"),
    ].join("\n");
  }
}

/** Prints its report whatever happens. @throws Interrupted */
async function run(started: StartedPrograms): Promise<boolean> {
  const disk = can_mount ? mountSmallDisk(disk_megabytes) : undefined;
  const data = disk ? join(disk.path, "data") : mkdtempSync(join(tmpdir(), "dossier-soak-"));
  started.defer(() =>
    disk ? disk[Symbol.dispose]() : rmSync(data, { recursive: true, force: true }),
  );
  mkdirSync(data, { recursive: true });
  const soak = new Soak(data, disk, started);
  started.defer(() => console.log(soak.report()));
  await soak.run().catch((error: unknown) => {
    soak.findings.push(`the soak itself: ${String(error)}`);
  });
  if (soak.findings.length > 0) keepCopy(data);
  return soak.findings.length === 0;
}

/** For whoever looks for the cause of a finding. */
function keepCopy(data: string): void {
  const copy = mkdtempSync(join(tmpdir(), "dossier-soak-found-"));
  cpSync(data, copy, { recursive: true });
  console.log(`The data directory is kept as ${copy}.`);
}

process.exit((await runInterruptible(run)) ? 0 : 1);
