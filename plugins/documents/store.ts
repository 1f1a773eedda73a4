/**
 * Every SQL statement about documents and their versions. The database is the first parameter, so
 * that the caller decides the transaction.
 */
import { StepPauses } from "../../core/lib/chunked-work";
import type { FileType } from "../../core/lib/file-types";
import type { StoredText } from "../../core/lib/text-pieces";
import { prepared, preparedFirst, sql, toNumber, type Db, type Static } from "../../core/sdk";
import type { DocumentOrigin } from "../events/contract";
import type { Extracted } from "../extraction/contract";
import { isGone } from "../folders/contract";
import type { DocumentName, DocumentStatus } from "./contract";

/** The stages of indexing, in order. */
export const stages = ["queued", "extracting", "chunking", "embedding", "storing", "done"] as const;
export type Stage = (typeof stages)[number];

/**
 * The columns of the record. Version, size, hash and type are those of the newest version, which
 * may not be indexed yet.
 */
export interface DocumentRow {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly source_kind: Static<typeof DocumentOrigin>;
  readonly source_uri: string | null;
  readonly source_run_id: string | null;
  readonly version: number;
  readonly size_bytes: number;
  readonly sha256: string;
  readonly media_type: string;
  /** The version used by search, chats and downloads; 0 before the first one is synced. */
  readonly current_version: number;
  readonly status: DocumentStatus;
  readonly stage: Stage;
  readonly progress: number;
  readonly attempts: number;
  readonly error_code: string | null;
  readonly error_message: string | null;
  /** JSON: a list of {code, message, page}. */
  readonly warnings: string;
  readonly page_count: number | null;
  readonly language: string | null;
  /** Epoch ms. */
  readonly created_at: number;
  readonly updated_at: number;
  readonly synced_at: number | null;
  /** The folder that it is deleted with, null when it is in several trees: holders.ts. */
  readonly held_by: string | null;
}

/** The current version and the one that is being indexed; no others are kept. */
export interface VersionRow {
  readonly document_id: string;
  readonly version: number;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly media_type: string;
  /** 1 when the original is a file; 0 when it is the text itself. */
  readonly in_files: 0 | 1;
  /** JSON: page spans as UTF-16 indices into the content. */
  readonly pages: string;
  /** JSON: page labels by number; null when there are none. */
  readonly page_labels: string | null;
  /**
   * JSON: heading spans as UTF-16 indices into the content; null when the format does not mark
   * headings.
   */
  readonly headings: string | null;
  /** JSON: time spans as UTF-16 indices into the content; null when it is not a recording. */
  readonly times: string | null;
  /** 1 when the text came with the version, so that its file is not read. */
  readonly text_ready: 0 | 1;
  /** Where the text is stored; null until it is extracted. */
  readonly text_id: number | null;
  readonly text_units: number | null;
  readonly text_points: number | null;
  /** The text itself, in rows of 0.1.0: then it is not stored elsewhere. */
  readonly content: string | null;
}

/** One document in one folder; with `deleted_at` set it can be restored. */
export interface LinkRow {
  readonly document_id: string;
  readonly folder_id: string;
  /** The document's name in the form in which names are compared. */
  readonly name_key: string;
  /** 1 when no other upload in the folder may have this name. */
  readonly reserves_name: 0 | 1;
  readonly document_created_at: number;
  readonly created_at: number;
  readonly deleted_at: number | null;
  /** 1 when `deleted_at` is set. */
  readonly is_deleted: 0 | 1;
  /**
   * This and the following columns are copied from the document, for the lists of the folder. This
   * is its name in sort order.
   */
  readonly name_order: string;
  readonly status: DocumentStatus;
  readonly size_bytes: number;
  /** The coarse type of its media type. */
  readonly file_type: FileType;
  readonly updated_at: number;
}
export interface DocumentsTables {
  documents: DocumentRow;
  documents_versions: VersionRow;
  documents_links: LinkRow;
  /** Documents without any link that wait to be purged. */
  documents_purges: { readonly document_id: string };
}
export type DocumentsDb = Db<DocumentsTables>;

/**
 * SQL: an existing folder contains the document in this column, or can get it back. From the moment
 * when this is false, a document is invisible to everyone; its purge comes later.
 */
export const isLinked = (document_id: string) =>
  sql<boolean>`exists (
    select 1 from documents_links kept
    where kept.document_id = ${sql.ref(document_id)} and not ${isGone("kept.folder_id")})`;

