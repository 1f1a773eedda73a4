/** Waiting for a message to change: woken by that message only, and no change is missed. */
import { expect, test } from "bun:test";
import { LocalNotifier } from "../../core/base/notifier";
import { StatusChanged, Waiter } from "../../plugins/chats/events/waiter";

const long_ms = 60_000;
const idle = new AbortController().signal;

/** Whether the promise has settled once all pending work has run. */
async function settledNow(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

test("a change to the message ends the wait", async () => {
  const notifier = new LocalNotifier();
  const waiter = new Waiter(notifier, StatusChanged, ["msg_1"], "usr_1");
  const next = waiter.next(long_ms, [idle]);
  expect(await settledNow(next)).toBe(false);
  notifier.publish(StatusChanged, "msg_1", null);
  await next;
  waiter.close();
  expect(notifier.subscriptions).toBe(0);
});

test("a change between listening and waiting is not missed", async () => {
  const notifier = new LocalNotifier();
  const waiter = new Waiter(notifier, StatusChanged, ["msg_1"], "usr_1");
  notifier.publish(StatusChanged, "msg_1", null);
  await waiter.next(long_ms, [idle]);
  waiter.close();
});

test("a change to another message doesn't end the wait", async () => {
  const notifier = new LocalNotifier();
  const waiter = new Waiter(notifier, StatusChanged, ["msg_1"], "usr_1");
  const end = new AbortController();
  const next = waiter.next(long_ms, [end.signal]);
  notifier.publish(StatusChanged, "msg_2", null);
  expect(await settledNow(next)).toBe(false);
  end.abort();
  await next;
  waiter.close();
});

test("any of several signals ends the wait, even one already aborted", async () => {
  const notifier = new LocalNotifier();
  const waiter = new Waiter(notifier, StatusChanged, ["msg_1"], "usr_1");
  const stopping = new AbortController();
  const next = waiter.next(long_ms, [idle, stopping.signal]);
  expect(await settledNow(next)).toBe(false);
  stopping.abort();
  await next;
  await waiter.next(long_ms, [AbortSignal.abort(), idle]);
  waiter.close();
});

test("the time limit ends the wait", async () => {
  const notifier = new LocalNotifier();
  const waiter = new Waiter(notifier, StatusChanged, ["msg_1"], "usr_1");
  await waiter.next(1, [idle]);
  waiter.close();
  expect(notifier.subscriptions).toBe(0);
});

test("all waiters of a message are woken, and closing one keeps the others", async () => {
  const notifier = new LocalNotifier();
  const waiters = Array.from(
    { length: 5 },
    () => new Waiter(notifier, StatusChanged, ["msg_1"], "usr_1"),
  );
  waiters[0]!.close();
  const nexts = waiters.slice(1).map((waiter) => waiter.next(long_ms, [idle]));
  expect(notifier.subscriptions).toBe(4);
  notifier.publish(StatusChanged, "msg_1", null);
  await Promise.all(nexts);
  for (const waiter of waiters) waiter.close();
  expect(notifier.subscriptions).toBe(0);
});
