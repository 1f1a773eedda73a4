/** The chat messages kept by the console: unchanged messages are not rendered again. */
import { expect, test } from "bun:test";
import {
  withNewest,
  withOlder,
  type FetchedMessages,
} from "../../plugins/console/web/api/message-list";

interface Message {
  readonly requestId: string;
  readonly liked: boolean;
}
const message = (number: number, liked = false): Message => ({ requestId: `r${number}`, liked });
const keep = <T>(before: T, now: T): T => (Bun.deepEquals(before, now) ? before : now);
const numbered = (newest: number, oldest: number): Message[] =>
  Array.from({ length: newest - oldest + 1 }, (_, at) => message(newest - at));
const page = (data: readonly Message[], total: number) => ({
  data,
  pagination: { total, next_page: data.length < total ? 2 : null },
});
const known: FetchedMessages<Message> = { messages: numbered(30, 1), total: 30 };

test.each([
  ["nothing new", page(numbered(30, 21), 30), numbered(30, 1), 30],
  ["one was sent, so all others moved", page(numbered(31, 22), 31), numbered(31, 1), 30],
  [
    "more were sent than a page holds, leaving a gap",
    page(numbered(50, 41), 50),
    numbered(50, 41),
    0,
  ],
  ["most were deleted", page(numbered(3, 1), 3), numbered(3, 1), 3],
] as const)("the newest are fetched again: %s", (_, newest, expected, same) => {
  const now = withNewest(known, newest, keep);
  expect(now).toEqual({ messages: expected, total: newest.pagination.total });
  expect(now.messages.filter((message) => known.messages.includes(message))).toHaveLength(same);
});

test("a changed message is replaced, on earlier pages too", () => {
  const changed = message(5, true);
  const now = withOlder(known, page([...numbered(10, 6), changed, ...numbered(4, 1)], 30), keep);
  expect(now.messages.map(({ requestId }) => requestId)).toEqual(
    known.messages.map(({ requestId }) => requestId),
  );
  expect(now.messages.filter((message) => !known.messages.includes(message))).toEqual([changed]);
});

test("an earlier page may repeat messages when one was sent meanwhile", () => {
  const fetched: FetchedMessages<Message> = { messages: numbered(30, 11), total: 30 };
  expect(withOlder(fetched, page(numbered(11, 1), 31), keep)).toEqual({
    messages: numbered(30, 1),
    total: 31,
  });
});
