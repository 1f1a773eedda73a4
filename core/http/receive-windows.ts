/**
 * Keeps bodies in tiny chunks from blocking the event loop. The runtime reads up to half a megabyte
 * of a connection at once, and its parser takes longer for the framing of a chunk than for a
 * thousand bytes of content. So the kernel receives only a little of a chunked body in advance, and
 * least of one in tiny chunks, which slows its sender down and nobody else.
 */
import { isMostlyFraming } from "./chunk-framing";
import { TcpSockets, type TcpSocket } from "./tcp-sockets";

/** How much of a body is received before it is read. */
const window_bytes = {
  /** As on a new connection: what arrives in excess of a smaller window is lost. */
  begun: 64 * 1024,
  tiny_chunks: 32 * 1024,
  ordinary_chunks: 256 * 1024,
};
/**
 * A sender waits, for seconds, until a segment fits into the window. Those of a network are
 * smaller, those of the loopback interface would not be.
 */
const segment_bytes_max = 32 * 1024;
const look_every_ms = 10;
const sample_bytes = 16 * 1024;
/** How often no tiny chunks are seen until they count as ordinary. */
const looks_min = 8;
/** How many connections are looked at in one iteration of the event loop. */
const each_round_max = 64;

/** Those from the same port of different clients are treated alike. */
interface Watched {
  readonly sockets: readonly TcpSocket[];
  looks: number;
  has_tiny_chunks: boolean;
}

export class ReceiveWindows {
  private readonly sockets = TcpSockets.open();
  /** Connections with a chunked body, by port of the client. */
  private readonly watched = new Map<number, Watched>();
  private readonly sample = new Uint8Array(sample_bytes);
  private looking: NodeJS.Timeout | undefined;
  private port = 0;

  /** Called when the server listens on this port. */
  open(port: number): void {
    this.port = port;
    this.sockets?.listener(port)?.limitSegments(segment_bytes_max);
  }

  /** Called when a request arrives, before its body is parsed. */
  noteRequest(peer_port: number, is_chunked: boolean): void {
    const before = this.watched.get(peer_port);
    if (before) this.forget(peer_port, before);
    if (!is_chunked || this.sockets === null) return;
    const sockets = this.sockets.connections(this.port, peer_port);
    limit(sockets, window_bytes.begun);
    this.watched.set(peer_port, { sockets, looks: 0, has_tiny_chunks: false });
    this.looking ??= setInterval(() => this.look(), look_every_ms).unref();
  }

  /** Looks at what was received and not read: called every few milliseconds. */
  look(): void {
    for (const [peer_port, connection] of [...this.watched.entries().take(each_round_max)]) {
      // The next round begins with the others.
      this.watched.delete(peer_port);
      const open = connection.sockets.filter((one) => one.isOpen(peer_port));
      if (open.length === 0) continue;
      this.watched.set(peer_port, connection);
      if (!connection.has_tiny_chunks) this.judge(connection, open);
    }
    if (this.watched.size > 0) return;
    clearInterval(this.looking);
    this.looking = undefined;
  }

  private forget(peer_port: number, { sockets }: Watched): void {
    this.watched.delete(peer_port);
    for (const one of sockets) if (one.isOpen(peer_port)) one.unlimitWindow();
  }

  private judge(connection: Watched, open: readonly TcpSocket[]): void {
    connection.looks++;
    connection.has_tiny_chunks = open.some((one) =>
      isMostlyFraming(this.sample.subarray(0, one.peek(this.sample))),
    );
    if (connection.has_tiny_chunks) limit(open, window_bytes.tiny_chunks);
    else if (connection.looks === looks_min) limit(open, window_bytes.ordinary_chunks);
  }
}

const limit = (sockets: readonly TcpSocket[], bytes: number): void =>
  sockets.forEach((one) => one.limitWindow(bytes));
