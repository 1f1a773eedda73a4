/** The routes for feedback on answers. */
import { PageOf, PageQuery, reply, route, t, toPage, type HandlersOf } from "../../../core/sdk";
import type { ChatContext } from "../context";
import * as feedback from "./feedback-service";
import {
  feedback_example,
  FeedbackBody,
  feedbackOfUser,
  FeedbackOfUser,
  FeedbackRecord,
  feedbackRecord,
  of_user_example,
  own_example,
  ownFeedback,
  OwnFeedback,
  Rating,
} from "./feedback-records";

const tag = "Chats";
const expired = { 410: "The chat session has expired: it was deleted." };
const Filter = t.Composite([PageQuery, t.Object({ rating: t.Optional(Rating) })]);

export const routes = {
  giveFeedback: route.put("/chats/:sessionId/messages/:requestId/feedback", {
    summary: "Rate an answer",
    tag,
    operation: "giveFeedback",
    description:
      "Replaces what was said of this answer before. It goes with the session. Administrators " +
      "see the rating, the note and the question, but not the answer.",
    body: FeedbackBody,
    example: { rating: feedback_example.rating, note: feedback_example.note },
    answers: {
      200: { description: "It is kept.", schema: FeedbackRecord, example: feedback_example },
    },
    errors: { ...expired, 409: "The message has no answer." },
  }),
  withdrawFeedback: route.delete("/chats/:sessionId/messages/:requestId/feedback", {
    summary: "Take a rating back",
    tag,
    operation: "deleteFeedback",
    answers: { 204: { description: "Nothing is said of this answer any more." } },
    errors: expired,
  }),
  listFeedback: route.get("/feedback", {
    summary: "List your ratings",
    tag,
    operation: "listFeedback",
    description: "What the caller said of answers, newest first; deleted sessions are left out.",
    query: Filter,
    answers: {
      200: {
        description: "One page of ratings.",
        schema: PageOf(OwnFeedback),
        example: toPage([own_example], 1, {}),
      },
    },
  }),
  listAllFeedback: route.get("/feedback/all", {
    summary: "List everybody's ratings",
    tag,
    operation: "listAllFeedback",
    admin: true,
    description:
      "What all users said of answers, newest first. Sessions and answers stay with their owner.",
    query: Filter,
    answers: {
      200: {
        description: "One page of ratings.",
        schema: PageOf(FeedbackOfUser),
        example: toPage([of_user_example], 1, {}),
      },
    },
  }),
};

export const feedbackHandlers = (ctx: ChatContext): HandlersOf<typeof routes> => ({
  giveFeedback: async ({ caller, params: { sessionId, requestId }, body }) =>
    feedbackRecord(await feedback.giveFeedback(ctx, caller.owner_id, sessionId, requestId, body)),
  withdrawFeedback: async ({ caller, params: { sessionId, requestId } }) => {
    await feedback.withdrawFeedback(ctx, caller.owner_id, sessionId, requestId);
    return reply(204);
  },
  listFeedback: async ({ caller, query }) => {
    const filter = { owner_id: caller.owner_id, rating: query.rating };
    const { rows, total } = await feedback.listFeedback(ctx, filter, query);
    return toPage(rows.map(ownFeedback), total, query);
  },
  listAllFeedback: async ({ query }) => {
    const filter = { owner_id: null, rating: query.rating };
    const { rows, total } = await feedback.listFeedback(ctx, filter, query);
    return toPage(rows.map(feedbackOfUser), total, query);
  },
});
