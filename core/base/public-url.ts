/** The address at which people reach the server, which may have a path: `https://nas/dossier`. */
import { ConfigError } from "./config";

const setting = "server.public_url";

/** Where the server listens: a host name or an IP address, and a TCP port. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}
/** The settings that determine the address: the public one, otherwise the one listened on. */
export interface AddressSettings extends ListenAddress {
  readonly public_url?: string;
  readonly tls_cert?: string;
}

/** Without a trailing slash. @throws ConfigError when paths can't be appended to it. */
export function checkedPublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "")
    throw invalidUrl(text, "is not an address such as https://nas.example/dossier");
  if (url.username || url.password || url.search || url.hash || /[?#]/.test(text))
    throw invalidUrl(text, "may only have a host, a port and a path");
  if (url.pathname.includes("//")) throw invalidUrl(text, "has an empty part in its path");
  return (url.origin + url.pathname).replace(/\/$/, "");
}

/** Where a server with these settings is reached. @throws ConfigError */
export const publicUrlOf = (settings: AddressSettings): string =>
  settings.public_url === undefined
    ? listenUrl(settings, settings.tls_cert !== undefined)
    : checkedPublicUrl(settings.public_url);

/** Addresses that mean every address of the machine, with one that the machine can open. */
const wildcards: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };
/** Whether this host stands for all addresses of the machine. */
export const isWildcard = (host: string): boolean => Object.hasOwn(wildcards, host);

/** The address at which this machine reaches a server that listens there. */
export function listenUrl({ host, port }: ListenAddress, has_tls: boolean): string {
  const reachable_host = wildcards[host] ?? host;
  const url_host = reachable_host.includes(":") ? `[${reachable_host}]` : reachable_host;
  return `${has_tls ? "https" : "http"}://${url_host}:${port}`;
}

/** The path below which the whole server is found: `/dossier`, or the empty string. */
export const basePathOf = (public_url: string): string =>
  new URL(public_url).pathname.replace(/\/$/, "");

const invalidUrl = (text: string, why: string): ConfigError =>
  new ConfigError([`${setting} ${why}: ${JSON.stringify(text)}`]);
