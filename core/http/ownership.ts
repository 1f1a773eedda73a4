/** Records belong to users: 404 when a record does not exist, 403 when it is another user's. */
import { forbidden, HttpError, notFound } from "../base/errors";

/**
 * The row, if it belongs to the owner. `kind`: of the record, as the error names it, such as
 * `folder`. @throws HttpError 404 or 403.
 */
export function requireOwned<Row extends { readonly owner_id: string }>(
  row: Row | undefined,
  owner_id: string,
  kind: string,
): Row {
  if (!row) throw notFound(kind);
  if (row.owner_id !== owner_id) throw forbidden(`This ${kind} belongs to another user.`);
  return row;
}

/**
 * The same for several: the rows with these ids, in their order. `pointer` names the field with the
 * ids. @throws HttpError 404 or 403 that names the first unusable id.
 */
export function requireAllOwned<Row extends { readonly id: string; readonly owner_id: string }>(
  rows: readonly Row[],
  ids: readonly string[],
  owner_id: string,
  { what: kind, pointer }: { readonly what: string; readonly pointer: string },
): Row[] {
  const by_id = new Map(rows.map((row) => [row.id, row]));
  const refuse = (status: number, code: string, id: string | undefined, problem: string): void => {
    if (id === undefined) return;
    const detail = `The ${kind} ${id} ${problem}.`;
    throw new HttpError(status, code, detail, { errors: [{ pointer, detail }] });
  };
  const missing = ids.find((id) => !by_id.has(id));
  refuse(404, "not_found", missing, "could not be found");
  const foreign = ids.find((id) => by_id.get(id)!.owner_id !== owner_id);
  refuse(403, "forbidden", foreign, "belongs to another user");
  return ids.map((id) => by_id.get(id)!);
}