/** Spans of a text with properties. Offsets are UTF-16 indices into the text. */
export type Spans = Pick<Extracted, "pages" | "headings" | "times">;
/** Pages and headings. */
export type Outline = Omit<Spans, "times">;
/** The same, with the times as JSON: captions may have a hundred thousand. */
export type SpansWithJson = Outline & Pick<StoredSpans, "times">;
/** The columns with pages, headings and times, as JSON. */
export type StoredSpans = Pick<VersionRow, "pages" | "page_labels" | "headings" | "times">;

export const toStoredSpans = ({ pages, headings, times }: SpansWithJson): StoredSpans => ({
  pages: JSON.stringify(pages.map(({ page, start, end }) => ({ page, start, end }))),
  page_labels: toStoredLabels(pages),
  headings: headings?.length ? JSON.stringify(headings) : null,
  times,
});
/** In steps, between which others take turns. */
export async function toStoredTimes(times: Spans["times"]): Promise<string | null> {
  if (!times?.length || times === "[]") return null;
  if (typeof times === "string") return times;
  const pauses = new StepPauses();
  const parts: string[] = [];
  for (let at = 0; at < times.length; at += times_per_step) {
    parts.push(JSON.stringify(times.slice(at, at + times_per_step)).slice(1, -1));
    await pauses.pause();
  }
  return `[${parts.join(",")}]`;
}
const times_per_step = 1000;
export const fromStoredSpans = ({ times, ...outline }: StoredSpans): SpansWithJson => ({
  ...fromStoredOutline(outline),
  times,
});
export const fromStoredOutline = ({ headings, ...pages }: Omit<StoredSpans, "times">): Outline => ({
  pages: fromStoredPages(pages),
  ...(headings === null ? {} : { headings: JSON.parse(headings) }),
});
export const fromStoredPages = ({
  pages,
  page_labels,
}: Pick<StoredSpans, "pages" | "page_labels">): Spans["pages"] =>
  withLabels(JSON.parse(pages), fromStoredLabels(page_labels));

function toStoredLabels(pages: Spans["pages"]): string | null {
  const labels = pages.flatMap(({ page, label }) => (label === undefined ? [] : [[page, label]]));
  return labels.length === 0 ? null : JSON.stringify(Object.fromEntries(labels));
}
/** The labels by page number. */
export const fromStoredLabels = (page_labels: string | null): ReadonlyMap<number, string> =>
  new Map(
    Object.entries(page_labels === null ? {} : (JSON.parse(page_labels) as object)).map(
      ([page, label]) => [Number(page), label],
    ),
  );
const withLabels = (pages: Spans["pages"], labels: ReadonlyMap<number, string>): Spans["pages"] =>
  labels.size === 0
    ? pages
    : pages.map((span) => {
        const label = labels.get(span.page);
        return label === undefined ? span : { ...span, label };
      });

export const findDocument = (db: DocumentsDb, id: string): Promise<DocumentRow | undefined> =>
  documentById(db, { id });
const documentById = preparedFirst((db: DocumentsDb, { id }: Pick<DocumentRow, "id">) =>
  db.selectFrom("documents").selectAll().where("id", "=", id).where(isLinked("documents.id")),
);

export const insertDocument = prepared((db: DocumentsDb, row: DocumentRow) =>
  db.insertInto("documents").values(row),
);
export const updateDocument = (db: DocumentsDb, id: string, values: Partial<DocumentRow>) =>
  db.updateTable("documents").set(values).where("id", "=", id).execute();

/** Ids, names and current versions, for other plugins. */
export const findNames = async (
  db: DocumentsDb,
  ids: readonly string[],
): Promise<(DocumentName & { readonly owner_id: string })[]> =>
  ids.length === 0 ? [] : namesOf(db, { ids });
const namesOf = prepared((db: DocumentsDb, { ids }: { readonly ids: readonly string[] }) =>
  db
    .selectFrom("documents")
    .select(["id", "name", "current_version", "owner_id"])
    .where("id", "in", ids)
    .where(isLinked("documents.id")),
);

/** The states of their newest versions. */
export const findStates = async (
  db: DocumentsDb,
  ids: readonly string[],
): Promise<Pick<DocumentRow, "id" | "version" | "status" | "error_code" | "error_message">[]> =>
  ids.length === 0
    ? []
    : db
        .selectFrom("documents")
        .select(["id", "version", "status", "error_code", "error_message"])
        .where("id", "in", ids)
        .where(isLinked("documents.id"))
        .execute();

