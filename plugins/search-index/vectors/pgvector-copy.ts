/**
 * Maintains the copy of the vectors that pgvector searches: created when a search covered more than
 * a process can keep in memory, and updated from then on, outside the order of writes. What it
 * lacks, a search compares by itself (`pgvector-reader.ts`).
 */
import { leftUntil } from "../../../core/lib/timeout";
import { PostgresSideSession, type Context, type RunAside } from "../../../core/sdk";
import { enqueueCopying } from "../jobs";
import {
  copiesSchema,
  copyOf,
  createCopy,
  dimensions_max,
  findPgvector,
  index_sql,
  openPgvector,
  type Pgvector,
} from "./pgvector";
import type { VectorSetRow } from "../store";
import { rowsAt, strideOf } from "./vector-block";
import { vectorSets } from "./vector-store";

/** Segments copied together before there is an index, and after, when it is slower. */
const segments_per_batch = 64;
const segments_per_batch_indexed = 4;
/** The minimum interval between requests for the copy. */
const pause_ms = 30_000;
/** The memory for creating the index of a copy, if the server grants less. */
const index_memory = "256MB";

/** How vectors are searched, for health and for doctor. */
export interface CopyState extends Pgvector {
  /** There is a copy of the vectors in use, and it can be searched. */
  readonly is_searched: boolean;
  readonly copied: number;
}

/** Creates and updates the copy when it is requested. */
export class PgvectorCopy {
  private requested_at_ms = -Infinity;

  constructor(
    private readonly ctx: Pick<
      Context,
      "db" | "enqueue" | "inTransaction" | "log" | "now_ms" | "read_connection"
    >,
  ) {}

  /** Before the first request. Creates the extension, if there is one and this user may. */
  async start(): Promise<void> {
    if (this.ctx.read_connection.engine !== "postgres") return;
    try {
      await using session = this.open();
      const { state, version } = await openPgvector(session.all);
      if (state === "ready") this.ctx.log.info("pgvector is available", { version });
    } catch (error) {
      this.ctx.log.warn("the availability of pgvector could not be checked", {
        reason: String(error),
      });
    }
  }

  /**
   * A search covered more vectors than fit into memory, and found no copy, or an incomplete one.
   */
  request(): void {
    const { db, now_ms, read_connection, log } = this.ctx;
    if (read_connection.engine !== "postgres") return;
    if (leftUntil(this.requested_at_ms + pause_ms, now_ms(), pause_ms) > 0) return;
    this.requested_at_ms = now_ms();
    enqueueCopying(this.ctx, db).catch((error: unknown) =>
      log.warn("vectors could not be copied for pgvector", { reason: String(error) }),
    );
  }

  /** One run of the job. Does nothing when the database is not PostgreSQL. */
  async run(signal: AbortSignal): Promise<void> {
    const { db, read_connection, log } = this.ctx;
    if (read_connection.engine !== "postgres") return;
    await using session = this.open();
    const pgvector = await openPgvector(session.all);
    if (pgvector.state !== "ready") return;
    const schema = await copiesSchema(session.all);
    const sets = await vectorSets(db);
    const set = sets.find(({ serving }) => serving === 1);
    await dropUnused(session.all, schema, sets);
    if (set === undefined || set.dimensions < 1 || set.dimensions > dimensions_max) return;
    for (const sql of createCopy(schema, set.id, set.dimensions, pgvector.schema))
      await session.all(sql);
    const copy = copyOf(schema, set.id);
    const began_ms = performance.now();
    const target = { schema, set, types: pgvector.schema };
    const has_index = await isIndexed(session.all, copy);
    const segments = await copyAll(
      session,
      target,
      has_index ? segments_per_batch_indexed : segments_per_batch,
      signal,
    );
    if (!has_index && !signal.aborted) {
      await createIndex(session.all, copy, pgvector.schema);
      await copyAll(session, target, segments_per_batch_indexed, signal);
    }
    const ms = Math.round(performance.now() - began_ms);
    if (segments > 0) log.info("vectors were copied for pgvector", { segments, ms });
  }

  /** Null when the database is not PostgreSQL. */
  async state(): Promise<CopyState | null> {
    if (this.ctx.read_connection.engine !== "postgres") return null;
    await using session = this.open();
    const pgvector = await findPgvector(session.all);
    const nothing = { ...pgvector, is_searched: false, copied: 0 };
    const set = (await vectorSets(this.ctx.db)).find(({ serving }) => serving === 1);
    if (pgvector.state !== "ready" || set === undefined) return nothing;
    const copy = copyOf(await copiesSchema(session.all), set.id);
    if (!(await isIndexed(session.all, copy))) return nothing;
    const [row] = await session.all<{ rows: number }>(
      "select greatest(reltuples, 0) as rows from pg_class where oid = to_regclass(?)",
      copy,
    );
    return { ...pgvector, is_searched: true, copied: row?.rows ?? 0 };
  }

