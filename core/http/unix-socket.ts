/** The path of a Unix socket to listen on: free, or left behind by a server that is dead. */
import { chmodSync, lstatSync, rmSync, type Stats } from "node:fs";
import { dirname } from "node:path";

/** Owner and group, such as that of the reverse proxy, may connect. */
const mode = 0o660;
/** While the file is made: whoever is neither may not even for a moment. */
const mask = 0o117;
/** What the kernel takes, without the zero at the end. */
const path_bytes_max = 107;

/**
 * Removes the file of a dead server. @throws Error in words when something else lies there, or a
 * server listens.
 */
export async function clearSocketPath(path: string): Promise<void> {
  if (Buffer.byteLength(path) > path_bytes_max)
    throw new Error(
      `${path} (server.socket) is too long for a socket: at most ${path_bytes_max} bytes.`,
    );
  const found = stateOf(path);
  if (found === undefined) return;
  if (!found.isSocket())
    throw new Error(`${path} (server.socket) exists and is no socket: it is left as it is.`);
  if (await isServed(path))
    throw new Error(
      `A server listens on ${path} (server.socket) already. Is another Dossier running?`,
    );
  rmSync(path, { force: true });
}

/** Opens it by `listen`, with the right mode from its first moment. @throws Error in words */
export function openSocket<T>(path: string, listen: () => T): T {
  const before = process.umask(mask);
  try {
    const opened = listen();
    chmodSync(path, mode);
    return opened;
  } catch (error) {
    throw new Error(whyNotOpened(path, error as Error & { code?: string }));
  } finally {
    process.umask(before);
  }
}

export const removeSocket = (path: string): void => rmSync(path, { force: true });

function whyNotOpened(path: string, { code, message }: Error & { code?: string }): string {
  if (stateOf(dirname(path)) === undefined)
    return `The directory of ${path} (server.socket) does not exist.`;
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return `This user may not make the socket ${path} (server.socket).`;
  if (code === "EADDRINUSE") return `${path} (server.socket) is in use already.`;
  return `The socket ${path} (server.socket) can't be opened: ${message}`;
}

function stateOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** Whether somebody accepts connections there. */
function isServed(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = process.getBuiltinModule("node:net").connect({ path });
  socket.once("connect", () => {
    socket.destroy();
    resolve(true);
  });
  // Refused: nobody listens. Any other trouble is no proof that nobody does.
  socket.once("error", ({ code }: Error & { code?: string }) =>
    resolve(code !== "ECONNREFUSED" && code !== "ENOENT"),
  );
  return promise;
}
