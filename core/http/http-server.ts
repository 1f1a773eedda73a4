/** Opens the port and closes it gracefully. */
import { isIP } from "node:net";
import type { Log } from "../base/log";
import { settlesWithin } from "../lib/timeout";
import type { Gateway } from "./gateway";

export interface HttpServer {
  /** `http://127.0.0.1:4780`, with the port that was opened. */
  readonly url: string;
  readonly port: number;
  /** Takes no new request, lets those under way end within `limit_ms`, then closes what is left. */
  stop(limit_ms: number): Promise<void>;
}

/** Longer than any `Prefer: wait`; a peer that is silent for longer mid-request is cut off. */
const idle_timeout_s = 60;
/** Each route has its own limit; this one only ends what no route would read. */
const body_bytes_backstop = 2 ** 40;

function whyNotOpened(
  { code, message }: Error & { code?: string },
  host: string,
  port: number,
): string {
  // For a name without an address the runtime says that the port is taken, or that a file exists.
  const doubtful = isIP(host) === 0 && host !== "localhost";
  const doubt = doubtful ? `, or ${host} is not an address of this machine` : "";
  if (code === "EADDRINUSE")
    return (
      `Port ${port} on ${host} is in use already${doubt}. ` +
      "Is another Dossier running? Choose another with --port."
    );
  if (code === "EADDRNOTAVAIL" || doubtful)
    return (
      `${host} is not an address of this machine. ` +
      "Choose another with --host, such as 127.0.0.1."
    );
  if (code === "EACCES")
    return `This user may not open port ${port} on ${host}. Choose one above 1023 with --port.`;
  return `${host}:${port} can't be opened: ${message}`;
}

/** @throws Error in plain words when the address can't be opened. */
export function serve(
  gateway: Gateway,
  { host, port, log }: { readonly host: string; readonly port: number; readonly log: Log },
): HttpServer {
  let server: Bun.Server<undefined>;
  try {
    server = Bun.serve({
      hostname: host,
      port,
      idleTimeout: idle_timeout_s,
      maxRequestBodySize: body_bytes_backstop,
      fetch: (request, self) => gateway.handle(request, self.requestIP(request)?.address ?? ""),
      error(error) {
        log.error("request failed outside the gateway", { error: error.message });
        return new Response("The server failed to answer.", {
          status: 500,
          headers: { "content-type": "text/plain; charset=utf-8" },
        });
      },
    });
  } catch (error) {
    throw new Error(whyNotOpened(error as Error & { code?: string }, host, port));
  }
  const opened = server.port ?? port;
  return {
    port: opened,
    url: `http://${host.includes(":") ? `[${host}]` : host}:${opened}`,
    async stop(limit_ms) {
      if (!(await settlesWithin(server.stop(), limit_ms))) await server.stop(true);
    },
  };
}
