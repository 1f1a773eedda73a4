/**
 * Moves every row of one database into another, then verifies that both are equal. Nothing is ever
 * written to the source.
 */
import { counted } from "../../lib/counted";
import { digestOf, positionOf, type Page, type Row, type Table } from "./rows";
import type { Side, TargetSide } from "./side";
import type { MoveState } from "./state";

/** How many differing rows are named. */
const differences_max = 10;

export interface Done {
  readonly rows: number;
  readonly bytes: number;
}
/** `was_there`: an earlier run has moved it. */
export type OnDone = (moved: Done, was_there?: boolean) => void;

export interface Ends {
  readonly source: Side;
  readonly target: TargetSide;
  readonly state: MoveState;
}

/**
 * Before the first row: removes rows inserted by migrations, and defers indexes and references
 * until all rows are there, so that rows may come in any order.
 */
export async function prepare({ target, state }: Ends, tables: readonly Table[]): Promise<void> {
  const deferred = await target.deferred();
  await target.transaction(async () => {
    for (const { drop } of deferred.toReversed()) await target.query(drop);
    for (const { name } of tables) await target.query(`delete from "${name}"`);
    await state.setDeferred(deferred.map(({ make }) => make));
    await state.setStage("rows");
  });
}

/** Continues after the rows that are already there. */
export async function moveRows(
  { source, target, state }: Ends,
  tables: readonly Table[],
  onDone: OnDone,
): Promise<void> {
  for (const table of tables) {
    const begun = await state.place(table.name);
    let moved: Done = { rows: begun?.rows ?? 0, bytes: begun?.bytes ?? 0 };
    onDone(moved, true);
    if (begun?.done === true) continue;
    // The next page is read while one is written.
    let writing: Promise<void> = Promise.resolve();
    let last = begun?.after ?? [];
    for await (const page of source.pages(table, begun?.after ?? null)) {
      await writing;
      const rows = moved.rows + page.rows.length;
      const bytes = moved.bytes + page.bytes;
      onDone({ rows: page.rows.length, bytes: page.bytes });
      [moved, last] = [{ rows, bytes }, page.last];
      writing = write({ target, state }, table, page, { rows, bytes });
      writing.catch(() => undefined);
    }
    await writing;
    await state.setPlace(table.name, { ...moved, after: last, done: true });
  }
  await state.setStage("indexes");
}

const write = (
  { target, state }: Pick<Ends, "target" | "state">,
  table: Table,
  { rows, last }: Page,
  moved: Done,
): Promise<void> =>
  target.transaction(async () => {
    await target.insert(table, rows);
    await state.setPlace(table.name, { ...moved, after: last, done: false });
  });

/**
 * Creates what was deferred, recording each one that is done. @throws Error that names rows with
 * references to missing rows.
 */
export async function makeIndexes(
  { target, state }: Ends,
  onDone: (count: number, total: number) => void,
): Promise<void> {
  const statements = await state.deferred();
  for (const [i, statement] of statements.entries()) {
    onDone(i, statements.length);
    await target.transaction(async () => {
      await target.query(statement);
      await state.setDeferred(statements.slice(i + 1));
    });
  }
  const dangling = await target.dangling();
  if (dangling.length > 0) throw new Error(dangling.join("\n"));
  await target.settle();
  await state.setStage("compare");
}

/** Reads all rows of both databases. Returns the first differences, as sentences. */
export async function compare(
  { source, target }: Pick<Ends, "source" | "target">,
  tables: readonly Table[],
  onDone: OnDone,
): Promise<string[]> {
  const found: string[] = [];
  for (const table of tables) {
    if (found.length >= differences_max) break;
    const differences =
      table.key.length > 0
        ? await compareByKey({ source, target }, table, onDone)
        : await compareAsSets({ source, target }, table, onDone);
    found.push(...differences.map((words) => `${table.name} ${words}`));
  }
  return found.slice(0, differences_max);
}

async function compareByKey(
  { source, target }: Pick<Ends, "source" | "target">,
  table: Table,
  onDone: OnDone,
): Promise<string[]> {
  const found: string[] = [];
  let after: Page["last"] | null = null;
  for await (const { rows, last, bytes } of source.pages(table, after)) {
    const target_rows = target.range(table, after, last);
    const source_rows = digests(rows, table);
    found.push(...differencesOf(source_rows, digests(await target_rows, table)));
    if (found.length >= differences_max) return found;
    onDone({ rows: rows.length, bytes });
    after = last;
  }
  found.push(...differencesOf(new Map(), digests(await target.range(table, after, null), table)));
  return found;
}

/** The digest of each row, by its key. */
const digests = (rows: readonly Row[], table: Table): Map<string, string> =>
  new Map(
    rows.map((row) => [positionOf(row, table).join(" "), digestOf(row, table.columns)] as const),
  );

function differencesOf(
  source: ReadonlyMap<string, string>,
  target: ReadonlyMap<string, string>,
): string[] {
  const found: string[] = [];
  for (const [key, digest] of source)
    if (!target.has(key)) found.push(`${key}: missing in the target`);
    else if (target.get(key) !== digest) found.push(`${key}: differs`);
  for (const key of target.keys()) if (!source.has(key)) found.push(`${key}: not in the source`);
  return found;
}

/** For rows without a key: each must occur equally often on both sides. */
async function compareAsSets(
  { source, target }: Pick<Ends, "source" | "target">,
  table: Table,
  onDone: OnDone,
): Promise<string[]> {
  const counts = new Map<string, number>();
  const add = (rows: readonly Row[], by: number): void => {
    for (const row of rows) {
      const digest = digestOf(row, table.columns);
      const count = (counts.get(digest) ?? 0) + by;
      if (count === 0) counts.delete(digest);
      else counts.set(digest, count);
    }
  };
  for await (const { rows, bytes } of source.pages(table, null)) {
    add(rows, 1);
    onDone({ rows: rows.length, bytes });
  }
  for await (const { rows } of target.pages(table, null)) add(rows, -1);
  const missing = [...counts.values()].filter((n) => n > 0);
  const extra = [...counts.values()].filter((n) => n < 0);
  return [
    ...(missing.length > 0
      ? [`has ${counted(missing.length, "row that is", "rows that are")} missing in the target`]
      : []),
    ...(extra.length > 0
      ? [`has ${counted(extra.length, "row that is", "rows that are")} not in the source`]
      : []),
  ];
}
