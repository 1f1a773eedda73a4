/** The address at which people reach the server, which may have a path: `https://nas/dossier`. */
import { ConfigError } from "./config";

const setting = "server.public_url";

/** The settings that determine the address: the public one, otherwise the one listened on. */
export interface AddressSettings {
  readonly host: string;
  readonly port: number;
  readonly public_url?: string;
  readonly tls_cert?: string;
}

/** Without a trailing slash. @throws ConfigError when paths can't be appended to it. */
export function checkedPublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "")
    throw wrong(text, "is not an address such as https://nas.example/dossier");
  if (url.username || url.password || url.search || url.hash || /[?#]/.test(text))
    throw wrong(text, "may only have a host, a port and a path");
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

/** The path below which the whole server is found: `/dossier`, or the empty string. */
export const basePathOf = (public_url: string): string =>
  new URL(public_url).pathname.replace(/\/$/, "");

const wrong = (text: string, why: string): ConfigError =>
  new ConfigError([`${setting} ${why}, not ${JSON.stringify(text)}.`]);
