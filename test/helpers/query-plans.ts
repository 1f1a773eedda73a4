/** Records the statements that some work runs, and finds how SQLite executes them. */
import { SqliteQueryCompiler, sql, type KyselyPlugin, type RootOperationNode } from "kysely";
import type { Db } from "../../core/store/store";
import { rowsOf, setRunner } from "../../core/store/raw-statements";
import { on_postgres } from "./databases";

/** Records every statement of a database. */
export class Watch implements KyselyPlugin {
  /** Statements compiled by Kysely; those that lack values were compiled for later use. */
  readonly nodes: RootOperationNode[] = [];
  /** Statements compiled earlier. */
  readonly written: { readonly sql: string; readonly parameters: readonly unknown[] }[] = [];

  watched(db: Db): Db {
    return setRunner(db.withPlugin(this), (text, parameters) => {
      this.written.push({ sql: text, parameters });
      return rowsOf(db, text, parameters);
    });
  }
  transformQuery({ node }: { readonly node: RootOperationNode }) {
    this.nodes.push(node);
    return node;
  }
  async transformResult({ result }: any) {
    return result;
  }
}

/** The query plans for reading this table, where SQLite reports them. */
export async function plansOf({ nodes, written }: Watch, db: Db, table: string): Promise<string[]> {
  const plans: string[] = [];
  if (on_postgres) return plans;
  const compiled = nodes
    .map((node) => new SqliteQueryCompiler().compileQuery(node, { queryId: "plan" } as any))
    .filter(({ parameters }) => parameters.every((value) => typeof value !== "object"));
  for (const { sql: text, parameters } of [...compiled, ...written]) {
    if (!text.includes(table)) continue;
    const words = text.split("?").map((part) => sql.raw(part));
    const statement = words.flatMap((word, at) =>
      at === 0 ? [word] : [sql`${parameters[at - 1]}`, word],
    );
    const { rows } = await sql<{
      detail: string;
    }>`explain query plan ${sql.join(statement, sql``)}`.execute(db);
    // A count up to a limit scans the subquery, which is not a scan of the table.
    const counts = /^(?:CO-ROUTINE|SCAN) some$/;
    plans.push(...rows.flatMap(({ detail }) => (counts.test(detail) ? [] : [detail])));
  }
  return plans;
}
