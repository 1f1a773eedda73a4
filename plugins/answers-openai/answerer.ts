/**
 * Answers with a language model: retrieves passages, asks the model, checks its answer against the
 * passages, and falls back to the next answerer when the model gives no usable answer.
 */
import { TimeLimit } from "../../core/lib/timeout";
import { PermanentFailure, type Context } from "../../core/sdk";
import { evidence_max, type Answered, type Answerer, type Question } from "../chats/contract";
import type { FoundPassage, Retrieval } from "../search/contract";
import { AnswerChecker, type CheckedAnswer } from "./answer-checker";
import type { TextAnalysis } from "./evidence";
import { ProviderFailure, sentenceOf, warningOf } from "./failure";
import { ModelHealth } from "./health";
import { composePrompt, type ComposedPrompt, type Limits } from "./prompt";
import type { ChatCompletion, Reply, Usage } from "./provider";
import { CircuitBreaker, withRetries } from "./retry";
import { merged, QuestionRewriter } from "./rewriter";

/** What it needs besides `Context`. */
export interface AnswererContext extends Pick<Context, "log" | "now_ms"> {
  /** Calls the model. */
  readonly complete: ChatCompletion;
  readonly model: string;
  readonly limits: Limits;
  /** For one answer in total: every call, and the pauses in between. */
  readonly timeout_ms: number;
  /** For rephrasing a question; 0: disabled. */
  readonly rewrite_timeout_ms: number;
  readonly fallback: "extractive" | "fail";
  /** The answerers of this server, including this one. */
  readonly answerers: () => readonly Answerer[];
  readonly retrieval: Retrieval;
  readonly analyze: TextAnalysis["analyze"];
  readonly languageOf: TextAnalysis["languageOf"];
}
interface Generated extends ComposedPrompt {
  readonly checked: CheckedAnswer;
  readonly reply: Reply;
  readonly usage: Usage | null;
}
type Timings = Answered["timings"];
type Warning = Answered["warnings"][number];

/** A failed model is asked for one word when somebody checks its health. */
const word_messages = [{ role: "user", content: "Reply with the one word: yes" }] as const;
const word_ms_max = 20_000;

const nothing_found = "No passage in the selected folders answers this.";
const cut_off: Warning = {
  code: "answer_cut",
  message: "The answer was cut off because it reached the maximum length.",
};

/** Answers with a model and its sources. */
export class LanguageModelAnswerer implements Answerer {
  readonly name = "openai";
  readonly rank = 100;
  private readonly analysis: TextAnalysis;
  private readonly breaker: CircuitBreaker;
  private readonly health: ModelHealth;
  private readonly rewriter: QuestionRewriter;
  /** Some servers omit the beginning of a thought; once seen, it is expected again. */
  private thinks_first = false;

  constructor(private readonly ctx: AnswererContext) {
    const { analyze, languageOf, retrieval, now_ms } = ctx;
    this.analysis = { analyze, languageOf, sentences: (text) => retrieval.sentences(text) };
    this.health = new ModelHealth({
      now_ms,
      fallback: ctx.fallback,
      ask: () => this.askForWord(),
    });
    this.breaker = new CircuitBreaker(now_ms, this.health);
    this.rewriter = new QuestionRewriter({ ...ctx, timeout_ms: ctx.rewrite_timeout_ms });
  }

  /** Why questions get no answer from the model, and what to do; null when they do. */
  failing(): string | null {
    return this.health.failing();
  }

  private async askForWord(): Promise<void> {
    const signal = AbortSignal.timeout(word_ms_max);
    await this.ctx.complete(word_messages, { signal, tokens_max: 1, onText: () => undefined });
    this.breaker.close();
  }

  async answer(question: Question): Promise<Answered> {
    const { log, now_ms, retrieval, fallback } = this.ctx;
    const started = now_ms();
    const passages = await this.retrieve(question);
    const retrieved = now_ms();
    question.signal.throwIfAborted();
    const timings = (): Timings => ({
      retrieve_ms: retrieved - started,
      generate_ms: now_ms() - retrieved,
    });
    if (passages.length === 0)
      return {
        ...this.noAnswer(),
        prompts: [],
        usage: null,
        timings: timings(),
        warnings: [],
      };
    const preview = new Preview(question);
    try {
      const generated = await question.waitFor(() => this.generate(question, passages, preview));
      const citations = await retrieval.locate(generated.checked.citations);
      const answered = this.answered(
        { ...generated, checked: { ...generated.checked, citations } },
        timings(),
      );
      return { ...answered, related: await this.related(answered, passages, question.text) };
    } catch (error) {
      question.signal.throwIfAborted();
      if (!(error instanceof ProviderFailure)) throw error;
      const { generate_ms } = timings();
      log.warn("the language model gave no answer", {
        kind: error.kind,
        status: error.options.status ?? null,
        reason: error.message,
        after_ms: generate_ms,
        fallback,
      });
      return this.fallBack(question, error, preview, generate_ms);
    }
  }

  /** The results for the question, and for the model's rephrasing if that helps. */
  private async retrieve(question: Question): Promise<readonly FoundPassage[]> {
    const { limits, retrieval } = this.ctx;
    const limit = Math.max(limits.passages_max, evidence_max);
    const { passages } = await retrieval.findInConversation(question, { limit });
    const wanted = this.breaker.is_open ? null : this.rewriter.wantedFor(question, passages);
    if (wanted === null) return passages;
    const rewritten = await question.waitFor(() => this.rewriter.rewrite(question, wanted));
    if (rewritten === null || rewritten === question.text) return passages;
    return merged(passages, (await question.find(rewritten, { limit })).passages, limit);
  }

