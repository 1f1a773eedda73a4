/**
 * The job that answers a message: asks the answerer, checks what it cites, and saves the answer in
 * the transaction that ends the job.
 */
import {
  handle,
  HttpError,
  job,
  PermanentFailure,
  t,
  type Change,
  type Db,
  type JobEffect,
  type JobRun,
  type Log,
} from "../../core/sdk";
import type { Documents } from "../documents/contract";
import type { Folders } from "../folders/contract";
import type { Prompts } from "../prompts/contract";
import type { Citation, FoundPassage, Retrieval } from "../search/contract";
import { settled } from "./citations";
import type { Answered, Answerer, AnswerResult, Question } from "./contract";
import { appendEvents, isCurrent } from "./event-rows";
import { complete, deltaEvents, fail, restart } from "./events";
import { createFeed } from "./feed";
import { changesOf } from "./messages";
import * as store from "./store";
import type { Chat, MessageRow } from "./store";

export const AnswerMessage = job("chats.answer", t.Object({ message_id: t.String() }));

/**
 * Answers being made at the same time, in all and of one owner: one busy owner leaves room for the
 * others.
 */
export const answers_max = 4;
export const answers_of_owner_max = 3;
const attempts_max = 3;
const timeout_ms = 5 * 60_000;
const turns_max = 6;

export const failed_sentence =
  "The answer could not be made because of a fault in the server. Please ask again.";
const no_folders =
  "This chat session has no folders, so there is nothing to answer from. Add folders to it and " +
  "ask again.";
const no_answerer = "No answerer is set up on this server, so questions can't be answered.";
const nothing_found = "No passage in the selected folders answers this.";

export interface AnsweringParts {
  readonly db: Db<store.ChatsTables>;
  readonly inTransaction: <R>(work: (tx: Db) => Promise<R>) => Promise<R>;
  readonly now_ms: () => number;
  readonly afterCommit: (work: () => void) => void;
  readonly answerers: () => readonly Answerer[];
  readonly folders: Folders;
  readonly prompts: Prompts;
  readonly documents: Documents;
  readonly retrieval: Retrieval;
  /** Tells polls and watchers that the message has another status. */
  readonly tell: (message_id: string) => void;
  /** Tells those who watch this message that there is more to see. */
  readonly tellWatchers: (message_id: string) => void;
  readonly notify: (change: Change) => void;
  readonly log: Log;
}

/** An answer on its way into the database. */
interface Making {
  readonly message: MessageRow;
  readonly answered: Answered;
  readonly scope: ReadonlySet<string>;
  readonly owner_id: string;
}

