/**
 * The texts of documents: every SQL statement that finds one, and the functions that read it,
 * wherever it is stored. Offsets are UTF-16 indices unless they are called points.
 */
import { StepPauses } from "../../../core/lib/chunked-work";
import { piecesOf, pointsUntil, type StoredText } from "../../../core/lib/text-pieces";
import { rememberingLast } from "../../../core/lib/remembered-pieces";
import {
  readParts,
  readUnits,
  readWhole,
  TextGone,
  TextPlaces,
  type ReadPieces,
} from "../../../core/lib/text-reader";
import { preparedFirst, sql, type Db, type PreparedReads } from "../../../core/sdk";
import { QuoteFinder } from "./quote-finder";
import { firstPiece, isOnePiece, piecesOfDb, piecesOfReads } from "../../texts/contract";
import {
  fromStoredPages,
  isLinked,
  storedTextOf,
  toStoredSpans,
  toTextColumns,
  type DocumentRow,
  type DocumentsDb,
  type Spans,
  type SpansWithJson,
  type VersionRow,
} from "../store";

/** A text that can be read. */
export interface VersionText {
  /** Missing for a text of 0.1.0, which is in its row. */
  readonly stored: StoredText | undefined;
  /** The whole text, if it was read with the row. */
  readonly content: string | null;
  readonly units: number;
}
type TextRow = Pick<VersionRow, "text_id" | "text_units" | "text_points" | "content"> & {
  /** The first piece of the stored text. */
  readonly piece: string | null;
};

/** The text of a row; a text of several pieces is read when it is needed. */
export function textOf(row: TextRow): VersionText {
  const stored = storedTextOf(row);
  if (stored === undefined) {
    const content = row.content ?? "";
    return { stored, content, units: content.length };
  }
  return {
    stored,
    content: isOnePiece(stored) ? (row.piece ?? "") : null,
    units: stored.units,
  };
}

/** The parameters of the text readers. */
interface OpenText {
  readonly text: StoredText;
  readonly read: ReadPieces;
}
function openText(read: ReadPieces, { stored, content, units }: VersionText): OpenText {
  if (content === null) return { text: stored!, read };
  const id = stored?.id ?? 0;
  const pieces = [...piecesOf(content, id)];
  return {
    text: stored ?? { id, units, points: pointsUntil(pieces.at(-1)) },
    read: async (first_id, last_id) => pieces.slice(first_id - id, last_id - id + 1),
  };
}

/** The whole text, in parts. @throws TextGone */
export function partsOf(reads: PreparedReads, version_text: VersionText): AsyncGenerator<string> {
  const { text, read } = openText(piecesOfReads(reads), version_text);
  return readParts(read, text);
}
/** @throws TextGone */
export const wholeOf = async (db: Db, { stored, content }: VersionText): Promise<string> =>
  content ?? readWhole(piecesOfDb(db), stored!);
/** Reads parts of a text; those that are in the same piece take one read. */
export function openReader(db: Db, version_text: VersionText) {
  const { text, read } = openText(piecesOfDb(db), version_text);
  const readOnce = rememberingLast(read);
  return {
    /** The text between two units. @throws TextGone */
    async units(start: number, end: number): Promise<string> {
      const units = await readUnits(readOnce, text.id, start, end);
      if (units === undefined) throw new TextGone();
      return units;
    },
    places: new TextPlaces(readOnce, text),
  };
}
/** The text between two units. @throws TextGone */
export const unitsOf = (
  db: Db,
  version_text: VersionText,
  start: number,
  end: number,
): Promise<string> => openReader(db, version_text).units(start, end);
/** Converts between code points and units of the text. */
export function placesIn(db: Db, version_text: VersionText): TextPlaces {
  const { text, read } = openText(piecesOfDb(db), version_text);
  return new TextPlaces(read, text);
}
/** Whether the text equals this. @throws TextGone */
export async function isText(db: Db, version_text: VersionText, content: string): Promise<boolean> {
  if (version_text.units !== content.length) return false;
  const { text, read } = openText(piecesOfDb(db), version_text);
  let at = 0;
  for await (const part of readParts(read, text)) {
    if (!content.startsWith(part, at)) return false;
    at += part.length;
  }
  return true;
}
/** The quotes among these that occur in the text. @throws TextGone */
export async function findQuotes(
  db: Db,
  version_text: VersionText,
  quotes: readonly string[],
): Promise<Set<string>> {
  const { text, read } = openText(piecesOfDb(db), version_text);
  const finder = new QuoteFinder(quotes);
  const pauses = new StepPauses();
  for await (const part of readParts(read, text)) {
    for (const _ of finder.take(part)) await pauses.pause();
    if (finder.is_complete) break;
    await pauses.pause();
  }
  return finder.found;
}

