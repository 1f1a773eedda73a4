/** Chats: sessions over folders, messages, and answers that are made in the background. */
import { inParts } from "../../core/lib/chunked-work";
import { definePlugin, Duration, fill, Hooks, t } from "../../core/sdk";
import { Documents, DocumentUses } from "../documents/contract";
import {
  AnswerCancelled,
  AnswerCompleted,
  AnswerFailed,
  AnswerStarted,
  ChatChanged,
  ChatCreated,
  ChatDeleted,
} from "../events/contract";
import { FolderContents, Folders } from "../folders/contract";
import { Prompts, PromptUses } from "../prompts/contract";
import { Quotas } from "../quotas/contract";
import { Retrieval } from "../search/contract";
import { redactDocuments, restartShown } from "./citations/citation-updates";
import type { ChatContext } from "./context";
import { AnswerLimits, Answerers, BeforeQuestion, Chats, DirectAnswers } from "./contract";
import { ChatCopies } from "./copies/chat-copies";
import { resumeDeletions } from "./deletion/chat-deletion";
import { DirectAnswerer } from "./answers/direct-answer";
import { feedbackHandlers, routes as feedback_routes } from "./feedback/feedback-routes";
import { chatJobs, enqueuers, schedules } from "./jobs";
import { migrations } from "./migrations";
import { AnswerLimiter } from "./answers/answer-limiter";
import { ChatLists } from "./list-store";
import { chatHandlers, routes } from "./routes";
import { routes as start_routes, startHandlers } from "./start-routes";
import { removeFolderUses, removePromptUses } from "./store";
import { firstQuestionHandlers, routes as first_question_routes } from "./first-question-routes";
import { AnswerStreams } from "./events/stream";

export default definePlugin({
  name: "chats",
  version: "1.0.0",
  config: t.Object({
    restore_for: Duration({
      default: "30d",
      changes: "now",
      description: "How long a deleted session can be restored before it is purged.",
    }),
  }),
  needs: {
    folders: Folders,
    prompts: Prompts,
    documents: Documents,
    retrieval: Retrieval,
    quotas: Quotas,
  },
  provides: { chats: Chats, direct: DirectAnswers },
  events: [
    AnswerStarted,
    AnswerCompleted,
    AnswerFailed,
    AnswerCancelled,
    ChatCreated,
    ChatChanged,
    ChatDeleted,
  ],
  slots: { answerers: Answerers, limits: AnswerLimits, before_question: BeforeQuestion },
  tables: [
    "chats",
    "chats_folders",
    "chats_prompts",
    "chats_messages",
    "chats_citations",
    "chats_events",
    "chats_feedback",
  ],
  migrations,
  routes: { ...routes, ...feedback_routes, ...start_routes, ...first_question_routes },
  setup: (host) => {
    const { config, services, slots } = host;
    const ctx: ChatContext = {
      ...host,
      ...services,
      ...enqueuers(host),
      answerers: slots.answerers,
      before_question: new Hooks({
        read: slots.before_question,
        filled: () => host.operations.filled(BeforeQuestion),
        log: host.log,
      }),
      answer_limiter: new AnswerLimiter(slots.limits, host.shared),
      lists: new ChatLists(host),
      restore_ms: () => config.restore_for,
    };
    // Deleted sessions may expire earlier or later now.
    host.whenSettingsChange(
      () =>
        void resumeDeletions(ctx).catch((error: unknown) =>
          host.log.error("the deletion times of deleted sessions could not be updated", {
            error: String(error),
          }),
        ),
    );
    return {
      services: { chats: new ChatCopies(ctx), direct: new DirectAnswerer(ctx) },
      jobs: chatJobs(ctx),
      schedules,
      fills: [
        fill(FolderContents, {
          remove: (tx) => restartShown(ctx, tx),
          purge: (_owner_id, folder_ids, signal) =>
            inParts(() => ctx.inDeletion((tx) => removeFolderUses(tx, folder_ids)), signal),
        }),
        fill(PromptUses, { remove: (tx, _owner_id, prompt_id) => removePromptUses(tx, prompt_id) }),
        fill(DocumentUses, {
          remove: (tx, document_ids) => redactDocuments(ctx, tx, document_ids),
        }),
      ],
      routes: {
        ...chatHandlers(ctx, new AnswerStreams(ctx)),
        ...feedbackHandlers(ctx),
        ...startHandlers(ctx),
        ...firstQuestionHandlers(ctx),
      },
      start: () => resumeDeletions(ctx),
    };
  },
});