export function createAnswering(parts: AnsweringParts) {
  const { db, inTransaction, now_ms } = parts;

  async function run(
    { message_id }: { readonly message_id: string },
    run: JobRun,
  ): Promise<JobEffect | void> {
    const message = await start(message_id);
    if (!message) return;
    const [chat] = await store.withUses(db, [(await store.findChat(db, message.chat_id))!]);
    const scope =
      chat!.folder_ids.length === 0
        ? []
        : await parts.folders.scope(db, chat!.owner_id, chat!.folder_ids, "/usedFolders");
    // Asked before the search: what is read meanwhile is in the answer, or in the warning.
    const being_read = await parts.folders.beingRead(db, scope);
    const answered = withUnread(
      await worded(() => ask(message, chat!, scope, run.signal), message_id, run.signal),
      being_read,
    );
    return (tx) =>
      worded(
        () => save(tx, { message, answered, scope: new Set(scope), owner_id: chat!.owner_id }, run),
        message_id,
        run.signal,
      );
  }

  /**
   * The message, marked as being answered; what an attempt before this one has shown is void.
   * Undefined when it is finished.
   */
  const start = (message_id: string): Promise<MessageRow | undefined> =>
    inTransaction(async (tx) => {
      const now = now_ms();
      const message = await store.startMessage(tx, message_id, now);
      if (!message) return undefined;
      await restart(tx, message_id, now);
      parts.afterCommit(() => parts.tell(message_id));
      return message;
    });

  /**
   * What fails here ends up before the person who asked: an error that is not worded for people
   * goes to the log instead.
   */
  async function worded<R>(
    work: () => Promise<R>,
    message_id: string,
    signal: AbortSignal,
  ): Promise<R> {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || error instanceof PermanentFailure || error instanceof HttpError)
        throw error;
      parts.log.warn("an answer failed", {
        message_id,
        error: error instanceof Error ? error.message : String(error),
      });
      throw new Error(failed_sentence);
    }
  }

  /** What the answerer of highest rank says. */
  async function ask(
    message: MessageRow,
    chat: Chat,
    scope: readonly string[],
    signal: AbortSignal,
  ): Promise<Answered> {
    const answerer = [...parts.answerers()].sort((a, b) => b.rank - a.rank)[0];
    if (!answerer) return noAnswer(no_answerer);
    if (scope.length === 0) return noAnswer(no_folders);
    const found: FoundPassage[] = [];
    const feed = createFeed((text) => show(message, text, found.splice(0), new Set(scope)));
    const question: Question = {
      text: message.text,
      prompts: await parts.prompts.require(db, chat.owner_id, chat.prompt_ids, "/usedPrompts"),
      history: await history(message, new Set(scope)),
      async find(query, options) {
        const retrieved = await parts.retrieval.find(
          db,
          { query, folder_ids: scope, ...options },
          signal,
        );
        found.push(...retrieved.passages);
        return retrieved;
      },
      emit: feed.emit,
      signal,
    };
    try {
      return await answerer.answer(question);
    } finally {
      await feed.stop();
    }
  }

  /**
   * Writes a further piece of the answer, together with the documents that it may come from. False
   * when it is not to be shown: the attempt is void,
   * one of those documents is gone by now, or the storage fails. The answer itself goes on.
   */
  async function show(
    { id, attempt }: MessageRow,
    text: string,
    found: readonly FoundPassage[],
    scope: ReadonlySet<string>,
  ): Promise<boolean> {
    const document_ids = [...new Set(found.map((passage) => passage.document_id))];
    try {
      return await inTransaction(async (tx) => {
        if (
          !(await isCurrent(tx, { id, attempt })) ||
          (await coveredBy(tx, found, scope)).size < document_ids.length
        )
          return false;
        await store.insertCitations(tx, id, document_ids);
        await appendEvents(tx, id, deltaEvents(text), now_ms());
        parts.afterCommit(() => parts.tellWatchers(id));
        return true;
      });
    } catch (error) {
      parts.log.warn("an answer can't be shown while it is made", {
        message_id: id,
        error: error instanceof Error ? error.message : String(error),
      });
      return false;
    }
  }

  /**
   * Earlier turns. An answer that cites what the session no longer covers is left out: its text
   * must not come back through the next one.
   */
  async function history(
    message: MessageRow,
    scope: ReadonlySet<string>,
  ): Promise<Question["history"]> {
    const turns = (await store.turnsBefore(db, message, turns_max)).map(({ text, result }) => ({
      text,
      result: JSON.parse(result!) as AnswerResult,
    }));
    const covered = await coveredBy(
      db,
      turns.flatMap(({ result }) => result.citations),
      scope,
    );
    return turns.map(({ text, result }) => ({
      question: text,
      answer: result.citations.every(({ document_id }) => covered.has(document_id))
        ? result.answer
        : "",
    }));
  }

  /** The documents among those cited that have a live link to a folder of the scope. */
  async function coveredBy(
    from: Db,
    citations: readonly FoundPassage[],
    scope: ReadonlySet<string>,
  ): Promise<ReadonlySet<string>> {
    const folder_ids = [...new Set(citations.map((citation) => citation.folder_id))].filter((id) =>
      scope.has(id),
    );
    const document_ids = [...new Set(citations.map((citation) => citation.document_id))];
    return folder_ids.length === 0
      ? new Set()
      : parts.documents.linked(from, document_ids, folder_ids);
  }

  /** Checks every quote against the text that is stored at this very moment, then saves. */
  async function save(
    tx: Db<store.ChatsTables>,
    { message, answered, scope, owner_id }: Making,
    run: JobRun,
  ): Promise<void> {
    const covered = await coveredBy(tx, answered.citations, scope);
    const held = new Set<Citation>();
    for (const citation of answered.citations) {
      if (
        covered.has(citation.document_id) &&
        citation.quote !== "" &&
        (await parts.documents.holds(tx, citation))
      )
        held.add(citation);
    }
    if (
      held.size < answered.citations.length &&
      run.attempt < run.attempts_max &&
      (await moved(tx, answered.citations, covered))
    ) {
      throw new HttpError(
        409,
        "conflict",
        "A document changed while it was being cited. Please ask again.",
      );
    }
    const result = resultOf(message, answered, (citation) => held.has(citation));
    const now = now_ms();
    if (
      !(await store.endMessage(tx, message.id, {
        status: "COMPLETED",
        completed_at: now,
        result: JSON.stringify(result),
      }))
    )
      return;
    await complete(tx, message.id, result, now);
    await store.deleteCitations(tx, message.id);
    await store.insertCitations(tx, message.id, [
      ...new Set(result.citations.map((citation) => citation.document_id)),
    ]);
    parts.afterCommit(() => parts.tell(message.id));
    for (const change of changesOf(owner_id, message, "changed")) parts.notify(change);
  }

  /**
   * Whether a cited document was unlinked, deleted or replaced since it was found: then the answer
   * is made again.
   */
  async function moved(
    tx: Db,
    citations: readonly Citation[],
    covered: ReadonlySet<string>,
  ): Promise<boolean> {
    const names = await parts.documents.names(tx, [
      ...new Set(citations.map((citation) => citation.document_id)),
    ]);
    return citations.some(
      ({ document_id, document_version }) =>
        !covered.has(document_id) || names.get(document_id)?.current_version !== document_version,
    );
  }

  return handle(AnswerMessage, run, {
    attempts_max,
    timeout_ms,
    concurrency: answers_max,
    onExhausted: async (tx, { message_id }, reason) => {
      const now = now_ms();
      if (
        !(await store.endMessage(tx, message_id, {
          status: "FAILED",
          completed_at: now,
          error_code: "answer_failed",
          error_message: sentenceOf(reason),
        }))
      )
        return;
      await fail(tx, message_id, now);
      parts.afterCommit(() => parts.tell(message_id));
      const message = (await store.findById(tx, message_id))!;
      for (const change of changesOf(
        (await store.findChat(tx, message.chat_id))!.owner_id,
        message,
        "changed",
      ))
        parts.notify(change);
    },
  });
}

