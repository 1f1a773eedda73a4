/** What other plugins may know about chats: how an answer is asked for and what it looks like. */
import {
  beforeHook,
  named,
  service,
  shaped,
  slot,
  t,
  type Db,
  type Static,
  Nullable,
  Failure,
} from "../../core/sdk";
import { PageLabel } from "../extraction/contract";
import type { Overview } from "../documents/contract";
import type { Prompt } from "../prompts/contract";
import type { Similarities } from "../search-index/contract";
import { Citation, RelatedPassage, type FindOptions, type Retrieved } from "../search/contract";

/** A message that is about to be taken in. */
export interface AskedQuestion {
  readonly owner_id: string;
  /** Null for a question that belongs to no session, and is not stored. */
  readonly chat_id: string | null;
  readonly request_id: string | null;
  readonly text: string;
  /** The folders and prompts of the session; without one, every folder that is searched. */
  readonly folder_ids: readonly string[];
  readonly prompt_ids: readonly string[];
}
/**
 * Asked before a message of a chat is stored and answered; the request is answered with the
 * refusal, and nothing of the message stays.
 */
export const BeforeQuestion = beforeHook<AskedQuestion>("chats.before_question");

/** The code of a warning: the answer tells what the folders hold, not what documents say. */
export const overview_code = "overview";
/** Citations and related passages of an answer, together. */
export const evidence_max = 5;

export const AnswerOutcome = named(
  "AnswerOutcome",
  t.Union([t.Literal("answered"), t.Literal("no_answer")]),
);
export const AnswerResult = named(
  "Answer",
  t.Object({
    answer: t.String({
      description:
        "Markdown with `[1]` markers that name citations, and `[?]` behind what a language model " +
        "says and no source bears out.",
    }),
    outcome: AnswerOutcome,
    grounded: t.Boolean({
      description:
        "Every sentence is borne out by what it cites: numbers, negations and names agree too.",
    }),
    citations: t.Array(Citation, {
      description:
        "What the markers of `answer` name, in their order. `quote` is the sentence or two that " +
        "carry the statement, at most 500 code points.",
    }),
    related: t.Array(RelatedPassage, {
      description:
        "Further passages worth reading, best first; five in all together with the citations.",
    }),
    model: t.String(),
    prompts: t.Array(t.String(), { description: "Ids of the saved prompts that were applied." }),
    usage: Nullable(
      named("AnswerUsage", t.Object({ input_tokens: t.Integer(), output_tokens: t.Integer() })),
      "Null when no language model was asked.",
    ),
    timings: named(
      "AnswerTimings",
      t.Object({
        queue_ms: t.Integer(),
        retrieve_ms: t.Integer(),
        generate_ms: t.Integer(),
      }),
    ),
    warnings: t.Array(Failure, {
      description:
        "What else a reader should know. With the code `overview` the answer names what the " +
        "folders hold, and is no statement of the documents.",
    }),
  }),
);
export type AnswerResult = Static<typeof AnswerResult>;

/** An answer as it is stored: those of earlier versions have less of what they cite. */
export const StoredAnswer = t.Object({
  ...AnswerResult.properties,
  citations: t.Array(
    t.Object({
      ...Citation.properties,
      passage: t.Optional(Citation.properties.passage),
      page_label: t.Optional(PageLabel),
    }),
  ),
  related: t.Optional(
    t.Array(t.Object({ ...RelatedPassage.properties, page_label: t.Optional(PageLabel) })),
  ),
});
export type StoredAnswer = Static<typeof StoredAnswer>;

/** As answers are now: without a passage, the quote is all that is known. */
export const completed = (stored: StoredAnswer): AnswerResult => ({
  ...stored,
  citations: stored.citations.map(({ passage, page_label = null, ...citation }) => ({
    ...citation,
    page_label,
    passage: passage ?? { start: citation.start, end: citation.end },
  })),
  related: (stored.related ?? []).map(({ page_label = null, ...one }) => ({ ...one, page_label })),
});

/** Citations, then related passages. */
export const evidenceOf = ({
  citations,
  related,
}: Pick<AnswerResult, "citations" | "related">): RelatedPassage[] => [...citations, ...related];

export interface Question {
  readonly text: string;
  /** The caller's saved prompts, in their order. */
  readonly prompts: readonly Prompt[];
  /** Earlier turns of the session, oldest first. */
  readonly history: readonly { readonly question: string; readonly answer: string }[];
  /** Searches the session's folders, and nothing else. */
  readonly find: (
    query: string,
    options: FindOptions & { readonly context?: string },
  ) => Promise<Retrieved>;
  /** Some of the documents of the session's folders, with their main headings. */
  readonly overview: (limits: {
    readonly documents: number;
    readonly headings: number;
  }) => Promise<Overview>;
  /**
   * Optional: how near texts are in meaning to a question, as `SearchIndex.similarities`; null when
   * nothing tells.
   */
  readonly compare?: (
    question: string,
    texts: readonly string[],
    timeout_ms: number,
  ) => Promise<Similarities | null>;
  /**
   * Optional: shows a further piece of the answer to its streams while it is being made. Its
   * markers are final, and numbered as in the answer. An answer that does not begin with what was
   * shown is shown anew.
   */
  readonly emit?: (event: { readonly kind: "delta"; readonly text: string }) => void;
  /**
   * Runs a call that is only waited for, such as one of a language model: meanwhile another answer
   * is worked on in the place of this one, and the time until the call begins is not the call's.
   * Whoever makes answers outside of this server calls it.
   */
  readonly waitFor: <R>(call: () => Promise<R>) => Promise<R>;
  readonly signal: AbortSignal;
}
/** What an answerer cites. Without a `passage`, the quote is all that is known. */
export type Related = Omit<RelatedPassage, "passage"> & Partial<Pick<RelatedPassage, "passage">>;
export type Cited = Related & Pick<Citation, "id">;
/**
 * An answer before the chat checks what it cites and adds its queue time. Citations that no marker
 * names become related ones; when the answer has no marker of any, their markers follow it. Longer
 * quotes than a citation may have are cut to the sentences that say most of what they bear out.
 */
