/**
 * Answers a message: asks the answerer, shows the text while it is being written, checks the
 * citations, and saves the answer in the transaction that ends the job.
 */
import { messageOf } from "../../../core/lib/error-message";
import { setOfIds } from "../../../core/lib/id-lists";
import { HttpError, type Db, type JobEffect, type JobRun } from "../../../core/sdk";
import type { FoundPassage } from "../../search/contract";
import { resultOf } from "../citations/citation-updates";
import { AnswerCompleted, AnswerFailed } from "../../events/contract";
import { notifyMessage, type ChatContext } from "../context";
import {
  evidenceOf,
  overview_code,
  type Answered,
  type AnswerResult,
  type Question,
  type Related,
} from "../contract";
import { appendEvents, isCurrent } from "../events/event-store";
import { bestAnswerer, no_answerer, withReadableErrors } from "./answerers";
import { findInScope, documentIds, verifiedEvidence } from "./evidence";
import {
  completeAnswer,
  DeltaBuffer,
  deltaEvents,
  failAnswer,
  restartAnswer,
} from "../events/answer-events";
import type { AnswerPermit } from "./answer-limiter";
import { noAnswer, savedAnswer, withShortQuotes, withUnreadWarning } from "./saved-answer";
import * as messageStore from "../message-store";
import * as store from "../store";
import type { Chat, MessageRow } from "../store";
import { publishGrowth, publishStatus } from "../events/waiter";

/** How many earlier turns of the conversation an answerer gets. */
export const turns_max = 6;

const no_folders =
  "This chat session has no folders to answer from. Add folders to it and ask again.";

/**
 * The job: waits for its owner's turn. Does nothing when the message is finished, or its session
 * deleted for good.
 */
export async function answerMessage(
  ctx: ChatContext,
  message_id: string,
  run: JobRun,
): Promise<JobEffect | void> {
  const owner_id = await messageStore.findOwner(ctx.db, message_id);
  if (owner_id !== undefined)
    return ctx.answer_limiter.run(owner_id, run.signal, (permit) =>
      answerWithPermit(ctx, message_id, run, permit),
    );
}

async function answerWithPermit(
  ctx: ChatContext,
  message_id: string,
  run: JobRun,
  permit: AnswerPermit,
): Promise<JobEffect | void> {
  const { db, folders } = ctx;
  const started = await startMessage(ctx, message_id);
  if (!started) return;
  const { message, chat } = started;
  const scope = await foldersOf(ctx, chat);
  // Counted before the search: a document indexed meanwhile is either searched or in the warning.
  const unread_count = await folders.countSyncing(db, scope);
  const attempt = new AnswerAttempt(ctx, message, chat, scope, { last: run.last, permit });
  const answered = withUnreadWarning(await attempt.ask(), unread_count);
  return (tx) => attempt.save(tx, answered);
}

/** Every folder that the answer may draw on, including subfolders. */
function foldersOf(
  { db, folders }: Pick<ChatContext, "db" | "folders">,
  { owner_id, all_folders, folder_ids }: Chat,
): Promise<readonly string[]> {
  if (all_folders === 1) return folders.listIds(db, owner_id);
  return folder_ids.length === 0
    ? Promise.resolve([])
    : folders.requireWithSubfolders(db, owner_id, folder_ids, "/usedFolders");
}

/**
 * Marks the message as being answered, and what an earlier attempt has shown as void. Undefined
 * when it is finished, or its session deleted for good.
 */
const startMessage = (
  ctx: ChatContext,
  message_id: string,
): Promise<{ readonly message: MessageRow; readonly chat: Chat } | undefined> =>
  ctx.inTransaction(async (tx) => {
    const now = ctx.now_ms();
    const message = await messageStore.startMessage(tx, message_id, now);
    const row = message && (await store.findChat(tx, message.chat_id));
    if (!row) return undefined;
    await restartAnswer(tx, message_id, now);
    publishStatus(ctx, message_id);
    return { message, chat: (await store.withUses(tx, [row]))[0]! };
  });

