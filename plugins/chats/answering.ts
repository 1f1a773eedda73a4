/** The job that answers a message: asks the answerer, checks what it cites, and saves the answer in the transaction that ends the job. */
import { handle, HttpError, job, PermanentFailure, t, type Db, type JobEffect, type JobRun, type Log } from "../../core/sdk";
import type { Documents } from "../documents/contract";
import type { Folders } from "../folders/contract";
import type { Prompts } from "../prompts/contract";
import type { Citation, Retrieval } from "../search/contract";
import type { Changes } from "./changes";
import { settled } from "./citations";
import type { Answered, Answerer, AnswerResult, Question } from "./contract";
import * as store from "./store";
import type { Chat, MessageRow } from "./store";

export const AnswerMessage = job("chats.answer", t.Object({ message_id: t.String() }));

/** Answers being made at the same time, in all and of one owner: one busy owner leaves room for the others. */
export const answers_max = 4;
export const answers_of_owner_max = 3;
const attempts_max = 3;
const timeout_ms = 5 * 60_000;
const turns_max = 6;

export const failed_sentence = "The answer could not be made because of a fault in the server. Please ask again.";
const no_folders = "This chat session has no folders, so there is nothing to answer from. Add folders to it and ask again.";
const no_answerer = "No answerer is set up on this server, so questions can't be answered.";
const nothing_found = "No passage in the selected folders answers this.";

export interface AnsweringParts {
  readonly db: Db<store.ChatsTables>;
  readonly now_ms: () => number;
  readonly afterCommit: (work: () => void) => void;
  readonly answerers: () => readonly Answerer[];
  readonly folders: Folders;
  readonly prompts: Prompts;
  readonly documents: Documents;
  readonly retrieval: Retrieval;
  readonly changes: Changes;
  readonly log: Log;
}

