/** The wire format of a document, and of the outline of its text. */
import { file_types, fileType } from "../../core/lib/file-types";
import {
  OneOf,
  Nullable,
  rfc3339,
  rfc3339OrNull,
  t,
  Timestamp,
  type Client,
  type Static,
  named,
  documented,
} from "../../core/sdk";
import { DocumentOrigin } from "../events/contract";
import { extraction_codes, PageLabel } from "../extraction/contract";
import { stages, type DocumentRow } from "./store";

export const Status = named(
  "DocumentStatus",
  OneOf(["syncing", "synced", "sync_failed"], {
    description:
      "`syncing`: the newest version is being indexed; `synced`: it answers; `sync_failed`: it " +
      "could not be indexed, see `error`.",
  }),
);
export const VectorsState = named(
  "VectorsState",
  OneOf(["none", "pending", "ready"], {
    description:
      "Of the version that answers. `pending`: its vectors are being made in the background, and " +
      "words find it; `ready`: it is found by its meaning too; `none`: no version answers yet, " +
      "or there is no embedder.",
  }),
);
export type VectorsState = Static<typeof VectorsState>;
const ErrorCode = named("DocumentErrorCode", OneOf(extraction_codes));

export const FileType = named(
  "FileType",
  OneOf(file_types, {
    description: "Told by the media type; `text` is text of every kind, Markdown and code too.",
  }),
);

export const DocumentRecord = named(
  "Document",
  t.Object({
    id: t.String({ description: "Opaque, starts with `doc_`." }),
    name: t.String(),
    status: Status,
    content_url: documented(
      t.String({
        description: "Where the whole document is fetched, its text included.",
      }),
      { format: "uri-reference" },
    ),
    folder_ids: t.Array(t.String(), { description: "The folders that hold it now." }),
    media_type: t.String({
      description: "Of the newest version; until it is read, what the sender said.",
    }),
    file_type: FileType,
    size_bytes: t.Integer({ minimum: 0, description: "Of the newest version." }),
    sha256: documented(t.String({ description: "Of the newest version, lower-case hex." }), {
      pattern: "^[0-9a-f]{64}$",
      minLength: 64,
      maxLength: 64,
    }),
    version: t.Integer({ minimum: 1, description: "Counts up with every overwrite." }),
    page_count: Nullable(t.Integer()),
    language: Nullable(t.String(), "Of the text, as far as it could be told."),
    source: named(
      "DocumentSource",
      t.Object({
        kind: DocumentOrigin,
        uri: Nullable(t.String()),
        run_id: Nullable(t.String()),
      }),
    ),
    indexing: named(
      "Indexing",
      t.Object({
        stage: OneOf(stages),
        progress: t.Number({ minimum: 0, maximum: 1 }),
        attempts: t.Integer({ minimum: 0 }),
        vectors: VectorsState,
      }),
    ),
    error: Nullable(
      named("DocumentError", t.Object({ code: ErrorCode, message: t.String() })),
      "Why the newest version could not be indexed.",
    ),
    warnings: t.Array(
      named(
        "DocumentWarning",
        t.Object({ code: t.String(), message: t.String(), page: Nullable(t.Integer()) }),
      ),
    ),
    created_at: Timestamp("When the document was created."),
    updated_at: Timestamp("When its name, version or status last changed."),
    synced_at: Nullable(Timestamp(), "When the version that answers was indexed."),
  }),
);
export type DocumentRecord = Static<typeof DocumentRecord>;

export const DocumentWithContent = named(
  "DocumentWithContent",
  t.Composite([
    DocumentRecord,
    t.Object({
      content: t.Optional(
        t.String({
          description:
            "The text of the version that answers; empty until there is text, absent with " +
            "`content=false`.",
        }),
      ),
    }),
  ]),
);

/** A document and the folders that contain it. */
export interface Document {
  readonly row: DocumentRow;
  readonly folder_ids: readonly string[];
  readonly vectors: VectorsState;
}

/** The path of a document in the API, without the base path. */
export const documentUrl = (id: string): string => `/api/dev/v1/documents/${id}`;

/** The document in the form of the API. */
export const toRecord = (
  { row, folder_ids, vectors }: Document,
  { base_path }: Pick<Client, "base_path">,
): DocumentRecord => ({
  id: row.id,
  name: row.name,
  status: row.status,
  content_url: base_path + documentUrl(row.id),
  folder_ids: [...folder_ids],
  media_type: row.media_type,
  file_type: fileType(row.media_type),
  size_bytes: row.size_bytes,
  sha256: row.sha256,
  version: row.version,
  page_count: row.page_count,
  language: row.language,
  source: { kind: row.source_kind, uri: row.source_uri, run_id: row.source_run_id },
  indexing: { stage: row.stage, progress: row.progress, attempts: row.attempts, vectors },
  error:
    row.error_code === null
      ? null
      : { code: row.error_code as Static<typeof ErrorCode>, message: row.error_message ?? "" },
  warnings: JSON.parse(row.warnings),
  created_at: rfc3339(row.created_at),
  updated_at: rfc3339(row.updated_at),
  synced_at: rfc3339OrNull(row.synced_at),
});

export const example: DocumentRecord = {
  id: "doc_01J9ZK3V6W8Q2T4Y5N7B1C0DEF",
  name: "mooring-survey.pdf",
  status: "synced",
  content_url: "/api/dev/v1/documents/doc_01J9ZK3V6W8Q2T4Y5N7B1C0DEF",
  folder_ids: ["fld_01J9ZK3V6W8Q2T4Y5N7B1C0DEF"],
  media_type: "application/pdf",
  file_type: "pdf",
  size_bytes: 184_320,
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  version: 1,
  page_count: 12,
  language: "en",
  source: { kind: "upload", uri: null, run_id: null },
  indexing: { stage: "done", progress: 1, attempts: 1, vectors: "ready" },
  error: null,
  warnings: [],
  created_at: "2026-03-01T09:30:00.000Z",
  updated_at: "2026-03-01T09:30:04.000Z",
  synced_at: "2026-03-01T09:30:04.000Z",
};

const Place = t.Integer({ minimum: 0, description: "A code point of the content." });
export const Outline = named(
  "DocumentOutline",
  t.Object({
    version: t.Integer({
      minimum: 0,
      description: "The version whose text this is; 0 before there is any.",
    }),
    pages: t.Array(
      t.Object({ page: t.Integer({ minimum: 1 }), page_label: PageLabel, start: Place }),
      {
        description:
          "Where pages, slides or sheets begin, in order; empty for a format without them.",
      },
    ),
    headings: t.Array(
      t.Object({
        start: Place,
        end: Place,
        level: t.Integer({ minimum: 1, description: "1 is the highest." }),
      }),
      { description: "In order; `end` is exclusive." },
    ),
  }),
);
export type Outline = Static<typeof Outline>;
/** The outline of a document without text. */
export const no_outline: Outline = { version: 0, pages: [], headings: [] };
export const outline_example: Outline = {
  version: 1,
  pages: [
    { page: 1, page_label: "i", start: 0 },
    { page: 2, page_label: null, start: 1_840 },
  ],
  headings: [{ start: 0, end: 16, level: 1 }],
};
