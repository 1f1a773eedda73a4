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
  type KnownNode,
  type LeaseNumbers,
  type NodeRecord,
  type Nodes,
  type Role,
} from "../nodes";
import { clock_sql } from "./database-clock";
import { LivenessLock } from "./liveness-lock";
import type { PostgresOptions } from "./connections";
import type { RunQuery } from "./postgres-dialect";

const beat_every_ms = 5_000;
/** The unfinished work of a process that was silent for this long is abandoned. */
const left_ms = 60_000;
/** How long a process that died is remembered. */
const known_ms = 10 * 60_000;
/** Identifies the data directory, whatever its path. */
const place_file = "dossier.node";

const enter_sql = `
insert into core_nodes (id, place, host, pid, role, version, lock_key, started_at, seen_at)
values (?, ?, ?, ?, ?, ?, ?, ${clock_sql}, ${clock_sql})
on conflict (id) do nothing returning id`;
const beat_sql = `update core_nodes set seen_at = ${clock_sql}
where id = ? and gone_at is null returning id`;
const known_sql = `
select id, host, pid, role, version, started_at, seen_at, gone_at from core_nodes
order by started_at, id`;
const list_sql = `
select id, host, pid, role, version, started_at, seen_at from core_nodes
where gone_at is null and seen_at > ${clock_sql} - ${silent_ms_max} order by started_at, id`;

const miss_sql = (which: string): string => `
update core_nodes set gone_at = ${clock_sql} where gone_at is null and ${which} returning id`;
const silent_sql = miss_sql(`seen_at < ${clock_sql} - ${left_ms}`);
const forget_sql = `delete from core_nodes where gone_at < ${clock_sql} - ${known_ms}`;

export interface PostgresNodesOptions {
  readonly role: Role;
  /** The data directory, which this process has locked. */
  readonly data: string;
  /** Runs a statement outside any transaction, without waiting for writers. */
  readonly run: RunQuery;
  readonly options: PostgresOptions;
  readonly log: Log;
  /** Called with every heartbeat. `run` does not wait for other statements. */
  readonly onBeat: (run: RunQuery) => Promise<void>;
}

/** Numbers per lease: more than are used between two leases. */
const leased_numbers = 2 ** 20;
const lease_sql = `
insert into core_numbers (series, next) values (?, ?)
on conflict (series) do update set next = ${leased_numbers} + case
  when core_numbers.next > excluded.next - ${leased_numbers} then core_numbers.next
  else excluded.next - ${leased_numbers} end
returning next`;

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
  private beating: Promise<void> = Promise.resolve();
  private failing = false;
  private readonly on_gone: ((ids: readonly string[]) => void)[] = [];
  private readonly on_mistaken: (() => void)[] = [];

  constructor(private readonly options: PostgresNodesOptions) {
    const node = newNode(options.role);
    this.id = node.id;
    this.role = node.role;
    this.place = `${node.host} ${placeOf(options.data)}`;
    this.liveness = new LivenessLock(options.options, options.log);
    const { id, host, pid, role, version } = node;
    this.row = [id, this.place, host, pid, role, version, this.liveness.key];
  }

  async start(): Promise<readonly string[]> {
    // The lock first: whoever sees the row looks for the lock.
    await this.liveness.start((ids) => this.miss(ids));
    const { rows } = await this.query("delete from core_nodes where place = ? returning id", [
      this.place,
    ]);
    await this.query(enter_sql, this.row);
    this.timer = setInterval(() => {
      this.beating = this.beating.then(() => this.beatOnce());
    }, beat_every_ms).unref();
    return rows.map(({ id }) => id as string);
  }

  async known(): Promise<KnownNode[]> {
    const { rows } = await this.options.run(known_sql, []);
    return rows as unknown as KnownNode[];
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
    await this.beating;
    if (this.timer !== undefined)
      await this.query("delete from core_nodes where id = ?", [this.id]).catch(() => undefined);
    await this.liveness.stop().catch(() => undefined);
  }

  private async beatOnce(): Promise<void> {
    const { log, onBeat } = this.options;
    try {
      if ((await this.query(beat_sql, [this.id])).count === 0) await this.enterAgain();
      this.reportGone((await this.query(silent_sql, [])).rows);
      await this.query(forget_sql, []);
      await onBeat(this.query);
      this.failing = false;
    } catch (error) {
      if (!this.failing) log.warn("this process can't register itself", errorFields(error));
      this.failing = true;
    }
  }

  /** Others have taken this process for dead. */
  private async enterAgain(): Promise<void> {
    await this.query("delete from core_nodes where id = ?", [this.id]);
    await this.query(enter_sql, this.row);
    this.options.log.warn("other processes considered this one gone and took over its jobs");
    for (const listener of this.on_mistaken) listener();
  }

  private async miss(ids: readonly string[]): Promise<void> {
    const which = miss_sql(`id in (${ids.map(() => "?").join(", ")})`);
    this.reportGone((await this.query(which, ids)).rows);
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
