/** How many bytes the index and its vectors take, counted in a child process: every row is read. */
import { openReadConnection } from "../../core/sdk";

export interface IndexBytes {
  readonly index: number;
  readonly vectors: number;
}

/** What is in rows; pages of the database are filled a little less. */
export async function countBytes(database: string): Promise<IndexBytes> {
  const connection = openReadConnection({ path: database });
  try {
    const bytesOf = (table: string, column: string): number =>
      connection
        .prepare<{ bytes: number }, []>(
          `select coalesce(sum(length(${column})), 0) as bytes from ${table}`,
        )
        .get()!.bytes;
    return {
      index:
        bytesOf("index_segments", "data") +
        bytesOf("index_places", "data") +
        bytesOf("index_packs", "head") +
        bytesOf("index_pack_parts", "data"),
      vectors: bytesOf("index_vectors", "data") + bytesOf("index_float_vectors", "data"),
    };
  } finally {
    connection.close();
  }
}
