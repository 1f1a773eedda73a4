/** The path of a Unix socket to listen on: free, or left behind by a dead server. */
import { chmodSync, lstatSync, rmSync, type Stats } from "node:fs";
import { dirname } from "node:path";

/** Owner and group, such as the group of the reverse proxy, may connect. */
const mode = 0o660;
/** While the file is created: nobody else may connect even for a moment. */
const umask = 0o117;
/** The kernel's limit, without the terminating zero. */
const path_bytes_max = 107;

/**
 * Removes the file of a dead server. @throws Error in plain words when the path is something else,
 * or a server is listening.
 */
export async function clearSocketPath(path: string): Promise<void> {
  if (Buffer.byteLength(path) > path_bytes_max)
    throw new Error(
      `${path} (server.socket) is too long for a socket: at most ${path_bytes_max} bytes.`,
    );
  const stats = statsOf(path);
  if (stats === undefined) return;
  if (!stats.isSocket())
    throw new Error(`${path} (server.socket) exists and is not a socket. It was not changed.`);
  if (await isServed(path))
    throw new Error(
      `Another server is already listening on ${path} (server.socket). If it is another ` +
        "Dossier, stop it first.",
    );
  rmSync(path, { force: true });
}

/**
 * Opens it with `listen`, with the right mode from the first moment. @throws Error in plain words
 */
export function openSocket<T>(path: string, listen: () => T): T {
  const previous_mask = process.umask(umask);
  try {
    const opened = listen();
    chmodSync(path, mode);
    return opened;
  } catch (error) {
    throw new Error(openingProblem(path, error as Error & { code?: string }));
  } finally {
    process.umask(previous_mask);
  }
}

/** Removes the file of a server that has stopped. */
export const removeSocket = (path: string): void => rmSync(path, { force: true });

function openingProblem(path: string, { code, message }: Error & { code?: string }): string {
  if (statsOf(dirname(path)) === undefined)
    return `The directory of ${path} (server.socket) does not exist.`;
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return `This user is not allowed to create the socket ${path} (server.socket).`;
  if (code === "EADDRINUSE") return `${path} (server.socket) is already in use.`;
  return `The socket ${path} (server.socket) can't be opened: ${message}`;
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** Whether a process accepts connections there. */
function isServed(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = process.getBuiltinModule("node:net").connect({ path });
  socket.once("connect", () => {
    socket.destroy();
    resolve(true);
  });
  // Only a refused connection proves that nobody is listening.
  socket.once("error", ({ code }: Error & { code?: string }) =>
    resolve(code !== "ECONNREFUSED" && code !== "ENOENT"),
  );
  return promise;
}
