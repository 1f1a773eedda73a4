/** The first questions of sessions, by which the console calls those without a name. */
import { badRequest, route, t, type HandlersOf } from "../../core/sdk";
import type { ChatContext } from "./context";
import { findFirstQuestions } from "./message-store";

/** As many as a page of a list has. */
const ids_max = 200;
const text_length_max = 200;

export const routes = {
  firstQuestions: route.get("/first-questions", {
    summary: "List the first questions of sessions",
    tag: "Chats",
    operation: "listFirstQuestions",
    surface: "console",
    description: "Sessions without a question, of other users, or deleted for good are left out.",
    query: t.Object({
      chat_ids: t.String({
        description: `Ids of sessions, at most ${ids_max}, separated by commas.`,
        examples: ["chs_01JB2N6P8R0S2T4V6W8X0Y2Z4A"],
      }),
    }),
    answers: {
      200: {
        description: `The beginning of each, at most ${text_length_max} characters.`,
        schema: t.Array(t.Object({ chat_id: t.String(), text: t.String() }), {
          maxItems: ids_max,
        }),
        example: [
          {
            chat_id: "chs_01JB2N6P8R0S2T4V6W8X0Y2Z4A",
            text: "How many days of leave do employees get?",
          },
        ],
      },
    },
  }),
};

/** The handler of the route above. */
export const firstQuestionHandlers = (ctx: ChatContext): HandlersOf<typeof routes> => ({
  firstQuestions: ({ caller: { owner_id }, query }) => {
    const ids = query.chat_ids.split(",");
    if (ids.length > ids_max)
      throw badRequest(`chat_ids takes at most ${ids_max} ids.`, "?chat_ids");
    return findFirstQuestions(ctx.db, owner_id, ids, text_length_max);
  },
});
