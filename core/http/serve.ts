/** Opens the port and closes it gracefully. */
import { isIP } from "node:net";
import type { Log } from "../base/log";
import type { Front } from "./front";

export interface Served {
  /** `http://127.0.0.1:4780`, with the port that was really opened. */
  readonly url: string;
  readonly port: number;
  /** Takes no new request, lets those under way end within `limit_ms`, then closes what is left. */
  stop(limit_ms: number): Promise<void>;
}

/** Longer than any `Prefer: wait`; a peer that is silent for longer mid-request is cut off. */
const idle_timeout_s = 60;
/** Each route has its own limit, told in its 413; this one only ends what no route would read. */
const body_bytes_backstop = 2 ** 40;

function whyNotOpened(
  { code, message }: Error & { code?: string },
  host: string,
  port: number,
): string {
  // The runtime says of a name that stands for no address that its port is taken, or that a file
  // exists.
  const doubtful = isIP(host) === 0 && host !== "localhost";
  const doubt = doubtful ? `, or ${host} is not an address of this machine` : "";
  if (code === "EADDRINUSE")
    return `Port ${port} on ${host} is in use already${doubt}. Is another Dossier running? Choose another with --port.`;
  if (code === "EADDRNOTAVAIL" || doubtful)
    return `${host} is not an address of this machine. Choose another with --host, such as 127.0.0.1.`;
  if (code === "EACCES")
    return `This user may not open port ${port} on ${host}. Choose one above 1023 with --port.`;
  return `${host}:${port} can't be opened: ${message}`;
}

/** @throws Error in words when the address can't be opened. */
export function serve(
  front: Front,
  { host, port, log }: { readonly host: string; readonly port: number; readonly log: Log },
): Served {
  let server: Bun.Server<undefined>;
  try {
    server = Bun.serve({
      hostname: host,
      port,
      idleTimeout: idle_timeout_s,
      maxRequestBodySize: body_bytes_backstop,
      fetch: (request, self) => front(request, self.requestIP(request)?.address ?? ""),
      error(error) {
        log.error("request failed outside the front door", { error: error.message });
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
      const { promise: late, resolve } = Promise.withResolvers<"late">();
      const timer = setTimeout(() => resolve("late"), limit_ms);
      const how = await Promise.race([server.stop(), late]);
      clearTimeout(timer);
      if (how === "late") await server.stop(true);
    },
  };
}
