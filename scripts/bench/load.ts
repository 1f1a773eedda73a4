/**
 * The load generator: keep-alive connections that send the same request again as soon as its
 * response is complete. Lean, so that the server is what is measured.
 */
import type { Socket } from "bun";

/** What the load generator has measured. */
export interface Load {
  readonly answers: number;
  readonly per_second: number;
  readonly not_200: number;
}

interface Connection {
  buffered: Buffer;
  needed: number;
}

const head_end = Buffer.from("\r\n\r\n");

/** Sends `head` (a whole request without body) over `connections` connections for `duration_ms`. */
export async function load({
  port,
  head,
  connections,
  duration_ms,
}: {
  readonly port: number;
  readonly head: string;
  readonly connections: number;
  readonly duration_ms: number;
}): Promise<Load> {
  const request = Buffer.from(head);
  const failed = Promise.withResolvers<never>();
  let answers = 0;
  let not_200 = 0;
  let ending = false;

  const onData = (socket: Socket<Connection>, bytes: Buffer) => {
    const { data } = socket;
    data.buffered = data.buffered.length === 0 ? bytes : Buffer.concat([data.buffered, bytes]);
    if (data.needed === 0) {
      const end = data.buffered.indexOf(head_end);
      if (end < 0) return;
      const text = data.buffered.toString("latin1", 0, end);
      if (!text.startsWith("HTTP/1.1 200")) not_200++;
      const length = /\r\ncontent-length: *(\d+)/i.exec(text);
      if (!length) return failed.reject(new Error(`an answer without Content-Length:\n${text}`));
      data.needed = end + head_end.length + Number(length[1]);
    }
    if (data.buffered.length < data.needed) return;
    answers++;
    data.buffered = Buffer.alloc(0);
    data.needed = 0;
    if (ending) socket.end();
    else socket.write(request);
  };

  const open = () =>
    Bun.connect<Connection>({
      hostname: "127.0.0.1",
      port,
      data: { buffered: Buffer.alloc(0), needed: 0 },
      socket: {
        open: (socket) => {
          socket.write(request);
        },
        data: onData,
        error: (_socket, error) => failed.reject(error),
        close: () => {
          if (!ending) failed.reject(new Error("the server closed a connection"));
        },
      },
    });
  const sockets = await Promise.all(Array.from({ length: connections }, open));
  const started = performance.now();
  await Promise.race([Bun.sleep(duration_ms), failed.promise]);
  const counted = answers;
  const seconds = (performance.now() - started) / 1000;
  ending = true;
  for (const socket of sockets) socket.terminate();
  return { answers: counted, per_second: counted / seconds, not_200 };
}
