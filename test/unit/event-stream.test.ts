/** A stream of events reads only what its client takes, and sends only what it may. */
import { expect, test } from "bun:test";
import { eventStream, StreamLimit, type Feed } from "../../core/http/event-stream";

/** Has something new whenever it is woken, and counts how often it is read. */
class Counted implements Feed {
  reads = 0;
  news = 0;
  wake = (): void => undefined;
  readonly subscribe = (wake: () => void): (() => void) => {
    this.wake = wake;
    return () => (this.wake = () => undefined);
  };
  read(): string {
    this.reads += 1;
    return this.news > 0 ? `data: ${this.news--}\n\n` : "";
  }
  tell(news: number): void {
    this.news += news;
    this.wake();
  }
  refusal = (): string => "event: closed\n\n";
}
const opened = (feed: Feed, more: object = {}) =>
  eventStream({ feed, owner_id: "ada", isAllowed: async () => true, signals: [], ...more });
const decoder = new TextDecoder();

test("nothing is read for a client that takes nothing, however much is new", async () => {
  const feed = new Counted();
  const reader = opened(feed).getReader();
  expect(decoder.decode((await reader.read()).value)).toStartWith("retry: ");
  for (let n = 0; n < 1_000; n++) feed.tell(1);
  await Bun.sleep(5);
  expect(feed.reads).toBe(0);
  await reader.read();
  expect(feed.reads).toBe(1);
  await reader.cancel();
  feed.tell(1);
  expect(feed.reads).toBe(1);
});

test("what comes together is sent together, a silent stream sends a comment, an abort ends it", async () => {
  const feed = new Counted();
  const stopping = new AbortController();
  const more = { gather_ms: 5, heartbeat_ms: 20, signals: [stopping.signal] };
  const reader = opened(feed, more).getReader();
  await reader.read();
  expect(decoder.decode((await reader.read()).value)).toBe(":\n\n");
  const next = reader.read();
  stopping.abort();
  expect((await next).done).toBe(true);
});

test("whoever may listen no more is sent nothing of what is new", async () => {
  const feed = new Counted();
  let allowed = true;
  const reader = opened(feed, { isAllowed: async () => allowed }).getReader();
  await reader.read();
  allowed = false;
  feed.tell(1);
  expect(decoder.decode((await reader.read()).value)).toBe("event: closed\n\n");
  expect((await reader.read()).done).toBe(true);
});

test("so many streams of one owner, and in all, and each is counted once", async () => {
  const limit = new StreamLimit({ what: "events", advice: "Wait." }, () => 2, 3);
  const [one] = [await limit.acquire("ada"), await limit.acquire("ada")];
  await expect(limit.acquire("ada")).rejects.toMatchObject({ status: 429 });
  await limit.acquire("eve");
  await expect(limit.acquire("ben")).rejects.toMatchObject({ status: 503 });
  one();
  await limit.acquire("ben");
});
