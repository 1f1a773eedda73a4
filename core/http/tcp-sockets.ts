/** Options of TCP connections that the runtime does not offer, set in the kernel. Linux only. */
import { dlopen } from "bun:ffi";
import { readdirSync } from "node:fs";
import { libcPath } from "../lib/libc";

/** IPPROTO_TCP. */
const tcp_level = 6;
/** TCP_MAXSEG. */
const segment_bytes_option = 2;
/** SOL_SOCKET. */
const socket_level = 1;
/** SO_RCVBUF. */
const receive_buffer_option = 8;
/** SO_BUF_LOCK, which buffers have a fixed size; since Linux 5.14. */
const fixed_buffers_option = 72;
/** SO_ACCEPTCONN. */
const is_listening_option = 30;
/** MSG_PEEK and MSG_DONTWAIT: leaves the bytes in the buffer, and does not wait for any. */
const peek_flags = 0x02 | 0x40;
/** F_DUPFD_CLOEXEC */
const duplicate_command = 1030;
/** O_CLOEXEC and SOCK_CLOEXEC: child processes don't inherit it. */
const not_inherited = 0o2000000;
/** SOCK_STREAM. */
const stream_type = 1;
/** AF_INET, AF_INET6. */
const ip_families: readonly number[] = [2, 10];

const openLibc = (path: string) =>
  dlopen(path, {
    close: { args: ["i32"], returns: "i32" },
    dup3: { args: ["i32", "i32", "i32"], returns: "i32" },
    fcntl: { args: ["i32", "i32", "i32"], returns: "i32" },
    getpeername: { args: ["i32", "ptr", "ptr"], returns: "i32" },
    getsockname: { args: ["i32", "ptr", "ptr"], returns: "i32" },
    getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
    setsockopt: { args: ["i32", "i32", "i32", "ptr", "u32"], returns: "i32" },
    socket: { args: ["i32", "i32", "i32"], returns: "i32" },
    recv: { args: ["i32", "ptr", "u64", "i32"], returns: "i64" },
  }).symbols;
type Libc = ReturnType<typeof openLibc>;

/** The sockets of this process. */
export class TcpSockets {
  private readonly address = new Uint16Array(64);
  private readonly length = new Uint32Array(1);

  private constructor(private readonly libc: Libc) {}

  /** Null on a system where they can't be reached. */
  static open(): TcpSockets | null {
    try {
      const path = libcPath();
      return path === undefined ? null : new TcpSockets(openLibc(path));
    } catch {
      return null;
    }
  }

  /**
   * Opens a port with `listen`; returns its socket too, if it is found. Another one may listen on
   * the same port already.
   */
  static listen<T extends { readonly port?: number | undefined }>(
    port: number,
    listen: () => T,
  ): { readonly server: T; readonly listener: TcpSocket | undefined } {
    const sockets = TcpSockets.open();
    const earlier = new Set(sockets?.listeners(port).map(({ fd }) => fd));
    const server = listen();
    const found = sockets?.listeners(server.port!) ?? [];
    return { server, listener: found.find(({ fd }) => !earlier.has(fd)) };
  }

  private listeners(port: number): TcpSocket[] {
    return this.sockets().filter(
      (socket) => socket.isListening() && this.ownPort(socket.fd) === port,
    );
  }

  /**
   * The connections to this port of clients with one of the other ports, by that port: mostly one
   * each. Looks at every open file of the process.
   */
  connections(port: number, peer_ports: ReadonlySet<number>): Map<number, TcpSocket[]> {
    const found = new Map<number, TcpSocket[]>();
    for (const socket of this.sockets()) {
      const peer_port = this.peerPort(socket.fd);
      if (peer_port === undefined || !peer_ports.has(peer_port)) continue;
      if (this.ownPort(socket.fd) !== port) continue;
      found.set(peer_port, [...(found.get(peer_port) ?? []), socket]);
    }
    return found;
  }

  /** Of the other end; undefined when this is no open TCP connection. */
  peerPort(fd: number): number | undefined {
    return this.portOf(this.libc.getpeername, fd);
  }

  private ownPort(fd: number): number | undefined {
    return this.portOf(this.libc.getsockname, fd);
  }

