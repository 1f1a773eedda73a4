/** Opens the port and the Unix socket, and closes them gracefully. */
import { newId } from "../base/ids";
import { errorFields, type Log } from "../base/log";
import { ipVersion } from "../base/networks";
import { listenUrl, type ListenAddress } from "../base/public-url";
import { settlesWithin } from "../lib/timeout";
import { translateError } from "../store/storage-errors";
import { AcceptTurns } from "./accept-turns";
import { declaredLength } from "./body";
import type { Peer } from "./client";
import type { Gateway } from "./gateway";
import { problemResponse } from "./problem";
import { ReceiveWindows } from "./receive-windows";
import { TcpSockets } from "./tcp-sockets";
import type { TlsFiles, TlsPair } from "./tls-files";
import { clearSocketPath, openSocket, removeSocket } from "./unix-socket";

/** A running server. */
export interface HttpServer {
  /** Where this machine reaches it: `http://127.0.0.1:4780`; null when no port was opened. */
  readonly url: string | null;
  /**
   * Accepts no new requests, lets those in progress end within `limit_ms`, then closes the rest.
   */
  stop(limit_ms: number): Promise<void>;
}

/** Where the server listens: on a port, a socket, or both. */
export interface ListenOptions {
  /** Null when only the socket is opened. */
  readonly port: ListenAddress | null;
  /** Applies to the port. */
  readonly tls: TlsFiles | null;
  /** The path of a Unix socket, which serves plain HTTP. */
  readonly socket: string | null;
  readonly log: Log;
}

/**
 * Longer than any `Prefer: wait`; a client that is silent for longer in the middle of a request is
 * cut off.
 */
const idle_timeout_s = 60;
/** Each route has its own limit; this one only catches what no route would read. */
const body_bytes_backstop = 2 ** 40;

function openingProblem(
  { code, message }: Error & { code?: string },
  host: string,
  port: number,
): string {
  // When a host name has no address, the runtime claims that the port is taken or that a file
  // exists.
  const is_unknown_host = ipVersion(host) === 0 && host !== "localhost";
  const host_hint = is_unknown_host ? `, or ${host} is not an address of this machine` : "";
  if (code === "EADDRINUSE")
    return (
      `Port ${port} on ${host} is already in use${host_hint}. If another Dossier is running, ` +
      "stop it, or choose another port with --port."
    );
  if (code === "EADDRNOTAVAIL" || is_unknown_host)
    return (
      `${host} is not an address of this machine. ` +
      "Choose another with --host, such as 127.0.0.1."
    );
  if (code === "EACCES")
    return (
      `This user is not allowed to open port ${port} on ${host}. Choose a port above 1023 ` +
      "with --port."
    );
  return `${host}:${port} can't be opened: ${message}`;
}

/** @throws Error in plain words when the address can't be opened. */
export async function serve(gateway: Gateway, options: ListenOptions): Promise<HttpServer> {
  const { port, socket, tls } = options;
  if (socket !== null) await clearSocketPath(socket);
  const open_port = port && new Port(gateway, port, options);
  let socket_server: Bun.Server<undefined> | null = null;
  try {
    if (socket !== null)
      socket_server = openSocket(socket, () =>
        Bun.serve({ ...handlers(gateway, "unix", options), unix: socket } as never),
      );
  } catch (error) {
    await open_port?.stop(0);
    throw error;
  }
  if (open_port && tls) tls.watch((pair) => open_port.renew(pair));
  return {
    url: open_port?.url ?? null,
    async stop(limit_ms) {
      tls?.stop();
      await Promise.all([
        open_port?.stop(limit_ms),
        socket_server && stopServer(socket_server, limit_ms),
      ]);
      if (socket !== null) removeSocket(socket);
    },
  };
}

