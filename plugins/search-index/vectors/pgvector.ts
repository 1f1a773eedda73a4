/**
 * The extension pgvector of a PostgreSQL server: whether it is available, and where the copy of the
 * vectors is that it searches. The copy is derived from `index_vectors`: it is in a schema of its
 * own, which no dump and no move to another database needs, and its rows are deleted with the
 * original ones.
 */
import type { RunAside } from "../../../core/sdk";

/** The first version that can search a part of an index. */
export const version_min = "0.8.0";
/** The limit of an index of 16-bit numbers. */
export const dimensions_max = 4_000;

/** The extension as found on the server. */
export interface Pgvector {
  /** `absent`: the server does not offer it; `closed`: this user may not create it. */
  readonly state: "absent" | "old" | "closed" | "ready";
  readonly version: string | null;
  /** The quoted schema with its types and operators. */
  readonly schema: string;
}

const pgvector_sql = `
select (select default_version from pg_available_extensions where name = 'vector') as offered,
  x.extversion as version, quote_ident(n.nspname) as schema
from (select 1) as one
left join pg_extension x on x.extname = 'vector'
left join pg_namespace n on n.oid = x.extnamespace`;
interface PgvectorRow {
  readonly offered: string | null;
  readonly version: string | null;
  readonly schema: string | null;
}

/** Whether pgvector is available. */
export async function findPgvector(all: RunAside): Promise<Pgvector> {
  const [row] = await all<PgvectorRow>(pgvector_sql);
  const { offered, version, schema } = row!;
  if (version !== null)
    return { state: isOld(version) ? "old" : "ready", version, schema: schema! };
  const state = offered === null ? "absent" : isOld(offered) ? "old" : "closed";
  return { state, version: offered, schema: "" };
}

/** The same, after creating it in this database if possible. */
export async function openPgvector(all: RunAside): Promise<Pgvector> {
  const pgvector = await findPgvector(all);
  if (pgvector.state !== "closed") return pgvector;
  // Refused, or another process is creating it at this moment.
  await all("create extension if not exists vector").catch(() => undefined);
  return findPgvector(all);
}

const isOld = (version: string): boolean =>
  version.localeCompare(version_min, "en", { numeric: true }) < 0;

/** The quoted schema of the copies: one for each schema with Dossier's tables. */
export async function copiesSchema(all: RunAside): Promise<string> {
  const [row] = await all<{ name: string }>(
    "select quote_ident(current_schema() || '_vectors') as name",
  );
  return row!.name;
}

/** The table with the copy of a set; `schema` is quoted. */
export const copyOf = (schema: string, set_id: number): string => `${schema}.copy_${set_id}`;

/** For a set: a row per vector, and up to which vectors everything was copied. */
export const createCopy = (
  schema: string,
  set_id: number,
  dimensions: number,
  types: string,
): readonly string[] => [
  `create schema if not exists ${schema}`,
  `create table if not exists ${schema}.copied (` +
    "set_id bigint primary key, up_to bigint not null)",
  `create table if not exists ${copyOf(schema, set_id)} (` +
    "vectors_id bigint not null references index_vectors (id) on delete cascade, " +
    "place integer not null, segment_id bigint not null, " +
    `numbers ${types}.halfvec(${dimensions}) not null, primary key (vectors_id, place))`,
  `insert into ${schema}.copied values (${set_id}, 0) on conflict do nothing`,
];

/** The index of a copy, and whether it is complete: an interrupted one exists, too. */
export const index_sql = `
select c.relname as name, i.indisvalid as complete from pg_index i
join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
where i.indrelid = to_regclass(?) and a.amname = 'hnsw'`;

/**
 * Whether a copy can be searched: it needs its index, and its column, which disappears with
 * pgvector.
 */
export const is_searchable_sql = `
select quote_ident(n.nspname) as types from pg_extension x
join pg_namespace n on n.oid = x.extnamespace
where x.extname = 'vector' and exists (select 1 from pg_index i
  join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
  where i.indrelid = to_regclass(?) and a.amname = 'hnsw' and i.indisvalid)`;
