/**
 * Posts to user-supplied URLs, over a connection to an address that was checked before. Uses a
 * socket instead of `fetch`, which fails on truncated headers: here the status line alone decides.
 */
import type { Socket } from "node:net";
import { atFirstAddress } from "./pinned-fetch";
import { ResponseReader } from "./response-reader";
import type { Target } from "./target";

/** A request, without its URL. */
export interface PinnedPost {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends the connection. */
  readonly signal: AbortSignal;
  /** How much of the response's body is wanted, and how long to wait for it after the status. */
  readonly answer: { readonly bytes_max: number; readonly ms_max: number };
}
/** The part of a response that has arrived. */
export interface PostAnswer {
  readonly status: number;
  /** As far as they arrived. */
  readonly headers: Headers;
  /** Its beginning, unmodified. */
  readonly body: Uint8Array;
}

/**
 * Connects to the first address that accepts a connection; the certificate is verified against the
 * name in the URL. Follows no redirect, ignores proxies and TLS settings of the environment, and
 * does not decompress. @throws Error when no status arrived.
 */
export const postPinned = (
  target: Target,
  addresses: readonly string[],
  request: PinnedPost,
): Promise<PostAnswer> =>
  atFirstAddress(addresses, async (address) => {
    request.signal.throwIfAborted();
    const socket = connectTo(target, address);
    const onAbort = (): void => {
      socket.destroy(request.signal.reason);
    };
    request.signal.addEventListener("abort", onAbort, { once: true });
    try {
      await untilConnected(socket, target);
      socket.write(bytesOf(target, request));
      return await readResponse(socket, request.answer);
    } finally {
      request.signal.removeEventListener("abort", onAbort);
      socket.on("error", () => undefined);
      socket.destroy();
    }
  });

function connectTo({ url, host, is_address }: Target, address: string): Socket {
  const is_secure = url.protocol === "https:";
  const port = url.port === "" ? (is_secure ? 443 : 80) : Number(url.port);
  return is_secure
    ? process.getBuiltinModule("node:tls").connect({
        host: address,
        port,
        rejectUnauthorized: true,
        ALPNProtocols: ["http/1.1"],
        ...(is_address ? {} : { servername: host }),
      })
    : process.getBuiltinModule("node:net").connect({ host: address, port });
}

/** @throws Error when there is no connection or no valid certificate. */
async function untilConnected(socket: Socket, { url }: Target): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => resolve());
  socket.once("error", reject);
  socket.once("close", () => reject(closed()));
  try {
    await promise;
  } finally {
    socket.removeListener("error", reject);
  }
}

/** Resolves when nothing more is wanted, the time is over, or the connection ends. */
async function readResponse(
  socket: Socket,
  { bytes_max, ms_max }: PinnedPost["answer"],
): Promise<PostAnswer> {
  const reader = new ResponseReader(bytes_max);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (error?: Error): void => {
    try {
      reader.end();
      resolve();
    } catch (not_http) {
      reject(error ?? not_http);
    }
  };
  socket.on("data", (chunk: Buffer) => {
    try {
      if (!reader.take(chunk)) resolve();
      else if (reader.status !== undefined) timer ??= setTimeout(resolve, ms_max);
    } catch (error) {
      reject(error);
    }
  });
  socket.on("error", end);
  socket.on("close", () => end(closed()));
  try {
    await promise;
  } finally {
    clearTimeout(timer);
  }
  const { status, headers, body } = reader;
  return { status: status!, headers, body };
}

const closed = (): Error =>
  Object.assign(new Error("the connection was closed"), { code: "ECONNRESET" });

/** @throws Error on a header that contains a line break. */
function bytesOf({ url }: Target, { headers, body }: PinnedPost): string {
  const lines = Object.entries({
    host: url.host,
    connection: "close",
    accept: "*/*",
    "accept-encoding": "identity",
    "content-length": String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  if (lines.some((line) => /[\r\n\0]/.test(line))) throw new Error("a header holds a line break");
  return `POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}