/**
 * A change by the job that indexes this version. Undefined when the version is no longer being
 * indexed: it was replaced, or the document is gone.
 */
const updateWhileSyncing = (
  db: DocumentsDb,
  id: string,
  version: number,
  values: Partial<DocumentRow>,
): Promise<{ readonly name: string; readonly owner_id: string } | undefined> =>
  updateSyncing(db, { ...values, id, version });
const updateSyncing = preparedFirst(
  (db: DocumentsDb, { id, version, ...values }: Partial<DocumentRow>) =>
    db
      .updateTable("documents")
      .set(values)
      .where("id", "=", id!)
      .where("version", "=", version!)
      .where("status", "=", "syncing")
      .where(isLinked("documents.id"))
      .returning(["name", "owner_id"]),
);
/** How far indexing has come, while this version is still the one being indexed. */
export const setProgress = (
  db: DocumentsDb,
  id: string,
  version: number,
  values: Pick<DocumentRow, "stage" | "progress" | "attempts">,
) => updateWhileSyncing(db, id, version, values);
/** The version is indexed and answers from now on, unless a newer one came meanwhile. */
export const setSynced = (db: DocumentsDb, id: string, version: number, result: FoundByIndexing) =>
  updateWhileSyncing(db, id, version, syncedState(version, result));
/** Properties of a document that indexing determines. */
type FoundByIndexing = Pick<
  DocumentRow,
  "attempts" | "media_type" | "page_count" | "language" | "warnings" | "synced_at"
>;
/** The state of a document whose newest version is indexed. */
export const syncedState = (version: number, found: FoundByIndexing) =>
  ({
    ...found,
    current_version: version,
    status: "synced",
    stage: "done",
    progress: 1,
    error_code: null,
    error_message: null,
    updated_at: found.synced_at!,
  }) satisfies Partial<DocumentRow>;
/** The version could not be indexed, unless a newer one came meanwhile. */
export const setFailed = (
  db: DocumentsDb,
  id: string,
  version: number,
  values: Pick<DocumentRow, "error_code" | "error_message" | "updated_at"> &
    Partial<Pick<DocumentRow, "attempts">>,
) => updateWhileSyncing(db, id, version, { ...values, status: "sync_failed" });

export const insertVersion = prepared((db: DocumentsDb, row: VersionRow) =>
  db.insertInto("documents_versions").values(row),
);

/** What a dropped version leaves behind. */
export interface DroppedVersions {
  readonly files: string[];
  readonly texts: StoredText[];
}
/** Drops every version but these; returns what they leave behind. */
export const dropOtherVersions = async (
  db: DocumentsDb,
  document_id: string,
  kept_versions: readonly number[],
): Promise<DroppedVersions> => {
  const dropped = await db
    .deleteFrom("documents_versions")
    .where("document_id", "=", document_id)
    .where("version", "not in", kept_versions)
    .returning(["sha256", "in_files", "text_id", "text_units", "text_points"])
    .execute();
  return { files: filesOf(dropped), texts: dropped.flatMap((row) => storedTextOf(row) ?? []) };
};

/** The files among these that are the original of a version. */
export const usedFiles = async (
  db: DocumentsDb,
  sha256s: readonly string[],
): Promise<Set<string>> =>
  new Set(
    (
      await db
        .selectFrom("documents_versions")
        .select("sha256")
        .where("sha256", "in", sha256s)
        // A literal rather than a bound value, to match the index of files.
        .where(sql.ref("in_files"), "=", sql.lit(1))
        .execute()
    ).map(({ sha256 }) => sha256),
  );

/** Where a version's text is stored, if it is. */
export const storedTextOf = ({
  text_id,
  text_units,
  text_points,
}: Pick<VersionRow, "text_id" | "text_units" | "text_points">): StoredText | undefined =>
  text_id === null
    ? undefined
    : { id: toNumber(text_id), units: toNumber(text_units), points: toNumber(text_points) };
/** The columns that refer to a stored text. */
export const toTextColumns = ({ id, units, points }: StoredText) => ({
  text_id: id,
  text_units: units,
  text_points: points,
});

const filesOf = (versions: readonly Pick<VersionRow, "sha256" | "in_files">[]): string[] =>
  versions.filter((version) => version.in_files === 1).map((version) => version.sha256);
