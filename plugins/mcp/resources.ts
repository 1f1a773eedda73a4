/** Documents as MCP resources: `dossier://documents/doc_…`. */
import { HttpError, type Context } from "../../core/sdk";
import type { Documents } from "../documents/contract";
import { rangeText, readRange } from "./document-tools";
import type { ToolCall } from "./tool";

const scheme = "dossier://documents/";
/** As many names as fit one response. */
const page_size = 25;
/** More than fits any response. */
const read_points = 40_000;

/** The addresses that resources can have. */
export const templates = [
  {
    uriTemplate: `${scheme}{document}`,
    name: "document",
    title: "Document",
    description: "The beginning of a document's text; read_document reads on.",
    mimeType: "text/plain",
  },
  {
    uriTemplate: `${scheme}{document}?start={start}`,
    name: "document-part",
    title: "Part of a document",
    description: "The text of a document from a character on.",
    mimeType: "text/plain",
  },
];

/** A page of the caller's documents. @throws HttpError 403 without the scope `read` */
export async function listResources(
  { db, documents }: Pick<Context, "db"> & { readonly documents: Documents },
  { caller }: ToolCall,
  cursor: string | undefined,
) {
  if (!caller.scopes.includes("read"))
    throw new HttpError(403, "missing_scope", "This API key lacks the scope read.");
  const listed = await documents.listOwned(db, caller.owner_id, {
    after: cursor ?? null,
    limit: page_size + 1,
    ascending: false,
  });
  const page = listed.slice(0, page_size);
  return {
    resources: page.map(({ id, name }) => ({
      uri: `${scheme}${id}`,
      name,
      mimeType: "text/plain",
    })),
    ...(listed.length > page_size && { nextCursor: page.at(-1)!.id }),
  };
}

/** @throws HttpError 404 */
export async function readResource(call: ToolCall, uri: string) {
  const named = /^dossier:\/\/documents\/([\w-]{1,100})(?:\?start=(\d{1,12}))?$/.exec(uri);
  if (!named) throw new HttpError(404, "not_found", `There is no resource ${uri.slice(0, 200)}.`);
  const range = await readRange(call, named[1]!, {
    start: Number(named[2] ?? 0),
    length: read_points,
  });
  return {
    contents: [{ uri, mimeType: "text/plain", text: rangeText(range, call.tokens_max) }],
  };
}
