/** Server-sent events: reads a stream, and goes on where a broken connection left off. */
import { DossierError } from "./errors.js";
import { Deadline, pause } from "./signals.js";
import type { CallOptions, Transport } from "./transport.js";

export interface ServerEvent {
  readonly event: string;
  readonly data: string;
  /** The last id that the stream gave, with this event or before it. */
  readonly id: string;
}

/** Lines end with LF, CRLF or CR, wherever the chunks are cut. */
const line_end = /\r\n|\n|\r(?!$)/;

interface Listening {
  /** Ends it. */
  readonly signal?: AbortSignal;
  readonly onBytes?: () => void;
  /** The server says how long to wait, milliseconds. */
  readonly onRetry?: (ms: number) => void;
  /** The place in the stream, with or without an event. */
  readonly onId?: (id: string) => void;
}

/** The events of a body, to its end. */
export async function* eventsOf(
  body: ReadableStream<Uint8Array>,
  { onBytes, onRetry, onId, signal }: Listening = {},
): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = body.getReader();
  const stop = (): void => void reader.cancel().catch(() => {});
  signal?.addEventListener("abort", stop, { once: true });
  const decoder = new TextDecoder();
  let [rest, id, event] = ["", "", ""];
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes?.();
      const lines = (rest + decoder.decode(value, { stream: true })).split(line_end);
      rest = lines.pop()!;
      for (const line of lines) {
        const [, field = "", words = ""] = /^([^:]*)(?:: ?)?(.*)$/s.exec(line)!;
        if (line === "") {
          onId?.(id);
          if (data.length > 0) yield { event: event || "message", data: data.join("\n"), id };
          [data, event] = [[], ""];
        } else if (field === "data") data.push(words);
        else if (field === "event") event = words;
        else if (field === "id" && !words.includes("\0")) id = words;
        else if (field === "retry" && /^\d+$/.test(words)) onRetry?.(Number(words));
      }
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    await reader.cancel().catch(() => {});
  }
}

export interface FollowOptions extends CallOptions {
  /** Go on after this one. */
  readonly lastEventId?: string | undefined;
  /** How long a stream may be silent, milliseconds: the server sends a comment every 15 s. */
  readonly silenceMax?: number;
  /** How often in a row a connection may break without a single event. Default 10. */
  readonly breaksMax?: number;
}

/**
 * The events at a path. A connection that breaks, ends or falls silent is opened again, after the
 * last event that came; it is over when the caller leaves, or when the server says 204.
 * @throws DossierError
 */
export async function* follow(
  transport: Transport,
  call: { readonly path: string; readonly query?: object },
  options: FollowOptions = {},
): AsyncGenerator<ServerEvent, void, undefined> {
  const { signal, silenceMax = 60_000, breaksMax = 10 } = options;
  let last = options.lastEventId ?? "";
  let retry_ms = 1_000;
  for (let breaks = 0; ; breaks++) {
    if (breaks > breaksMax)
      throw new DossierError("The stream of events broke again and again.", {
        code: "unreachable",
      });
    if (breaks > 0) await pause(Math.min(retry_ms * breaks, 15_000), signal);
    const deadline = new Deadline(signal, silenceMax);
    try {
      const headers = { ...options.headers, accept: "text/event-stream" };
      const response = await transport.raw(
        { method: "GET", ...call },
        {
          ...options,
          signal: deadline.signal,
          headers: last === "" ? headers : { ...headers, "last-event-id": last },
        },
      );
      if (response.status === 204 || !response.body) return;
      const reading = {
        signal: deadline.signal,
        onBytes: () => deadline.restart(),
        onRetry: (ms: number) => void (retry_ms = ms),
        onId: (id: string) => void (last = id || last),
      };
      for await (const event of eventsOf(response.body, reading)) {
        breaks = 0;
        deadline.stopClock();
        yield event;
        deadline.restart();
      }
      signal?.throwIfAborted();
    } catch (error) {
      signal?.throwIfAborted();
      // What the server has answered is final; what broke is tried again.
      if (error instanceof DossierError && error.status !== 0) throw error;
    } finally {
      deadline.end();
    }
  }
}
