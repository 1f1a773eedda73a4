/**
 * Reads an answer's server-sent events like an independent client, without the server's own code.
 */
import { expect } from "bun:test";

/** A server-sent event with its JSON. */
export interface Event<I = number> {
  readonly id: I;
  readonly event: string;
  readonly data: any;
}
/** The client's state after these events: each `status` resets it. */
export interface StreamState {
  readonly text: string;
  readonly citations: readonly any[];
  readonly result: any;
  readonly error: any;
}

/** What a client shows after these events. */
export function stateAfter(
  events: readonly Event[],
  before: StreamState = { text: "", citations: [], result: null, error: null },
): StreamState {
  return events.reduce((so_far: StreamState, { event, data }): StreamState => {
    switch (event) {
      case "status":
        return { ...so_far, text: "", citations: [] };
      case "delta":
        return { ...so_far, text: so_far.text + data.text };
      case "citation":
        return { ...so_far, citations: [...so_far.citations, data] };
      case "done":
        return { ...so_far, result: data };
      case "error":
        return { ...so_far, error: data };
      default:
        throw new Error(`an event of an unknown kind: ${event}`);
    }
  }, before);
}

/** A piece of text that contains the word. */
export const says =
  (word: string) =>
  ({ event, data }: Event): boolean =>
    event === "delta" && data.text.includes(word);

/** Ids increase, none is repeated, and only the last event ends a stream. */
export function expectInOrder(events: readonly Event[]): void {
  for (const [at, { id }] of events.entries())
    if (at > 0) expect(id).toBeGreaterThan(events[at - 1]!.id);
  expect(events.slice(0, -1).filter(({ event }) => event === "done" || event === "error")).toEqual(
    [],
  );
}

/** Reads a stream until it ends. */
export interface Watcher<I = number> {
  readonly status: number;
  readonly headers: Headers;
  /** Every event so far. */
  readonly events: readonly Event<I>[];
  /** Comments so far. */
  readonly comments: number;
  /** Waits for a matching event. @throws Error when the stream ends without one. */
  until(matches: (event: Event<I>) => boolean): Promise<Event<I>>;
  /** Settles when the stream has ended: true when the server ended it, false when it broke. */
  readonly ended: Promise<boolean>;
  /** Disconnects. */
  disconnect(): Promise<void>;
}

/** Watches a stream whose ids are numbers. */
export const watching = (response: Response): Watcher => watchingBy(response, Number);

/** The same where ids are not numbers. */
export function watchingBy<I>(response: Response, idOf: (text: string) => I): Watcher<I> {
  const events: Event<I>[] = [];
  const waiting = new Set<() => void>();
  const reader = response.body?.getReader();
  let comments = 0;
  let is_over = false;
  let rest = "";
  const take = (block: string): void => {
    const fields = new Map(
      block
        .split("\n")
        .map((line): [string, string] => [
          line.slice(0, line.indexOf(":")),
          line.slice(line.indexOf(":") + 1).trim(),
        ]),
    );
    if (block.startsWith(":")) comments += 1;
    else if (fields.has("event"))
      events.push({
        id: idOf(fields.get("id")!),
        event: fields.get("event")!,
        data: JSON.parse(fields.get("data")!),
      });
  };
  const wake = (): void => {
    for (const wake of waiting) wake();
  };
  async function read(): Promise<boolean> {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    try {
      for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
        const blocks = (rest + decoder.decode(piece.value, { stream: true })).split("\n\n");
        rest = blocks.pop()!;
        blocks.forEach(take);
        wake();
      }
      return true;
    } catch {
      return false;
    } finally {
      is_over = true;
      wake();
    }
  }
  const ended = read();
  return {
    status: response.status,
    headers: response.headers,
    events,
    ended,
    get comments() {
      return comments;
    },
    async until(matches) {
      for (;;) {
        const event = events.find(matches);
        if (event) return event;
        if (is_over) throw new Error(`the stream ended after ${JSON.stringify(events)}`);
        await new Promise<void>((resolve) => {
          const onEvent = () => {
            waiting.delete(onEvent);
            resolve();
          };
          waiting.add(onEvent);
        });
      }
    },
    disconnect: async () => {
      await reader?.cancel().catch(() => undefined);
    },
  };
}