export type Answered = Omit<AnswerResult, "timings" | "citations" | "related"> & {
  readonly citations: readonly Cited[];
  readonly related?: readonly Related[];
  readonly timings: { readonly retrieve_ms: number; readonly generate_ms: number };
};

/** Answers questions. The answerer of the highest `rank` is asked. */
export interface Answerer {
  readonly name: string;
  readonly rank: number;
  /** Optional: false when its answers take no notice of saved prompts. */
  readonly uses_prompts?: boolean;
  readonly answer: (question: Question) => Promise<Answered>;
}
export const Answerers = slot<Answerer>("chats.answerers", {
  check: shaped<Answerer>({ name: "text", rank: "number", answer: "function" }),
});

/** How many answers are made at the same time in the whole server. */
export interface AnswerLimits {
  /** That the server works on. */
  readonly concurrency: number;
  /** That wait for others. */
  readonly waiting_max: number;
}
/** The first counts. */
export const AnswerLimits = slot<AnswerLimits>("chats.answer_limits", {
  check: shaped<AnswerLimits>({ concurrency: "number", waiting_max: "number" }),
});

/** A session as it is taken to another server. Times are epoch ms. */
export interface ChatCopy {
  readonly id: string;
  readonly name: string | null;
  readonly folder_ids: readonly string[];
  readonly prompt_ids: readonly string[];
  readonly created_at: number;
  readonly updated_at: number;
}
/** A message of one that has ended, with its answer as it reads now. */
export interface MessageCopy {
  readonly request_id: string;
  readonly text: string;
  readonly status: "COMPLETED" | "FAILED" | "CANCELLED";
  readonly created_at: number;
  readonly started_at: number | null;
  readonly completed_at: number | null;
  readonly result: AnswerResult | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}
/** Where a message stands in its session. */
export interface MessagePlace {
  readonly id: string;
  readonly created_at: number;
}
export interface Chats {
  /**
   * The live sessions of the owner that ask these folders and no others, oldest first; and how many
   * ask one of them beside others.
   */
  findAsking(
    db: Db,
    owner_id: string,
    folder_ids: readonly string[],
  ): Promise<{ readonly chats: readonly ChatCopy[]; readonly others: number }>;
  /** The messages that have ended, oldest first, after a place: the first `limit`. */
  listEnded(
    chat_id: string,
    after: MessagePlace | null,
    limit: number,
  ): Promise<{ readonly messages: readonly MessageCopy[]; readonly last: MessagePlace | null }>;
  /** How many have not ended. */
  countUnfinished(db: Db, chat_id: string): Promise<number>;
  /**
   * Writes a session that nobody finds until it is revealed; the next start deletes it if it is
   * not, as does `abandon`. Charges no quota.
   */
  stage(tx: Db, owner_id: string, chat: ChatCopy): Promise<void>;
  /** Adds to a staged session. `document_ids`: what the answer cites. */
  stageMessage(
    tx: Db,
    chat_id: string,
    message: MessageCopy,
    document_ids: readonly string[],
  ): Promise<void>;
  /** Everybody finds them from now on. @throws HttpError 403 when a quota is reached. */
  reveal(tx: Db, owner_id: string, chat_ids: readonly string[]): Promise<void>;
  /** Staged sessions will not be revealed: they are deleted. */
  abandon(tx: Db, owner_id: string, chat_ids: readonly string[]): Promise<void>;
}
export const Chats = service<Chats>("chats");

/** A question that belongs to no session: the conversation is in it, and nothing of it is kept. */
export interface DirectQuestion {
  /** Not blank, at most 32,000 characters. */
  readonly text: string;
  /** Subfolders are included; null: every folder of the owner. */
  readonly folder_ids: readonly string[] | null;
  /** Oldest first; the last few count. */
  readonly history: Question["history"];
  /** What a language model is told about the form of its answers. */
  readonly instructions: readonly string[];
  /** Field names for what is wrong: of the text and of the folders. */
  readonly pointers: { readonly text: string; readonly folder_ids: string };
  /**
   * Shows a further piece of the answer while it is made; the answer may turn out to read
   * differently.
   */
  readonly emit?: (text: string) => void;
  /** Ends the work. */
  readonly signal: AbortSignal;
}
/** Answers as sessions get them, for those who keep their conversations themselves. */
export interface DirectAnswers {
  /**
   * Resolves once the question is taken, before its answer is made.
   * @throws HttpError 400 on the text, 404 or 403 on a folder, 429 or 503 when too many questions
   * wait.
   */
  begin(owner_id: string, question: DirectQuestion): Promise<DirectAnswer>;
}
export interface DirectAnswer {
  /**
   * When the turn of the owner has come, and it is made. Rejects with an Error whose sentence is
   * for the asker, or with the reason of the signal.
   */
  readonly made: Promise<AnswerResult>;
}
export const DirectAnswers = service<DirectAnswers>("chats.direct_answers");
