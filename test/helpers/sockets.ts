/** Requests over a bare socket, byte by byte, with timing controlled by the test. */
import { connect } from "node:net";
import type { Answered } from "./server";

/** A socket that sends on command; with `paused` it never reads. */
export interface RawSocket {
  send(bytes: string | Uint8Array): void;
  /**
   * The next response. @throws Error when none has arrived after four seconds, or `limit_ms`, or
   * the peer closes before.
   */
  answer(limit_ms?: number): Promise<Answered>;
  /** Closes the connection immediately, whatever is in progress. */
  cut(): void;
}
/** Connects to the host of an address. `paused`: does not read until it is told to. */
export function openSocket(
  url: string,
  { paused = false }: { readonly paused?: boolean } = {},
): RawSocket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  let wake = (): void => undefined;
  let closed = false;
  if (paused) socket.pause();
  else
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      wake();
    });
  socket.on("close", () => {
    closed = true;
    wake();
  });
  socket.on("error", () => undefined);
  return {
    send: (bytes) => void socket.write(bytes),
    cut: () => void socket.destroy(),
    async answer(limit_ms = 4_000) {
      const deadline = performance.now() + limit_ms;
      for (;;) {
        const parsed = parseAnswer(Buffer.concat(chunks), closed);
        if (parsed) return parsed;
        if (closed || performance.now() > deadline)
          throw new Error(
            `no answer on the socket${closed ? ": it was closed" : ""}; so far: ${Buffer.concat(chunks).toString()}`,
          );
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, 200);
        });
      }
    },
  };
}

function parseAnswer(bytes: Buffer, closed: boolean): Answered | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = bytes.subarray(0, end).toString().split("\r\n");
  const headers = new Headers(
    lines.map((line) => [
      line.slice(0, line.indexOf(":")),
      line.slice(line.indexOf(":") + 1).trim(),
    ]),
  );
  const body = bytes.subarray(end + 4);
  const length = headers.get("content-length");
  if (length === null ? !closed : body.length < Number(length)) return undefined;
  const text = body.toString();
  return {
    status: Number(first.split(" ")[1]),
    headers,
    text,
    body: headers.get("content-type")?.includes("json") ? JSON.parse(text) : text,
  };
}

/** The head of a request, for a bare socket. */
export const head = (
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): string =>
  [
    `${method} /api/dev/v1${path} HTTP/1.1`,
    "Host: dossier",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
    "",
  ].join("\r\n");
