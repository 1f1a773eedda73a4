/** Counts the bytes of the index and its vectors, which reads every row. */
import { openReadConnection, toNumber, type PreparedReads } from "../../core/sdk";

/** Bytes in the database. */
export interface IndexBytes {
  readonly index: number;
  readonly vectors: number;
}

/** Columns of bytes, by table. Counts their content: database pages are not completely full. */
const columns = {
  index: [
    ["index_segments", "data"],
    ["index_segments", "places"],
    ["index_packs", "head"],
    ["index_pack_parts", "data"],
  ],
  vectors: [
    ["index_vectors", "data"],
    ["index_float_vectors", "data"],
  ],
} as const;

type Column = readonly [table: string, column: string];
const sumSql = ([table, column]: Column): string =>
  `select coalesce(sum(length(${column})), 0) as bytes from ${table}`;

/** For the file of the embedded database, in a child process. */
export async function countBytes(database: string): Promise<IndexBytes> {
  const connection = openReadConnection({ path: database });
  try {
    return await count(async (column) =>
      toNumber(connection.prepare<{ bytes: number }, []>(sumSql(column)).get()!.bytes),
    );
  } finally {
    connection.close();
  }
}

/** For a database server. */
export const countBytesBy = (reads: PreparedReads): Promise<IndexBytes> =>
  count(async (column) =>
    toNumber((await reads.get<{ bytes: number | string }>(sumSql(column)))!.bytes),
  );

async function count(bytesOf: (column: Column) => Promise<number>): Promise<IndexBytes> {
  const sumOf = async (table_columns: readonly Column[]): Promise<number> =>
    (await Promise.all(table_columns.map(bytesOf))).reduce((sum, bytes) => sum + bytes, 0);
  return { index: await sumOf(columns.index), vectors: await sumOf(columns.vectors) };
}
