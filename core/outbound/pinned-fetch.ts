/** Requests to user-supplied URLs, over a connection to an address that was checked before. */
import { ipVersion } from "../base/networks";
import type { Target } from "./target";

/** A request, without its URL. */
export interface PinnedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends the connection, including the reading of the response. */
  readonly signal: AbortSignal;
}

const addresses_max = 4;
/** No connection was made: the next address may be tried. */
const connect_errors = [
  "ConnectionRefused",
  "FailedToOpenSocket",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
];

/**
 * The result for the first address that accepts a connection. @throws the error for the last
 * address.
 */
export async function atFirstAddress<R>(
  addresses: readonly string[],
  attempt: (address: string) => Promise<R>,
): Promise<R> {
  const tried_addresses = addresses.slice(0, addresses_max);
  for (const [index, address] of tried_addresses.entries()) {
    try {
      return await attempt(address);
    } catch (error) {
      if (!connect_errors.includes(errorCode(error)) || index + 1 === tried_addresses.length)
        throw error;
    }
  }
  throw new Error("the host has no address");
}

/**
 * Connects to the first address that accepts a connection; the certificate is verified against the
 * name in the URL. Follows no redirect, ignores proxies and TLS settings of the environment, and
 * does not decompress. @throws Error when no response arrived.
 */
export const fetchPinned = (
  target: Target,
  addresses: readonly string[],
  request: PinnedRequest,
): Promise<Response> => atFirstAddress(addresses, (address) => fetchAt(target, address, request));

function fetchAt(
  { url, host, is_address }: Target,
  address: string,
  { method, headers, body, signal }: PinnedRequest,
): Promise<Response> {
  const host_part = ipVersion(address) === 6 ? `[${address}]` : address;
  const port_part = url.port === "" ? "" : `:${url.port}`;
  return fetch(`${url.protocol}//${host_part}${port_part}${url.pathname}${url.search}`, {
    method,
    redirect: "manual",
    keepalive: false,
    decompress: false,
    proxy: false,
    signal,
    headers: { "accept-encoding": "identity", ...headers, host: url.host },
    tls: { rejectUnauthorized: true, ...(is_address ? {} : { serverName: host }) },
    ...(body === undefined ? {} : { body }),
  } as RequestInit);
}

/** The code of an error; empty when it has none. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";

/** The beginning of a response's body, until `bytes_max`, `ms_max` or an error. */
export async function readHead(
  response: Response,
  bytes_max: number,
  ms_max: number,
): Promise<Uint8Array> {
  if (!response.body) return new Uint8Array();
  const reader = response.body.getReader();
  const { promise: expired, resolve } = Promise.withResolvers<{ done: true; value: undefined }>();
  const timer = setTimeout(() => resolve({ done: true, value: undefined }), ms_max);
  const chunks: Uint8Array[] = [];
  try {
    for (let length = 0; length < bytes_max;) {
      const { done, value } = await Promise.race([reader.read(), expired]);
      if (done) break;
      chunks.push(value);
      length += value.length;
    }
  } catch {
    // Broken off in the middle: what has arrived counts.
  } finally {
    clearTimeout(timer);
  }
  reader.cancel().catch(() => undefined);
  return Buffer.concat(chunks).subarray(0, bytes_max);
}
