/** Asks pgvector which segments of some folders contain what is most similar to a query. */
import { textOfIds } from "../../../core/lib/id-lists";
import type { PostgresReadSession } from "../../../core/sdk";
import { copyOf, is_searchable_sql } from "./pgvector";
import type { NearRequest, NearSegments } from "./vector-reader";

/**
 * The number of vectors requested: more than are ranked, since some belong to the same passages.
 */
const nearest_max = 250;
/** How far pgvector searches: its settings `hnsw.ef_search` and `hnsw.max_scan_tuples`. */
const ef_search = 200;
const scan_tuples_max = 100_000;
/** More missing segments than this are not compared one by one. */
const not_copied_max = 2_000;
/** pgvector searches the vectors of all folders: for a smaller share, comparing them is faster. */
const share_min = 0.2;
/** 16-bit floats represent integers exactly up to here. */
const number_max = 2_047;

const schema_sql = "select quote_ident(current_schema() || '_vectors') as name";

/** See `VectorReader.near`: also null when too little is found. */
export async function nearSegments(
  session: PostgresReadSession,
  { set_id, folder_ids, query, segments }: NearRequest,
): Promise<NearSegments | null | undefined> {
  const [all] = await session.all<{ rows: number }>(
    "select reltuples as rows from pg_class where oid = to_regclass('index_vectors')",
  );
  if (segments < (all?.rows ?? 0) * share_min) return undefined;
  const [schema] = await session.all<{ name: string }>(schema_sql);
  const copy = copyOf(schema!.name, set_id);
  const [searchable] = await session.all<{ types: string }>(is_searchable_sql, copy);
  if (searchable === undefined || folder_ids.length === 0) return null;
  const { types } = searchable;
  const not_copied = await session.all<{ segment_id: number }>(
    "select segment_id from index_vectors where set_id = ? and id > " +
      `(select up_to from ${schema!.name}.copied where set_id = ?) order by id limit ?`,
    set_id,
    set_id,
    not_copied_max + 1,
  );
  if (not_copied.length > not_copied_max) return null;
  const floats = await session.all(
    "select 1 from index_float_vectors where set_id = ? limit 1",
    set_id,
  );
  if (floats.length > 0) return null;
  await session.all("set local hnsw.iterative_scan = 'relaxed_order'");
  await session.all(`set local hnsw.ef_search = ${ef_search}`);
  await session.all(`set local hnsw.max_scan_tuples = ${scan_tuples_max}`);
  const numbers = `cast(cast(? as text) as ${types}.halfvec(${query.length}))`;
  const near = await session.all<{ segment_id: number }>(
    `select c.segment_id from ${copy} c where exists (select 1 from index_scope s ` +
      "where s.segment_id = c.segment_id and s.folder_id = any(string_to_array(?, ' '))) " +
      `order by c.numbers operator(${types}.<=>) ${numbers} limit ${nearest_max}`,
    textOfIds(folder_ids),
    toLiteral(query),
  );
  if (near.length < nearest_max) return null;
  return { near: idsOf(near), unknown: idsOf(not_copied) };
}

const idsOf = (rows: readonly { readonly segment_id: number }[]): number[] => [
  ...new Set(rows.map(({ segment_id }) => segment_id)),
];

function toLiteral(query: Float32Array): string {
  const largest = query.reduce((maximum, number) => Math.max(maximum, Math.abs(number)), 0);
  const integers = Array.from(query, (number) => Math.round((number / largest) * number_max));
  return `[${integers.join(",")}]`;
}