  private portOf(read: Libc["getpeername"], fd: number): number | undefined {
    this.length[0] = this.address.byteLength;
    if (read(fd, this.address, this.length) !== 0) return undefined;
    const [family, port] = this.address as unknown as [number, number];
    return ip_families.includes(family) ? ((port & 0xff) << 8) | (port >> 8) : undefined;
  }

  /** None while the process has too many files open to list them. */
  private sockets(): TcpSocket[] {
    try {
      return readdirSync("/proc/self/fd").map((fd) => new TcpSocket(Number(fd), this, this.libc));
    } catch {
      return [];
    }
  }
}

/** A socket of this process. Its methods have no effect once it is closed. */
export class TcpSocket {
  constructor(
    readonly fd: number,
    private readonly sockets: TcpSockets,
    private readonly libc: Libc,
  ) {}

  /** Whether it is still the connection to this port of a client. */
  isOpen(peer_port: number): boolean {
    return this.sockets.peerPort(this.fd) === peer_port;
  }

  /** Whether it accepts connections. */
  isListening(): boolean {
    return this.option(socket_level, is_listening_option) === 1;
  }

  /** Connections that are accepted from now on receive segments of at most this size. */
  limitSegments(bytes: number): void {
    this.setOption(tcp_level, segment_bytes_option, bytes);
  }

  /** At most about this much is received before it is read. */
  limitWindow(bytes: number): void {
    this.setOption(socket_level, receive_buffer_option, bytes);
  }

  /** The kernel chooses the size again; before Linux 5.14 the limit stays. */
  unlimitWindow(): void {
    this.setOption(socket_level, fixed_buffers_option, 0);
  }

  /** For a listening socket; null when the system refuses another open file. */
  acceptSwitch(): AcceptSwitch | null {
    const own = this.libc.fcntl(this.fd, duplicate_command, 0);
    const idle = this.libc.socket(ip_families[0]!, stream_type | not_inherited, 0);
    if (own >= 0 && idle >= 0) return new AcceptSwitch(this.fd, { own, idle }, this.libc);
    for (const fd of [own, idle]) if (fd >= 0) this.libc.close(fd);
    return null;
  }

  /** Whether `unlimitWindow` has an effect. */
  mayUnlimitWindow(): boolean {
    return this.option(socket_level, fixed_buffers_option) !== -1;
  }

  /** How much memory the kernel may use for what was received and not read, bytes. */
  receiveBufferBytes(): number {
    return this.option(socket_level, receive_buffer_option);
  }

  /** Copies what was received and not read yet, as much as fits. Returns the number of bytes. */
  peek(into: Uint8Array): number {
    return Math.max(0, Number(this.libc.recv(this.fd, into, into.byteLength, peek_flags)));
  }

  private option(level: number, name: number): number {
    const value = new Int32Array(1);
    const length = new Uint32Array([value.byteLength]);
    return this.libc.getsockopt(this.fd, level, name, value, length) === 0 ? value[0]! : -1;
  }

  private setOption(level: number, name: number, value: number): void {
    const option = new Int32Array([value]);
    this.libc.setsockopt(this.fd, level, name, option, option.byteLength);
  }
}

/**
 * Makes a listening socket look as if no connection waited to be accepted, without losing any: its
 * descriptor stands for an idle socket meanwhile, from which none can be accepted.
 */
export class AcceptSwitch {
  constructor(
    private readonly fd: number,
    private readonly sockets: { readonly own: number; readonly idle: number },
    private readonly libc: Pick<Libc, "dup3" | "close">,
  ) {}

  /** Connections wait in the kernel until `resume`. */
  pause(): void {
    this.replaceBy(this.sockets.idle);
  }
  resume(): void {
    this.replaceBy(this.sockets.own);
  }

  /** Must be called before the socket is closed, which would stay open otherwise. */
  release(): void {
    this.resume();
    const { own, idle } = this.sockets;
    for (const fd of [own, idle]) this.libc.close(fd);
  }

  private replaceBy(fd: number): void {
    this.libc.dup3(fd, this.fd, not_inherited);
  }
}
