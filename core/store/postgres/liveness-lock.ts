/**
 * Lets processes notice at once when one of them dies: each holds a lock in a session of its own,
 * which the database releases when the process ends, however it ends. A process that disappears
 * without closing its connection, as when a machine loses power, is noticed later, by its silence.
 */
import { errorFields, type Log } from "../../base/log";
import { randomInteger } from "../../base/random";
import { isUnreachable } from "../storage-errors";
import {
  Pool,
  type ReservedConnection,
  type PostgresOptions,
  type StatementResult,
} from "./connections";

/** The first of the two numbers of the locks: any that is otherwise unused in this database. */
const lock_class = 0x646f6e6f;
const key_end = 2 ** 31;
const check_every_ms = 1_000;
/** A process that has only lost its connection has reconnected by then. */
const missed_checks_max = 3;
/** Statements here are small: a response that takes longer will never arrive. */
const statement_ms_max = 5_000;
/**
 * When one connection is lost, those of other processes may be, too: nobody is declared dead for
 * this long.
 */
const settle_ms = 10_000;

const hold_sql = `select pg_advisory_lock_shared(${lock_class}, ?)`;
const missing_sql = `
select n.id from core_nodes n
where n.gone_at is null and n.lock_key is not null and n.lock_key <> ? and not exists (
  select 1 from pg_locks l
  where l.locktype = 'advisory' and l.classid = ${lock_class} and l.objsubid = 2
  and l.objid = cast(n.lock_key as oid)
  and l.database = (select oid from pg_database where datname = current_database()))`;

/** The lock of this process, and the check of those of others. */
export class LivenessLock {
  /** Identifies this process's lock. */
  readonly key = randomInteger() % key_end;
  private readonly pool: Pool;
  private session: Promise<ReservedConnection> | undefined;
  private held_since_ms = 0;
  private timer: NodeJS.Timeout | undefined;
  private checking: Promise<void> = Promise.resolve();
  /** By process: the number of consecutive checks without its lock. */
  private missed_checks = new Map<string, number>();

  constructor(
    options: PostgresOptions,
    private readonly log: Log,
  ) {
    this.pool = new Pool({ ...options, statement_ms_max }, 1, "life line");
  }

  /** Holds the lock from now on. `onMissing` is called with processes that have died. */
  async start(onMissing: (ids: readonly string[]) => Promise<void>): Promise<void> {
    await this.connection();
    const check = async (): Promise<void> => {
      const dead = await this.findDead();
      if (dead.length > 0) await onMissing(dead);
    };
    let failing = false;
    clearInterval(this.timer);
    this.timer = setInterval(() => {
      this.checking = this.checking.then(check).then(
        () => {
          failing = false;
        },
        (error: unknown) => {
          if (!failing)
            this.log.warn("the liveness of other processes can't be checked", errorFields(error));
          failing = true;
        },
      );
    }, check_every_ms).unref();
  }

  /**
   * Runs a statement that may be run twice, in the session of the lock: a broken session is noticed
   * at once and replaced. @throws HttpError 503 when the database can't be reached
   */
  async run(text: string, parameters: readonly unknown[]): Promise<StatementResult> {
    try {
      return await this.runOnce(text, parameters);
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      return this.runOnce(text, parameters);
    }
  }

  /**
   * Releases the lock. The row of this process has to be deleted before, or others report its
   * death.
   */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.checking;
    // The lock ends with its session.
    await this.session?.then((session) => session.release()).catch(() => undefined);
    await this.pool.close();
  }

  private async runOnce(text: string, parameters: readonly unknown[]): Promise<StatementResult> {
    const connection = this.connection();
    const session = await connection;
    try {
      return await session.run(text, parameters);
    } catch (error) {
      if (isUnreachable(error) && this.session === connection) {
        this.session = undefined;
        session.release();
      }
      throw error;
    }
  }

  private connection(): Promise<ReservedConnection> {
    this.session ??= this.hold().catch((error: unknown) => {
      this.session = undefined;
      throw error;
    });
    return this.session;
  }

  private async hold(): Promise<ReservedConnection> {
    const session = await this.pool.reserve();
    try {
      // Nothing else requests this lock, so this does not wait.
      await session.run(hold_sql, [this.key]);
    } catch (error) {
      session.release();
      throw error;
    }
    this.held_since_ms = performance.now();
    this.missed_checks.clear();
    return session;
  }

  /** The ids of processes that have died. */
  private async findDead(): Promise<string[]> {
    const { rows } = await this.run(missing_sql, [this.key]);
    const ids = rows.map(({ id }) => id as string);
    if (performance.now() - this.held_since_ms < settle_ms) return [];
    this.missed_checks = new Map(ids.map((id) => [id, (this.missed_checks.get(id) ?? 0) + 1]));
    return ids.filter((id) => this.missed_checks.get(id)! >= missed_checks_max);
  }
}
