/**
 * Answers with a language model: finds passages, asks, checks what it says, and falls back when it
 * says nothing that can be trusted.
 */
import { PermanentFailure, type Log } from "../../core/sdk";
import type { Answered, Answerer, Question } from "../chats/contract";
import type { FoundPassage } from "../search/contract";
import type { Wording } from "../answers-extractive/contract";
import { createBreaker, withRetries } from "./attempts";
import { createChecker, type Checked } from "./checking";
import { ProviderFailure, sentenceOf, warningOf } from "./failure";
import { compose, sources_max, type Conversation, type Limits } from "./prompt";
import type { Call, Reply, Usage } from "./provider";
import type { Reading } from "./support";

export interface AnsweringParts {
  readonly call: Call;
  readonly model: string;
  readonly limits: Limits;
  /** For one answer in all: every call, and the pauses between them. */
  readonly timeout_ms: number;
  readonly fallback: "extractive" | "fail";
  /** Who answers when the model can't. */
  readonly next: () => Answerer | undefined;
  readonly wording: Wording;
  readonly analyze: Reading["analyze"];
  readonly now_ms: () => number;
  readonly log: Log;
}
interface Generated extends Conversation {
  readonly checked: Checked;
  readonly reply: Reply;
  readonly usage: Usage | null;
}
/** Whether those who watch have read something of this answer. */
interface Voice {
  spoken: boolean;
}
type Warning = Answered["warnings"][number];

const nothing_found = "No passage in the selected folders answers this.";
const cut_off: Warning = {
  code: "answer_cut",
  message: "The language model had more to say than an answer may hold.",
};

export function createGenerative(parts: AnsweringParts) {
  const { now_ms, limits } = parts;
  const reading: Reading = { analyze: parts.analyze, sentences: parts.wording.sentences };
  const guarded = createBreaker(now_ms);

  /**
   * Asks until something is cited: once more, with the rule repeated, when nothing is. @throws
   * ProviderFailure
   */
  async function generate(
    question: Question,
    passages: readonly FoundPassage[],
    voice: Voice,
  ): Promise<Generated> {
    const clock = timeLimit(parts.timeout_ms, question.signal, now_ms);
    let usage: Usage | null = null;
    try {
      for (const strict of [false, true]) {
        const conversation = compose(question, passages, limits, strict);
        const { checked, reply } = await guarded(() =>
          withRetries(async () => {
            // Who watches has read the beginning of an answer that broke off: a second beginning
            // would only confuse.
            const emit = voice.spoken
              ? () => undefined
              : (text: string) => {
                  voice.spoken = true;
                  question.emit?.({ kind: "delta", text });
                };
            const checker = createChecker({
              sources: conversation.sources,
              question: question.text,
              reading,
              emit,
            });
            const reply = await parts.call(conversation.messages, {
              signal: clock.signal,
              onText: checker.add,
            });
            return { reply, checked: checker.end(reply.cut) };
          }, clock),
        );
        usage = added(usage, reply.usage);
        if (checked.citations.length > 0 || checked.refused)
          return { ...conversation, checked, reply, usage };
      }
    } finally {
      clock.end();
    }
    throw new ProviderFailure("nonsense", "the model's answer names no source", { again: false });
  }

  /** The answer of whoever comes next, or the failure as a sentence for the person who asked. */
  async function fallBack(
    question: Question,
    failure: ProviderFailure,
    { spoken }: Voice,
    spent_ms: number,
  ): Promise<Answered> {
    const next = parts.fallback === "extractive" ? parts.next() : undefined;
    if (!next) throw new PermanentFailure(sentenceOf(failure));
    const { emit: _, ...silent } = question;
    const answered = await next.answer(spoken ? silent : question);
    const { retrieve_ms, generate_ms } = answered.timings;
    return {
      ...answered,
      timings: { retrieve_ms, generate_ms: generate_ms + spent_ms },
      warnings: [warningOf(failure), ...answered.warnings],
    };
  }

  return async function answer(question: Question): Promise<Answered> {
    const started = now_ms(),
      { passages } = await parts.wording.retrieve(question, sources_max),
      found = now_ms();
    question.signal.throwIfAborted();
    const timings = () => ({ retrieve_ms: found - started, generate_ms: now_ms() - found });
    const none = {
      answer: nothing_found,
      outcome: "no_answer" as const,
      grounded: true,
      citations: [],
      model: parts.model,
    };
    if (passages.length === 0)
      return { ...none, prompts: [], usage: null, timings: timings(), warnings: [] };
    const voice: Voice = { spoken: false };
    try {
      const { checked, reply, usage, prompts, left_out } = await generate(
        question,
        passages,
        voice,
      );
      const { answer, citations, grounded } = checked;
      return {
        ...(citations.length === 0
          ? none
          : {
              answer,
              outcome: "answered",
              grounded,
              citations: [...citations],
              model: parts.model,
            }),
        prompts: prompts.map((prompt) => prompt.id),
        usage,
        timings: timings(),
        warnings: [...left_out.map(tooLong), ...(reply.cut ? [cut_off] : [])],
      };
    } catch (error) {
      question.signal.throwIfAborted();
      if (!(error instanceof ProviderFailure)) throw error;
      const {
        kind,
        message,
        options: { status = null },
      } = error;
      parts.log.warn("the language model gave no answer", {
        kind,
        status,
        reason: message,
        after_ms: now_ms() - found,
        fallback: parts.fallback,
      });
      return fallBack(question, error, voice, now_ms() - found);
    }
  };
}

const tooLong = ({ name }: { readonly name: string }): Warning => ({
  code: "prompt_too_long",
  message: `The saved prompt "${name}" is too long for the language model, so it was not applied.`,
});

const added = (a: Usage | null, b: Usage | null): Usage | null =>
  a && b
    ? {
        input_tokens: a.input_tokens + b.input_tokens,
        output_tokens: a.output_tokens + b.output_tokens,
      }
    : (a ?? b);

/** Fires with the caller's signal, or when the time is over. */
function timeLimit(timeout_ms: number, outer: AbortSignal, now_ms: () => number) {
  const controller = new AbortController(),
    ends_at = now_ms() + timeout_ms,
    pass = () => controller.abort(outer.reason);
  const timer = setTimeout(
    () =>
      controller.abort(
        new ProviderFailure(
          "unavailable",
          `the provider took longer than answers.timeout, ${timeout_ms / 1_000} s`,
          { again: false },
        ),
      ),
    timeout_ms,
  );
  if (outer.aborted) pass();
  else outer.addEventListener("abort", pass, { once: true });
  return {
    signal: controller.signal,
    left_ms: () => ends_at - now_ms(),
    end: () => {
      clearTimeout(timer);
      outer.removeEventListener("abort", pass);
    },
  };
}
