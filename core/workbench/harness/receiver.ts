/**
 * An HTTP server on loopback for requests that Dossier or a plugin sends: records and answers them.
 */
import { parsedJson } from "../../lib/json-values";

/** A received request. */
export interface Received {
  readonly method: string;
  /** Including the query. */
  readonly path: string;
  readonly headers: Headers;
  readonly text: string;
  /** The text parsed as JSON, or undefined when it is not JSON. */
  readonly body: any;
}
/** A server that a test controls. */
export interface Receiver {
  /** `http://127.0.0.1:41234`. Imports and webhooks may reach it. */
  readonly url: string;
  /** The received requests, in order. */
  readonly received: readonly Received[];
  /** Sets the response; 204 by default. Forgets earlier requests. */
  answers(answer: (request: Received) => Response | Promise<Response>): void;
}

/** Starts one on a free port. */
export function startReceiver(): Receiver & { stop(): void } {
  let received: Received[] = [];
  let answer: (request: Received) => Response | Promise<Response> = () =>
    new Response(null, { status: 204 });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const text = await request.text();
      const { method, headers } = request;
      const received_request = {
        method,
        path: pathname + search,
        headers,
        text,
        body: parsedJson(text),
      };
      received.push(received_request);
      return answer(received_request);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    get received() {
      return received;
    },
    answers(next) {
      received = [];
      answer = next;
    },
    stop: () => void server.stop(true),
  };
}
