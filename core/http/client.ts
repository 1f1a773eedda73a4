/**
 * Where a request came from: as the connection says, or as a reverse proxy says when it is a
 * trusted one.
 */
import { inBlock, ipVersion, type Networks } from "../base/networks";
import type { Client } from "./route";

/** The other end of the connection. */
export interface Peer {
  /** Its IP address; empty on a Unix socket. */
  readonly address: string;
  readonly via: "tcp" | "tls" | "unix";
}

export interface ProxyOptions {
  /** Networks whose `X-Forwarded-…` headers are trusted. */
  readonly trusted_proxies: Networks;
  /** `https://dossier.example.com`: requests for this host came by the scheme it names. */
  readonly public_url: () => string;
}

/**
 * The address is the last hop of `X-Forwarded-For`, the scheme and the host those of
 * `X-Forwarded-Proto` and `-Host`, when the peer is a trusted proxy. Whoever may open the Unix
 * socket is one: the mode of the file says who.
 */
export function clientOf(
  { headers }: Request,
  peer: Peer,
  base_path: string,
  { trusted_proxies, public_url }: ProxyOptions,
): Client {
  const from = peer.via === "unix" ? "unix" : peer.address;
  const requested_host = headers.get("host") ?? "";
  const isSecure = (host: string) => peer.via === "tls" || isHttpsOf(public_url(), host);
  const forwarded =
    headers.has("x-forwarded-for") ||
    headers.has("x-forwarded-proto") ||
    headers.has("x-forwarded-host");
  if (!forwarded || !(peer.via === "unix" || inBlock(trusted_proxies, peer.address)))
    return {
      address: peer.address,
      peer: from,
      host: requested_host,
      secure: isSecure(requested_host),
      base_path,
    };
  const hop = lastOf(headers.get("x-forwarded-for"));
  const scheme = lastOf(headers.get("x-forwarded-proto"))?.toLowerCase();
  const host = lastOf(headers.get("x-forwarded-host")) ?? requested_host;
  return {
    address: hop === undefined || ipVersion(hop) === 0 ? peer.address : hop,
    peer: from,
    host,
    secure: scheme === undefined ? isSecure(host) : scheme === "https",
    base_path,
  };
}

const lastOf = (header: string | null): string | undefined =>
  header === null ? undefined : header.slice(header.lastIndexOf(",") + 1).trim() || undefined;

const isHttpsOf = (public_url: string, host: string): boolean =>
  public_url.startsWith("https://") && sameHost(new URL(public_url).host, host);

/** Hosts as they stand in `Host` and in an origin, where the standard port may be left out. */
export const sameHost = (a: string, b: string): boolean => plainHost(a) === plainHost(b);
const plainHost = (host: string): string => host.toLowerCase().replace(/:(80|443)$/, "");
