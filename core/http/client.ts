/**
 * Where a request came from: as the connection says, or as a reverse proxy says when it is a
 * trusted one.
 */
import { isIP, type BlockList } from "node:net";
import { inBlock } from "../base/networks";
import type { Client } from "./route";

export interface ProxyOptions {
  /** Networks whose `X-Forwarded-…` headers are trusted. */
  readonly trusted_proxies: BlockList;
  /** `https://dossier.example.com`: requests for this host came by the scheme it names. */
  readonly public_url: () => string;
}

/**
 * The address is the last hop of `X-Forwarded-For`, the scheme and the host those of
 * `X-Forwarded-Proto` and `-Host`, when the peer is a trusted proxy.
 */
export function clientOf(
  request: Request,
  peer: string,
  { trusted_proxies, public_url }: ProxyOptions,
): Client {
  const { headers } = request;
  const requested_host = headers.get("host") ?? "";
  const forwarded =
    headers.has("x-forwarded-for") ||
    headers.has("x-forwarded-proto") ||
    headers.has("x-forwarded-host");
  if (!forwarded || !inBlock(trusted_proxies, peer))
    return { address: peer, host: requested_host, secure: isHttpsOf(public_url(), requested_host) };
  const hop = lastOf(headers.get("x-forwarded-for"));
  const scheme = lastOf(headers.get("x-forwarded-proto"))?.toLowerCase();
  const host = lastOf(headers.get("x-forwarded-host")) ?? requested_host;
  return {
    address: hop === undefined || isIP(hop) === 0 ? peer : hop,
    host,
    secure: scheme === undefined ? isHttpsOf(public_url(), host) : scheme === "https",
  };
}

const lastOf = (header: string | null): string | undefined =>
  header === null ? undefined : header.slice(header.lastIndexOf(",") + 1).trim() || undefined;

const isHttpsOf = (public_url: string, host: string): boolean =>
  public_url.startsWith("https://") && sameHost(new URL(public_url).host, host);

/** Hosts as they stand in `Host` and in an origin, where the standard port may be left out. */
export const sameHost = (a: string, b: string): boolean => plainHost(a) === plainHost(b);
const plainHost = (host: string): string => host.toLowerCase().replace(/:(80|443)$/, "");
