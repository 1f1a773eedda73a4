/**
 * The layout of a folder archive: a folder and its subfolders as one file, which another server
 * imports without extracting or embedding anything again.
 *
 * It is a ZIP archive (ZIP64). Files ending in `.jsonl` are JSON Lines, UTF-8, one object per line.
 *
 * - `documents/000001.jsonl`: a document: its record, data about ranges of its text, and its part
 *   of the index (`document_lines`)
 * - `texts/000001.txt`: the text of the document with this number, UTF-8
 * - `originals/ab/ab12…`: originals by their SHA-256, stored uncompressed
 * - `folders.jsonl`: the folder, then its subfolders (`FolderLine`)
 * - `prompts.jsonl`: the saved prompts that its chats use (`PromptLine`)
 * - `chats/000001.jsonl`: a chat session that uses these folders and no others (`chat_lines`)
 * - `manifest.json`: see `Manifest`; the last entry
 *
 * Ids are those of the exporting server. Offsets are UTF-16 units of the text, end exclusive;
 * passages (`start_point`, `end_point`) and citations also have code points. Times are epoch ms.
 */
import { StoredAnswer } from "../chats/contract";
import { extraction_codes, page_label_max } from "../extraction/contract";
import { vector_layout } from "../search-index/contract";
import { OneOf, Nullable, t, type Static } from "../../core/sdk";

/** The `format` in the manifest. */
export const format = "dossier folder";
/** A later version may contain what this one does not know. */
export const format_version = 2;

/** The part with the manifest. */
export const manifest_part = "manifest.json";
/** The part with the folders. */
export const folders_part = "folders.jsonl";
/** The part with the prompts. */
export const prompts_part = "prompts.jsonl";
const digits = 6;
const numbered = (n: number): string => String(n).padStart(digits, "0");
/** The part with the n-th document: its record and its index. */
export const documentPart = (n: number): string => `documents/${numbered(n)}.jsonl`;
/** The part with the text of the n-th document. */
export const textPart = (n: number): string => `texts/${numbered(n)}.txt`;
/** The part with the n-th chat and its messages. */
export const chatPart = (n: number): string => `chats/${numbered(n)}.jsonl`;
/** The part with an original. */
export const originalPart = (sha256: string): string => `originals/${sha256.slice(0, 2)}/${sha256}`;

/** The kind of a part, recognised by its name. */
export type PartKind =
  | "manifest"
  | "folders"
  | "prompts"
  | "document"
  | "text"
  | "chat"
  | "original";
const kinds: readonly (readonly [RegExp, PartKind])[] = [
  [/^manifest\.json$/, "manifest"],
  [/^folders\.jsonl$/, "folders"],
  [/^prompts\.jsonl$/, "prompts"],
  [/^documents\/\d{6,9}\.jsonl$/, "document"],
  [/^texts\/\d{6,9}\.txt$/, "text"],
  [/^chats\/\d{6,9}\.jsonl$/, "chat"],
  [/^originals\/([0-9a-f]{2})\/\1[0-9a-f]{62}$/, "original"],
];
/** Undefined for an unknown name. Names are never used as paths. */
export const kindOfPart = (name: string): PartKind | undefined =>
  kinds.find(([pattern]) => pattern.test(name))?.[1];
/** The part with the text of the document in this part. */
export const textPartOf = (document_part: string): string =>
  document_part.replace(/^documents\/(\d+)\.jsonl$/, "texts/$1.txt");

const Sha256 = t.String({ pattern: "^[0-9a-f]{64}$" });
const Count = t.Integer({ minimum: 0, maximum: 2 ** 53 });
const Id = t.String({ minLength: 1, maxLength: 64 });
const Time = t.Integer({ minimum: 0, maximum: 8_640_000_000_000_000 });
const Unit = t.Integer({ minimum: 0, maximum: 2 ** 31 });

/** The versions of what was encoded; an importing server indexes again what it can't use. */
export const Encoding = t.Object({
  analyzer: t.Integer({ minimum: 0 }),
  chunker: t.Integer({ minimum: 0 }),
  segment_format: t.Integer({ minimum: 0 }),
});

/** How much of each kind the archive contains. */
export const Counts = t.Object({
  folders: Count,
  documents: Count,
  originals: Count,
  passages: Count,
  prompts: Count,
  chats: Count,
  messages: Count,
});
export type Counts = Static<typeof Counts>;
/** What the archive does not contain of the folder. */
export const LeftOut = t.Object({
  /** They were deleted or replaced repeatedly during the export. */
  documents: Count,
  /** Chats that also use other folders. */
  chats: Count,
  /** Messages whose answers were being generated. */
  messages: Count,
});
export type LeftOut = Static<typeof LeftOut>;

/** A part with its hash, as the manifest lists it. */
export const Part = t.Object({
  name: t.String(),
  /** Uncompressed. */
  bytes: Count,
  sha256: Sha256,
  /** No record refers to it: its document was deleted or replaced during the export. */
  left_out: t.Optional(t.Boolean()),
});
export type Part = Static<typeof Part>;

export const Manifest = t.Object({
  format: t.Literal(format),
  format_version: t.Integer({ minimum: 1 }),
  /** The version that wrote it. */
  dossier: t.Object({ version: t.String(), commit: Nullable(t.String()) }),
  made_at: t.String(),
  folder: t.Object({ id: Id, name: t.String() }),
  counts: Counts,
  left_out: LeftOut,
  /** Every other entry of the archive. */
  parts: t.Array(Part),
});
export type Manifest = Static<typeof Manifest>;