/** Of version `v`. */
export const text_columns = ["v.text_id", "v.text_units", "v.text_points"] as const;
/** Where its pages, headings and times are in the text. */
export const span_columns = ["v.pages", "v.page_labels", "v.headings", "v.times"] as const;
/** The text in the row, only where it is needed: a text of 0.1.0 can be long. */
const contentIf = (condition: ReturnType<typeof sql<boolean>>) =>
  sql<string | null>`case when ${condition} then v.content end`;
/** It was sent as text. */
const is_sent = sql<boolean>`v.in_files = 0`;
/** It needs no extraction. */
const is_ready = sql<boolean>`(v.in_files = 0 or v.text_ready = 1)`;
/** The column with the first piece of a version's text. */
export const firstPieceOf = firstPiece("v.text_id").as("piece");

/**
 * A version that waits to be indexed; undefined when it was replaced or is indexed. It includes the
 * text if that needs no extraction.
 */
export async function findPendingVersion(db: DocumentsDb, id: string, version: number) {
  const pending = await findPending(db, { id, version });
  return pending && { ...pending, text: textOf(pending) };
}
const findPending = preparedFirst(
  (db: DocumentsDb, { id, version }: Pick<DocumentRow, "id" | "version">) =>
    db
      .selectFrom("documents as d")
      .where("d.id", "=", id)
      .innerJoin("documents_versions as v", (join) =>
        join.onRef("v.document_id", "=", "d.id").onRef("v.version", "=", "d.version"),
      )
      .where("d.version", "=", version)
      .where("d.status", "=", "syncing")
      .where(isLinked("d.id"))
      .select([
        "d.id",
        "d.owner_id",
        "d.name",
        "v.version",
        "v.sha256",
        "v.size_bytes",
        "v.media_type",
        "v.in_files",
        "v.text_ready",
        ...span_columns,
        ...text_columns,
        firstPieceOf,
        contentIf(is_ready).as("content"),
      ]),
);
/** A version that waits to be indexed. */
export type PendingVersion = NonNullable<Awaited<ReturnType<typeof findPendingVersion>>>;

/**
 * The current version; before there is one, the version that is being indexed. In one statement,
 * because the version may change at any moment.
 */
export const currentVersion = (db: DocumentsDb, id: string) =>
  db
    .selectFrom("documents as d")
    .where("d.id", "=", id)
    .where(isLinked("d.id"))
    .innerJoin("documents_versions as v", (join) =>
      join
        .onRef("v.document_id", "=", "d.id")
        .on(
          "v.version",
          "=",
          sql<number>`case when d.current_version > 0 then d.current_version else d.version end`,
        ),
    );

/** The document with its current text, which is empty until there is one. */
export async function findWithText(
  db: DocumentsDb,
  id: string,
): Promise<{ readonly row: DocumentRow; readonly text: VersionText } | undefined> {
  const document_row = await documentWithText(db, { id });
  if (document_row === undefined) return undefined;
  const { text_id, text_units, text_points, piece: first, content, ...row } = document_row;
  return { row, text: textOf({ text_id, text_units, text_points, piece: first, content }) };
}

const documentWithText = preparedFirst((db: DocumentsDb, { id }: Pick<DocumentRow, "id">) =>
  currentVersion(db, id)
    .selectAll("d")
    .select([...text_columns, firstPieceOf, "v.content"]),
);

/** The version whose original is downloaded, with the text if that is the original. */
export async function findOriginal(db: DocumentsDb, id: string) {
  const row = await originalById(db, { id });
  return row && { ...row, text: textOf(row) };
}
const originalById = preparedFirst((db: DocumentsDb, { id }: Pick<DocumentRow, "id">) =>
  currentVersion(db, id).select([
    "d.owner_id",
    "d.name",
    "v.sha256",
    "v.size_bytes",
    "v.media_type",
    "v.in_files",
    ...text_columns,
    firstPieceOf,
    contentIf(is_sent).as("content"),
  ]),
);

/**
 * The current text with its pages, headings and name: the input of the index. Undefined before the
 * first version is indexed.
 */
