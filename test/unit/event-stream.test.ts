/** An event stream reads only as fast as its client and sends only what the client may see. */
import { expect, test } from "bun:test";
import { eventStream, StreamLimit, type Feed } from "../../core/http/event-stream";

/** Has a new event whenever it is woken, and counts how often it is read. */
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

test("nothing is read for a client that doesn't consume", async () => {
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

test("new events are sent together, an idle stream sends comments, an abort ends it", async () => {
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

test("a client that lost access gets no new events", async () => {
  const feed = new Counted();
  let allowed = true;
  const reader = opened(feed, { isAllowed: async () => allowed }).getReader();
  await reader.read();
  allowed = false;
  feed.tell(1);
  expect(decoder.decode((await reader.read()).value)).toBe("event: closed\n\n");
  expect((await reader.read()).done).toBe(true);
});

test("streams are limited per owner and in total, and each counts once", async () => {
  const limit = new StreamLimit({ what: "events", advice: "Wait." }, () => 2, 3);
  const [release] = [await limit.acquire("ada"), await limit.acquire("ada")];
  await expect(limit.acquire("ada")).rejects.toMatchObject({ status: 429 });
  await limit.acquire("eve");
  await expect(limit.acquire("ben")).rejects.toMatchObject({ status: 503 });
  release();
  await limit.acquire("ben");
});
