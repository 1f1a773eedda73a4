/**
 * What an answer tells those who watch it, from the message to its end. What is stored of its text
 * is always what counts: text that became void is deleted.
 */
import type { AnswerResult } from "./contract";
import { appendEvents, deleteDeltas, shownText, type NewEvent } from "./event-rows";
import { deleteCitations, type ChatsDb, type MessageStatus } from "./store";

/** Longer texts are taken apart, so that nobody ever holds more than a few of them in memory. */
const piece_chars = 4_096;

/** The text in pieces that never cut a character in two. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    const to =
      from + piece_chars < text.length && isHighSurrogate(text, from + piece_chars - 1)
        ? from + piece_chars - 1
        : Math.min(text.length, from + piece_chars);
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}
/** The first half of a character that takes two places. */
export const isHighSurrogate = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xd800;

export const statusEvent = (status: MessageStatus): NewEvent => ({ kind: "status", data: status });
export const deltaEvents = (text: string): NewEvent[] =>
  piecesOf(text).map((data) => ({ kind: "delta", data }));
const citationEvents = ({ citations }: AnswerResult): NewEvent[] =>
  citations.map(({ id }) => ({ kind: "citation", data: String(id) }));
const done: NewEvent = { kind: "done", data: "" };
const failed: NewEvent = { kind: "error", data: "" };

/** The answer begins anew: what was shown of it before is void, and gone. */
export async function restart(tx: ChatsDb, message_id: string, now: number): Promise<void> {
  await deleteDeltas(tx, message_id);
  await deleteCitations(tx, message_id);
  await appendEvents(tx, message_id, [statusEvent("PROCESSING")], now);
}

/**
 * What is still missing of the answer, its citations and the end. An answer that reads differently
 * from what was shown is shown anew.
 */
export async function complete(
  tx: ChatsDb,
  message_id: string,
  result: AnswerResult,
  now: number,
): Promise<void> {
  const shown = await shownText(tx, message_id);
  const goes_on = result.answer.startsWith(shown);
  if (!goes_on) await restart(tx, message_id, now);
  await appendEvents(
    tx,
    message_id,
    [
      ...deltaEvents(result.answer.slice(goes_on ? shown.length : 0)),
      ...citationEvents(result),
      done,
    ],
    now,
  );
}

/** There will be no answer: what was shown of one is void. */
export async function fail(tx: ChatsDb, message_id: string, now: number): Promise<void> {
  await deleteDeltas(tx, message_id);
  await deleteCitations(tx, message_id);
  await appendEvents(tx, message_id, [failed], now);
}

/**
 * The events of a finished message whose own are deleted: those that tell how it ended, anew from
 * the beginning.
 */
export const retold = (result: AnswerResult | null): NewEvent[] =>
  result === null
    ? [failed]
    : [statusEvent("PROCESSING"), ...deltaEvents(result.answer), ...citationEvents(result), done];
