/**
 * The progress of a move. It is kept in the target, together with the rows, so that both agree
 * after an interruption at any moment.
 */
import type { Store } from "../store";
import type { Position } from "./rows";
import { move_table, type TargetSide } from "./side";

/** The source of the rows, and what must be unchanged for a move to be resumed. */
export interface MoveOrigin {
  readonly place: string;
  /** Of the source: a different one may mean that it was written to. */
  readonly mark: string;
  /** The program version: another one may know other tables. */
  readonly program: string;
}

/** `tables`: being created; `rows`; `indexes` and references; `compare` with the source. */
export type Stage = "tables" | "rows" | "indexes" | "compare";

/** How far the rows of a table have been moved. `after`: the position of the last one. */
export interface TableProgress {
  readonly after: Position;
  readonly rows: number;
  readonly bytes: number;
  readonly done: boolean;
}

const names = { origin: "origin", stage: "stage", later: "later" } as const;
const ofTable = (table: string): string => `table ${table}`;

/** The stored progress of the move into this target. */
export class MoveState {
  constructor(private readonly target: TargetSide) {}

  /** Undefined when no move was begun here. */
  async origin(): Promise<MoveOrigin | undefined> {
    const tables = await this.exists();
    return tables ? this.get<MoveOrigin>(names.origin) : undefined;
  }

  /** Records the start of a move. @throws Error when one was begun already */
  async begin(origin: MoveOrigin): Promise<void> {
    await this.target.transaction(async () => {
      await this.target.query(
        `create table ${move_table} (name text primary key, value text not null)`,
      );
      await this.set(names.origin, origin);
      await this.set(names.stage, "tables" satisfies Stage);
    });
  }

  stage = async (): Promise<Stage> => (await this.get<Stage>(names.stage))!;
  setStage = (stage: Stage): Promise<void> => this.set(names.stage, stage);
  /** Statements that create the deferred indexes and references. */
  deferred = async (): Promise<string[]> => (await this.get<string[]>(names.later)) ?? [];
  setDeferred = (statements: readonly string[]): Promise<void> => this.set(names.later, statements);
  progress = (table: string): Promise<TableProgress | undefined> =>
    this.get<TableProgress>(ofTable(table));
  setProgress = (table: string, place: TableProgress): Promise<void> =>
    this.set(ofTable(table), place);

  private async exists(): Promise<boolean> {
    try {
      await this.target.query(`select name from ${move_table} limit 1`);
      return true;
    } catch (error) {
      if (/no such table|does not exist/.test(reasonOf(error))) return false;
      throw error;
    }
  }

  private async get<R>(name: string): Promise<R | undefined> {
    const [row] = await this.target.query(`select value from ${move_table} where name = ?`, name);
    return row === undefined ? undefined : (JSON.parse(row[0] as string) as R);
  }

  private async set(name: string, value: unknown): Promise<void> {
    await this.target.query(
      `insert into ${move_table} (name, value) values (?, ?)
       on conflict (name) do update set value = excluded.value`,
      name,
      JSON.stringify(value),
    );
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : "");

/**
 * @throws Error in plain words for a database that is not completely filled: nobody may work on it.
 */
export async function requireMoved(
  store: Pick<Store, "db" | "path" | "tableNames">,
): Promise<void> {
  if ((await store.tableNames(store.db)).includes(move_table))
    throw new Error(
      `${store.path} is the unfinished target of \`dossier migrate-to\`. Run the same ` +
        "command again to finish it, or choose an empty target",
    );
}
