/** A small server that speaks the INSTREAM protocol of clamd, on loopback. */
import { createServer, type Socket } from "node:net";

/** Content that it reports as a virus. */
export const virus = "X5O!P%@AP[4-TEST-VIRUS";

/** A running scanner. */
export interface Clamd extends AsyncDisposable {
  readonly address: string;
  /** The documents that it received. */
  readonly scanned: string[];
  /** Its reply to the next ones. */
  behaviour: "scan" | "silent" | "full" | "odd";
}

/** Starts one on a free port. */
export async function startClamd(): Promise<Clamd> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    const received: Buffer[] = [];
    socket.on("data", (piece) => {
      received.push(Buffer.from(piece));
      const reply = answerTo(Buffer.concat(received), clamd);
      if (reply !== null && !socket.writableEnded) socket.end(`${reply}\0`);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as { port: number };
  const clamd: Clamd = {
    address: `127.0.0.1:${port}`,
    scanned: [],
    behaviour: "scan",
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return clamd;
}

/** Null while the stream continues. */
function answerTo(bytes: Buffer, { behaviour, scanned }: Clamd): string | null {
  const command = "zINSTREAM\0";
  if (bytes.length < command.length || behaviour === "silent") return null;
  if (bytes.subarray(0, command.length).toString() !== command) return "UNKNOWN COMMAND";
  if (behaviour === "full") return "INSTREAM size limit exceeded. ERROR";
  if (behaviour === "odd") return "stream: ERROR";
  const content: Buffer[] = [];
  for (let at = command.length; at + 4 <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    at += 4;
    if (length === 0) {
      const text = Buffer.concat(content).toString("latin1");
      scanned.push(text);
      return text.includes(virus) ? "stream: Eicar-Test-Signature FOUND" : "stream: OK";
    }
    content.push(bytes.subarray(at, at + length));
    at += length;
  }
  return null;
}
