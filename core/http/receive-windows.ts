/**
 * Keeps bodies in tiny chunks from blocking the event loop. The runtime reads up to half a megabyte
 * of a connection at once, and its parser takes longer for the framing of a chunk than for a
 * thousand bytes of content. So the kernel receives only a little of a chunked body in advance, and
 * least of one in tiny chunks, which slows its sender down and nobody else. With TLS nobody can see
 * the chunks in advance: where several send some, each receives as little.
 */
import { isMostlyFraming } from "./chunk-framing";
import { TcpSockets, type TcpSocket } from "./tcp-sockets";

/** How much of a body is received before it is read. */
const window_bytes = {
  /** That of a new connection: with a smaller one, what its sender has already sent is lost. */
  initial: 64 * 1024,
  tiny_chunks: 32 * 1024,
  ordinary_chunks: 256 * 1024,
  /** Of one of very many: a sender whose segments are larger waits for some time. */
  min: 4 * 1024,
};
/** What all connections with tiny chunks may receive together. */
const tiny_chunks_total_bytes = 2 * 2 ** 20;
/**
 * From so many watched connections on, new ones receive little before their first request: all of
 * them may send one in the same moment.
 */
const crowd_min = 16;
/** So few connections can't keep the server busy, whatever is encrypted in their bodies. */
const encrypted_max = 2;
/**
 * A segment must fit into the window, or its sender waits for seconds. Only those of the loopback
 * interface are larger by default.
 */
const segment_bytes_max = 32 * 1024;
const inspect_every_ms = 10;
const sample_bytes = 16 * 1024;
/** After this many inspections without tiny chunks, the chunks of a body count as ordinary. */
const inspections_min = 8;
/** The most connections that are inspected in one iteration of the event loop. */
const connections_per_turn = 64;

/** A client's end of a connection. */
interface Client {
  readonly address: string;
  readonly port: number;
}

interface WatchedConnection {
  /** Whether it receives little whatever its chunks are. */
  readonly is_slow: boolean;
  readonly client_port: number;
  /** Undefined until they are found. Of different clients with the same port, all of them. */
  sockets: readonly TcpSocket[] | undefined;
  inspections: number;
  has_tiny_chunks: boolean;
  /** The limit that its sockets have now. */
  window_bytes: number | undefined;
}

/** Watches the connections of one port. */
export class ReceiveWindows {
  private readonly sockets = TcpSockets.open();
  private readonly is_encrypted: boolean;
  /** Connections with a chunked body, by client. */
  private readonly watched = new Map<string, WatchedConnection>();
  /** Those of them whose sockets are not found yet. */
  private readonly unfound = new Map<string, WatchedConnection>();
  private readonly sample = new Uint8Array(sample_bytes);
  private timer: NodeJS.Timeout | undefined;
  private port = 0;
  private listener: TcpSocket | undefined;
  /** The buffer of new connections, while it is limited. */
  private unlimited_bytes: number | undefined;

  /** `is_encrypted`: chunks can't be seen from outside of the runtime. */
  constructor({ is_encrypted = false }: { readonly is_encrypted?: boolean } = {}) {
    this.is_encrypted = is_encrypted;
  }

  /** Called when the server listens on this port, with its socket. */
  open(port: number, listener: TcpSocket | undefined): void {
    this.port = port;
    this.listener = listener?.mayUnlimitWindow() ? listener : undefined;
    listener?.limitSegments(segment_bytes_max);
  }

  /** Called before the socket is closed. */
  close(): void {
    this.listener = undefined;
  }

  /** Called when a request arrives, before its body is parsed. */
  noteRequest({ address, port }: Client, is_chunked: boolean): void {
    const client = `${address} ${port}`;
    const previous = this.watched.get(client);
    if (previous) this.forget(client, previous);
    if (is_chunked) this.watch(client, port, { is_slow: false, previous });
  }

  /** The rest of the request's body is received slowly, because nobody will read it. */
  slowDown({ address, port }: Client): void {
    const client = `${address} ${port}`;
    this.watch(client, port, { is_slow: true, previous: this.watched.get(client) });
  }

