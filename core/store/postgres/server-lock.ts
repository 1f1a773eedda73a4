/**
 * One server per database: a lock of the session, which the database releases when the process
 * ends, however it ends. Commands beside the server need none.
 */
import type { ReservedSQL, SQL } from "bun";
import type { Log } from "../../base/log";
import { openPool, type PostgresOptions } from "./connections";

const server_lock = 0x646f7372;
const take_sql = `select pg_try_advisory_lock(${server_lock}) as taken`;
/** So often it is seen to that the session is still there. */
const look_every_ms = 2_000;

export class ServerLock {
  readonly #pool: SQL;
  #session: ReservedSQL | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  /** `onLost`: another server has the database now, and this one must not go on. */
  constructor(
    options: PostgresOptions,
    private readonly shown_url: string,
    private readonly log: Log,
    private readonly onLost: (error: Error) => void,
  ) {
    this.#pool = openPool(options, 1, "server");
  }

  /** @throws Error in words when another server has it. */
  async take(): Promise<void> {
    await this.#take();
    this.#timer = setInterval(() => {
      this.#looking = this.#looking.then(() => this.#look());
    }, look_every_ms).unref();
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    this.#session?.release();
    await this.#pool.close();
  }

  async #take(): Promise<void> {
    this.#session = await this.#pool.reserve();
    const [row] = (await this.#session.unsafe(take_sql)) as { taken: boolean }[];
    if (row?.taken === true) return;
    this.#session.release();
    this.#session = undefined;
    throw new Error(
      `another server is running on the database ${this.shown_url}. Stop it first, or give this ` +
        "one a database of its own.",
    );
  }

  /** After the database was restarted the lock is there for whoever takes it first. */
  async #look(): Promise<void> {
    try {
      await this.#session?.unsafe("select 1");
      if (this.#session) return;
    } catch {
      this.#session?.release();
      this.#session = undefined;
    }
    try {
      await this.#take();
    } catch (error) {
      if (error instanceof Error && error.message.startsWith("another server")) {
        clearInterval(this.#timer);
        this.onLost(error);
      } else this.log.warn("the lock on the database can't be taken again yet");
    }
  }
}
