/**
 * The addresses of the server on a data directory, for commands beside it: the local one for their
 * requests, and below it the public one for links. A crash leaves the file behind: nothing answers
 * at that address then.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const fileIn = (data: string): string => join(data, "dossier.address");

/** `address`: `http://127.0.0.1:4780`, or the path of a Unix socket. */
export const writeServerAddress = (data: string, address: string, public_url: string): void =>
  writeFileSync(fileIn(data), `${isUrl(address) ? address : resolve(address)}\n${public_url}\n`, {
    mode: 0o600,
  });
/** Called when the server has stopped. */
export const removeServerAddress = (data: string): void => rmSync(fileIn(data), { force: true });

/** Requests a path of the server on this machine. */
export type AskServer = (path: string, init?: RequestInit) => Promise<Response>;

/** The local address as written by the server; null when none has. */
export const serverAddress = (data: string): string | null => addressLines(data)[0] ?? null;
/** The public address of the server on a data directory; null when none has been started. */
export const serverPublicUrl = (data: string): string | null => addressLines(data)[1] ?? null;

function addressLines(data: string): string[] {
  try {
    return readFileSync(fileIn(data), "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
}

/** How `fetch` connects to such an address. */
export const connectionTo = (
  address: string,
): readonly [origin: string, how: { readonly unix: string } | { readonly tls: object }] =>
  isUrl(address)
    ? // Its certificate names the host that people use, not the address of this machine.
      [address, { tls: { rejectUnauthorized: false } }]
    : ["http://localhost", { unix: address }];

/** Null when no server has written its address. */
export function serverOn(data: string): AskServer | null {
  const address = serverAddress(data);
  if (address === null) return null;
  const [origin, options] = connectionTo(address);
  return (path, init) => fetch(`${origin}${path}`, { ...init, ...options });
}

const isUrl = (address: string): boolean => /^https?:\/\//.test(address);
