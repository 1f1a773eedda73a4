/** Where a request came from: according to the connection, or to a trusted reverse proxy. */
import { inBlock, ipVersion, type Networks } from "../base/networks";
import type { Client } from "./route";

/** The other end of the connection. */
export interface Peer {
  /** Its IP address; empty on a Unix socket. */
  readonly address: string;
  readonly via: "tcp" | "tls" | "unix";
  /** Receives the body of its request slowly from now on, for one that nobody will read. */
  readonly receiveSlowly?: () => void;
  /** The body of its request has been read to its end. */
  readonly bodyEnded?: () => void;
}

/** What is believed about requests through a reverse proxy. */
export interface ProxyOptions {
  /** Networks whose `X-Forwarded-…` headers are trusted. */
  readonly trusted_proxies: Networks;
  /** `https://dossier.example.com`: requests for this host count as using its scheme. */
  readonly public_url: () => string;
}

/**
 * When the peer is a trusted proxy, the address is the last hop of `X-Forwarded-For`, and scheme
 * and host come from `X-Forwarded-Proto` and `-Host`. Everybody who may open the Unix socket is
 * trusted: the mode of its file says who.
 */
export function clientOf(
  { headers }: Request,
  peer: Peer,
  base_path: string,
  { trusted_proxies, public_url }: ProxyOptions,
): Client {
  const peer_name = peer.via === "unix" ? "unix" : peer.address;
  const requested_host = headers.get("host") ?? "";
  const isSecure = (host: string) => peer.via === "tls" || isHttpsOf(public_url(), host);
  const forwarded =
    headers.has("x-forwarded-for") ||
    headers.has("x-forwarded-proto") ||
    headers.has("x-forwarded-host");
  if (!forwarded || !(peer.via === "unix" || inBlock(trusted_proxies, peer.address)))
    return {
      address: peer.address,
      peer: peer_name,
      host: requested_host,
      secure: isSecure(requested_host),
      base_path,
    };
  const client_address = lastOf(headers.get("x-forwarded-for"));
  const scheme = lastOf(headers.get("x-forwarded-proto"))?.toLowerCase();
  const host = lastOf(headers.get("x-forwarded-host")) ?? requested_host;
  return {
    address:
      client_address === undefined || ipVersion(client_address) === 0
        ? peer.address
        : client_address,
    peer: peer_name,
    host,
    secure: scheme === undefined ? isSecure(host) : scheme === "https",
    base_path,
  };
}

const lastOf = (header: string | null): string | undefined =>
  header === null ? undefined : header.slice(header.lastIndexOf(",") + 1).trim() || undefined;

const isHttpsOf = (public_url: string, host: string): boolean =>
  public_url.startsWith("https://") && sameHost(new URL(public_url).host, host);

/** Compares hosts from `Host` and from an origin, where the standard port may be omitted. */
export const sameHost = (a: string, b: string): boolean =>
  withoutStandardPort(a) === withoutStandardPort(b);
const withoutStandardPort = (host: string): string => host.toLowerCase().replace(/:(80|443)$/, "");
