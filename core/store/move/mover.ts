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

/** An amount of moved rows. */
export interface MovedAmount {
  readonly rows: number;
  readonly bytes: number;
}
/** `was_there`: an earlier run has moved it. */
export type OnProgress = (moved: MovedAmount, was_there?: boolean) => void;

/** Both databases of a move, and its progress. */
export interface MoveEnds {
  readonly source: Side;
  readonly target: TargetSide;
  readonly state: MoveState;
}

/**
 * Before the first row: removes rows inserted by migrations, and defers indexes and references
 * until all rows are there, so that rows may come in any order.
 */
export async function prepare(
  { target, state }: MoveEnds,
  tables: readonly Table[],
): Promise<void> {
  const deferred = await target.deferred();
  await target.transaction(async () => {
    for (const { drop } of deferred.toReversed()) await target.query(drop);
    for (const { name } of tables) await target.query(`delete from "${name}"`);
    await state.setDeferred(deferred.map(({ create: make }) => make));
    await state.setStage("rows");
  });
}

/** Continues after the rows that are already there. */
export async function moveRows(
  { source, target, state }: MoveEnds,
  tables: readonly Table[],
  onDone: OnProgress,
): Promise<void> {
  for (const table of tables) {
    const progress = await state.progress(table.name);
    let moved: MovedAmount = { rows: progress?.rows ?? 0, bytes: progress?.bytes ?? 0 };
    onDone(moved, true);
    if (progress?.done === true) continue;
    // The next page is read while one is written.
    let writing: Promise<void> = Promise.resolve();
    let last = progress?.after ?? [];
    for await (const page of source.pages(table, progress?.after ?? null)) {
      await writing;
      const rows = moved.rows + page.rows.length;
      const bytes = moved.bytes + page.bytes;
      onDone({ rows: page.rows.length, bytes: page.bytes });
      [moved, last] = [{ rows, bytes }, page.last];
      writing = write({ target, state }, table, page, { rows, bytes });
      writing.catch(() => undefined);
    }
    await writing;
    await state.setProgress(table.name, { ...moved, after: last, done: true });
  }
  await state.setStage("indexes");
}

const write = (
  { target, state }: Pick<MoveEnds, "target" | "state">,
  table: Table,
  { rows, last }: Page,
  moved: MovedAmount,
): Promise<void> =>
  target.transaction(async () => {
    await target.insert(table, rows);
    await state.setProgress(table.name, { ...moved, after: last, done: false });
  });

/**
 * Creates what was deferred, recording each one that is done. @throws Error that names rows with
 * references to missing rows.
 */
export async function makeIndexes(
  { target, state }: MoveEnds,
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
  { source, target }: Pick<MoveEnds, "source" | "target">,
  tables: readonly Table[],
  onDone: OnProgress,
): Promise<string[]> {
  const differences: string[] = [];
  for (const table of tables) {
    if (differences.length >= differences_max) break;
    const table_differences =
      table.key.length > 0
        ? await compareByKey({ source, target }, table, onDone)
        : await compareAsSets({ source, target }, table, onDone);
    differences.push(...table_differences.map((words) => `${table.name} ${words}`));
  }
  return differences.slice(0, differences_max);
}

async function compareByKey(
  { source, target }: Pick<MoveEnds, "source" | "target">,
  table: Table,
  onDone: OnProgress,
): Promise<string[]> {
  const differences: string[] = [];
  let after: Page["last"] | null = null;
  for await (const { rows, last, bytes } of source.pages(table, after)) {
    const target_rows = target.range(table, after, last);
    const source_rows = digests(rows, table);
    differences.push(...differencesOf(source_rows, digests(await target_rows, table)));
    if (differences.length >= differences_max) return differences;
    onDone({ rows: rows.length, bytes });
    after = last;
  }
  differences.push(
    ...differencesOf(new Map(), digests(await target.range(table, after, null), table)),
  );
  return differences;
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
  const differences: string[] = [];
  for (const [key, digest] of source)
    if (!target.has(key)) differences.push(`${key}: missing in the target`);
    else if (target.get(key) !== digest) differences.push(`${key}: differs`);
  for (const key of target.keys())
    if (!source.has(key)) differences.push(`${key}: not in the source`);
  return differences;
}

/** For rows without a key: each must occur equally often on both sides. */
async function compareAsSets(
  { source, target }: Pick<MoveEnds, "source" | "target">,
  table: Table,
  onDone: OnProgress,
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
