/**
 * Processes on PostgreSQL: each has a row, which it says again and again is still true. Who has not
 * been seen for a while is gone.
 */
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newUuid } from "../../base/ids";
import { errorFields, type Log } from "../../base/log";
import { newNode, type LeaseNumbers, type NodeRecord, type Nodes, type Role } from "../nodes";
import { clock_sql } from "./database-clock";
import type { RunQuery } from "./postgres-dialect";

const beat_every_ms = 5_000;
const silent_ms_max = 20_000;
/** Who was silent for so long has left behind what it was doing. */
const kept_ms = 60_000;
/** Says which data directory it is, whatever it is called. */
const place_file = "dossier.node";

const beat_sql = `
insert into core_nodes (id, place, host, pid, role, version, started_at, seen_at)
values (?, ?, ?, ?, ?, ?, ${clock_sql}, ${clock_sql})
on conflict (id) do update set seen_at = excluded.seen_at`;
const list_sql = `
select id, host, pid, role, version, started_at, seen_at from core_nodes
where seen_at > ${clock_sql} - ${silent_ms_max} order by started_at, id`;

const gone_sql = `delete from core_nodes where seen_at < ${clock_sql} - ${kept_ms}`;

export interface PostgresNodesParts {
  readonly role: Role;
  /** The data directory, which this process has locked. */
  readonly data: string;
  /** Runs a statement outside any transaction, and without waiting for those that write. */
  readonly run: RunQuery;
  readonly log: Log;
  /** Called with every beat. */
  readonly onBeat: () => Promise<void>;
}

/** Numbers that are leased together: more than are given between two leases. */
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
  readonly #beat: readonly unknown[];
  readonly #place: string;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();
  #failing = false;
  readonly #on_gone: (() => void)[] = [];

  constructor(private readonly parts: PostgresNodesParts) {
    const node = newNode(parts.role);
    this.id = node.id;
    this.role = node.role;
    this.#place = `${node.host} ${placeOf(parts.data)}`;
    this.#beat = [node.id, this.#place, node.host, node.pid, node.role, node.version];
  }

  async start(): Promise<readonly string[]> {
    const { run } = this.parts;
    const { rows } = await run("delete from core_nodes where place = ? returning id", [
      this.#place,
    ]);
    await run(beat_sql, this.#beat);
    this.#timer = setInterval(() => {
      this.#beating = this.#beating.then(() => this.#beatOnce());
    }, beat_every_ms).unref();
    return rows.map(({ id }) => id as string);
  }

  async list(): Promise<NodeRecord[]> {
    const { rows } = await this.parts.run(list_sql, []);
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

  onGone(listener: () => void): void {
    this.#on_gone.push(listener);
  }

  readonly leaseNumbers: LeaseNumbers = async (series, least) => {
    const { rows } = await this.parts.run(lease_sql, [series, least + leased_numbers]);
    const end = rows[0]!.next as number;
    return { first: end - leased_numbers, end };
  };

  async stop(): Promise<void> {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    await this.#beating;
    await this.parts.run("delete from core_nodes where id = ?", [this.id]).catch(() => undefined);
  }

  async #beatOnce(): Promise<void> {
    const { run, log, onBeat } = this.parts;
    try {
      await run(beat_sql, this.#beat);
      const gone = await run(gone_sql, []);
      if (gone.count > 0) for (const listener of this.#on_gone) listener();
      await onBeat();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) log.warn("this process can't make itself known", errorFields(error));
      this.#failing = true;
    }
  }
}

/** A copy of the directory elsewhere is another place, and so is one that was moved. */
function placeOf(data: string): string {
  const path = join(data, place_file);
  if (!existsSync(path)) writeFileSync(path, `${newUuid()}\n`, { mode: 0o600 });
  return `${realpathSync(data)} ${readFileSync(path, "utf8").trim()}`;
}
