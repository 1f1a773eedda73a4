/** Server-sent events: reads a stream, and resumes after a broken connection. */
import { DossierError } from "./errors.js";
import { Deadline, pause } from "./signals.js";
import type { CallOptions, Transport } from "./transport.js";

export interface ServerEvent {
  readonly event: string;
  readonly data: string;
  /** The last id in the stream, of this event or an earlier one. */
  readonly id: string;
}

/** Lines end with LF, CRLF or CR, wherever chunks are split. */
const line_end = /\r\n|\n|\r(?!$)/;

interface Listening {
  /** An empty line ends the event. */
  readonly signal?: AbortSignal;
  readonly onBytes?: () => void;
  /** The reconnection time set by the server, in milliseconds. */
  readonly onRetry?: (ms: number) => void;
  /** The position in the stream, with or without an event. */
  readonly onId?: (id: string) => void;
}

/** The events of a response body, up to its end. */
export async function* eventsOf(
  body: ReadableStream<Uint8Array>,
  { onBytes, onRetry, onId, signal }: Listening = {},
): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = body.getReader();
  const stop = (): void => void reader.cancel().catch(() => {});
  signal?.addEventListener("abort", stop, { once: true });
  const decoder = new TextDecoder();
  let rest = "";
  let id = "";
  let event = "";
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
  /** Resume after this one. */
  readonly lastEventId?: string | undefined;
  /** The longest silence, in milliseconds: the server sends a comment every 15 s. */
  readonly silenceMax?: number;
  /** How many consecutive connections may break without a single event. Default 10. */
  readonly breaksMax?: number;
}

/**
 * The events at a path. A connection that breaks, ends or stays silent is reopened after the last
 * event received; the stream ends when the caller leaves the loop, or the server responds 204.
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
        onRetry: (ms: number) => {
          retry_ms = ms;
        },
        onId: (id: string) => {
          last = id || last;
        },
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
      // Responses of the server are final; broken connections are retried.
      if (error instanceof DossierError && error.status !== 0) throw error;
    } finally {
      deadline.end();
    }
  }
}
