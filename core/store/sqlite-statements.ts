/** Prepared statements of one SQLite connection, cached by their text. */
import type { Database, Statement } from "bun:sqlite";
import { NothingSaved } from "../base/errors";
import { withFixedPlan } from "./fixed-plan";
import { translateError } from "./storage-errors";
import type { Parameter, PreparedReads } from "./store";

/** Prepared statements cached per connection; the least recently used one is dropped. */
const statements_max = 400;

/** A prepared statement of the driver. */
export type RawStatement = Statement<unknown, any[]>;

interface CachedStatement<S> {
  readonly raw: RawStatement;
  readonly wrapped: S;
  /** Number of its last use; counts up over all statements. */
  used: number;
}

/**
 * Needed because bun:sqlite's own cache holds only twenty statements. `wrap` adapts each to its
 * user.
 */
export class StatementCache<S> {
  private readonly statements = new Map<string, CachedStatement<S>>();
  private uses = 0;
  private is_closed = false;
  constructor(
    private readonly database: Database,
    private readonly wrap: (raw: RawStatement, sql: string) => S,
  ) {}

  /** @throws HttpError 503 after `close` */
  get(sql: string): S {
    const statement = this.statements.get(sql) ?? this.prepare(sql);
    statement.used = ++this.uses;
    return statement.wrapped;
  }

  private prepare(sql: string): CachedStatement<S> {
    if (this.is_closed) throw new NothingSaved("The server is stopping.", 5);
    const raw = guarded(() => this.database.prepare<unknown, any[]>(withFixedPlan(sql)));
    const statement = { raw, wrapped: this.wrap(raw, sql), used: 0 };
    if (this.statements.size >= statements_max) this.drop(this.longestUnused());
    this.statements.set(sql, statement);
    return statement;
  }

  private longestUnused(): string {
    return [...this.statements].reduce((first, entry) =>
      entry[1].used < first[1].used ? entry : first,
    )[0];
  }

  /** Call after tables have changed: a statement remembers the columns it was prepared with. */
  clear(): void {
    for (const sql of [...this.statements.keys()]) this.drop(sql);
  }

  /** Closes the connection too: later statements are refused with 503. */
  close(): void {
    this.is_closed = true;
    this.clear();
    this.database.close();
  }

  private drop(sql: string): void {
    this.statements.get(sql)?.raw.finalize();
    this.statements.delete(sql);
  }
}

/** Runs one step of the database. @throws HttpError for a storage fault, other errors unchanged */
export function guarded<R>(step: () => R, onError?: (error: unknown) => void): R {
  try {
    return step();
  } catch (error) {
    onError?.(error);
    throw translateError(error);
  }
}

/**
 * Reads synchronously on its connection; only the port is asynchronous. All reads of one iteration
 * of the event loop share a snapshot, because locking the file takes longer than most of them.
 */
export class SqlitePreparedReads implements PreparedReads {
  private readonly statements: StatementCache<RawStatement>;
  private shares_snapshot = false;
  private has_requests = false;
  /** `onError` is called with every error of the database, before it is converted. */
  constructor(
    private readonly reader: Database,
    private readonly onError: (error: unknown) => void = () => {},
  ) {
    this.statements = new StatementCache(reader, (raw) => raw);
  }

  async get<R>(sql: string, ...params: readonly Parameter[]): Promise<R | undefined> {
    const row = guarded(() => this.statement(sql).get(...params), this.onError);
    return (row as R | null) ?? undefined;
  }

  async all<R>(sql: string, ...params: readonly Parameter[]): Promise<R[]> {
    return guarded(() => this.statement(sql).all(...params), this.onError) as R[];
  }

  private statement(sql: string): RawStatement {
    if (!this.shares_snapshot) {
      this.shares_snapshot = true;
      setImmediate(this.endSnapshot);
      this.statements.get("begin").run();
    }
    return this.statements.get(sql);
  }

  /**
   * A snapshot that was begun in a callback of `setImmediate` outlasts it: the requests that arrive
   * next would not see what other processes have written meanwhile. They share a new one.
   */
  noteRequest(): void {
    if (this.has_requests) return;
    this.has_requests = true;
    setImmediate(() => (this.has_requests = false));
    this.endSnapshot();
  }

  /** Later reads see what was written until then. Never throws. */
  readonly endSnapshot = (): void => {
    if (!this.shares_snapshot) return;
    this.shares_snapshot = false;
    try {
      // An error may have ended it.
      if (this.reader.inTransaction) this.statements.get("commit").run();
    } catch (error) {
      this.onError(error);
    }
  };

  /** Call after tables have changed. */
  forgetStatements(): void {
    this.endSnapshot();
    this.statements.clear();
  }

  close(): void {
    this.endSnapshot();
    this.statements.close();
  }
}