export function createAnswering(parts: AnsweringParts) {
  const { db, now_ms, changes } = parts;

  async function run({ message_id }: { readonly message_id: string }, run: JobRun): Promise<JobEffect | void> {
    const now = now_ms();
    const message = await store.startMessage(db, message_id, now);
    if (!message) return;
    if (message.started_at === now) changes.announce(message_id);
    const [chat] = await store.withUses(db, [(await store.findChat(db, message.chat_id))!]);
    const scope = chat!.folder_ids.length === 0 ? [] : await parts.folders.scope(db, chat!.owner_id, chat!.folder_ids, "/usedFolders");
    const answered = await worded(() => ask(message, chat!, scope, run.signal), message_id, run.signal);
    return (tx) => worded(() => save(tx, message, answered, new Set(scope), run), message_id, run.signal);
  }

  /** What fails here ends up before the person who asked: an error that is not worded for people goes to the log instead. */
  async function worded<R>(work: () => Promise<R>, message_id: string, signal: AbortSignal): Promise<R> {
    try { return await work(); }
    catch (error) {
      if (signal.aborted || error instanceof PermanentFailure || error instanceof HttpError) throw error;
      parts.log.warn("an answer failed", { message_id, error: error instanceof Error ? error.message : String(error) });
      throw new Error(failed_sentence);
    }
  }

  /** What the answerer of highest rank says. */
  async function ask(message: MessageRow, chat: Chat, scope: readonly string[], signal: AbortSignal): Promise<Answered> {
    const answerer = [...parts.answerers()].sort((a, b) => b.rank - a.rank)[0];
    if (!answerer) return noAnswer(no_answerer);
    if (scope.length === 0) return noAnswer(no_folders);
    const question: Question = {
      text: message.text,
      prompts: await parts.prompts.require(db, chat.owner_id, chat.prompt_ids, "/usedPrompts"),
      history: await history(message, new Set(scope)),
      find: (query, options) => parts.retrieval.find(db, { query, folder_ids: scope, ...options }, signal),
      signal,
    };
    return answerer.answer(question);
  }

  /** Earlier turns. An answer that cites what the session no longer covers is left out: its text must not come back through the next one. */
  async function history(message: MessageRow, scope: ReadonlySet<string>): Promise<Question["history"]> {
    const turns = (await store.turnsBefore(db, message, turns_max)).map(({ text, result }) => ({ text, result: JSON.parse(result!) as AnswerResult }));
    const covered = await coveredBy(db, turns.flatMap(({ result }) => result.citations), scope);
    return turns.map(({ text, result }) => ({ question: text, answer: result.citations.every(({ document_id }) => covered.has(document_id)) ? result.answer : "" }));
  }

  /** The documents among those cited that have a live link to a folder of the scope. */
  async function coveredBy(from: Db, citations: readonly Citation[], scope: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const folder_ids = [...new Set(citations.map((citation) => citation.folder_id))].filter((id) => scope.has(id));
    const document_ids = [...new Set(citations.map((citation) => citation.document_id))];
    return folder_ids.length === 0 ? new Set() : parts.documents.linked(from, document_ids, folder_ids);
  }

  /** Checks every quote against the text that is stored at this very moment, then saves. */
  async function save(tx: Db<store.ChatsTables>, message: MessageRow, answered: Answered, scope: ReadonlySet<string>, run: JobRun): Promise<void> {
    const covered = await coveredBy(tx, answered.citations, scope);
    const held = new Set<Citation>();
    for (const citation of answered.citations) {
      if (covered.has(citation.document_id) && citation.quote !== "" && await parts.documents.holds(tx, citation)) held.add(citation);
    }
    if (held.size < answered.citations.length && run.attempt < run.attempts_max && await moved(tx, answered.citations, covered)) {
      throw new HttpError(409, "conflict", "A document changed while it was being cited. Please ask again.");
    }
    const result = resultOf(message, answered, (citation) => held.has(citation));
    if (!await store.endMessage(tx, message.id, { status: "COMPLETED", completed_at: now_ms(), result: JSON.stringify(result) })) return;
    await store.insertCitations(tx, message.id, [...new Set(result.citations.map((citation) => citation.document_id))]);
    parts.afterCommit(() => changes.announce(message.id));
  }

  /** Whether a cited document was unlinked, deleted or replaced since it was found: then the answer is made again. */
  async function moved(tx: Db, citations: readonly Citation[], covered: ReadonlySet<string>): Promise<boolean> {
    const names = await parts.documents.names(tx, [...new Set(citations.map((citation) => citation.document_id))]);
    return citations.some(({ document_id, document_version }) => !covered.has(document_id) || names.get(document_id)?.current_version !== document_version);
  }

  return handle(AnswerMessage, run, {
    attempts_max, timeout_ms, concurrency: answers_max,
    gaveUp: async (tx, { message_id }, reason) => {
      if (!await store.endMessage(tx, message_id, { status: "FAILED", completed_at: now_ms(), error_code: "answer_failed", error_message: sentenceOf(reason) })) return;
      parts.afterCommit(() => changes.announce(message_id));
    },
  });
}

/** The queue gives its own reasons in a few words; everything from here is a sentence already. */
const sentenceOf = (reason: string): string => /[.!?]$/.test(reason) ? reason : `The answer could not be made: ${reason}.`;

const noAnswer = (sentence: string): Answered => ({
  answer: sentence, outcome: "no_answer", grounded: true, citations: [], model: "none", prompts: [], usage: null, timings: { retrieve_ms: 0, generate_ms: 0 }, warnings: [],
});

/** The answer as it is saved: an answer that lost every citation is none, and no answer cites nothing. */
function resultOf(message: MessageRow, answered: Answered, held: (citation: Citation) => boolean): AnswerResult {
  const { retrieve_ms, generate_ms } = answered.timings;
  const timings = { queue_ms: message.started_at! - message.created_at, retrieve_ms: Math.round(retrieve_ms), generate_ms: Math.round(generate_ms) };
  const { answer, citations } = settled(answered, (citation) => answered.outcome === "answered" && held(citation));
  if (answered.citations.length > 0 && citations.length === 0 && answered.outcome === "answered") return { ...answered, answer: nothing_found, outcome: "no_answer", grounded: true, citations, timings };
  return { ...answered, answer, citations, timings };
}
