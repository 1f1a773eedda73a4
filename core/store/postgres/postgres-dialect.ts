/**
 * PostgreSQL behind Kysely: its own compiler, with Bun's driver. The store decides which connection
 * a statement runs on.
 */
import {
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  type RawNode,
} from "kysely";
import type { StatementResult } from "./connections";

/** Runs a statement on some connection. */
export type RunQuery = (text: string, parameters: readonly unknown[]) => Promise<StatementResult>;

/** Column types of columns.ts that have other names here. */
const types: Readonly<Record<string, string>> = { blob: "bytea", integer: "bigint" };

class Compiler extends PostgresQueryCompiler {
  protected override visitRaw(node: RawNode): void {
    const type = node.sqlFragments.length === 1 ? types[node.sqlFragments[0]!] : undefined;
    if (type === undefined) super.visitRaw(node);
    else this.append(type);
  }
}

/** Statements of a connection, or of whichever the store chooses. */
export class QueryConnection implements DatabaseConnection {
  constructor(private readonly runQuery: RunQuery) {}

  async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, count } = await this.runQuery(sql, parameters);
    const changes = ["InsertQueryNode", "UpdateQueryNode", "DeleteQueryNode"].includes(query.kind);
    return {
      rows: rows as R[],
      ...(changes && { numAffectedRows: BigInt(count) }),
    };
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new Error("lists are read page by page, not streamed");
  }
}

/** The driver for statements outside transactions; the store begins and ends those itself. */
class OutsideDriver implements Driver {
  private readonly connection: QueryConnection;
  constructor(
    run: RunQuery,
    private readonly close: () => Promise<void>,
  ) {
    this.connection = new QueryConnection(run);
  }
  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.connection;
  }
  async releaseConnection(): Promise<void> {}
  async beginTransaction(): Promise<void> {
    throw new Error("use `inTransaction`");
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async destroy(): Promise<void> {
    await this.close();
  }
}

/** For statements outside transactions, which run as `runOutside` decides. */
export class PostgresDialect implements Dialect {
  constructor(
    private readonly runOutside: RunQuery,
    private readonly close: () => Promise<void>,
  ) {}
  createDriver(): Driver {
    return new OutsideDriver(this.runOutside, this.close);
  }
  createQueryCompiler(): Compiler {
    return new Compiler();
  }
  createAdapter(): PostgresAdapter {
    return new PostgresAdapter();
  }
  createIntrospector(db: Kysely<any>): PostgresIntrospector {
    return new PostgresIntrospector(db);
  }
}
