/**
 * The database handle of one member of a group commit: it becomes invalid with the end of the
 * member, because later writes would be part of another transaction.
 */
import {
  Transaction,
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  type Kysely,
  type KyselyProps,
  type QueryResult,
} from "kysely";
import { setRunner, type RunStatement } from "./raw-statements";

type Options = Parameters<ConnectionProvider["provideConnection"]>[1];
/** The properties of a Kysely instance besides its query executor. */
export type HandleProps = Pick<KyselyProps, "config" | "dialect" | "driver">;

/**
 * How long the statements of a member run before the event loop continues. Where statements don't
 * wait for another process, a long transaction would be one turn of the loop.
 */
const turn_ms = 8;

/** Lets the event loop continue between the statements of one member; their order stays. */
export class MemberTurns {
  private begun_ms = performance.now();
  private pausing: Promise<void> | undefined;

  /** Call before each statement: undefined when it may run at once. */
  readonly next = (): Promise<void> | undefined => {
    if (this.pausing || performance.now() - this.begun_ms < turn_ms) return this.pausing;
    return (this.pausing = new Promise((resolve) =>
      setImmediate(() => {
        this.begun_ms = performance.now();
        this.pausing = undefined;
        resolve();
      }),
    ));
  };
}

/** `tx` is the handle; call `end` when the member has ended. */
export class MemberHandle implements ConnectionProvider {
  readonly tx: Kysely<any>;
  private readonly outer: ConnectionProvider;
  private connection: MemberConnection | undefined;
  private ended = false;

  /**
   * `group`: the transaction shared by the members. `turns`: where statements are not waited for.
   */
  constructor(
    group: Kysely<any>,
    props: HandleProps,
    run: RunStatement,
    private readonly turns?: MemberTurns,
  ) {
    const executor = group.getExecutor();
    this.outer = executor;
    this.tx = setRunner(
      new Transaction({ ...props, executor: executor.withConnectionProvider(this) }),
      (sql, parameters) => this.inTurn(() => run(sql, parameters)),
    );
  }

  /** From now on every query on the handle throws, including those in progress. */
  end(): void {
    this.ended = true;
  }

  provideConnection<R>(
    consumer: (connection: DatabaseConnection) => Promise<R>,
    options?: Options,
  ): Promise<R> {
    return this.outer.provideConnection((connection) => {
      this.connection ??= new MemberConnection(connection, this.requireOpen, this.inTurn);
      return consumer(this.connection);
    }, options);
  }

  /** Runs a statement, after a pause when it is time for one. */
  private readonly inTurn = <R>(run: () => Promise<R>): Promise<R> => {
    if (this.ended) return Promise.reject(afterItsEnd());
    const pause = this.turns?.next();
    if (pause === undefined) return run();
    return pause.then(() => {
      this.requireOpen();
      return run();
    });
  };

  private readonly requireOpen = (): void => {
    if (this.ended) throw afterItsEnd();
  };
}

const afterItsEnd = (): Error =>
  new Error(
    "the transaction has ended: a query came after it, by a forgotten `await` or beside one that " +
      "failed",
  );

/** Checks at the last moment: between the call of a query and its statement others may run. */
class MemberConnection implements DatabaseConnection {
  constructor(
    private readonly connection: DatabaseConnection,
    private readonly requireOpen: () => void,
    private readonly inTurn: <R>(run: () => Promise<R>) => Promise<R>,
  ) {}

  executeQuery<R>(query: CompiledQuery, options?: Options): Promise<QueryResult<R>> {
    return this.inTurn(() => this.connection.executeQuery<R>(query, options));
  }

  async *streamQuery<R>(
    query: CompiledQuery,
    chunk_size: number,
    options?: Options,
  ): AsyncIterableIterator<QueryResult<R>> {
    this.requireOpen();
    for await (const part of this.connection.streamQuery<R>(query, chunk_size, options)) {
      yield part;
      this.requireOpen();
    }
  }
}
