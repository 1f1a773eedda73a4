/**
 * Where the server on a data directory is reached from this machine, for commands that ask it to do
 * something. A crash leaves the file behind: whoever reads it finds nobody there.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const fileIn = (data: string): string => join(data, "dossier.address");

/** `http://127.0.0.1:4780`, or the path of a Unix socket. */
export const writeServerAddress = (data: string, place: string): void =>
  writeFileSync(fileIn(data), isUrl(place) ? place : resolve(place), { mode: 0o600 });
export const removeServerAddress = (data: string): void => rmSync(fileIn(data), { force: true });

/** A path of the server, asked on this machine. */
export type AskServer = (path: string, init?: RequestInit) => Promise<Response>;

/** Null when no server has said where it is. */
export function serverOn(data: string): AskServer | null {
  let place: string;
  try {
    place = readFileSync(fileIn(data), "utf8").trim();
  } catch {
    return null;
  }
  if (!isUrl(place))
    return (path, init) => fetch(`http://localhost${path}`, { ...init, unix: place });
  // Its certificate names the host that people use, not the address of this machine.
  const tls = { rejectUnauthorized: false };
  return (path, init) => fetch(`${place}${path}`, { ...init, tls });
}

const isUrl = (place: string): boolean => /^https?:\/\//.test(place);