/** The queue gives its own reasons in a few words; everything from here is a sentence already. */
const sentenceOf = (reason: string): string =>
  /[.!?]$/.test(reason) ? reason : `The answer could not be made: ${reason}.`;

const noAnswer = (sentence: string): Answered => ({
  answer: sentence,
  outcome: "no_answer",
  grounded: true,
  citations: [],
  model: "none",
  prompts: [],
  usage: null,
  timings: { retrieve_ms: 0, generate_ms: 0 },
  warnings: [],
});

/** Says that documents of the scope could not be asked yet. */
const withUnread = (answered: Answered, count: number): Answered =>
  count === 0
    ? answered
    : {
        ...answered,
        warnings: [
          ...answered.warnings,
          {
            code: "being_read",
            message:
              count === 1
                ? "1 document of these folders was still being read."
                : `${count} documents of these folders were still being read.`,
          },
        ],
      };

/**
 * The answer as it is saved: an answer that lost every citation is none, and no answer cites
 * nothing.
 */
function resultOf(
  message: MessageRow,
  answered: Answered,
  held: (citation: Citation) => boolean,
): AnswerResult {
  const { retrieve_ms, generate_ms } = answered.timings;
  const timings = {
    queue_ms: message.started_at! - message.created_at,
    retrieve_ms: Math.round(retrieve_ms),
    generate_ms: Math.round(generate_ms),
  };
  const { answer, citations } = settled(
    answered,
    (citation) => answered.outcome === "answered" && held(citation),
  );
  if (answered.citations.length > 0 && citations.length === 0 && answered.outcome === "answered")
    return {
      ...answered,
      answer: nothing_found,
      outcome: "no_answer",
      grounded: true,
      citations,
      timings,
    };
  return { ...answered, answer, citations, timings };
}
