/**
 * `bun scripts/soak/cluster.ts MINUTES`: several users working on three processes of dist/dossier
 * over one PostgreSQL and one directory of originals, behind a round-robin proxy. Every ten seconds
 * a random process is killed; in the second half PostgreSQL is killed twice, too. Finally reports
 * what was lost, done twice, stuck or left over. Exit code 1 if anything was found.
 */
import { counted } from "../../core/lib/counted";
import { SQL } from "bun";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInterruptible, type StartedPrograms } from "../lib/interruption";
import { createKey, launch, type Launched } from "../lib/launch";
import { startPostgres, type PostgresServer } from "../lib/postgres";
import { startRoundRobin } from "../lib/round-robin";
import { minutesFrom } from "./minutes";
import { outside_host, startOutside } from "./outside";
import { Progress } from "./progress";
import { StreamReader } from "./stream-reader";
import { Unexpected, User } from "./user";
import { verifyUser } from "./verify";

const processes = 3;
const kill_every_ms = 10_000;
const down_ms = 1_500;
const users = 4;
const clients_each = 2;
const secret_key = "the key that all of them have, of 32 bytes or more";
const minutes = minutesFrom(process.argv[2], 5);

const outside = startOutside(Math.random);

/** One of the processes: its data directory, and the server while it runs. */
interface Node {
  readonly data: string;
  server: Launched | null;
}

class Cluster {
  readonly findings: string[] = [];
  readonly nodes: Node[] = [];
  readonly users: User[] = [];
  readonly streams: StreamReader[] = [];
  kills = 0;
  cuts = 0;
  /** Nothing is known of what was lost before this. */
  is_complete = false;
  private readonly progress = new Progress(
    () => `${this.kills} kills, ${this.cuts} cuts, ${this.findings.length} findings`,
  );
  private ending = false;

  constructor(
    private readonly directory: string,
    private readonly url: string,
    private readonly postgres: PostgresServer,
    private readonly started: StartedPrograms,
  ) {
    started.defer(() => this.progress[Symbol.dispose]());
    started.defer(async () => {
      for (const { server } of this.nodes) {
        server?.kill("SIGKILL");
        await server?.exited;
      }
    });
    for (let n = 0; n < processes; n++) {
      const data = join(directory, `node${n}`);
      mkdirSync(data);
      // Commands read it too.
      const settings = `[database]\nurl = "${url}"\n[server]\nsecret_key = "${secret_key}"\n`;
      writeFileSync(join(data, "dossier.toml"), settings);
      this.nodes.push({ data, server: null });
    }
  }

  async run(): Promise<void> {
    await Promise.all(this.nodes.map((node) => this.start(node)));
    const proxy = await startRoundRobin(() => this.nodes.map(({ server }) => server?.url ?? null));
    for (let n = 0; n < users; n++) {
      const key = await createKey(this.nodes[0]!.data, `user${n}@example.com`);
      const url = () => proxy.url;
      const user = new User({
        name: `${n}u`,
        key,
        url,
        random: Math.random,
        site: outside.site_url,
      });
      const webhook = {
        event_type: "import.finished",
        url: `${outside.receiver_url}/${n}`,
      };
      await user.send("POST", "/webhooks", webhook);
      this.users.push(user);
      this.streams.push(new StreamReader(proxy.url, key));
    }
    const working = this.users.flatMap((user) =>
      Array.from({ length: clients_each }, () => this.work(user)),
    );
    const end_ms = performance.now() + minutes * 60_000;
    await Promise.all([this.killUntil(end_ms), this.cutUntil(end_ms)]);
    this.ending = true;
    await Promise.all(working);
    await this.verify();
    await Promise.all(this.streams.map((stream) => stream.stop()));
    proxy.stop();
  }

  private async work(user: User): Promise<void> {
    while (!this.ending) {
      await user.act().catch((error: unknown) => {
        if (error instanceof Unexpected) this.findings.push(error.message);
      });
      await Bun.sleep(Math.random() * 20);
    }
  }

  private async killUntil(end_ms: number): Promise<void> {
    while (performance.now() < end_ms) {
      await Bun.sleep(Math.min(kill_every_ms, Math.max(0, end_ms - performance.now())));
      const node = this.nodes[Math.floor(Math.random() * processes)]!;
      const { server } = node;
      node.server = null;
      server?.kill("SIGKILL");
      await server?.exited;
      this.kills += 1;
      await Bun.sleep(down_ms);
      await this.start(node);
    }
  }

  /** Twice in the second half the database is killed as by a power cut, and restarted. */
  private async cutUntil(end_ms: number): Promise<void> {
    const half_ms = (minutes * 60_000) / 2;
    for (const before_ms of [half_ms * 0.8, half_ms * 0.3]) {
      await Bun.sleep(Math.max(0, end_ms - before_ms - performance.now()));
      await this.postgres.crash();
      this.cuts += 1;
    }
  }

