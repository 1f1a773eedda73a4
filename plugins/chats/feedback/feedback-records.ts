/** Feedback on answers in its wire format: schemas, examples, and the mapping of rows. */
import {
  OneOf,
  LimitedText,
  named,
  Nullable,
  rfc3339,
  t,
  Timestamp,
  type Static,
} from "../../../core/sdk";
import { AnswerOutcome, type StoredAnswer } from "../contract";
import { note_length_max } from "./feedback-service";
import type { AnswerFeedback } from "./feedback-store";
import type { FeedbackRow } from "../store";

export const Rating = named("Rating", OneOf(["up", "down"]));
const Note = Nullable(
  LimitedText(note_length_max),
  "What is good or wrong about it, in a few words; at most 4,000 characters. A blank note is none.",
);

export const FeedbackBody = named(
  "NewFeedback",
  t.Object({ rating: Rating, note: t.Optional(Note) }),
);

const feedback_fields = {
  rating: Rating,
  note: Note,
  created_at: Timestamp("When it was first given."),
  updated_at: Timestamp("When it was last changed."),
};
export const FeedbackRecord = named("Feedback", t.Object(feedback_fields));
/** The feedback on an answer, as part of its message. */
export const feedbackRecord = ({
  rating,
  note,
  created_at,
  updated_at,
}: FeedbackRow): Static<typeof FeedbackRecord> => ({
  rating,
  note,
  created_at: rfc3339(created_at),
  updated_at: rfc3339(updated_at),
});

const about_answer = {
  question: t.String({ description: "The message that was answered." }),
  outcome: AnswerOutcome,
  model: t.String({ description: "What made the answer." }),
};
/** For the user who gave it. */
export const OwnFeedback = named(
  "OwnFeedback",
  t.Object({
    ...feedback_fields,
    ...about_answer,
    sessionId: t.String(),
    session_name: Nullable(t.String(), "The name of the session."),
    requestId: t.String(),
  }),
);
/** For administrators: without the session and the answer. */
export const FeedbackOfUser = named(
  "FeedbackOfUser",
  t.Object({ ...feedback_fields, ...about_answer, user_id: t.String() }),
);

const answerOf = ({ text, result }: AnswerFeedback) => {
  const { outcome, model } = JSON.parse(result!) as StoredAnswer;
  return { question: text, outcome, model };
};
/** The feedback as its author gets it, with the session. */
export const ownFeedback = (feedback: AnswerFeedback): Static<typeof OwnFeedback> => ({
  ...feedbackRecord(feedback),
  ...answerOf(feedback),
  sessionId: feedback.chat_id,
  session_name: feedback.chat_name,
  requestId: feedback.request_id,
});
/** The feedback as administrators get it, without the session. */
export const feedbackOfUser = (feedback: AnswerFeedback): Static<typeof FeedbackOfUser> => ({
  ...feedbackRecord(feedback),
  ...answerOf(feedback),
  user_id: feedback.owner_id,
});

export const feedback_example: Static<typeof FeedbackRecord> = {
  rating: "up",
  note: "Names the paragraph that I looked for.",
  created_at: "2026-03-01T09:32:00.000Z",
  updated_at: "2026-03-01T09:32:00.000Z",
};
const answer_example = {
  question: "How many days of leave do employees get?",
  outcome: "answered" as const,
  model: "extractive",
};
export const own_example: Static<typeof OwnFeedback> = {
  ...feedback_example,
  ...answer_example,
  sessionId: "chs_01JB2N6P8R0S2T4V6W8X0Y2Z4A",
  session_name: "Leave",
  requestId: "6f1f2c0e-2f0b-4b7e-9f43-1d2a7c9b5e10",
};
export const of_user_example: Static<typeof FeedbackOfUser> = {
  ...feedback_example,
  ...answer_example,
  user_id: "usr_01JB2K1P4R6S8T0V2W4X6Y8Z0A",
};