interface HandlerOptions {
  readonly log: Log;
  readonly windows?: ReceiveWindows;
  readonly accept_turns?: AcceptTurns;
}
/** The `fetch` handlers of the port and of the socket. */
const handlers = (
  gateway: Gateway,
  via: Peer["via"],
  { log, windows, accept_turns }: HandlerOptions,
) => ({
  idleTimeout: idle_timeout_s,
  maxRequestBodySize: body_bytes_backstop,
  fetch(request: Request, self: Bun.Server<undefined>) {
    accept_turns?.noteRequest();
    const peer = self.requestIP(request);
    const bodyEnded =
      peer === null
        ? undefined
        : windows?.noteRequest(peer, {
            is_chunked: request.headers.has("transfer-encoding"),
            length: declaredLength(request),
          });
    return gateway.handle(request, {
      address: peer?.address ?? "",
      via,
      receiveSlowly: () => {
        if (peer) windows?.slowDown(peer);
      },
      ...(bodyEnded && { bodyEnded }),
    });
  },
  error(error: Error) {
    const request_id = newId("req");
    log.error("request failed outside the gateway", { request_id, ...errorFields(error) });
    return problemResponse(translateError(error), request_id);
  },
});

async function stopServer(server: Bun.Server<undefined>, limit_ms: number): Promise<void> {
  if (!(await settlesWithin(server.stop(), limit_ms))) await server.stop(true);
}

/** The TCP port, with or without TLS. */
class Port {
  readonly url: string;
  private address: SocketAddress;
  private readonly log: Log;
  private server: PortServer;
  /** Servers with an earlier certificate, kept until they have answered their last request. */
  private readonly retired = new Set<PortServer>();

  /** @throws Error in plain words */
  constructor(
    private readonly gateway: Gateway,
    { host, port }: ListenAddress,
    { tls, log }: ListenOptions,
  ) {
    this.log = log;
    this.address = { hostname: host, port };
    try {
      if (tls) refuseShared(this.address);
      this.server = this.listen(tls && tls.pair);
    } catch (error) {
      throw new Error(openingProblem(error as Error & { code?: string }, host, port));
    }
    const { port: actual_port } = this.server;
    this.address = { hostname: host, port: actual_port };
    this.url = listenUrl({ host, port: actual_port }, tls !== null);
  }

  /**
   * New connections get this certificate. The runtime can't change the certificate of an open port,
   * so a second server opens the port before the first one closes it; that one completes its
   * requests.
   */
  renew(pair: TlsPair): void {
    const previous = this.server;
    this.server = this.listen(pair);
    this.retired.add(previous);
    void previous.end().finally(() => this.retired.delete(previous));
  }

  async stop(limit_ms: number): Promise<void> {
    await Promise.all([this.server, ...this.retired].map((server) => server.stop(limit_ms)));
  }

  private listen(tls: TlsPair | null): PortServer {
    return new PortServer(this.gateway, this.address, { tls, log: this.log });
  }
}

interface SocketAddress {
  readonly hostname: string;
  readonly port: number;
}
interface PortServerOptions {
  readonly tls: TlsPair | null;
  readonly log: Log;
}

/** One server of the runtime on the TCP port, and what is set on its socket. */
class PortServer {
  private readonly server: Bun.Server<undefined>;
  private readonly accept_turns = new AcceptTurns();
  private readonly windows: ReceiveWindows;

  /** @throws what the runtime throws */
  constructor(gateway: Gateway, address: SocketAddress, { tls, log }: PortServerOptions) {
    const windows = new ReceiveWindows({ is_encrypted: tls !== null });
    const { accept_turns } = this;
    const options = {
      ...handlers(gateway, tls ? "tls" : "tcp", { log, windows, accept_turns }),
      ...address,
      ...(tls && { tls: { ...tls }, reusePort: true }),
    };
    const { server, listener } = TcpSockets.listen(address.port, () => Bun.serve(options));
    windows.open(server.port!, listener);
    accept_turns.open(listener);
    this.windows = windows;
    this.server = server;
  }

  get port(): number {
    return this.server.port!;
  }

  /** Accepts no new connections; resolves when all requests are answered. */
  end(): Promise<void> {
    this.releaseSocket();
    return this.server.stop();
  }
  stop(limit_ms: number): Promise<void> {
    this.releaseSocket();
    return stopServer(this.server, limit_ms);
  }

  private releaseSocket(): void {
    this.windows.close();
    this.accept_turns.close();
  }
}

/** A port that may be opened twice could be shared with another process. @throws what Bun throws */
function refuseShared(address: { readonly hostname: string; readonly port: number }): void {
  if (address.port === 0) return;
  void Bun.serve({ ...address, fetch: () => new Response() }).stop(true);
}