  private open(): PostgresSideSession {
    const { read_connection } = this.ctx;
    if (read_connection.engine !== "postgres") throw new Error("the database is not PostgreSQL");
    return new PostgresSideSession(read_connection, "vectors");
  }
}

async function isIndexed(all: RunAside, copy: string): Promise<boolean> {
  const indexes = await all<{ complete: boolean }>(index_sql, copy);
  return indexes.some(({ complete }) => complete);
}

/** Copies of sets that no longer exist. */
async function dropUnused(
  all: RunAside,
  schema: string,
  sets: readonly VectorSetRow[],
): Promise<void> {
  const tables = await all<{ name: string }>(
    "select table_name as name from information_schema.tables " +
      "where quote_ident(table_schema) = ? and table_name like 'copy!_%' escape '!'",
    schema,
  );
  const in_use = new Set(sets.map(({ id }) => copyOf(schema, id)));
  for (const { name } of tables) {
    if (in_use.has(`${schema}.${name}`)) continue;
    await all(`drop table if exists ${schema}.${name}`);
    await all(`delete from ${schema}.copied where set_id = ?`, Number(name.slice("copy_".length)));
  }
}

/** Without blocking deletions. What an interruption has left is created again. */
async function createIndex(all: RunAside, copy: string, types: string): Promise<void> {
  const [memory] = await all<{ is_less: boolean }>(
    "select pg_size_bytes(current_setting('maintenance_work_mem')) < pg_size_bytes(?) as is_less",
    index_memory,
  );
  if (memory?.is_less) await all(`set maintenance_work_mem = '${index_memory}'`);
  const name = `${copy.split(".")[1]!}_nearest`;
  await all(`drop index if exists ${copy.split(".")[0]!}.${name}`);
  await all(
    `create index concurrently ${name} on ${copy} ` +
      `using hnsw (numbers ${types}.halfvec_cosine_ops)`,
  );
  await all(`analyze ${copy}`);
}

interface CopyTarget {
  readonly schema: string;
  readonly set: VectorSetRow;
  readonly types: string;
}

/** Copies everything that is missing. Returns the number of segments. */
async function copyAll(
  session: PostgresSideSession,
  { schema, set, types }: CopyTarget,
  limit: number,
  signal: AbortSignal,
): Promise<number> {
  let segments = 0;
  for (let more = true; more && !signal.aborted;) {
    const count = await session.inTransaction(async (all) => {
      // Locked, so that nothing is deleted between here and its copy.
      const rows = await all<{ id: number; segment_id: number; data: Uint8Array }>(
        `select id, segment_id, data from index_vectors where set_id = ? and id > ` +
          `(select up_to from ${schema}.copied where set_id = ?) order by id limit ? for key share`,
        set.id,
        set.id,
        limit,
      );
      for (const row of rows) await insertRows(all, copyOf(schema, set.id), types, row, set);
      if (rows.length > 0)
        await all(
          `update ${schema}.copied set up_to = ? where set_id = ?`,
          rows.at(-1)!.id,
          set.id,
        );
      return rows.length;
    });
    segments += count;
    more = count > 0;
  }
  return segments;
}

async function insertRows(
  all: RunAside,
  copy: string,
  types: string,
  row: { readonly id: number; readonly segment_id: number; readonly data: Uint8Array },
  { dimensions }: VectorSetRow,
): Promise<void> {
  const numbers = wholeNumbers(row.data, dimensions);
  if (numbers.length === 0) return;
  const values = numbers.map(
    (_, index) => `(${row.id}, ${index}, ${row.segment_id}, cast(? as text))`,
  );
  await all(
    `insert into ${copy} select id, place, segment_id, cast(numbers as ${types}.halfvec) ` +
      `from (values ${values.join(", ")}) as made (id, place, segment_id, numbers) ` +
      "on conflict do nothing",
    ...numbers,
  );
}

/** The rows of a block as text; their length is irrelevant for a direction. */
function wholeNumbers(data: Uint8Array, dimensions: number): string[] {
  const rows = new DataView(data.buffer, data.byteOffset).getUint32(4, true);
  const first = data.byteOffset + rowsAt(rows);
  const stride = strideOf(dimensions);
  const literals: string[] = [];
  for (let row = 0; row < rows; row++) {
    const numbers = new Int8Array(data.buffer, first + row * stride, dimensions);
    // Without a direction it is similar to nothing.
    if (numbers.some((number) => number !== 0)) literals.push(`[${numbers.join(",")}]`);
  }
  return literals;
}