/** Ends the message of a job that has failed for good. */
export async function failMessage(
  ctx: ChatContext,
  tx: Db,
  message_id: string,
  reason: string,
): Promise<void> {
  const now = ctx.now_ms();
  const ended = await messageStore.endMessage(tx, message_id, {
    status: "FAILED",
    completed_at: now,
    error_code: "answer_failed",
    error_message: sentenceOf(reason),
  });
  if (!ended) return;
  await failAnswer(tx, message_id, now);
  publishStatus(ctx, message_id);
  const message = (await messageStore.findById(tx, message_id))!;
  const chat = await store.findChat(tx, message.chat_id);
  if (!chat) return;
  const { owner_id } = chat;
  const { chat_id, request_id, error_message } = message;
  const error = { code: "answer_failed", message: error_message ?? "" };
  await ctx.emit(tx, AnswerFailed, { owner_id, chat_id, request_id, error });
  notifyMessage(ctx, owner_id, message);
}

/** The queue's own reasons are short phrases; all others are sentences. */
const sentenceOf = (reason: string): string =>
  /[.!?]$/.test(reason) ? reason : `The answer failed: ${reason}.`;

/** One attempt at answering a message. */
class AnswerAttempt {
  /** Folders that the answer may draw on. */
  private readonly scope: ReadonlySet<string>;

  constructor(
    private readonly ctx: ChatContext,
    private readonly message: MessageRow,
    private readonly chat: Chat,
    private readonly folder_ids: readonly string[],
    private readonly run: Pick<JobRun, "last"> & { readonly permit: AnswerPermit },
  ) {
    this.scope = setOfIds(folder_ids);
  }

  /** The answer of the highest-ranked answerer. @throws Error with a sentence for the asker */
  ask(): Promise<Answered> {
    return this.withReadableErrors(async () => {
      const answerer = bestAnswerer(this.ctx);
      if (!answerer) return noAnswer(no_answerer);
      if (this.scope.size === 0) return noAnswer(no_folders);
      const passages: FoundPassage[] = [];
      const deltas = new DeltaBuffer((text) => this.show(text, passages.splice(0)));
      try {
        const answered = await answerer.answer(await this.question(passages, deltas));
        return await withShortQuotes(answered, this.message.text, this.ctx.retrieval);
      } finally {
        await deltas.stop();
      }
    });
  }

  /**
   * Checks every quote against the text stored at this moment, then saves the answer. @throws Error
   * with a sentence for the asker
   */
  save(tx: Db, answered: Answered): Promise<void> {
    return this.withReadableErrors(async () => {
      const { citations, related = [] } = answered;
      const evidence = [...citations, ...related];
      const in_scope = await this.inScope(tx, evidence);
      const verified = await verifiedEvidence(this.ctx.documents, tx, evidence, in_scope);
      const may_retry = !this.run.last && citations.some((citation) => !verified.has(citation));
      if (may_retry && (await this.isOutdated(tx, citations, in_scope)))
        throw new HttpError(
          409,
          "conflict",
          "A document changed while the answer was being written. Ask again.",
        );
      await this.complete(
        tx,
        savedAnswer(this.message, answered, (cited) => verified.has(cited)),
      );
    });
  }

  /** Ends the message with this answer, unless it has ended meanwhile. */
  private async complete(tx: Db, result: AnswerResult): Promise<void> {
    const { ctx, message } = this;
    const now = ctx.now_ms();
    const ended = await messageStore.endMessage(tx, message.id, {
      status: "COMPLETED",
      completed_at: now,
      result: JSON.stringify(result),
    });
    if (!ended) return;
    await completeAnswer(tx, message.id, result, now);
    await messageStore.deleteCitations(tx, message.id);
    await messageStore.insertCitations(tx, message.id, documentIds(evidenceOf(result)));
    const { owner_id } = this.chat;
    const { chat_id, request_id } = message;
    const { outcome } = result;
    await ctx.emit(tx, AnswerCompleted, { owner_id, chat_id, request_id, outcome });
    publishStatus(ctx, message.id);
    notifyMessage(ctx, owner_id, message);
  }

