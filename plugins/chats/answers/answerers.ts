/** Selects the answerer, and words its errors for the asker. */
import { messageOf } from "../../../core/lib/error-message";
import { HttpError, PermanentFailure } from "../../../core/sdk";
import type { ChatContext } from "../context";
import type { Answerer } from "../contract";

/** The sentence for askers when no plugin answers questions. */
export const no_answerer =
  "Questions can't be answered, because no answerer is set up on this server.";
const failed_sentence = "The answer failed because of a problem on the server. Ask again.";

/** The highest-ranked one. */
export const bestAnswerer = ({ answerers }: Pick<ChatContext, "answerers">): Answerer | undefined =>
  [...answerers()].sort((a, b) => b.rank - a.rank)[0];

/** Errors are shown to the asker: those that are not written for people go to the log instead. */
export async function withReadableErrors<R>(
  ctx: Pick<ChatContext, "log"> & {
    readonly about: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
  },
  work: () => Promise<R>,
): Promise<R> {
  try {
    return await work();
  } catch (error) {
    const is_readable = error instanceof PermanentFailure || error instanceof HttpError;
    if (ctx.signal.aborted || is_readable) throw error;
    ctx.log.warn("an answer failed", {
      ...ctx.about,
      error: messageOf(error),
    });
    throw new Error(failed_sentence);
  }
}
