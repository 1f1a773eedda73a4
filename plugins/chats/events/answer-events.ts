/**
 * The events of an answer, from the message to its end, and the buffer for its text. Stored text is
 * always valid: text that becomes void is deleted.
 */
import type { AnswerResult } from "../contract";
import { appendEvents, deleteDeltas, shownText } from "./event-store";
import { deleteCitations, type Ending } from "../message-store";
import type { ChatsDb, MessageStatus, NewEvent } from "../store";

/** Longer texts are split, so that no stream holds more than a few of these in memory. */
const delta_chars_max = 4_096;
/** The final event of a longer answer, which contains all of it, is sent in pieces. */
export const long_answer_chars = 32 * delta_chars_max;

/** The text in pieces that split no character. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    const to =
      from + delta_chars_max < text.length && isHighSurrogate(text, from + delta_chars_max - 1)
        ? from + delta_chars_max - 1
        : Math.min(text.length, from + delta_chars_max);
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}
/** Whether this is the first half of a surrogate pair. */
const isHighSurrogate = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xd800;

/** The event that begins the answer anew, in this state. */
export const statusEvent = (status: MessageStatus): NewEvent => ({ kind: "status", data: status });
/** The text in pieces that are short enough for one event each. */
export const deltaEvents = (text: string): NewEvent[] =>
  piecesOf(text).map((data) => ({ kind: "delta", data }));
const citationEvents = ({ citations }: AnswerResult): NewEvent[] =>
  citations.map(({ id }) => ({ kind: "citation", data: String(id) }));
const done: NewEvent = { kind: "done", data: "" };
const failed: NewEvent = { kind: "error", data: "" };

/** The answer starts over: what was shown of it is void, and deleted. */
export async function restartAnswer(tx: ChatsDb, message_id: string, now: number): Promise<void> {
  await deleteDeltas(tx, message_id);
  await deleteCitations(tx, message_id);
  await appendEvents(tx, message_id, [statusEvent("PROCESSING")], now);
}

/**
 * Appends the rest of the answer, its citations and the end. An answer that differs from what was
 * shown is shown again from the beginning.
 */
export async function completeAnswer(
  tx: ChatsDb,
  message_id: string,
  result: AnswerResult,
  now: number,
): Promise<void> {
  const shown = await shownText(tx, message_id);
  const continues = result.answer.startsWith(shown);
  if (!continues) await restartAnswer(tx, message_id, now);
  await appendEvents(
    tx,
    message_id,
    [
      ...deltaEvents(result.answer.slice(continues ? shown.length : 0)),
      ...citationEvents(result),
      done,
    ],
    now,
  );
}

/** There will be no answer: what was shown of it is void, and deleted. */
export async function failAnswer(tx: ChatsDb, message_id: string, now: number): Promise<void> {
  await deleteDeltas(tx, message_id);
  await deleteCitations(tx, message_id);
  await appendEvents(tx, message_id, [failed], now);
}

/** The final state of a cancelled message. */
export const cancelledAt = (completed_at: number) =>
  ({
    status: "CANCELLED",
    completed_at,
    error_code: "cancelled",
    error_message: "The answer was cancelled.",
  }) as const satisfies Ending;

/** Replaces the deleted events of a finished message: its outcome, from the beginning. */
export const replayedEvents = (result: AnswerResult | null): NewEvent[] =>
  result === null
    ? [failed]
    : [statusEvent("PROCESSING"), ...deltaEvents(result.answer), ...citationEvents(result), done];

/** Text is buffered this long, so that it is written a few times a second. */
const flush_every_ms = 60;
/** The rest of a longer answer is shown when it is complete. */
const shown_chars_max = 200_000;

/** Collects the pieces of an unfinished answer, and writes them together. */
export class DeltaBuffer {
  private pending = "";
  private length = 0;
  private stopped = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private writing: Promise<void> | undefined;

  /** `write` returns false when no more is wanted. */
  constructor(private readonly write: (text: string) => Promise<boolean>) {}

  /** Adds text, which is written as events a moment later. Text beyond the limit is dropped. */
  add(text: string): void {
    if (this.stopped || this.length >= shown_chars_max) return;
    const shown = text.slice(0, shown_chars_max - this.length);
    this.length += shown.length;
    this.pending += shown;
    this.schedule();
  }

  /** When it resolves, nothing more is written; the rest comes with the whole answer. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.writing;
  }

  /** How much can be written: half a surrogate pair waits for its other half. */
  private writableLength(): number {
    const { pending } = this;
    return pending.length - Number(isHighSurrogate(pending, pending.length - 1));
  }

  private schedule(): void {
    if (this.stopped || this.writing || this.writableLength() === 0) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.writing = this.flush().finally(() => {
        this.writing = undefined;
        this.schedule();
      });
    }, flush_every_ms);
  }

  private async flush(): Promise<void> {
    const end = this.writableLength();
    const text = this.pending.slice(0, end);
    this.pending = this.pending.slice(end);
    if (!(await this.write(text))) this.stopped = true;
  }
}
