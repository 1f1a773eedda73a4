/** Chats: sessions over folders, messages, and answers that are made in the background. */
import { definePlugin, every, fill, handle } from "../../core/sdk";
import { Documents, DocumentUses } from "../documents/contract";
import { FolderContents, Folders } from "../folders/contract";
import { Prompts, PromptUses } from "../prompts/contract";
import { Quotas } from "../quotas/contract";
import { Retrieval } from "../search/contract";
import { AnswerMessage, answers_of_owner_max, createAnswering } from "./answering";
import { Answerers } from "./contract";
import { createBlanking } from "./living";
import { createMessages } from "./messages";
import { migrations } from "./migrations";
import { createPruning, PruneEvents } from "./pruning";
import { chatHandlers, routes } from "./routes";
import { createChats } from "./service";
import { removeFolderUses, removePromptUses } from "./store";
import { createStreaming } from "./streaming";
import { AnswerGrew, StatusChanged } from "./waiter";

export default definePlugin({
  name: "chats",
  version: "1.0.0",
  needs: {
    folders: Folders,
    prompts: Prompts,
    documents: Documents,
    retrieval: Retrieval,
    quotas: Quotas,
  },
  slots: { answerers: Answerers },
  tables: [
    "chats",
    "chats_folders",
    "chats_prompts",
    "chats_messages",
    "chats_citations",
    "chats_events",
  ],
  migrations,
  routes,
  setup: (ctx) => {
    const {
      afterCommit,
      notify,
      notifier,
      inTransaction,
      newId,
      log,
      reads,
      services: { folders, prompts, documents, retrieval, quotas },
    } = ctx;
    const db = ctx.db;
    const { now_ms } = ctx;
    // Apart, because a poll waits for another status, and not for each piece of text.
    const tellWatchers = (id: string) => notifier.publish(AnswerGrew, id, null);
    const tell = (id: string) => {
      notifier.publish(StatusChanged, id, null);
      tellWatchers(id);
    };
    const chats = createChats({
      db,
      inTransaction,
      afterCommit,
      now_ms,
      newId,
      folders,
      prompts,
      tell,
      notify,
      charge: (tx, owner_id, count) => quotas.charge(tx, owner_id, "chats", count),
    });
    const messages = createMessages({
      db,
      inTransaction,
      afterCommit,
      now_ms,
      newId,
      chats,
      documents,
      notifier,
      tell,
      notify,
      enqueueAnswer: (tx, message_id, owner_id) =>
        ctx.enqueue(
          tx,
          AnswerMessage,
          { message_id },
          {
            subject: message_id,
            queue: `chats.answer:${owner_id}`,
            queue_concurrency: answers_of_owner_max,
          },
        ),
      cancelAnswer: (tx, message_id) => ctx.cancelJobs(tx, [message_id]),
    });
    return {
      jobs: [
        createAnswering({
          db,
          inTransaction,
          now_ms,
          afterCommit,
          answerers: ctx.slots.answerers,
          folders,
          prompts,
          documents,
          retrieval,
          tell,
          tellWatchers,
          notify,
          log,
        }),
        handle(PruneEvents, createPruning({ inTransaction, now_ms }), {
          attempts_max: 3,
          timeout_ms: 10 * 60_000,
        }),
      ],
      schedules: [every("*/10 * * * *", PruneEvents, {})],
      fills: [
        fill(FolderContents, {
          remove: (tx, _owner_id, folder_ids) => removeFolderUses(tx, folder_ids),
        }),
        fill(PromptUses, { remove: (tx, _owner_id, prompt_id) => removePromptUses(tx, prompt_id) }),
        fill(DocumentUses, { remove: createBlanking({ now_ms, afterCommit, tellWatchers }) }),
      ],
      routes: chatHandlers(
        chats,
        messages,
        createStreaming({ db, reads, documents, messages, notifier, log }),
      ),
    };
  },
});
