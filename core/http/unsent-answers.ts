/**
 * Limits how much memory all long answers take together that their clients have not received yet. A
 * client that reads slowly, or not at all, delays only further requests of its own account.
 */
import { unavailable, type HttpError } from "../base/errors";
import { BudgetRefusal, ByteBudget } from "../lib/byte-budget";
import { loop_turns } from "../lib/loop-turns";
import type { LongPage } from "./pagination";
import { pullStream } from "./pull-stream";

/** A shorter answer fits into the buffers of its connection, in characters. */
const long_chars_min = 256 * 1024;
/** How long an answer is assumed to be before it is made: a page of the longest records. */
const expected_bytes = 8 * 2 ** 20;
/** What the parts of a page that is being sent take, with those that are garbage already. */
const page_bytes = 4 * 2 ** 20;
/** A request that takes longer waits for something else, and its answer is probably short. */
const reserved_ms_max = 1_000;
/** The size of the pieces that a long answer is sent in, in characters. */
const piece_chars = 64 * 1024;

const json_headers = { "content-type": "application/json;charset=utf-8" };

/** The status and the headers of an answer, if it has others than the default. */
export interface AnswerInit {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The long answers being sent, by the owner who asked for them. */
export class UnsentAnswers {
  private readonly budget = new ByteBudget({
    bytes_max: 96 * 2 ** 20,
    per_owner_bytes_max: 32 * 2 ** 20,
    waiting_max: 2_000,
    per_owner_waiting_max: 1_000,
    wait_ms_max: 30_000,
  });

  /**
   * Reserves memory for an answer while long ones to this owner are being sent; waits until there
   * is some. Returns a function to be called when the answer is made. @throws HttpError 503, and
   * the reason of the signal when that fires during the wait.
   */
  async reserve(owner_id: string, signal: AbortSignal): Promise<() => void> {
    if (!this.budget.isUsedBy(owner_id)) return () => undefined;
    try {
      const acquired = this.budget.acquire(owner_id, expected_bytes, signal);
      const release = await acquired;
      // Many connections that are closed at once admit as many requests in one piece.
      if (acquired instanceof Promise) await loop_turns.enter(owner_id);
      if (signal.aborted) release();
      signal.throwIfAborted();
      const timer = setTimeout(release, reserved_ms_max);
      return () => {
        clearTimeout(timer);
        release();
      };
    } catch (error) {
      throw error instanceof BudgetRefusal ? tooMuchUnsent() : error;
    }
  }

  /** The JSON of `body` as a response; a long one counts until the client has received it. */
  json(owner_id: string, body: unknown, init?: AnswerInit): Response {
    const text = JSON.stringify(body);
    const content = text.length >= long_chars_min ? this.inPieces(owner_id, text) : text;
    return new Response(
      content,
      init ? { ...init, headers: { ...json_headers, ...init.headers } } : { headers: json_headers },
    );
  }

  /** The JSON of a page; a long one is read while the client receives it. */
  async page(owner_id: string, page: LongPage<any>): Promise<Response> {
    const pieces = page.json();
    const { text, is_whole } = await joined(pieces, long_chars_min);
    if (is_whole) return new Response(text, { headers: json_headers });
    const release = this.budget.take(owner_id, page_bytes);
    const next = async (): Promise<string | null> => (await pieces.next()).value ?? null;
    const close = (): void => {
      release();
      void pieces.return();
    };
    return new Response(pullStream(next, close, text), { headers: json_headers });
  }

  private inPieces(owner_id: string, text: string): ReadableStream<Uint8Array> {
    const release = this.budget.take(owner_id, Buffer.byteLength(text));
    let start = 0;
    const next = async (): Promise<string | null> => {
      if (start >= text.length) return null;
      const piece = text.slice(start, endOfPiece(text, start + piece_chars));
      start += piece.length;
      return piece;
    };
    return pullStream(next, release);
  }
}

/** The JSON of a page for a call within this process. */
export const wholePage = async (page: LongPage<any>): Promise<Response> =>
  new Response((await joined(page.json(), Infinity)).text, { headers: json_headers });

/** The pieces up to a length of at least `chars_min`, or to their end. */
async function joined(
  pieces: AsyncGenerator<string, void>,
  chars_min: number,
): Promise<{ readonly text: string; readonly is_whole: boolean }> {
  let text = "";
  while (text.length < chars_min) {
    const { value, done } = await pieces.next();
    if (done) return { text, is_whole: true };
    text += value;
  }
  return { text, is_whole: false };
}

/** At `end`, or one later so that no surrogate pair is split. */
const endOfPiece = (text: string, end: number): number =>
  /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end + 1 : end;

const tooMuchUnsent = (): HttpError =>
  unavailable(
    "Earlier answers to this account have not been received yet. Read them, or try again in a " +
      "few seconds.",
    5,
  );
