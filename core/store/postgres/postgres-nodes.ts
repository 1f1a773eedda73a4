/**
 * Processes on PostgreSQL: each has a row, which it refreshes regularly, and a lock for as long as
 * it lives. A process without its lock is gone, and so is one that was not seen for a while.
 */
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newUuid } from "../../base/ids";
import { errorFields, type Log } from "../../base/log";
import {
  newNode,
  silent_ms_max,
  type RecentNode,
  type LeaseNumbers,
  type NodeRecord,
  type Nodes,
  type Role,
} from "../nodes";
import { clock_sql } from "./database-clock";
import { LivenessLock } from "./liveness-lock";
import type { PostgresOptions } from "./connections";
import type { RunQuery } from "./postgres-dialect";

const heartbeat_every_ms = 5_000;
/** The unfinished work of a process that was silent for this long is abandoned. */
const abandoned_ms = 60_000;
/** How long a process that died is remembered. */
const remembered_ms = 10 * 60_000;
/** Identifies the data directory, whatever its path. */
const place_file = "dossier.node";

const register_sql = `
insert into core_nodes (id, place, host, pid, role, version, lock_key, started_at, seen_at)
values (?, ?, ?, ?, ?, ?, ?, ${clock_sql}, ${clock_sql})
on conflict (id) do nothing returning id`;
const heartbeat_sql = `update core_nodes set seen_at = ${clock_sql}
where id = ? and gone_at is null returning id`;
const recent_sql = `
select id, host, pid, role, version, started_at, seen_at, gone_at from core_nodes
order by started_at, id`;
const list_sql = `
select id, host, pid, role, version, started_at, seen_at from core_nodes
where gone_at is null and seen_at > ${clock_sql} - ${silent_ms_max} order by started_at, id`;

const gone_sql = (condition: string): string => `
update core_nodes set gone_at = ${clock_sql} where gone_at is null and ${condition} returning id`;
const silent_sql = gone_sql(`seen_at < ${clock_sql} - ${abandoned_ms}`);
const forget_sql = `delete from core_nodes where gone_at < ${clock_sql} - ${remembered_ms}`;

/** What registers and watches this process. */
export interface PostgresNodesOptions {
  readonly role: Role;
  /** The data directory, which this process has locked. */
  readonly data: string;
  /** Runs a statement outside any transaction, without waiting for writers. */
  readonly run: RunQuery;
  readonly database: PostgresOptions;
  readonly log: Log;
  /** Called with every heartbeat. `run` does not wait for other statements. */
  readonly onHeartbeat: (run: RunQuery) => Promise<void>;
}

/** Numbers per lease: more than are used between two leases. */
const leased_numbers = 2 ** 20;
const lease_sql = `
insert into core_numbers (series, next) values (?, ?)
on conflict (series) do update set next = ${leased_numbers} + case
  when core_numbers.next > excluded.next - ${leased_numbers} then core_numbers.next
  else excluded.next - ${leased_numbers} end
returning next`;

/** This process in the table `core_nodes`, and the others. */
export class PostgresNodes implements Nodes {
  readonly shared = true;
  readonly id: string;
  readonly role: Role;
  private readonly row: readonly unknown[];
  private readonly place: string;
  private readonly liveness: LivenessLock;
  /** On a connection of its own, so that a busy process is not taken for dead. */
  private readonly query: RunQuery = (text, parameters) => this.liveness.run(text, parameters);
  private timer: NodeJS.Timeout | undefined;
  private current_heartbeat: Promise<void> = Promise.resolve();
  private failing = false;
  private readonly on_gone: ((ids: readonly string[]) => void)[] = [];
  private readonly on_mistaken: (() => void)[] = [];

  constructor(private readonly options: PostgresNodesOptions) {
    const node = newNode(options.role);
    this.id = node.id;
    this.role = node.role;
    this.place = `${node.host} ${placeOf(options.data)}`;
    this.liveness = new LivenessLock(options.database, options.log);
    const { id, host, pid, role, version } = node;
    this.row = [id, this.place, host, pid, role, version, this.liveness.key];
  }

  async start(): Promise<readonly string[]> {
    // The lock first: whoever sees the row looks for the lock.
    await this.liveness.start((ids) => this.markGone(ids));
    const { rows } = await this.query("delete from core_nodes where place = ? returning id", [
      this.place,
    ]);
    await this.query(register_sql, this.row);
    this.timer = setInterval(() => {
      this.current_heartbeat = this.current_heartbeat.then(() => this.sendHeartbeat());
    }, heartbeat_every_ms).unref();
    return rows.map(({ id }) => id as string);
  }

  async listRecent(): Promise<RecentNode[]> {
    const { rows } = await this.options.run(recent_sql, []);
    return rows as unknown as RecentNode[];
  }

  async list(): Promise<NodeRecord[]> {
    const { rows } = await this.options.run(list_sql, []);
    return rows as unknown as NodeRecord[];
  }

  async alive(): Promise<ReadonlySet<string>> {
    const ids = (await this.list()).map(({ id }) => id);
    return new Set([this.id, ...ids]);
  }

  async goneBefore_ms(): Promise<number> {
    const others = (await this.list()).filter(({ id }) => id !== this.id);
    return Math.min(Number.MAX_SAFE_INTEGER, ...others.map(({ started_at }) => started_at));
  }

  onGone(listener: (ids: readonly string[]) => void): void {
    this.on_gone.push(listener);
  }

  onMistaken(listener: () => void): void {
    this.on_mistaken.push(listener);
  }

  readonly leaseNumbers: LeaseNumbers = async (series, least) => {
    const { rows } = await this.options.run(lease_sql, [series, least + leased_numbers]);
    const end = rows[0]!.next as number;
    return { first: end - leased_numbers, end };
  };

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.current_heartbeat;
    if (this.timer !== undefined)
      await this.query("delete from core_nodes where id = ?", [this.id]).catch(() => undefined);
    await this.liveness.stop().catch(() => undefined);
  }

  private async sendHeartbeat(): Promise<void> {
    const { log, onHeartbeat } = this.options;
    try {
      if ((await this.query(heartbeat_sql, [this.id])).count === 0) await this.registerAgain();
      this.reportGone((await this.query(silent_sql, [])).rows);
      await this.query(forget_sql, []);
      await onHeartbeat(this.query);
      this.failing = false;
    } catch (error) {
      if (!this.failing) log.warn("this process can't register itself", errorFields(error));
      this.failing = true;
    }
  }

  /** Others have taken this process for dead. */
  private async registerAgain(): Promise<void> {
    await this.query("delete from core_nodes where id = ?", [this.id]);
    await this.query(register_sql, this.row);
    this.options.log.warn("other processes considered this one gone and took over its jobs");
    for (const listener of this.on_mistaken) listener();
  }

  private async markGone(ids: readonly string[]): Promise<void> {
    const statement = gone_sql(`id in (${ids.map(() => "?").join(", ")})`);
    this.reportGone((await this.query(statement, ids)).rows);
  }

  private reportGone(rows: readonly Record<string, unknown>[]): void {
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id as string);
    this.options.log.warn("a process disappeared without stopping cleanly", { nodes: ids });
    for (const listener of this.on_gone) listener(ids);
  }
}

/** A copy of the directory counts as another place, and so does a moved one. */
function placeOf(data: string): string {
  const path = join(data, place_file);
  if (!existsSync(path)) writeFileSync(path, `${newUuid()}\n`, { mode: 0o600 });
  return `${realpathSync(data)} ${readFileSync(path, "utf8").trim()}`;
}