  /**
   * Generates until something is supported: once more, with the rule repeated, when nothing is.
   * @throws ProviderFailure
   */
  private async generate(
    question: Question,
    passages: readonly FoundPassage[],
    preview: Preview,
  ): Promise<Generated> {
    const { limits, timeout_ms, now_ms } = this.ctx;
    const ends_at = now_ms() + timeout_ms;
    const reason = () => timedOut(timeout_ms);
    const limit = new TimeLimit(timeout_ms, { signal: question.signal, reason });
    const deadline = { signal: limit.signal, left_ms: () => ends_at - now_ms() };
    let usage: Usage | null = null;
    try {
      for (const strict of [false, true]) {
        const prompt = composePrompt(question, passages, limits, strict);
        const { checked, reply } = await this.breaker.run(() =>
          withRetries(() => this.attempt(question, prompt, preview, deadline.signal), deadline),
        );
        usage = sum(usage, reply.usage);
        if (checked.is_usable || checked.refused) return { ...prompt, checked, reply, usage };
      }
    } finally {
      limit.clear();
    }
    throw new ProviderFailure("unusable", "no source supports the model's answer", {
      retryable: false,
    });
  }

  private async attempt(
    question: Question,
    { messages, sources }: ComposedPrompt,
    preview: Preview,
    signal: AbortSignal,
  ): Promise<{ readonly checked: CheckedAnswer; readonly reply: Reply }> {
    const checker = new AnswerChecker({
      sources,
      question: question.text,
      analysis: this.analysis,
      thinks_first: this.thinks_first,
      emit: preview.ofNextAttempt(),
    });
    const reply = await this.ctx.complete(messages, {
      signal,
      onText: (text) => checker.add(text),
    });
    const checked = checker.end(reply.cut);
    this.thinks_first ||= checked.thinks_first;
    return { reply, checked };
  }

  private noAnswer() {
    return {
      answer: nothing_found,
      outcome: "no_answer" as const,
      grounded: true,
      citations: [],
      model: this.ctx.model,
    };
  }

  private answered({ checked, reply, usage, prompts, left_out }: Generated, timings: Timings) {
    const { answer, citations, grounded, is_usable } = checked;
    return {
      ...(!is_usable || citations.length === 0
        ? this.noAnswer()
        : {
            answer,
            outcome: "answered" as const,
            grounded,
            citations: [...citations],
            model: this.ctx.model,
          }),
      prompts: prompts.map((prompt) => prompt.id),
      usage,
      timings,
      warnings: [...left_out.map(tooLong), ...(reply.cut ? [cut_off] : [])],
    };
  }

  /** Sentences of uncited passages that say most about the question. */
  private async related(
    { outcome, citations }: Pick<Answered, "outcome" | "citations">,
    passages: readonly FoundPassage[],
    question: string,
  ): Promise<FoundPassage[]> {
    if (outcome === "no_answer") return [];
    const { retrieval } = this.ctx;
    const isCited = ({ document_id, start }: FoundPassage): boolean =>
      citations.some(
        (citation) => citation.document_id === document_id && citation.passage?.start === start,
      );
    const further = passages
      .filter((passage) => !isCited(passage))
      .slice(0, Math.max(0, evidence_max - citations.length));
    return retrieval.locate(further.map((passage) => retrieval.excerpt(passage, question)));
  }

  /** The answer of the next answerer by rank, or the failure as a sentence for the asker. */
  private async fallBack(
    question: Question,
    failure: ProviderFailure,
    preview: Preview,
    spent_ms: number,
  ): Promise<Answered> {
    const next = this.ctx.fallback === "extractive" ? this.nextAnswerer() : undefined;
    if (!next) throw new PermanentFailure(sentenceOf(failure));
    const { emit: _, ...silent } = question;
    const answered = await next.answer(preview.has_begun ? silent : question);
    const { retrieve_ms, generate_ms } = answered.timings;
    return {
      ...answered,
      timings: { retrieve_ms, generate_ms: generate_ms + spent_ms },
      warnings: [warningOf(failure), ...answered.warnings],
    };
  }

  private nextAnswerer(): Answerer | undefined {
    return this.ctx
      .answerers()
      .filter((answerer) => answerer.rank < this.rank)
      .toSorted((a, b) => b.rank - a.rank)[0];
  }
}

/** What watchers see of an answer while it is written. */
class Preview {
  /** Whether something was shown. */
  has_begun = false;

  constructor(private readonly question: Pick<Question, "emit">) {}

  /**
   * Shows the text of this attempt. Once an interrupted attempt was shown, later ones are not: a
   * second beginning would only confuse.
   */
  ofNextAttempt(): (text: string) => void {
    if (this.has_begun) return () => undefined;
    return (text) => {
      this.has_begun = true;
      this.question.emit?.({ kind: "delta", text });
    };
  }
}

const timedOut = (timeout_ms: number): ProviderFailure =>
  new ProviderFailure(
    "unavailable",
    `the provider took longer than answers.timeout (${timeout_ms / 1_000} s)`,
    { retryable: false },
  );

const tooLong = ({ name }: { readonly name: string }): Warning => ({
  code: "prompt_too_long",
  message: `The saved prompt "${name}" is too long for the language model, so it was not applied.`,
});

const sum = (a: Usage | null, b: Usage | null): Usage | null =>
  a && b
    ? {
        input_tokens: a.input_tokens + b.input_tokens,
        output_tokens: a.output_tokens + b.output_tokens,
      }
    : (a ?? b);
