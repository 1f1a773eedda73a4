/** Waiting for a change of a message: woken by that message alone, never left behind. */
import { expect, test } from "bun:test";
import { createChanges } from "../../plugins/chats/changes";

const long_ms = 60_000;
const idle = new AbortController().signal;

/** Whether the promise has settled once everything that is due has run. */
async function settledNow(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

test("a change of the message wakes the one who waits", async () => {
  const changes = createChanges();
  const listener = changes.listen("msg_1");
  const next = listener.next(long_ms, [idle]);
  expect(await settledNow(next)).toBe(false);
  changes.announce("msg_1");
  await next;
  listener.close();
  expect(changes.count).toBe(0);
});

test("a change between listening and waiting is not missed", async () => {
  const changes = createChanges();
  const listener = changes.listen("msg_1");
  changes.announce("msg_1");
  await listener.next(long_ms, [idle]);
  listener.close();
});

test("a change of another message wakes nobody", async () => {
  const changes = createChanges();
  const listener = changes.listen("msg_1");
  const end = new AbortController();
  const next = listener.next(long_ms, [end.signal]);
  changes.announce("msg_2");
  expect(await settledNow(next)).toBe(false);
  end.abort();
  await next;
  listener.close();
});

test("each of several signals ends the wait, also one that fired before", async () => {
  const changes = createChanges();
  const listener = changes.listen("msg_1");
  const stopping = new AbortController();
  const next = listener.next(long_ms, [idle, stopping.signal]);
  expect(await settledNow(next)).toBe(false);
  stopping.abort();
  await next;
  await listener.next(long_ms, [AbortSignal.abort(), idle]);
  listener.close();
});

test("the time limit ends the wait", async () => {
  const changes = createChanges();
  const listener = changes.listen("msg_1");
  await listener.next(1, [idle]);
  listener.close();
  expect(changes.count).toBe(0);
});

test("everyone who listens to a message is woken, and closing one keeps the others", async () => {
  const changes = createChanges();
  const listeners = Array.from({ length: 5 }, () => changes.listen("msg_1"));
  listeners[0]!.close();
  const nexts = listeners.slice(1).map((listener) => listener.next(long_ms, [idle]));
  expect(changes.count).toBe(4);
  changes.announce("msg_1");
  await Promise.all(nexts);
  for (const listener of listeners) listener.close();
  expect(changes.count).toBe(0);
});
