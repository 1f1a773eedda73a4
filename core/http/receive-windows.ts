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
/** Connections whose sockets are remembered after the end of a chunked body. */
const remembered_max = 1_024;
/** After a search of more than `long_ms`, several times as long passes before the next one. */
const search_pause = { long_ms: 2, factor: 4 };
/** For so long after a crowd, connections accepted during it may send their first large body. */
const crowd_after_ms = 600_000;
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

/** A request as far as it matters here. */
export interface NotedRequest {
  readonly is_chunked: boolean;
  /** The declared length of its body, bytes. */
  readonly length?: number | undefined;
}
/** A connection whose sockets are needed. */
interface Search {
  readonly client_port: number;
  readonly onFound: (sockets: readonly TcpSocket[]) => void;
}

/** Watches the connections of one port. */
export class ReceiveWindows {
  private readonly sockets = TcpSockets.open();
  private readonly is_encrypted: boolean;
  /** Connections with a chunked body, by client. */
  private readonly watched = new Map<string, WatchedConnection>();
  /** The sockets of connections whose chunked body has ended, the longest ago first. */
  private readonly remembered = new Map<string, readonly TcpSocket[]>();
  /** By client. */
  private readonly searches = new Map<string, Search>();
  private next_search_ms = 0;
  private readonly sample = new Uint8Array(sample_bytes);
  private timer: NodeJS.Timeout | undefined;
  private port = 0;
  private listener: TcpSocket | undefined;
  /** The buffer of new connections, while it is limited. */
  private unlimited_bytes: number | undefined;
  /** Until then, a first request may arrive over a connection that was accepted in a crowd. */
  private crowded_until_ms = 0;

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

  /**
   * Called when a request arrives, before its body is parsed. Returns a function to be called when
   * the body has been read to its end; it has no effect once the next request has arrived.
   */
  noteRequest({ address, port }: Client, { is_chunked, length = 0 }: NotedRequest): () => void {
    const client = `${address} ${port}`;
    const is_known = this.watched.has(client) || this.remembered.has(client);
    this.forget(client);
    if (is_chunked) this.watch(client, port, false);
    else if (!is_known && length > window_bytes.initial && this.wasCrowded())
      this.search(client, port, (sockets) => {
        for (const socket of sockets) socket.unlimitWindow();
      });
    const watched = this.watched.get(client);
    return () => {
      if (watched === undefined || this.watched.get(client) !== watched) return;
      this.forget(client);
      this.limitNewConnections();
    };
  }

  /** The rest of the request's body is received slowly, because nobody will read it. */
  slowDown({ address, port }: Client): void {
    this.watch(`${address} ${port}`, port, true);
  }

  private watch(client: string, client_port: number, is_slow: boolean): void {
    if (this.sockets === null) return;
    const sockets = this.knownSockets(client, client_port);
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
    else
      this.search(client, client_port, (found) => {
        connection.sockets = found;
        this.limit(connection, found);
      });
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

  /** Undefined when they have to be found (again). */
  private knownSockets(client: string, client_port: number): readonly TcpSocket[] | undefined {
    const sockets = this.watched.get(client)?.sockets ?? this.remembered.get(client);
    const are_open = sockets?.length && sockets.every((socket) => socket.isOpen(client_port));
    return are_open ? sockets : undefined;
  }

  /**
   * Finding sockets takes longer the more files are open, so those of all requests of an iteration
   * of the event loop are found together, before the next one reads more of their bodies; and after
   * a search that took long, the next one waits.
   */
  private search(client: string, client_port: number, onFound: Search["onFound"]): void {
    if (this.searches.size === 0) {
      const pause_ms = this.next_search_ms - performance.now();
      if (pause_ms <= 0) setImmediate(() => this.find());
      else setTimeout(() => this.find(), pause_ms).unref();
    }
    this.searches.set(client, { client_port, onFound });
  }

  private find(): void {
    const searches = [...this.searches.values()];
    this.searches.clear();
    if (searches.length === 0) return;
    const begun_ms = performance.now();
    const ports = new Set(searches.map(({ client_port }) => client_port));
    const found = this.sockets!.connections(this.port, ports);
    for (const { client_port, onFound } of searches) onFound(found.get(client_port) ?? []);
    const ended_ms = performance.now();
    const took_ms = ended_ms - begun_ms;
    if (took_ms > search_pause.long_ms)
      this.next_search_ms = ended_ms + took_ms * search_pause.factor;
  }

  /** The connection is like any other again. Its sockets are remembered for its next request. */
  private forget(client: string): void {
    const connection = this.watched.get(client);
    this.searches.delete(client);
    if (connection === undefined) return;
    this.watched.delete(client);
    const { sockets = [], client_port } = connection;
    for (const socket of sockets) if (socket.isOpen(client_port)) socket.unlimitWindow();
    this.remembered.delete(client);
    if (sockets.length === 0) return;
    this.remembered.set(client, sockets);
    if (this.remembered.size > remembered_max)
      this.remembered.delete(this.remembered.keys().next().value!);
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

  private wasCrowded(): boolean {
    return this.unlimited_bytes !== undefined || performance.now() < this.crowded_until_ms;
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
      this.crowded_until_ms = performance.now() + crowd_after_ms;
    }
  }
}

/** In steps, so that few are changed when connections come and go. */
function shareOf(connections: number): number {
  const bytes = 2 ** Math.floor(Math.log2(tiny_chunks_total_bytes / connections));
  return Math.min(window_bytes.tiny_chunks, Math.max(window_bytes.min, bytes));
}
