/**
 * A reverse proxy for tests: each request goes to the next server. Unreachable servers are skipped;
 * when a server dies during a response, the response is cut off.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** A running proxy. */
export interface RoundRobin {
  readonly url: string;
  stop(): void;
}

/** `targets`: the addresses of servers, read at each request; null for one that is down. */
export async function startRoundRobin(
  targets: () => readonly (string | null)[],
): Promise<RoundRobin> {
  let next = 0;
  const server = createServer((request, response) => {
    void forward(request, response, () => targets()[next++ % targets().length] ?? null).catch(() =>
      // It is unknown whether the request was processed.
      request.socket.destroy(),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const attempts_max = 6;

/** @throws Error when the response is cut off */
async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  nextTarget: () => string | null,
): Promise<void> {
  // Read completely, so that it can be sent to another server.
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  const disconnection = new AbortController();
  response.on("close", () => disconnection.abort());
  for (let attempt = 0; attempt < attempts_max; attempt++) {
    const target = nextTarget();
    if (target === null) continue;
    let answer: Response;
    try {
      answer = await fetch(`${target}${request.url}`, {
        method: request.method!,
        headers: headersOf(request),
        redirect: "manual",
        signal: disconnection.signal,
        decompress: false,
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      });
    } catch (error) {
      if (isRefused(error)) continue;
      throw error;
    }
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.flushHeaders();
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
    return;
  }
  response.writeHead(503).end();
}

const isRefused = (error: unknown): boolean =>
  ["ConnectionRefused", "ECONNREFUSED"].includes((error as { code?: string }).code ?? "");

function headersOf(request: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (!["connection", "host", "transfer-encoding"].includes(name) && value !== undefined)
      headers.set(name, String(value));
  return headers;
}
