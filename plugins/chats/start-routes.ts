/** The routes for starting a chat: which answerer is used, and suggested questions. */
import { FairLimiter } from "../../core/lib/limiter";
import { badRequest, named, Nullable, route, t, type HandlersOf } from "../../core/sdk";
import { bestAnswerer } from "./answers/answerers";
import type { ChatContext } from "./context";
import { folders_max } from "./service";
import { overview_limits, suggestionsOf } from "./answers/suggestions";

const tag = "Chats";
const SuggestionRecord = named(
  "SuggestedQuestion",
  t.Object({
    text: t.String({ description: "The question, in the language of the document if possible." }),
    document_id: t.String(),
    document_name: t.String(),
    heading: t.String({ description: "What it was made of, as it stands in the document." }),
  }),
);
const suggestion_example = {
  text: "What is said about “Annual leave”?",
  document_id: "doc_01JB2M4T9V6W8X3Y5Z7A1C2E4G",
  document_name: "handbook.pdf",
  heading: "3.2 Annual leave",
};

export const routes = {
  answering: route.get("/answering", {
    summary: "Tell what answers questions",
    tag,
    operation: "getAnswering",
    answers: {
      200: {
        description: "What answers at this moment.",
        schema: named(
          "Answering",
          t.Object({
            answerer: Nullable(t.String(), "Its name; null when nothing is set up."),
            uses_prompts: t.Boolean({
              description: "Whether answers take notice of the saved prompts of a session.",
            }),
          }),
        ),
        example: { answerer: "extractive", uses_prompts: false },
      },
    },
  }),
  suggestions: route.get("/suggested-questions", {
    summary: "Suggest questions",
    tag,
    operation: "suggestQuestions",
    description:
      "At most four questions made of headings of the newest documents in these folders, " +
      "subfolders included. No heading worth a question, no suggestion.",
    query: t.Object({
      folder_ids: t.Optional(
        t.String({
          description:
            `Ids of folders, at most ${folders_max}, separated by commas. Absent: every folder ` +
            "of the caller.",
          examples: ["fld_01JB2M3R8S5T7V9W1X3Y5Z7A2C"],
        }),
      ),
    }),
    answers: {
      200: {
        description: "The questions, those of the newest documents first.",
        schema: named("SuggestedQuestions", t.Object({ data: t.Array(SuggestionRecord) })),
        example: { data: [suggestion_example] },
      },
    },
    errors: { 404: "A folder that is named could not be found." },
  }),
};

export const startHandlers = (ctx: ChatContext): HandlersOf<typeof routes> => ({
  answering: async () => {
    const answerer = bestAnswerer(ctx);
    return {
      answerer: answerer?.name ?? null,
      uses_prompts: answerer !== undefined && answerer.uses_prompts !== false,
    };
  },
  suggestions: ({ caller: { owner_id }, query: { folder_ids }, request: { signal } }) =>
    suggesting.run(owner_id, signal, async () => {
      const scope = await scopeOf(ctx, owner_id, folder_ids);
      return { data: suggestionsOf(await ctx.documents.overview(ctx.db, scope, overview_limits)) };
    }),
});

/** Many documents are read for them: one list per owner at a time. */
const suggesting = new FairLimiter({ concurrency: 2 });

/** @throws HttpError 400, 403 or 404 on the ids of folders */
const scopeOf = (
  { db, folders }: ChatContext,
  owner_id: string,
  folder_ids: string | undefined,
): Promise<readonly string[]> =>
  folder_ids === undefined
    ? folders.listIds(db, owner_id)
    : folders.requireWithSubfolders(db, owner_id, idsOf(folder_ids), "?folder_ids");

/** @throws HttpError 400 when there are too many. */
function idsOf(text: string): string[] {
  const ids = [...new Set(text.split(",").map((id) => id.trim()))].filter((id) => id !== "");
  if (ids.length > folders_max)
    throw badRequest(`folder_ids takes at most ${folders_max} ids.`, "?folder_ids");
  return ids;
}
