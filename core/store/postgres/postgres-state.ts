/**
 * Shared entries as rows. A change reads its row, computes, and writes it only if nobody else has
 * changed it meanwhile; otherwise it starts over. So no change waits for transactions or holds a
 * lock. Changes of one entry that arrive together in this process are read and written together.
 */
import { unavailable } from "../../base/errors";
import { errorFields, type Log } from "../../base/log";
import { jitter, randomInteger } from "../../base/random";
import type { SharedState, Step } from "../shared-state";
import { Pool, type PostgresOptions } from "./connections";
import { clock_sql } from "./database-clock";

const read_sql = `
select c.now_ms, s.value, s.version, s.until_ms from (select ${clock_sql} as now_ms) c
left join core_shared s on s.scope = ? and s.name = ?`;
const insert_sql = `
insert into core_shared (scope, name, value, version, until_ms) values (?, ?, ?, ?, ?)
on conflict (scope, name) do nothing returning version`;
const update_sql = `
update core_shared set value = ?, version = ?, until_ms = ?
where scope = ? and name = ? and version = ? returning version`;
const delete_sql =
  "delete from core_shared where scope = ? and name = ? and version = ? returning version";
const prune_sql = `delete from core_shared where until_ms < ${clock_sql}`;

const connections = 2;
/** How often expired entries are deleted. */
const prune_every_ms = 60_000;
/** Each failed try means that another process has made its change. */
const tries_max = 200;
/** From the third try on they are spread out, so that they don't collide again. */
const pause_ms = 4;

interface Row {
  readonly now_ms: number;
  readonly value: string | null;
  readonly version: number | null;
  readonly until_ms: number | null;
}
interface PendingChange {
  readonly step: Step<unknown, unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** The entries of all scopes, in the table `core_shared`. */
export class PostgresState implements SharedState {
  private readonly pool: Pool;
  /** By entry: the changes that wait for the current one. */
  private readonly waiting = new Map<string, PendingChange[]>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    options: PostgresOptions,
    private readonly log: Log,
  ) {
    // A crash of the database may lose the latest writes, as a crash of the server loses its
    // memory.
    this.pool = new Pool(options, connections, "shared", { synchronous_commit: "off" });
  }

  change<V, R>(scope: string, key: string, step: Step<V, R>): Promise<R> {
    this.timer ??= setInterval(() => void this.prune(), prune_every_ms).unref();
    return new Promise((resolve, reject) => {
      const name = `${scope} ${key}`;
      const pending: PendingChange = { step: step as Step<unknown, unknown>, resolve, reject };
      const changes = this.waiting.get(name);
      if (changes) {
        changes.push(pending);
        return;
      }
      const first = [pending];
      this.waiting.set(name, first);
      void this.applyAll(scope, key, first);
    });
  }

  /** Connects. @throws the error of the database */
  async open(): Promise<void> {
    await this.pool.run("select 1");
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.pool.close();
  }

  private async applyAll(scope: string, key: string, changes: PendingChange[]): Promise<void> {
    while (changes.length > 0) {
      const batch = changes.splice(0);
      try {
        const results = await this.apply(scope, key, batch);
        batch.forEach(({ resolve }, at) => resolve(results[at] as never));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.waiting.delete(`${scope} ${key}`);
  }

  /** Applies these changes one after another, all or none. */
  private async apply(
    scope: string,
    key: string,
    changes: readonly PendingChange[],
  ): Promise<unknown[]> {
    for (let tries = 1; tries <= tries_max; tries++) {
      const row = (await this.pool.read(read_sql, [scope, key])).rows[0] as unknown as Row;
      const { results, change } = compute(row, changes);
      if (change === undefined) return results;
      if (await this.write([scope, key], change, row.version)) return results;
      if (tries > 2) await Bun.sleep(jitter(pause_ms, 1));
    }
    throw unavailable("There are too many requests of this kind at the moment. Try again.", 1);
  }

  /**
   * `version`: that of the row that was read; null when there was none. False when it has changed.
   */
  private async write(
    name: readonly [scope: string, key: string],
    { value, until_ms }: Change,
    version: number | null,
  ): Promise<boolean> {
    if (value === null && version === null) return true;
    const row = [JSON.stringify(value), randomInteger(), until_ms];
    const { rows } =
      version === null
        ? await this.pool.read(insert_sql, [...name, ...row])
        : value === null
          ? await this.pool.read(delete_sql, [...name, version])
          : await this.pool.read(update_sql, [...row, ...name, version]);
    return rows.length > 0;
  }

  private async prune(): Promise<void> {
    try {
      await this.pool.read(prune_sql);
    } catch (error) {
      this.log.warn("expired shared entries could not be deleted yet", errorFields(error));
    }
  }
}

interface Change {
  /** Null: the entry is deleted. */
  readonly value: unknown;
  readonly until_ms: number;
}
interface Computed {
  readonly results: unknown[];
  /** Undefined: nothing changes. */
  readonly change: Change | undefined;
}

function compute({ now_ms, value, until_ms }: Row, changes: readonly PendingChange[]): Computed {
  let current = value === null || until_ms! <= now_ms ? undefined : (JSON.parse(value) as unknown);
  let change: Change | undefined;
  const results = changes.map(({ step }) => {
    const stepped = step(current, now_ms);
    if (stepped.value === undefined) return stepped.result;
    current = stepped.value ?? undefined;
    change = {
      value: stepped.value,
      until_ms: stepped.value === null ? 0 : now_ms + (stepped.keep_ms ?? 0),
    };
    return stepped.result;
  });
  return { results, change };
}