/** A folder; the first line is the exported one. */
export const FolderLine = t.Object({
  id: Id,
  parent_id: Nullable(Id),
  name: t.String(),
  description: Nullable(t.String()),
  created_at: Time,
  updated_at: Time,
});

/** A saved prompt that a chat uses. */
export const PromptLine = t.Object({
  id: Id,
  name: t.String(),
  text: t.String(),
  description: Nullable(t.String()),
  created_at: Time,
  updated_at: Time,
});

const document_fields = {
  id: Id,
  name: t.String(),
  source_kind: OneOf(["text", "upload", "import", "transcription"]),
  source_uri: Nullable(t.String({ maxLength: 16_384 })),
  version: t.Integer({ minimum: 1, maximum: 2 ** 31 }),
  size_bytes: Count,
  sha256: Sha256,
  media_type: t.String({ pattern: "^[\\x21-\\x7e]{1,64}/[\\x20-\\x7e]{1,255}$" }),
  in_files: t.Boolean(),
  text_ready: t.Boolean(),
  status: OneOf(["syncing", "synced", "sync_failed"]),
  error: Nullable(
    t.Object({
      code: OneOf(extraction_codes),
      message: t.String(),
    }),
  ),
  warnings: t.Array(
    t.Object({ code: t.String(), message: t.String(), page: Nullable(t.Integer()) }),
  ),
  page_count: Nullable(t.Integer({ minimum: 0 })),
  language: Nullable(t.String({ maxLength: 64 })),
  created_at: Time,
  updated_at: Time,
  synced_at: Nullable(Time),
  folder_ids: t.Array(Id, { minItems: 1 }),
};
const Passage = t.Object({
  start: Unit,
  end: Unit,
  start_point: Unit,
  end_point: Unit,
  page: Nullable(t.Integer({ minimum: 0, maximum: 2 ** 31 })),
  page_end: Nullable(t.Integer({ minimum: 0, maximum: 2 ** 31 })),
  heading: Nullable(t.String()),
  time_start: Nullable(t.Number()),
  time_end: Nullable(t.Number()),
});
const span = { start: Unit, end: Unit };
const Spans = (of: "pages" | "headings" | "times", fields: Parameters<typeof t.Object>[0]) =>
  t.Object({ kind: t.Literal("spans"), of: t.Literal(of), spans: t.Array(t.Object(fields)) });

/** The lines of a document, in this order; an `index` is followed by its segments. */
export const document_lines = {
  document: t.Object({
    kind: t.Literal("document"),
    ...document_fields,
    /** Null before the first version is indexed. */
    text: Nullable(t.Object({ units: Unit, points: Unit, sha256: Sha256 })),
  }),
  pages: Spans("pages", {
    page: t.Integer(),
    label: t.Optional(t.String({ maxLength: page_label_max })),
    ...span,
  }),
  headings: Spans("headings", { level: t.Integer(), ...span }),
  times: Spans("times", { time_start: t.Number(), time_end: t.Number(), ...span }),
  index: t.Object({
    kind: t.Literal("index"),
    title: t.String(),
    encoding: Encoding,
    chunks: Count,
    segments: Count,
    /** Null if it has none. */
    vectors: Nullable(
      t.Object({
        model: t.String(),
        asked_dimensions: t.Integer({ minimum: 0, maximum: 16_384 }),
        dimensions: t.Integer({ minimum: 1, maximum: 16_384 }),
        /** Absent in format version 1: 32-bit floats, little-endian, one vector per passage. */
        layout: t.Optional(t.Literal(vector_layout.layout)),
      }),
    ),
  }),
  /** Up to 256 passages and their index: the bytes that `segment.ts` describes, in Base64. */
  segment: t.Object({
    kind: t.Literal("segment"),
    passages: t.Array(Passage, { minItems: 1, maxItems: 256 }),
    data: t.String(),
  }),
  /** A part of the vectors of the preceding segment, in that layout, in Base64. */
  vectors: t.Object({ kind: t.Literal("vectors"), data: t.String() }),
} as const;
/** The lines of a document by their `kind`. */
export type DocumentLines = {
  readonly [K in keyof typeof document_lines]: Static<(typeof document_lines)[K]>;
};

/** The lines of chats by their `kind`. */
export const chat_lines = {
  chat: t.Object({
    kind: t.Literal("chat"),
    id: Id,
    name: Nullable(t.String()),
    folder_ids: t.Array(Id, { minItems: 1 }),
    prompt_ids: t.Array(Id),
    created_at: Time,
    updated_at: Time,
  }),
  message: t.Object({
    kind: t.Literal("message"),
    request_id: t.String({
      pattern: "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
    }),
    text: t.String(),
    status: OneOf(["COMPLETED", "FAILED", "CANCELLED"]),
    created_at: Time,
    started_at: Nullable(Time),
    completed_at: Nullable(Time),
    result: Nullable(StoredAnswer),
    error: Nullable(t.Object({ code: t.String({ maxLength: 64 }), message: t.String() })),
  }),
} as const;
/** The lines of chats by their `kind`. */
export type ChatLines = {
  readonly [K in keyof typeof chat_lines]: Static<(typeof chat_lines)[K]>;
};

/** Spans per line, and bytes of vectors per line before Base64. */
export const spans_in_line = 500;
/** The most bytes of vectors in one line. */
export const vector_bytes_in_line = 192 * 1024;
/** The longest line, in UTF-16 units. */
export const line_length_max = 2 * 2 ** 20;
/** Of pages, of headings, and of times of a document. */
export const spans_max = 500_000;
