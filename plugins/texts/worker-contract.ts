/** How the workers of other plugins read texts without the server, like `core/worker-sdk.ts`. */
import type { Piece } from "../../core/lib/text-pieces";
import type { ReadPieces } from "../../core/lib/text-reader";
import type { ReadPiecesNow } from "../../core/lib/text-window";
import type { PostgresReadSession, ReadConnection } from "../../core/worker-sdk";

/** The pieces with ids between the two parameters, both included. */
export const select_pieces =
  "select id, first_unit, first_point, data from texts_pieces where id between ? and ? order by id";

/** For the connection of a worker. */
export function piecesOfConnection(connection: ReadConnection): ReadPiecesNow {
  const statement = connection.prepare<unknown, [number, number]>(select_pieces);
  return (first_id, last_id) =>
    statement.values(first_id, last_id).map((row) => ({
      id: row[0] as number,
      first_unit: row[1] as number,
      first_point: row[2] as number,
      data: row[3] as string,
    }));
}

/** For a worker's connection to PostgreSQL. */
export const piecesOfSession =
  (session: PostgresReadSession): ReadPieces =>
  (first_id, last_id) =>
    session.all<Piece>(select_pieces, first_id, last_id);

/** SQL for the first piece of the text whose id is in this column; null if there is none. */
export const firstPieceSql = (text_id: string): string =>
  `(select first.data from texts_pieces first where first.id = ${text_id})`;