  private async start(node: Node): Promise<void> {
    const env = {
      DOSSIER_FILES_URL: `file://${join(this.directory, "originals")}`,
      DOSSIER_FILES_KEEP_DELETED: "20s",
      DOSSIER_RATE_LIMIT_REQUESTS: "1000000000",
      DOSSIER_SERVER_LOG_LEVEL: "warn",
      DOSSIER_WEBHOOKS_ALLOW_NETWORKS: outside_host,
      DOSSIER_WEBHOOKS_RETRY_DELAYS: "50ms,150ms",
      DOSSIER_IMPORTS_ALLOW_NETWORKS: outside_host,
    };
    for (;;)
      try {
        node.server = await launch({ data: node.data, env, signal: this.started.signal });
        return;
      } catch (error) {
        // The database is unavailable at this moment: a supervisor would restart the server.
        if (this.started.signal.aborted || !String(error).includes("can't be")) throw error;
        await Bun.sleep(500);
      }
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
    for (const [at, { ledger }] of this.users.entries()) {
      const { documents, findings } = this.streams[at]!;
      this.findings.push(...findings);
      const untold = [...ledger.documents.keys(), ...ledger.deleted.keys()].filter(
        (id) => !documents.has(id),
      );
      if (untold.length > 0)
        this.findings.push(`${untold.length} documents in no event: ${untold.slice(0, 3)}`);
    }
    for (const { server } of this.nodes) server!.kill("SIGTERM");
    for (const { server } of this.nodes) {
      const code = await server!.exited;
      if (code !== 0) this.findings.push(`a server ended with ${code}`);
    }
    await this.verifyDatabase();
    this.is_complete = true;
  }

  private async verifyDatabase(): Promise<void> {
    const database = new SQL(this.url, { max: 1 });
    const expectNone = async (what: string, sql: string): Promise<void> => {
      const rows = await database.unsafe(sql);
      if (rows.length > 0) this.findings.push(`${what}: ${JSON.stringify(rows.slice(0, 3))}`);
    };
    await expectNone(
      "jobs that failed for good",
      "select name, error from core_jobs where state = 'failed'",
    );
    await expectNone("processes that are still there", "select id from core_nodes");
    await expectNone(
      "documents that nobody indexes",
      `select d.id from documents d where d.status = 'syncing' and not exists
       (select 1 from core_jobs j where j.subject = d.id and j.state in ('ready', 'running'))`,
    );
    await expectNone(
      "documents that are twice in the index",
      `select document_id from index_segments group by document_id
       having count(distinct edition) > 1`,
    );
    await expectNone(
      "two documents of one import item",
      `select run_id, uri from imports_items where document_id is not null
       group by run_id, uri having count(*) > 1`,
    );
    const rows = await database.unsafe("select sha256 from documents_versions where in_files = 1");
    const used = new Set(rows.map(({ sha256 }: { sha256: string }) => sha256));
    await database.close();
    const existing = new Set(
      readdirSync(join(this.directory, "originals"), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name),
    );
    const lost = [...used].filter((name) => !existing.has(name as string));
    if (lost.length > 0)
      this.findings.push(`originals that are lost: ${lost.length}, ${lost.slice(0, 3).join(", ")}`);
  }

  report(): string {
    const sum = (count: (user: User) => number): number =>
      this.users.reduce((total, user) => total + count(user), 0);
    const statuses = new Map<number, number>();
    for (const user of this.users)
      for (const [status, times] of user.statuses)
        statuses.set(status, (statuses.get(status) ?? 0) + times);
    return [
      `${counted(minutes, "minute")}, ${processes} processes, ${counted(this.kills, "kill")}, ` +
        `${counted(this.cuts, "cut")} of PostgreSQL` +
        (this.is_complete ? "" : `; not complete after ${this.progress.minutes.toFixed(1)}`),
      `answers by status: ${[...statuses]
        .sort()
        .map((entry) => entry.join(" x "))
        .join(", ")}`,
      `documents ${sum(({ ledger }) => ledger.documents.size)} kept, ` +
        `${sum(({ ledger }) => ledger.deleted.size)} deleted, ` +
        `${sum(({ ledger }) => ledger.unsure.size)} unsure; imports ` +
        `${sum(({ ledger }) => ledger.imports.size)}; ${outside.posts.size} deliveries, ` +
        `${[...outside.posts.values()].reduce((total, times) => total + times, 0)} POSTs, ` +
        `at most ${Math.max(0, ...outside.posts.values())} of one`,
      ...this.streams.map(
        (reader) =>
          `stream: ${counted(reader.events, "event")}, resumed ${counted(reader.resumed, "time")}`,
      ),
      ...this.findings.slice(0, 40).map((finding) => `FOUND ${finding}`),
      counted(this.findings.length, "finding"),
    ].join("\n");
  }
}

/** Prints its report whatever happens. @throws Interrupted */
async function run(started: StartedPrograms): Promise<boolean> {
  const postgres = await started.use(startPostgres());
  if (postgres === null) throw new Error("PostgreSQL 15 or later is required.");
  const directory = mkdtempSync(join(tmpdir(), "dossier-cluster-"));
  started.defer(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(join(directory, "originals"));
  const admin = new SQL(postgres.url, { max: 1 });
  await admin.unsafe("create database dossier template template0 encoding 'UTF8' locale 'C.UTF-8'");
  await admin.close();
  const url = postgres.url.replace(/postgres$/, "dossier");
  const cluster = new Cluster(directory, url, postgres, started);
  started.defer(() => console.log(cluster.report()));
  await cluster.run().catch((error: unknown) => {
    cluster.findings.push(`the soak itself: ${String(error)}`);
  });
  return cluster.findings.length === 0;
}

process.exit((await runInterruptible(run)) ? 0 : 1);
