/** The port and socket that the server listens on, according to the settings. */
import { resolve } from "node:path";
import { ConfigError, type Config } from "../base/config";
import type { ListenOptions } from "../http/http-server";
import { TlsFiles } from "../http/tls-files";
import type { Bootstrap } from "./bootstrap";

interface ListenSettings {
  readonly host: string;
  readonly port: number;
  readonly socket?: string;
  readonly tls_cert?: string;
  readonly tls_key?: string;
}

/** Paths are relative to the data directory. @throws ConfigError */
export function listenOptions(boot: Bootstrap): ListenOptions {
  const { tls_cert, tls_key } = boot.config.values.server as unknown as ListenSettings;
  const inData = (path: string) => resolve(boot.located.data, path);
  const tls = tlsFiles(tls_cert && inData(tls_cert), tls_key && inData(tls_key), boot.log);
  return { ...listenPlaces(boot), tls, log: boot.log };
}

/** The port and the path of the socket; there is at least one of them. */
export function listenPlaces({
  config,
  located,
}: Pick<Bootstrap, "config" | "located">): Pick<ListenOptions, "port" | "socket"> {
  const { host, port, socket } = config.values.server as unknown as ListenSettings;
  return {
    port: opensPort(config) ? { host, port } : null,
    socket: socket === undefined ? null : resolve(located.data, socket),
  };
}

/** With a socket, the port is opened only when it is configured explicitly. */
const opensPort = ({ values, settings }: Pick<Config, "values" | "settings">): boolean =>
  values.server!.socket === undefined ||
  settings.some(
    ({ section, key, origin }) =>
      section === "server" && (key === "host" || key === "port") && origin !== "default",
  );

function tlsFiles(
  cert: string | undefined,
  key: string | undefined,
  log: ListenOptions["log"],
): TlsFiles | null {
  if (cert === undefined && key === undefined) return null;
  if (cert === undefined || key === undefined)
    throw new ConfigError([
      `server.${cert === undefined ? "tls_cert" : "tls_key"} is not set. HTTPS needs both ` +
        "a certificate and its key.",
    ]);
  try {
    return new TlsFiles({ cert, key }, log);
  } catch (error) {
    throw new ConfigError([`${(error as Error).message}.`]);
  }
}
