/** What other plugins may use of chats: how answers are requested, and their form. */
import {
  OneOf,
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
import type { Similarities, SimilarityOptions } from "../search-index/contract";
import { Citation, RelatedPassage, type FindOptions, type Retrieved } from "../search/contract";

/** A message that is about to be stored. */
export interface AskedQuestion {
  readonly owner_id: string;
  /** Null for a question outside any session, which is not stored. */
  readonly chat_id: string | null;
  readonly request_id: string | null;
  readonly text: string;
  /** The folders and prompts of the session; without one, every folder that is searched. */
  readonly folder_ids: readonly string[];
  readonly prompt_ids: readonly string[];
}
/**
 * Called before a message of a chat is stored and answered; the request is answered with the
 * refusal, and nothing of the message is kept.
 */
export const BeforeQuestion = beforeHook<AskedQuestion>("chats.before_question");

/** The code of a warning: the answer lists what the folders contain, not what documents say. */
export const overview_code = "overview";
/** The maximum number of citations and related passages of an answer together. */
export const evidence_max = 5;
/** Replaces the citation of a sentence that no source supports. */
export const unsupported_mark = "[?]";

/** Whether the question was answered. */
export const AnswerOutcome = named("AnswerOutcome", OneOf(["answered", "no_answer"]));
/** An answer with its citations, in the form of the API. */
export const AnswerResult = named(
  "Answer",
  t.Object({
    answer: t.String({
      description:
        "Markdown with `[1]` markers that name citations, and `[?]` behind what no source bears " +
        "out, or only one that was deleted or changed while the answer was made.",
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

/** An answer as it is stored: earlier versions stored less of what they cite. */
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

/** In the current form: without a passage, only the quote is known. */
export const completed = (stored: StoredAnswer): AnswerResult => ({
  ...stored,
  citations: stored.citations.map(({ passage, page_label = null, ...citation }) => ({
    ...citation,
    page_label,
    passage: passage ?? { start: citation.start, end: citation.end },
  })),
  related: (stored.related ?? []).map(({ page_label = null, ...passage }) => ({
    ...passage,
    page_label,
  })),
});

/** Citations, then related passages. */
export const evidenceOf = ({
  citations,
  related,
}: Pick<AnswerResult, "citations" | "related">): RelatedPassage[] => [...citations, ...related];

/** A question as an answerer receives it. */
export interface Question {
  readonly text: string;
  /** The caller's saved prompts, in order. */
  readonly prompts: readonly Prompt[];
  /** Earlier turns of the session, oldest first. */
  readonly history: readonly { readonly question: string; readonly answer: string }[];
  /** Searches only the session's folders. */
  readonly find: (
    query: string,
    options: FindOptions & { readonly context?: string },
  ) => Promise<Retrieved>;
  /** Some documents in the session's folders, with their main headings. */
  readonly overview: (limits: {
    readonly documents: number;
    readonly headings: number;
  }) => Promise<Overview>;
  /**
   * Optional: similarities of texts to a question, as `SearchIndex.similarities`; null when
   * unavailable.
   */
  readonly compare?: (
    question: string,
    texts: readonly string[],
    options: Omit<SimilarityOptions, "owner_id" | "signal">,
  ) => Promise<Similarities | null>;
  /**
   * Optional: shows the next piece of the answer to its streams while it is being made. Its markers
   * are final, and numbered as in the answer. If the answer does not begin with what was shown, it
   * is shown again from the beginning.
   */
  readonly emit?: (event: { readonly kind: "delta"; readonly text: string }) => void;
  /**
   * Runs a call that only waits, such as for a language model: meanwhile another answer may use
   * this one's permit, and waiting for a permit afterwards doesn't count as time of the call.
   * Answerers that use other services call it.
   */
  readonly waitFor: <R>(call: () => Promise<R>) => Promise<R>;
  readonly signal: AbortSignal;
}
/** What an answerer cites. Without a `passage`, only the quote is known. */
export type Related = Omit<RelatedPassage, "passage"> & Partial<Pick<RelatedPassage, "passage">>;
/** A passage that is cited, with the number in its markers. */
export type Cited = Related & Pick<Citation, "id">;
/**
 * An answer before the chat checks its citations and adds its queue time. Citations without a
 * marker in the text become related passages; when the answer has no markers at all, they are
 * appended to it. A group of markers whose citations are all invalid becomes `[?]`, and the answer
 * is not grounded. Quotes longer than a citation may be are cut to the sentences that best support
 * the statement.
 */
export type Answered = Omit<AnswerResult, "timings" | "citations" | "related"> & {
  readonly citations: readonly Cited[];
  readonly related?: readonly Related[];
  readonly timings: { readonly retrieve_ms: number; readonly generate_ms: number };
};

/** Answers questions. The answerer with the highest `rank` is used. */
export interface Answerer {
  readonly name: string;
  readonly rank: number;
  /** Optional: false when its answers ignore saved prompts. */
  readonly uses_prompts?: boolean;
  readonly answer: (question: Question) => Promise<Answered>;
}
/** What answers questions; the available answerer of the highest rank is used. */
export const Answerers = slot<Answerer>("chats.answerers", {
  check: shaped<Answerer>({ name: "text", rank: "number", answer: "function" }),
});

/** How many answers are made at the same time in the whole server. */
export interface AnswerLimits {
  /** Being worked on. */
  readonly concurrency: number;
  /** Waiting for other services. */
  readonly waiting_max: number;
}
/** The first value counts. */
export const AnswerLimits = slot<AnswerLimits>("chats.answer_limits", {
  check: shaped<AnswerLimits>({ concurrency: "number", waiting_max: "number" }),
});

/** A session as it is exported to another server. Times are epoch ms. */
export interface ChatCopy {
  readonly id: string;
  readonly name: string | null;
  readonly folder_ids: readonly string[];
  readonly prompt_ids: readonly string[];
  readonly created_at: number;
  readonly updated_at: number;
}
/** A finished message, with its answer in its current form. */
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
/** The position of a message in its session. */
export interface MessagePlace {
  readonly id: string;
  readonly created_at: number;
}
/** What folder archives need of chats: copies to export, and staging of those that are imported. */
export interface Chats {
  /**
   * The owner's live sessions that ask only these folders, oldest first; and the number of those
   * that ask one of them together with others.
   */
  findAsking(
    db: Db,
    owner_id: string,
    folder_ids: readonly string[],
  ): Promise<{ readonly chats: readonly ChatCopy[]; readonly mixed_count: number }>;
  /** The finished messages, oldest first, after a position: the first `limit`. */
  listEnded(
    chat_id: string,
    after: MessagePlace | null,
    limit: number,
  ): Promise<{ readonly messages: readonly MessageCopy[]; readonly last: MessagePlace | null }>;
  /** The number of unfinished ones. */
  countUnfinished(db: Db, chat_id: string): Promise<number>;
  /**
   * Creates a session that stays invisible until it is revealed; otherwise the next start deletes
   * it, as does `abandon`. Charges no quota.
   */
  stage(tx: Db, owner_id: string, chat: ChatCopy): Promise<void>;
  /** Adds to a staged session. `document_ids`: the documents cited by the answer. */
  stageMessage(
    tx: Db,
    chat_id: string,
    message: MessageCopy,
    document_ids: readonly string[],
  ): Promise<void>;
  /** Makes them visible to everybody. @throws HttpError 403 when a quota is reached. */
  reveal(tx: Db, owner_id: string, chat_ids: readonly string[]): Promise<void>;
  /** Deletes staged sessions that will not be revealed. */
  abandon(tx: Db, owner_id: string, chat_ids: readonly string[]): Promise<void>;
}
export const Chats = service<Chats>("chats");

/** A question outside any session: it contains the conversation, and nothing of it is stored. */
export interface DirectQuestion {
  /** Not blank, at most 32,000 characters. */
  readonly text: string;
  /** Includes subfolders; null: every folder of the owner. */
  readonly folder_ids: readonly string[] | null;
  /** Oldest first; only the last few count. */
  readonly history: Question["history"];
  /** Instructions for a language model about the form of its answers. */
  readonly instructions: readonly string[];
  /** Field names for errors in the text and in the folders. */
  readonly pointers: { readonly text: string; readonly folder_ids: string };
  /** Shows the next piece of the answer while it is made; the final answer may differ. */
  readonly emit?: (text: string) => void;
  /** Stops the work. */
  readonly signal: AbortSignal;
}
/** Answers like a session, for clients that keep their conversations themselves. */
export interface DirectAnswers {
  /**
   * Resolves once the question is accepted, before its answer is made. @throws HttpError 400 on the
   * text, 404 or 403 on a folder, 429 or 503 when too many questions are waiting.
   */
  begin(owner_id: string, question: DirectQuestion): Promise<DirectAnswer>;
}
/** An answer that is being made outside any session. */
export interface DirectAnswer {
  /**
   * The finished answer, after waiting for the owner's turn. Rejects with an Error whose sentence
   * is for the asker, or with the reason of the signal.
   */
  readonly result: Promise<AnswerResult>;
}
export const DirectAnswers = service<DirectAnswers>("chats.direct_answers");
