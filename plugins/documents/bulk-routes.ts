/** The routes for actions on many documents at once. */
import {
  attachment,
  badRequest,
  documented,
  named,
  OneOf,
  route,
  t,
  type HandlersOf,
  type TSchema,
} from "../../core/sdk";
import { actOnEach, batch_max } from "./bulk-actions";
import type { DocumentContext } from "./context";
import { ListFilterQuery } from "./lists/list-query";
import { documents_max, OriginalsZip } from "./originals/originals-zip";
import { example } from "./record";

/** Ids in a query are separated by commas. */
const ListedId = documented(t.String({ minLength: 1 }), { pattern: "^[^,\\u0000]+$" });

const tag = "Documents";
const actions = ["unlink", "restore", "link", "move", "reindex"] as const;
const BatchBody = named(
  "DocumentBatch",
  t.Object({
    action: OneOf(actions, {
      description:
        "`unlink` takes them out of `folder_id`, `restore` puts them back there, `link` puts " +
        "them into `to_folder_id` too, `move` takes them from `folder_id` to `to_folder_id`, " +
        "`reindex` reads and indexes them again.",
    }),
    document_ids: t.Array(t.String(), { minItems: 1, maxItems: batch_max }),
    folder_id: t.Optional(t.String({ description: "For `unlink`, `restore` and `move`." })),
    to_folder_id: t.Optional(t.String({ description: "For `link` and `move`." })),
  }),
);
/** The same for the API document, with the fields that each action needs. */
export const batchSchema = (): TSchema => {
  const { action, document_ids, folder_id, to_folder_id } = BatchBody.properties;
  const of = (
    name: string,
    words: readonly (typeof actions)[number][],
    more: Record<string, TSchema>,
  ) =>
    named(
      `${name}Documents`,
      t.Object({
        action: OneOf(words, { description: action.description }),
        document_ids,
        ...more,
      }),
    );
  const from = t.Required(t.Object({ folder_id })).properties;
  const to = t.Required(t.Object({ to_folder_id })).properties;
  return t.Union(
    [
      of("UnlinkOrRestore", ["unlink", "restore"], from),
      of("Link", ["link"], to),
      of("Move", ["move"], { ...from, ...to }),
      of("Reindex", ["reindex"], {}),
    ],
    { discriminator: { propertyName: "action" } },
  );
};
const BatchResult = named(
  "DocumentBatchResult",
  t.Object({
    done: t.Integer({ minimum: 0, description: "How many it was done with." }),
    problems: t.Array(
      named(
        "DocumentBatchProblem",
        t.Object({
          document_id: t.String(),
          status: t.Integer({ description: "What the call for this one alone would answer." }),
          code: t.String(),
          detail: t.String(),
        }),
      ),
      { description: "Those it could not be done with, each with its reason." },
    ),
  }),
);

export const bulkRoutes = {
  batch: route.post("/documents/batch", {
    summary: "Do something with many documents",
    tag,
    operation: "changeDocuments",
    description:
      "Each for itself, as the call for one document would: what can't be done with one holds up " +
      "no other, and is among `problems`.",
    body: BatchBody,
    example: {
      action: "unlink",
      document_ids: [example.id],
      folder_id: example.folder_ids[0],
    },
    answers: {
      200: {
        description: "What was done, and what was not.",
        schema: BatchResult,
        example: { done: 1, problems: [] },
      },
    },
    errors: { 404: "A folder could not be found." },
  }),
  ids: route.get("/folders/:folderId/document-ids", {
    summary: "List the ids of a folder's documents",
    tag,
    operation: "listDocumentIds",
    description: "Of this very folder, newest first: what a batch is made of.",
    query: t.Composite([
      ListFilterQuery,
      t.Object({
        after: t.Optional(
          documented(
            t.String({
              description: "The last id of the answer before: the list goes on after it.",
              examples: [example.id],
            }),
            { minLength: 1 },
          ),
        ),
      }),
    ]),
    answers: {
      200: {
        description: "The ids.",
        schema: named(
          "DocumentIds",
          t.Object({
            ids: t.Array(t.String()),
            total: t.Integer({
              minimum: 0,
              description:
                `How many there are, after \`after\` where it is given; an answer has at most ` +
                `${documents_max}.`,
            }),
          }),
        ),
        example: { ids: [example.id], total: 1 },
      },
    },
  }),
  zip: route.get("/folders/:folderId/documents.zip", {
    summary: "Download documents of a folder as a ZIP file",
    tag,
    operation: "downloadDocuments",
    description:
      "The originals of this very folder, or of some of its documents, made while it is sent. " +
      "Names that clash get a number; a `/` in a name is a directory. What could not be read is " +
      "named in `not included.txt`.",
    query: t.Composite([
      ListFilterQuery,
      t.Object({
        document_ids: t.Optional(
          t.Array(ListedId, {
            minItems: 1,
            maxItems: batch_max,
            description: `Only these, at most ${batch_max}, separated by commas.`,
            examples: [[example.id]],
          }),
        ),
      }),
    ]),
    answers: {
      200: {
        description: "The archive.",
        media_type: "application/zip",
        schema: t.String({ format: "binary" }),
        headers: { "content-disposition": "An attachment with the folder's name." },
      },
      431: { description: "The address and the headers are longer than 16 KiB together." },
    },
    errors: {
      400: "Too many are meant.",
      404: "The folder, or a document in it, could not be found, or none is meant.",
      503: "Too many archives are being made at this moment.",
    },
  }),
};

export function bulkHandlers(ctx: DocumentContext): HandlersOf<typeof bulkRoutes> {
  const originals = new OriginalsZip(ctx);
  return {
    async batch({ caller, body: { action, document_ids, folder_id, to_folder_id } }) {
      const needs_source = action === "unlink" || action === "restore" || action === "move";
      const needs_target = action === "link" || action === "move";
      if (needs_source && folder_id === undefined)
        throw badRequest(`The action ${action} needs a folder_id.`, "/folder_id");
      if (needs_target && to_folder_id === undefined)
        throw badRequest(`The action ${action} needs a to_folder_id.`, "/to_folder_id");
      if (needs_source) await ctx.folders.require(ctx.db, caller.owner_id, folder_id!);
      if (needs_target) await ctx.folders.require(ctx.db, caller.owner_id, to_folder_id!);
      const problems = await actOnEach(ctx, caller.owner_id, {
        action,
        document_ids,
        folder_id: folder_id ?? "",
        to_folder_id: to_folder_id ?? "",
      });
      return { done: new Set(document_ids).size - problems.length, problems };
    },
    async ids({ caller, params, query, request: { signal } }) {
      const folder = await ctx.folders.require(ctx.db, caller.owner_id, params.folderId);
      return ctx.lists.ids(folder, query, documents_max, signal);
    },
    async zip({ caller, params, query: { document_ids, ...filter }, request }) {
      const ids = document_ids ?? null;
      const { name, stream } = await originals.open(
        caller.owner_id,
        { ...filter, folder_id: params.folderId, document_ids: ids },
        request.signal,
      );
      return new Response(stream, {
        headers: {
          "content-type": "application/zip",
          "content-disposition": attachment(`${name}.zip`),
          "cache-control": "no-store",
        },
      });
    },
  };
}
