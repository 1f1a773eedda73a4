/** The address that people reach the server by, which may have a path: `https://nas/dossier`. */
import { ConfigError } from "./config";

const setting = "server.public_url";

/** The settings of an address: what people use, else what is listened on. */
export interface AddressSettings {
  readonly host: string;
  readonly port: number;
  readonly public_url?: string;
  readonly tls_cert?: string;
}

/** Without a slash at its end. @throws ConfigError when it is no address that paths can follow. */
export function checkedPublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "")
    throw wrong(text, "is not an address such as https://nas.example/dossier");
  if (url.username || url.password || url.search || url.hash || /[?#]/.test(text))
    throw wrong(text, "may have a host, a port and a path, and nothing else");
  if (url.pathname.includes("//")) throw wrong(text, "has an empty part in its path");
  return (url.origin + url.pathname).replace(/\/$/, "");
}

/** Where a server with these settings is reached. @throws ConfigError */
export const publicUrlOf = (settings: AddressSettings): string =>
  settings.public_url === undefined ? listenUrl(settings) : checkedPublicUrl(settings.public_url);

export function listenUrl({ host, port, tls_cert }: AddressSettings): string {
  const scheme = tls_cert === undefined ? "http" : "https";
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Below which all of the server is found: `/dossier`, or nothing. */
export const basePathOf = (public_url: string): string =>
  new URL(public_url).pathname.replace(/\/$/, "");

const wrong = (text: string, why: string): ConfigError =>
  new ConfigError([`${setting} ${why}, not ${JSON.stringify(text)}.`]);
