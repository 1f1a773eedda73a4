/**
 * The load generator: keep-alive connections that send the next request as soon as a response is
 * complete. Lean, so that the server is what is measured.
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

/**
 * Sends `head` (a whole request without body) over `connections` connections again and again for
 * `duration_ms`.
 */
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
  let answers = 0;
  let not_200 = 0;
  const generator = new LoadGenerator(
    () => request,
    (status_line) => {
      answers++;
      if (!status_line.startsWith("HTTP/1.1 200")) not_200++;
    },
  );
  await generator.open(port, connections);
  const started = performance.now();
  await Promise.race([Bun.sleep(duration_ms), generator.ended]);
  const counted = answers;
  const seconds = (performance.now() - started) / 1000;
  generator.end();
  return { answers: counted, per_second: counted / seconds, not_200 };
}

/**
 * Sends each request once, over `connections` connections. Returns the milliseconds until all are
 * answered. @throws Error when a status is not one of success
 */
export async function sendEach(
  port: number,
  requests: readonly Buffer[],
  connections: number,
): Promise<number> {
  let sent = 0;
  let answered = 0;
  const all = Promise.withResolvers<void>();
  const generator = new LoadGenerator(
    () => requests[sent++],
    (status_line) => {
      if (!status_line.startsWith("HTTP/1.1 2")) all.reject(new Error(status_line));
      if (++answered === requests.length) all.resolve();
    },
  );
  const started = performance.now();
  await generator.open(port, connections);
  await Promise.race([all.promise, generator.ended]);
  const took_ms = performance.now() - started;
  generator.end();
  return took_ms;
}

/** Connections, each of which has one request at a time. */
class LoadGenerator {
  /** Never resolves. @throws Error when a connection fails */
  readonly ended: Promise<never>;
  private readonly fail: (error: Error) => void;
  private sockets: readonly Socket<Connection>[] = [];
  private is_ending = false;

  /**
   * `next` returns the next request, undefined when there is none for this connection any more;
   * `onAnswer` is called with the first line of each response.
   */
  constructor(
    private readonly next: () => Buffer | undefined,
    private readonly onAnswer: (status_line: string) => void,
  ) {
    const { promise, reject } = Promise.withResolvers<never>();
    this.ended = promise;
    this.fail = reject;
  }

  async open(port: number, connections: number): Promise<void> {
    const connect = () =>
      Bun.connect<Connection>({
        hostname: "127.0.0.1",
        port,
        data: { buffered: Buffer.alloc(0), needed: 0 },
        socket: {
          open: (socket) => this.send(socket),
          data: (socket, bytes) => this.receive(socket, bytes),
          error: (_socket, error) => this.fail(error),
          close: () => {
            if (!this.is_ending) this.fail(new Error("the server closed a connection"));
          },
        },
      });
    this.sockets = await Promise.all(Array.from({ length: connections }, connect));
  }

  end(): void {
    this.is_ending = true;
    for (const socket of this.sockets) socket.terminate();
  }

  private send(socket: Socket<Connection>): void {
    const request = this.next();
    if (request && socket.write(request) < request.length)
      this.fail(new Error("a request is larger than what the system takes at once"));
  }

  private receive(socket: Socket<Connection>, bytes: Buffer): void {
    const { data } = socket;
    data.buffered = data.buffered.length === 0 ? bytes : Buffer.concat([data.buffered, bytes]);
    if (data.needed === 0) {
      const end = data.buffered.indexOf(head_end);
      if (end < 0) return;
      const text = data.buffered.toString("latin1", 0, end);
      const length = /\r\ncontent-length: *(\d+)/i.exec(text);
      if (!length) return this.fail(new Error(`an answer without Content-Length:\n${text}`));
      data.needed = end + head_end.length + Number(length[1]);
    }
    if (data.buffered.length < data.needed) return;
    const status_line = data.buffered.toString("latin1", 0, data.buffered.indexOf("\r\n"));
    data.buffered = Buffer.alloc(0);
    data.needed = 0;
    this.onAnswer(status_line);
    if (!this.is_ending) this.send(socket);
  }
}