  private watch(
    client: string,
    client_port: number,
    { is_slow, previous }: { is_slow: boolean; previous: WatchedConnection | undefined },
  ): void {
    if (this.sockets === null) return;
    const sockets = previous && openSockets(previous);
    const connection: WatchedConnection = {
      is_slow,
      client_port,
      sockets,
      inspections: 0,
      has_tiny_chunks: false,
      window_bytes: undefined,
    };
    this.watched.set(client, connection);
    if (sockets) this.limit(connection, sockets);
    else this.findLater(client, connection);
    this.limitNewConnections();
    this.timer ??= setInterval(() => this.inspect(), inspect_every_ms).unref();
  }

  /** Inspects what was received but not read yet: called every few milliseconds. */
  inspect(): void {
    for (const [client, connection] of [...this.watched.entries().take(connections_per_turn)]) {
      const { sockets, client_port } = connection;
      // Moved to the end: the next inspection begins with the others.
      this.watched.delete(client);
      const open = sockets?.filter((socket) => socket.isOpen(client_port));
      if (open?.length === 0) continue;
      this.watched.set(client, connection);
      if (open) this.judge(connection, open);
    }
    this.limitNewConnections();
    if (this.watched.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /**
   * Finding sockets takes longer the more connections there are, so those of all requests of an
   * iteration of the event loop are found together, before the next one reads more of their bodies.
   */
  private findLater(client: string, connection: WatchedConnection): void {
    if (this.unfound.size === 0) setImmediate(() => this.find());
    this.unfound.set(client, connection);
  }

  private find(): void {
    if (this.unfound.size === 0) return;
    const ports = new Set([...this.unfound.values()].map(({ client_port }) => client_port));
    const found = this.sockets!.connections(this.port, ports);
    for (const connection of this.unfound.values()) {
      connection.sockets = found.get(connection.client_port) ?? [];
      this.limit(connection, connection.sockets);
    }
    this.unfound.clear();
  }

  private forget(client: string, { sockets = [], client_port }: WatchedConnection): void {
    this.watched.delete(client);
    this.unfound.delete(client);
    for (const socket of sockets) if (socket.isOpen(client_port)) socket.unlimitWindow();
  }

  private judge(connection: WatchedConnection, open: readonly TcpSocket[]): void {
    connection.inspections++;
    if (!this.is_encrypted && !connection.is_slow && !connection.has_tiny_chunks)
      connection.has_tiny_chunks = open.some((socket) =>
        isMostlyFraming(this.sample.subarray(0, socket.peek(this.sample))),
      );
    this.limit(connection, open);
  }

  private limit(connection: WatchedConnection, open: readonly TcpSocket[]): void {
    const bytes = this.windowOf(connection);
    if (bytes === connection.window_bytes) return;
    connection.window_bytes = bytes;
    for (const socket of open) socket.limitWindow(bytes);
  }

  private windowOf({ is_slow, has_tiny_chunks, inspections }: WatchedConnection): number {
    if (inspections === 0) return window_bytes.initial;
    const connections = this.watched.size;
    const is_suspected = this.is_encrypted && connections > encrypted_max;
    if (has_tiny_chunks || is_suspected || (is_slow && connections >= crowd_min))
      return shareOf(connections);
    return is_slow || inspections < inspections_min
      ? window_bytes.initial
      : window_bytes.ordinary_chunks;
  }

  /** Applies to connections that are accepted from now on. */
  private limitNewConnections(): void {
    const is_crowd = this.watched.size >= crowd_min;
    if (is_crowd && this.unlimited_bytes === undefined) {
      this.unlimited_bytes = this.listener?.receiveBufferBytes();
      this.listener?.limitWindow(window_bytes.initial);
    } else if (this.watched.size === 0 && this.unlimited_bytes !== undefined) {
      // The kernel reports twice what was asked for.
      this.listener?.limitWindow(this.unlimited_bytes / 2);
      this.listener?.unlimitWindow();
      this.unlimited_bytes = undefined;
    }
  }
}

/** In steps, so that few are changed when connections come and go. */
function shareOf(connections: number): number {
  const bytes = 2 ** Math.floor(Math.log2(tiny_chunks_total_bytes / connections));
  return Math.min(window_bytes.tiny_chunks, Math.max(window_bytes.min, bytes));
}

/** Undefined when they have to be found (again). */
function openSockets({
  sockets,
  client_port,
}: WatchedConnection): readonly TcpSocket[] | undefined {
  const are_open = sockets?.length && sockets.every((socket) => socket.isOpen(client_port));
  return are_open ? sockets : undefined;
}
