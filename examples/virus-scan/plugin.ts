/**
 * Virus scan: sends every document to a ClamAV daemon before it is stored, and refuses infected
 * ones. To use it, copy it to `<data directory>/plugins/virus-scan.ts`, set the address of clamd in
 * `dossier.toml`, and restart Dossier:
 *
 *     [virus_scan]
 *     address = "127.0.0.1:3310"     # or the path of its Unix socket
 *
 * It uses the INSTREAM command (see clamd(8)), so clamd need not have access to the server's files.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import {
  definePlugin,
  DocumentParts,
  Duration,
  fill,
  fillWith,
  refused,
  t,
  type BeforeHook,
} from "dossier";
import { BeforeDocumentIntake, type DocumentIntake } from "dossier/contracts";

export default definePlugin({
  name: "virus-scan",
  version: "1.0.0",
  config: t.Object({
    address: t.String({
      default: "",
      changes: "now",
      description: "The address where clamd listens: `host:port`, or the path of a Unix socket.",
    }),
    timeout: Duration({
      default: "60s",
      changes: "now",
      description: "The time limit for one document.",
    }),
  }),
  setup: ({ config }) => ({
    // The slot is evaluated for every document: without an address there is no hook.
    fills: [
      fillWith(BeforeDocumentIntake, () => (config.address === "" ? null : scan(config))),
      fill(DocumentParts, { codes }),
    ],
    health: async () => (config.address === "" ? { failing: "virus_scan.address is empty" } : "ok"),
  }),
});

/** For the API document, so that generated clients know these codes. */
const codes = {
  virus_found: "The document contains a virus.",
  not_scanned: "The document is too large to be scanned for viruses.",
};

interface Settings {
  readonly address: string;
  readonly timeout: number;
}

const scan = ({ address, timeout }: Settings): BeforeHook<DocumentIntake> => ({
  name: "virus scan",
  timeout_ms: timeout,
  // While clamd is unreachable nothing is stored, and the log says why.
  on_fault: "refuse",
  async before(document, signal) {
    const verdict = await askClamd(address, document.bytes(), signal);
    const [, signature] = /^stream: (.+) FOUND$/.exec(verdict) ?? [];
    if (signature !== undefined)
      throw refused(`“${document.name}” contains a virus: ${signature}.`, "virus_found");
    if (verdict.includes("size limit exceeded"))
      throw refused(`“${document.name}” is too large to be scanned for viruses.`, "not_scanned");
    // Rethrown, the error counts as a fault of the hook.
    if (verdict !== "stream: OK") throw new Error(`clamd answered: ${verdict}`);
  },
});

/** clamd's reply about the bytes, without the terminating zero. */
async function askClamd(
  address: string,
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<string> {
  const [, host, port] = /^([^/]*):(\d+)$/.exec(address) ?? [];
  const socket = host === undefined ? connect(address) : connect(Number(port), host);
  const stop = () => socket.destroy(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const answer = readAll(socket);
    await Promise.all([answer, send(socket, bytes)]);
    return await answer;
  } finally {
    signal.removeEventListener("abort", stop);
    socket.destroy();
  }
}

/** `zINSTREAM`, then length-prefixed chunks, then one of length zero. */
async function send(socket: Socket, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const write = async (piece: string | Uint8Array) => {
    // clamd closes the connection early when it has found something.
    if (socket.writable && !socket.write(piece))
      await Promise.race([once(socket, "drain"), once(socket, "close")]);
  };
  await write("zINSTREAM\0");
  for await (const piece of bytes) {
    if (!socket.writable) return;
    await write(lengthOf(piece.byteLength));
    await write(piece);
  }
  await write(lengthOf(0));
}

function lengthOf(bytes: number): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return length;
}

/** Until clamd closes the connection. @throws Error when it can't be reached */
function readAll(socket: Socket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const pieces: Buffer[] = [];
  socket.on("data", (piece) => pieces.push(Buffer.from(piece)));
  socket.on("error", reject);
  socket.on("close", () => {
    const answer = Buffer.concat(pieces).toString().replaceAll("\0", "").trim();
    if (answer === "") reject(new Error("clamd closed the connection without an answer"));
    else resolve(answer);
  });
  return promise;
}
