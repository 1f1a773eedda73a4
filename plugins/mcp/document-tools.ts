/** Read-only tools: folders, documents, passages, and the text of a document. */
import { codePoints, HttpError, t } from "../../core/sdk";
import {
  ask,
  folderPath,
  listFolders,
  type DocumentRecord,
  type FolderRecord,
} from "../client/contract";
import { pagesOf, type FoundPassage } from "../search/contract";
import { beginningOf, textTokens } from "./budget";
import { Folders, folderIds, requireFolder, tool, type Tool, type ToolCall } from "./tool";

const page_size = 100;
const folders_max = 20_000;
const passages_default = 8;
const passages_max = 25;
/** More than fits any response. */
const read_points = 40_000;

const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? "" : "s"}`;

const Skip = t.Optional(
  t.Integer({ minimum: 0, description: "How many of the list to leave out: go on with it." }),
);
/** Says how a list continues after the items shown. */
const goesOn = (tool: string, skip: number, total: number) => (shown: number) =>
  skip + shown < total ? `${tool} with skip ${skip + shown} goes on.` : "";

const listFoldersTool = tool({
  name: "list_folders",
  title: "List folders",
  description: "The folders of documents that can be searched and asked, with their ids.",
  input: t.Object({ skip: Skip }),
  reads_only: true,
  run: async (call, { skip = 0 }) => {
    const folders = await listFolders(call, folders_max);
    if (folders.length === 0) return { text: "There are no folders yet." };
    const names = new Map(folders.map(({ id, name }) => [id, name]));
    return {
      text: `${counted(folders.length, "folder")}, newest first.`,
      items: folders
        .slice(skip, skip + page_size)
        .map((folder) => folderLine(folder, folderPath(folder, names))),
      continuation: goesOn("list_folders", skip, folders.length),
    };
  },
});

function folderLine(folder: FolderRecord, path: string): string {
  const { syncing, sync_failed } = folder.status_counts;
  const states = [
    counted(folder.document_count, "document"),
    ...(syncing > 0 ? [`${syncing} still being indexed`] : []),
    ...(sync_failed > 0 ? [`${sync_failed} could not be indexed`] : []),
  ];
  const about = folder.description ? `\n  ${folder.description.replace(/\s+/g, " ")}` : "";
  return `- ${path} (id ${folder.id}): ${states.join(", ")}${about}`;
}

const listDocuments = tool({
  name: "list_documents",
  title: "List documents",
  description: "The documents of a folder, newest first, with their ids.",
  input: t.Object({
    folder: t.String({ description: "The folder, by id or name." }),
    name: t.Optional(t.String({ description: "Only those whose name contains this." })),
    skip: Skip,
  }),
  reads_only: true,
  run: async (call, { folder, name, skip = 0 }) => {
    const { id, name: folder_name } = await requireFolder(call, folder);
    const query = new URLSearchParams({
      folder_id: id,
      per_page: String(page_size),
      page: String(Math.floor(skip / page_size) + 1),
      ...(name ? { name } : {}),
    });
    const { data, pagination } = await ask<{
      readonly data: readonly (DocumentRecord & { readonly page_count: number | null })[];
      readonly pagination: { readonly total: number };
    }>(call, "GET", `/documents?${query.toString()}`);
    return {
      text: `${folder_name}: ${counted(pagination.total, "document")}.`,
      items: data
        .slice(skip % page_size)
        .map(
          (document) =>
            `- ${document.name} (id ${document.id})` +
            (document.page_count === null ? "" : `, ${counted(document.page_count, "page")}`) +
            (document.status === "synced" ? "" : `, ${states[document.status]}`),
        ),
      continuation: goesOn("list_documents", skip, pagination.total),
    };
  },
});
const states = { syncing: "still being indexed", sync_failed: "could not be indexed" } as const;

const search = tool({
  name: "search",
  title: "Search documents",
  description:
    "Passages of the documents that match a question or words, best first, word for word, each " +
    "with its document, page and place. Quotes around words look for exactly these words.",
  input: t.Object({
    query: t.String({ description: "A question or words, in any language." }),
    folders: Folders,
    limit: t.Optional(
      t.Integer({
        minimum: 1,
        description: `Passages at most: ${passages_default} unless given, up to ${passages_max}.`,
      }),
    ),
  }),
  reads_only: true,
  run: async (call, { query, folders, limit }) => {
    const { data } = await ask<{ readonly data: readonly FoundPassage[] }>(
      call,
      "POST",
      "/search",
      {
        query,
        folder_ids: await folderIds(call, folders),
        limit: Math.min(limit ?? passages_default, passages_max),
      },
    );
    if (data.length === 0) return { text: "No passage in these documents matches." };
    return {
      text:
        `${counted(data.length, "passage")}, best first. Call read_document to read the text ` +
        "around them.",
      items: data.map((passage, at) => `[${at + 1}] ${placeOf(passage)}\n${quoted(passage.quote)}`),
      continuation: (shown) =>
        shown < data.length ? "Ask for fewer results, or narrow the query." : "",
    };
  },
});

type Placed = Pick<
  FoundPassage,
  | "document_id"
  | "document_name"
  | "heading"
  | "page"
  | "page_end"
  | "page_label"
  | "quote"
  | "start"
  | "time_start"
>;
/** Document, page and position of a passage. */
export function placeOf(passage: Placed): string {
  const { document_name, document_id, heading, time_start, start } = passage;
  const pages = pagesOf(passage);
  return (
    document_name +
    (pages === null ? "" : `, ${pages}`) +
    (time_start === null ? "" : `, at ${Math.round(time_start)} s`) +
    (heading === null ? "" : `, under “${heading}”`) +
    ` (document ${document_id}, start ${start})`
  );
}
/** The text as a Markdown quotation. */
export const quoted = (text: string): string =>
  text
    .trim()
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");

interface TextRange {
  readonly name: string;
  readonly version: number;
  readonly text: string;
  readonly start: number;
  readonly next_start: number | null;
  readonly length: number;
  readonly page: number | null;
  readonly page_end: number | null;
  readonly page_label: string | null;
}

const readDocument = tool({
  name: "read_document",
  title: "Read a document",
  description:
    "The text of a document, a part at a time: from a page, or from the `start` of a passage, or " +
    "from the beginning. What does not fit goes on with the `start` that is named at the end.",
  input: t.Object({
    document: t.String({ description: "The document's id: doc_…" }),
    page: t.Optional(t.Integer({ minimum: 1 })),
    page_end: t.Optional(t.Integer({ minimum: 1, description: "The last page to read." })),
    start: t.Optional(
      t.Integer({
        minimum: 0,
        description: "The first character, as passages and earlier parts name it.",
      }),
    ),
  }),
  reads_only: true,
  run: async (call, { document, page, page_end, start }) => {
    const range = await readRange(call, document, {
      ...(typeof page === "number" && { page, page_end: page_end ?? page }),
      ...(typeof start === "number" && { start }),
      length: read_points,
    });
    return { text: rangeText(range, call.tokens_max) };
  },
});

/** A part of a document's text, as `GET /documents/{id}/text` returns it. */
export const readRange = (
  call: ToolCall,
  document: string,
  query: Readonly<Record<string, number>>,
): Promise<TextRange> =>
  ask(
    call,
    "GET",
    `/documents/${encodeURIComponent(document)}/text?` +
      Object.entries(query)
        .map(([name, value]) => `${name}=${value}`)
        .join("&"),
  );

/** As much as fits, and where it continues. */
export function rangeText(range: TextRange, tokens_max: number): string {
  const { name, version, length, page, page_end, page_label } = range;
  if (version === 0)
    throw new HttpError(409, "not_read_yet", `${name} has not been indexed yet. Try again soon.`);
  const text = beginningOf(range.text, textTokens(tokens_max));
  const is_whole = text.length === range.text.length;
  const end = range.start + codePoints(text);
  const next = is_whole ? range.next_start : end;
  const pages =
    page === null
      ? ""
      : is_whole && page_end !== page
        ? `, pages ${page}–${page_end}`
        : `, from page ${page}${page_label === null ? "" : ` (${page_label})`}`;
  const head = `${name}${pages}, characters ${range.start}–${end} of ${length}:`;
  const foot = next === null ? "" : `\n\n(It goes on: read_document with start ${next}.)`;
  return `${head}\n\n${text}${foot}`;
}

/** The tools that only read. */
export const documentTools: readonly Tool[] = [
  listFoldersTool,
  listDocuments,
  search,
  readDocument,
];
