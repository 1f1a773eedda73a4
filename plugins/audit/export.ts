/** The audit log as a file, read in parts while it is sent. */
import { nextTurn } from "../../core/lib/chunked-work";
import { pullStream, rfc3339 } from "../../core/sdk";
import {
  entriesBefore,
  type AuditDb,
  type EntryFilter,
  type EntryPlace,
  type EntryRow,
} from "./store";

type EntriesPart = Awaited<ReturnType<typeof entriesBefore>>;

export type ExportFormat = "csv" | "json";

const part_size = 200;

/** As the API shows it. */
export const entryRecord = ({ created_at, ...entry }: EntryRow) => ({
  ...entry,
  at: rfc3339(created_at),
});
/** The columns of the CSV file, and the fields of each JSON object. */
export const columns = [
  "at",
  "id",
  "actor",
  "actor_id",
  "via",
  "key_id",
  "address",
  "action",
  "record",
  "outcome",
  "status",
  "request_id",
] as const satisfies readonly (keyof ReturnType<typeof entryRecord>)[];

/** Media types by format. */
export const media_types = {
  csv: "text/csv; charset=utf-8",
  json: "application/json",
} as const satisfies Record<ExportFormat, string>;

/** Newest first. Entries that are added meanwhile are not included. */
export function exportStream(
  db: AuditDb,
  filter: EntryFilter,
  format: ExportFormat,
): ReadableStream<Uint8Array> {
  const write = format === "csv" ? csvLines : jsonItems;
  let place: EntryPlace | null = null;
  let is_first = true;
  let ended = false;
  return pullStream(
    async () => {
      while (!ended) {
        const { rows, next }: EntriesPart = await entriesBefore(db, filter, place, part_size);
        place = next;
        ended = next === null;
        if (rows.length > 0 || ended) {
          const first = is_first;
          is_first = false;
          return write(rows, first, ended);
        }
        await nextTurn();
      }
      return null;
    },
    () => undefined,
    format === "csv" ? `${columns.join(",")}\r\n` : "[",
  );
}

const csvLines = (rows: readonly EntryRow[]): string =>
  rows
    .map(entryRecord)
    .map((entry) => `${columns.map((column) => cell(entry[column])).join(",")}\r\n`)
    .join("");

/** Quoted where necessary (RFC 4180); what a spreadsheet would take for a formula becomes text. */
function cell(value: string | number | null): string {
  if (value === null) return "";
  const text = /^[=+\-@\t\r]/.test(String(value)) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const jsonItems = (rows: readonly EntryRow[], first: boolean, last: boolean): string =>
  rows
    .map(
      (row, index) => `${first && index === 0 ? "\n" : ",\n"}${JSON.stringify(entryRecord(row))}`,
    )
    .join("") + (last ? "\n]\n" : "");
