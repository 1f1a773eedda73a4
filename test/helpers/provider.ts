/**
 * A scripted OpenAI-compatible chat endpoint on loopback: it answers, lies, breaks off or stays
 * silent.
 */

export interface ProviderRequest {
  readonly headers: Headers;
  readonly path: string;
  readonly body: any;
  readonly signal: AbortSignal;
}
/** `n` counts the requests since the script was set, from 0. */
export type ProviderScript = (request: ProviderRequest, n: number) => Response | Promise<Response>;

const event = (data: unknown): string =>
  `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
const chunk = (delta: object, finish_reason: string | null = null): string =>
  event({
    id: "c",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason }],
  });
/** The numbers of tokens that every answer reports. */
export const used = { prompt_tokens: 321, completion_tokens: 12, total_tokens: 333 };

/** A stream of these raw events; `open` leaves it open after the last one. */
export const raw = (
  pieces: readonly string[],
  {
    open = false,
    headers = {},
  }: { readonly open?: boolean; readonly headers?: Record<string, string> } = {},
): Response =>
  new Response(
    new ReadableStream({
      async start(controller) {
        for (const piece of pieces) {
          controller.enqueue(new TextEncoder().encode(piece));
          await Bun.sleep(0);
        }
        if (!open) controller.close();
      },
    }),
    { headers: { "content-type": "text/event-stream", ...headers } },
  );

/** The text as a well-behaved server streams it, a few characters at a time. */
export const says = (
  text: string,
  { finish = "stop", size = 7 }: { readonly finish?: string; readonly size?: number } = {},
): Response =>
  raw([
    chunk({ role: "assistant", content: "" }),
    ...pieces(text, size).map((content) => chunk({ content })),
    chunk({}, finish),
    event({ choices: [], usage: used }),
    event("[DONE]"),
  ]);
/** The text, and then nothing: no end, and with `open` no close. */
export const breaksOff = (text: string, open = false): Response =>
  raw(
    pieces(text, 7).map((content) => chunk({ content })),
    { open },
  );
/** A server that does not stream. */
export const saysWhole = (text: string): Response =>
  Response.json({
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: used,
  });
/** An error of the provider. */
export const fails = (
  status: number,
  error: object = { message: "no" },
  headers: Record<string, string> = {},
): Response => Response.json({ error }, { status, headers });
export { chunk, event };

const pieces = (text: string, size: number): string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
    text.slice(i * size, (i + 1) * size),
  );

/** Starts it on a free port. */
export function startProvider() {
  let play: ProviderScript = () => says("");
  let requests: ProviderRequest[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const received_request = {
        headers: request.headers,
        path: new URL(request.url).pathname,
        body: request.method === "GET" ? null : await request.json(),
        signal: request.signal,
      };
      requests.push(received_request);
      return play(received_request, requests.length - 1);
    },
  });
  return {
    base_url: `http://127.0.0.1:${server.port}/v1`,
    /** Sets the script; forgets earlier requests. */
    answerWith(next: ProviderScript) {
      play = next;
      requests = [];
    },
    asked: () => requests,
    stop: () => server.stop(true),
  };
}
/** A running endpoint. */
export type Provider = ReturnType<typeof startProvider>;
