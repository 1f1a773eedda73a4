/**
 * Answers questions outside any session: in the same way and within the same limits as those of a
 * session, but without storing anything.
 */
import { setOfIds } from "../../../core/lib/id-lists";
import { LocalOpenLimit, OpenLimits } from "../../../core/lib/open-limit";
import { basePathOf, HttpError, requiredText, unavailable } from "../../../core/sdk";
import { bestAnswerer, no_answerer, withReadableErrors } from "./answerers";
import { turns_max } from "./answer";
import type { ChatContext } from "../context";
import { withBasePath } from "../citations/citation-updates";
import type {
  AnswerResult,
  Answered,
  DirectAnswer,
  DirectAnswers,
  DirectQuestion,
  Question,
} from "../contract";
import { findInScope, verifiedEvidence } from "./evidence";
import type { AnswerPermit } from "./answer-limiter";
import { noAnswer, savedAnswer, withShortQuotes, withUnreadWarning } from "./saved-answer";
import { question_length_max } from "../service";

/** Questions in progress, including waiting ones; the total is for this process. */
const in_progress_max = { of_owner: 64, total: 1_000 };
const retry_after_s = 2;

/** Answers without a session, for protocols that have none. */
export class DirectAnswerer implements DirectAnswers {
  private readonly in_progress: OpenLimits;

  constructor(private readonly ctx: ChatContext) {
    this.in_progress = new OpenLimits(
      ctx.shared.openLimit("chats.direct_answers", in_progress_max.of_owner),
      new LocalOpenLimit(in_progress_max.total),
    );
  }

  async begin(owner_id: string, question: DirectQuestion): Promise<DirectAnswer> {
    const { ctx } = this;
    const { pointers } = question;
    const text = requiredText(question.text, pointers.text, question_length_max);
    const scope = question.folder_ids
      ? await ctx.folders.requireWithSubfolders(
          ctx.db,
          owner_id,
          question.folder_ids,
          pointers.folder_ids,
        )
      : await ctx.folders.listIds(ctx.db, owner_id);
    if (ctx.before_question.any)
      await ctx.before_question.run(
        { owner_id, text, chat_id: null, request_id: null, folder_ids: scope, prompt_ids: [] },
        question.signal,
      );
    const release = await this.enter(owner_id);
    const result = this.answer(owner_id, { ...question, text }, scope).finally(release);
    // The caller may be gone before looking at the result.
    result.catch(() => undefined);
    return { result };
  }

  private answer(
    owner_id: string,
    question: DirectQuestion,
    scope: readonly string[],
  ): Promise<AnswerResult> {
    const { ctx } = this;
    const created_at = ctx.now_ms();
    return ctx.answer_limiter.run(owner_id, question.signal, (permit) => {
      const attempt = new DirectAttempt(ctx, owner_id, question, scope, permit);
      return attempt.result({ created_at, started_at: ctx.now_ms() });
    });
  }

  /** Returns the function to call at the end. @throws HttpError 429, 503 */
  private async enter(owner_id: string): Promise<() => void> {
    const release = await this.in_progress.acquire(owner_id);
    if (release === "per_key") throw tooManyQuestions();
    if (release === "total")
      throw unavailable(
        "Too many questions are being answered at the moment. Try again.",
        retry_after_s,
      );
    return release;
  }
}

const tooManyQuestions = (): HttpError =>
  new HttpError(
    429,
    "too_many_questions",
    `${in_progress_max.of_owner} questions of this account are already being answered. Wait ` +
      "for them to finish, then try again.",
    { headers: { "retry-after": String(retry_after_s) } },
  );

class DirectAttempt {
  constructor(
    private readonly ctx: ChatContext,
    private readonly owner_id: string,
    private readonly direct_question: DirectQuestion,
    private readonly scope: readonly string[],
    private readonly permit: AnswerPermit,
  ) {}

  /** The answer, with those of its citations that are valid. @throws Error with a sentence */
  async result(times: {
    readonly created_at: number;
    readonly started_at: number;
  }): Promise<AnswerResult> {
    const { ctx, scope } = this;
    const unread_count = await ctx.folders.countSyncing(ctx.db, scope);
    const about = { owner_id: this.owner_id };
    return withReadableErrors({ ...ctx, about, signal: this.permit.signal }, async () => {
      const answered = withUnreadWarning(await this.ask(), unread_count);
      const evidence = [...answered.citations, ...(answered.related ?? [])];
      const covered = await findInScope(ctx.documents, ctx.db, evidence, setOfIds(scope));
      const verified = await verifiedEvidence(ctx.documents, ctx.db, evidence, covered);
      const saved = savedAnswer(times, answered, (cited) => verified.has(cited));
      return withBasePath(saved, basePathOf(ctx.public_url()));
    });
  }

  private async ask(): Promise<Answered> {
    const { ctx, direct_question, scope } = this;
    const answerer = bestAnswerer(ctx);
    if (!answerer) return noAnswer(no_answerer);
    if (scope.length === 0) return noAnswer("There are no folders to answer from.");
    const answered = await answerer.answer(this.question());
    return withShortQuotes(answered, direct_question.text, ctx.retrieval);
  }

  private question(): Question {
    const { ctx, direct_question, owner_id, scope, permit } = this;
    const { db, retrieval } = ctx;
    const { signal, waitFor } = permit;
    const { emit } = direct_question;
    return {
      text: direct_question.text,
      prompts: direct_question.instructions.map((text, at) => ({
        id: `instructions-${at + 1}`,
        name: "Instructions",
        text,
      })),
      history: direct_question.history.slice(-turns_max),
      find: (query, options) =>
        retrieval.find(db, { owner_id, query, folder_ids: scope, ...options }, signal),
      overview: (limits) => ctx.documents.overview(db, scope, limits),
      compare: (question, texts, options) =>
        retrieval.similarities(question, texts, { ...options, owner_id, signal }),
      ...(emit && { emit: ({ text }: { readonly text: string }) => emit(text) }),
      waitFor,
      signal,
    };
  }
}