  /** Collects found passages and emitted text in these arguments. */
  private async question(passages: FoundPassage[], deltas: DeltaBuffer): Promise<Question> {
    const { db, prompts, retrieval } = this.ctx;
    const { signal, waitFor } = this.run.permit;
    return {
      text: this.message.text,
      prompts: await prompts.require(db, this.chat.owner_id, this.chat.prompt_ids, "/usedPrompts"),
      history: await this.history(),
      find: async (query, options) => {
        const retrieved = await retrieval.find(
          db,
          { owner_id: this.chat.owner_id, query, folder_ids: this.folder_ids, ...options },
          signal,
        );
        passages.push(...retrieved.passages);
        return retrieved;
      },
      overview: (limits) => this.ctx.documents.overview(db, this.folder_ids, limits),
      compare: (question, texts, options) =>
        retrieval.similarities(question, texts, {
          ...options,
          owner_id: this.chat.owner_id,
          signal,
        }),
      emit: ({ text }) => deltas.add(text),
      waitFor,
      signal,
    };
  }

  /**
   * Earlier turns. An answer that cites something outside the session's current folders is left
   * out: its text must not return through the next answer; nor must an old overview of the folders.
   */
  private async history(): Promise<Question["history"]> {
    const { db } = this.ctx;
    const turns = (await messageStore.turnsBefore(db, this.message, turns_max)).map(
      ({ text, result }) => ({ text, result: resultOf({ result })! }),
    );
    const cited = turns.flatMap(({ result }) => result.citations);
    const in_scope = await this.inScope(db, cited);
    const isStillValid = ({ citations, warnings }: AnswerResult): boolean =>
      citations.every(({ document_id }) => in_scope.has(document_id)) &&
      !warnings.some(({ code }) => code === overview_code);
    return turns.map(({ text, result }) => ({
      question: text,
      answer: isStillValid(result) ? result.answer : "",
    }));
  }

  /**
   * Writes the next piece of the answer, together with the documents it may be based on. False when
   * it must not be shown: the attempt is void, one of the documents is gone, or the storage fails.
   * The answer itself continues.
   */
  private async show(text: string, passages: readonly FoundPassage[]): Promise<boolean> {
    const { ctx, message } = this;
    const document_ids = documentIds(passages);
    try {
      return await ctx.inTransaction(async (tx) => {
        if (!(await isCurrent(tx, message))) return false;
        if ((await this.inScope(tx, passages)).size < document_ids.length) return false;
        await messageStore.insertCitations(tx, message.id, document_ids);
        await appendEvents(tx, message.id, deltaEvents(text), ctx.now_ms());
        publishGrowth(ctx, message.id);
        return true;
      });
    } catch (error) {
      ctx.log.warn("an answer can't be streamed while it is being written", {
        message_id: message.id,
        error: messageOf(error),
      });
      return false;
    }
  }

  /**
   * Whether a cited document was unlinked, deleted or replaced since it was found: the answer is
   * made again then.
   */
  private async isOutdated(
    tx: Db,
    citations: readonly Related[],
    in_scope: ReadonlySet<string>,
  ): Promise<boolean> {
    const names = await this.ctx.documents.findNames(tx, documentIds(citations));
    return citations.some(
      ({ document_id, document_version }) =>
        !in_scope.has(document_id) || names.get(document_id)?.current_version !== document_version,
    );
  }

  private inScope(db: Db, cited: readonly Related[]): Promise<ReadonlySet<string>> {
    return findInScope(this.ctx.documents, db, cited, this.scope);
  }

  private withReadableErrors<R>(work: () => Promise<R>): Promise<R> {
    const about = { message_id: this.message.id };
    return withReadableErrors({ ...this.ctx, about, signal: this.run.permit.signal }, work);
  }
}