export async function findCurrentText(db: DocumentsDb, id: string) {
  const row = await currentTextById(db, { id });
  return row && { ...row, text: textOf(row) };
}
const currentTextById = preparedFirst((db: DocumentsDb, { id }: Pick<DocumentRow, "id">) =>
  currentVersion(db, id)
    .where("d.current_version", ">", 0)
    .select([
      "d.owner_id",
      "d.name",
      "v.version",
      ...span_columns,
      ...text_columns,
      firstPieceOf,
      "v.content",
    ]),
);

/** The same with its pages alone: there may be tens of thousands of headings, and times. */
export async function findPagedText(db: DocumentsDb, id: string) {
  const row = await pagedTextById(db, { id });
  return row && { ...row, text: textOf(row) };
}
const pagedTextById = preparedFirst((db: DocumentsDb, { id }: Pick<DocumentRow, "id">) =>
  currentVersion(db, id)
    .where("d.current_version", ">", 0)
    .select(["v.version", "v.pages", "v.page_labels", ...text_columns, firstPieceOf, "v.content"]),
);

/** Stores the extracted text; returns the previous text of the version. */
export async function setExtracted(
  db: DocumentsDb,
  document_id: string,
  version: number,
  { media_type, stored, spans }: { media_type: string; stored: StoredText; spans: SpansWithJson },
): Promise<StoredText[]> {
  const before = await db
    .selectFrom("documents_versions")
    .select(["text_id", "text_units", "text_points"])
    .where("document_id", "=", document_id)
    .where("version", "=", version)
    .execute();
  await db
    .updateTable("documents_versions")
    .set({ media_type, ...toTextColumns(stored), ...toStoredSpans(spans), content: null })
    .where("document_id", "=", document_id)
    .where("version", "=", version)
    .execute();
  return before.flatMap((row) => storedTextOf(row) ?? []);
}

/** The texts of all versions of these documents that are stored separately. */
export const storedTexts = async (
  db: DocumentsDb,
  document_ids: readonly string[],
): Promise<StoredText[]> =>
  (
    await db
      .selectFrom("documents_versions")
      .select(["text_id", "text_units", "text_points"])
      .where("document_id", "in", document_ids)
      .where("text_id", "is not", null)
      .execute()
  ).flatMap((row) => storedTextOf(row) ?? []);

/** Whether the current text is exactly `quote` between these code points. */
export async function hasQuoteAt(
  db: DocumentsDb,
  {
    document_id,
    start,
    end,
    quote,
  }: { document_id: string; start: number; end: number; quote: string },
): Promise<boolean> {
  const current_text = await findPagedText(db, document_id);
  if (current_text === undefined) return false;
  const { text, read } = openText(piecesOfDb(db), current_text.text);
  const places = new TextPlaces(read, text);
  const from = await places.unitAt(start);
  const to = await places.unitAt(end);
  return (await readUnits(read, text.id, from, to)) === quote;
}

/** The text of a version and its pages. */
export async function findSpans(
  db: DocumentsDb,
  { document_id, version }: { document_id: string; version: number },
): Promise<{ readonly text: VersionText; readonly pages: Spans["pages"] } | undefined> {
  const row = await db
    .selectFrom("documents_versions as v")
    .select(["v.pages", "v.page_labels"])
    .select([...text_columns, firstPieceOf, "v.content"])
    .where("v.document_id", "=", document_id)
    .where("v.version", "=", version)
    .where(isLinked("v.document_id"))
    .executeTakeFirst();
  return row && { text: textOf(row), pages: fromStoredPages(row) };
}

/** The times of a version as JSON: there may be a hundred thousand. Null when it has none. */
export async function findTimes(
  db: DocumentsDb,
  { document_id, version }: { document_id: string; version: number },
): Promise<string | null> {
  const row = await db
    .selectFrom("documents_versions")
    .select("times")
    .where("document_id", "=", document_id)
    .where("version", "=", version)
    .executeTakeFirst();
  return row?.times ?? null;
}

/** Page labels of current versions. */
export const findPageLabels = async (db: DocumentsDb, document_ids: readonly string[]) =>
  document_ids.length === 0
    ? []
    : db
        .selectFrom("documents as d")
        .innerJoin("documents_versions as v", (join) =>
          join.onRef("v.document_id", "=", "d.id").onRef("v.version", "=", "d.current_version"),
        )
        .select(["d.id", "v.page_labels"])
        .where("d.id", "in", [...document_ids])
        .where("v.page_labels", "is not", null)
        .execute();
