/**
 * Lets the model rephrase a question whose own words find little: a follow-up as a stand-alone
 * question, a question in another language in that of the documents. In time, or not at all.
 */
import { messageOf } from "../../core/lib/error-message";
import { leftUntil, TimeLimit } from "../../core/lib/timeout";
import type { Context } from "../../core/sdk";
import type { Question } from "../chats/contract";
import type { FoundPassage } from "../search/contract";
import type { TextAnalysis } from "./evidence";
import { contentWords } from "./facts/function-words";
import type { ChatCompletion, Message } from "./provider";
import { ReasoningFilter } from "./reasoning-filter";

/** What it needs besides `Context`. */
export interface RewriterContext extends Pick<Context, "now_ms" | "log"> {
  readonly complete: ChatCompletion;
  readonly languageOf: TextAnalysis["languageOf"];
  /** 0: nothing is rephrased. */
  readonly timeout_ms: number;
}
/** What the model should do. */
export interface Rewriting {
  readonly stands_alone: boolean;
  /** ISO 639-1; null: that of the question. */
  readonly language: string | null;
}

const tokens_max = 80;
const characters = { min: 3, max: 400 } as const;
const turns_max = 2;
/** The end of an earlier question, and the beginning of its answer; UTF-16 units. */
const question_chars_max = 1_000;
const answer_chars_max = 300;
/** A question with this many words of its own stands alone, unless it has a pronoun. */
const own_words_enough = 6;
const pronouns =
  "he|him|his|she|her|it|its|they|them|their|this|that|these|those|there|" +
  "er|ihn|ihm|sie|ihr|ihre|es|das|dies|diese|dieser|dort|davon|damit|dafür|" +
  "il|elle|ils|elles|lui|leur|cela|ça|ceci|celui|celle|y|en|él|ella|ellos|ellas|eso|esto|ese|esa";
const has_pronoun = new RegExp(`(?<!\\p{L})(?:${pronouns})(?!\\p{L})`, "iu");
/** The number of passages from which their language is detected. */
const passages_looked_at = 4;
/** After this many failures in a row, questions don't wait for it for a while. */
const failures_max = 2;
const pause_ms = 5 * 60_000;

const rules =
  "You prepare questions for a search engine. Write one question that can be understood without " +
  "the conversation, with the names and words that it is about. Write the question and nothing " +
  "else. Do not answer it.";

/** Pauses after failures. */
export class QuestionRewriter {
  private failures = 0;
  private paused_until_ms = 0;

  constructor(private readonly ctx: RewriterContext) {}

  /** What would help a question that has found these passages; null: nothing. */
  wantedFor(question: Question, passages: readonly FoundPassage[]): Rewriting | null {
    const { timeout_ms, languageOf, now_ms } = this.ctx;
    if (timeout_ms === 0 || leftUntil(this.paused_until_ms, now_ms(), pause_ms) > 0) return null;
    const stands_alone =
      question.history.length === 0 ||
      (contentWords(question.text).length >= own_words_enough && !has_pronoun.test(question.text));
    const asked_in = languageOf(question.text, { is_question: true });
    const first = passages.slice(0, passages_looked_at);
    const written_in =
      first.length === 0 ? "en" : languageOf(first.map(({ quote }) => quote).join("\n"));
    const is_foreign = asked_in !== null && written_in !== null && asked_in !== written_in;
    return stands_alone && !is_foreign
      ? null
      : { stands_alone, language: is_foreign ? written_in : null };
  }

  /** The rephrased question; null when there is none in time. @throws when it is aborted */
  async rewrite(question: Question, wanted: Rewriting): Promise<string | null> {
    const { complete, timeout_ms, log, now_ms } = this.ctx;
    const limit = new TimeLimit(timeout_ms, { signal: question.signal });
    const thoughts = new ReasoningFilter();
    let text = "";
    try {
      await limit.race(
        complete(messagesOf(question, wanted), {
          signal: limit.signal,
          tokens_max,
          onText: (piece) => {
            text += thoughts.remove(piece);
          },
        }),
      );
      this.failures = 0;
      return questionIn(text + thoughts.end());
    } catch (error) {
      question.signal.throwIfAborted();
      this.failures += 1;
      if (this.failures >= failures_max) this.paused_until_ms = now_ms() + pause_ms;
      log.info("the language model did not rephrase a question", {
        reason: messageOf(error),
      });
      return null;
    } finally {
      limit.clear();
    }
  }
}

function messagesOf(
  { text, history }: Question,
  { stands_alone, language }: Rewriting,
): readonly Message[] {
  const name = language && new Intl.DisplayNames(["en"], { type: "language" }).of(language);
  const turns = stands_alone
    ? []
    : history.slice(-turns_max).map(({ question, answer }) => {
        const asked = question.slice(-question_chars_max);
        const answered = answer
          .slice(0, 2 * answer_chars_max)
          .replace(/\s{0,20}\[(?:\d+|\?)\]/g, "")
          .slice(0, answer_chars_max);
        return `Asked before: ${asked}\nAnswer: ${answered}`.toWellFormed();
      });
  const order = name ? `Write the question in ${name}.` : "Keep the language of the question.";
  return [
    { role: "system", content: `${rules} ${order}` },
    { role: "user", content: [...turns, `Question: ${text}`].join("\n\n") },
  ];
}

/** The first line, without what models add around it; null when it is unsuitable as a query. */
function questionIn(text: string): string | null {
  const line = text
    .split("\n")
    .map((line) => line.replace(/^[\s*_>#"“„'-]+|[\s*_"”“']+$/g, ""))
    .find((line) => line !== "");
  const question = line?.replace(/^(?:(?:rewritten |search )?(?:question|query)):\s*/i, "") ?? "";
  return question.length < characters.min ||
    question.length > characters.max ||
    /NO_?ANSWER/.test(question)
    ? null
    : question;
}

/**
 * Merges both results, the best of each first. A model may misunderstand, so its question is
 * searched in addition to the original words, which alone may miss what they never name.
 */
export function merged(
  of_passages: readonly FoundPassage[],
  rewritten: readonly FoundPassage[],
  limit: number,
): FoundPassage[] {
  const passages_by_key = new Map<string, { readonly passage: FoundPassage; score: number }>();
  for (const list of [rewritten, of_passages])
    for (const [rank, passage] of list.entries()) {
      const key = `${passage.document_id} ${passage.start}`;
      const entry = passages_by_key.get(key);
      if (entry) entry.score += 1 / (rank + 1);
      else passages_by_key.set(key, { passage, score: 1 / (rank + 1) });
    }
  return [...passages_by_key.values()]
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ passage }) => passage);
}
