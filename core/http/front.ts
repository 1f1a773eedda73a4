/** The front door: the fixed order in which every request is handled, before its body is read. Read it top to bottom. */
import { isIP, type BlockList } from "node:net";
import { inBlock } from "../base/networks";
import { systemClock } from "../base/clock";
import { newId } from "../base/ids";
import { errorFields, type Log } from "../base/log";
import { HttpError } from "./errors";
import { prefix, type Router } from "./mount";
import { pathOf, pathStart } from "./path";
import { problemResponse } from "./problem";
import type { Caller } from "./route";
import type { RateLimit } from "./slots";

const old_prefix = "/api/dev";
/** When the unversioned paths were deprecated (RFC 9745): the day of the first release, 2026-11-21. */
const deprecated_since_s = 1_795_219_200;

export interface FrontParts {
  readonly router: Router;
  /** Paths under the API prefix that need no key. */
  readonly isPublic: (path: string) => boolean;
  readonly authenticate: (token: string) => Caller | null;
  readonly rateLimit: (subject: string, charge: 0 | 1) => RateLimit;
  /** Networks whose `X-Forwarded-For` is believed. */
  readonly trusted_proxies: BlockList;
  readonly log: Log;
}
export type Front = (request: Request, peer_address: string) => Promise<Response>;

export const createFront = (parts: FrontParts): Front => async (incoming, peer_address) => {
  const request_id = newId("req");
  const path = pathOf(incoming.url);
  const alias = isAlias(path);
  const headers: Record<string, string> = { "x-request-id": request_id, "x-content-type-options": "nosniff" };
  if (alias) announceAlias(path, headers);
  let response: Response;
  try { response = await answer(parts, alias ? asVersioned(incoming) : asRoutable(incoming), { request_id, headers, address: clientAddress(incoming, peer_address, parts.trusted_proxies) }); }
  catch (error) {
    const what = { request_id, method: incoming.method, path };
    if (incoming.signal.aborted) parts.log.info("the client went away", what);
    else if (!(error instanceof HttpError)) parts.log.error("request failed", { ...what, ...errorFields(error) });
    response = problemResponse(error, request_id);
  }
  for (const name in headers) response.headers.set(name, headers[name]!);
  return incoming.method === "HEAD" ? withoutBody(response) : response;
};

interface Visit { readonly request_id: string; readonly headers: Record<string, string>; readonly address: string }

async function answer(parts: FrontParts, request: Request, { request_id, headers, address }: Visit): Promise<Response> {
  const path = pathOf(request.url);
  const in_api = path === old_prefix || path.startsWith(`${old_prefix}/`);
  // 1. Who is calling? A cookie is never looked at.
  const authorization = in_api ? request.headers.get("authorization") : null;
  const token = bearerToken(authorization);
  const caller = token === null ? null : parts.authenticate(token);
  // 2. The owner's window is charged when the key is good, the address's otherwise. Health checks only look.
  const limit = parts.rateLimit(caller ? `owner:${caller.owner_id}` : `address:${address}`, path === "/health" ? 0 : 1);
  headers["x-ratelimit-limit"] = String(limit.limit);
  headers["x-ratelimit-remaining"] = String(limit.remaining);
  headers["x-ratelimit-reset"] = String(limit.reset_s);
  if (!limit.allowed) throw tooManyRequests(limit);
  // 3. Without a good key only what is public goes on, and unknown paths don't show.
  if (in_api && caller === null && !parts.isPublic(path)) throw unauthorized(authorization !== null);
  // 4. Route, then scope, size, type and shape of what it brings.
  return parts.router.handle(request, { caller, request_id });
}

/** The token of exactly one `Authorization: Bearer`; the scheme is case-insensitive. */
function bearerToken(header: string | null): string | null {
  const match = header === null ? null : /^bearer +([^\s,]+) *$/i.exec(header);
  return match ? match[1]! : null;
}

const unauthorized = (token_was_sent: boolean): HttpError => new HttpError(401, "unauthorized",
  token_was_sent ? "The API key is not valid: it may be mistyped, expired or deactivated." : "This needs an API key: send the header `Authorization: Bearer <API_KEY>`.",
  { headers: { "www-authenticate": token_was_sent ? `Bearer realm="dossier", error="invalid_token"` : `Bearer realm="dossier"` } });

function tooManyRequests({ limit, reset_s }: RateLimit): HttpError {
  const retry_after_s = Math.max(1, reset_s - Math.floor(systemClock.now_ms() / 1_000));
  return new HttpError(429, "rate_limited", `More than ${limit} requests came in this window. Try again in ${retry_after_s} s.`, { headers: { "retry-after": String(retry_after_s) } });
}

const isAlias = (path: string): boolean => (path === old_prefix || path.startsWith(`${old_prefix}/`)) && path !== prefix && !path.startsWith(`${prefix}/`);

function announceAlias(path: string, headers: Record<string, string>): void {
  headers.warning = `299 - "Deprecated: use ${prefix}"`;
  headers.deprecation = `@${deprecated_since_s}`;
  headers.link = `<${prefix}${path.slice(old_prefix.length)}>; rel="successor-version"`;
}

/** The same request at the versioned path, HEAD as GET. */
const asVersioned = (request: Request): Request =>
  new Request(routable_origin + prefix + request.url.slice(pathStart(request.url) + old_prefix.length), asGet(request));
/** HEAD as GET. Elysia looks for the path behind the eleventh character: with a host of one to three letters it would miss it. */
function asRoutable(request: Request): Request {
  const from = pathStart(request.url);
  return request.method === "HEAD" || from < 11 ? new Request(routable_origin + request.url.slice(from), asGet(request)) : request;
}
/** Stands for whatever host was asked: nothing behind the front door looks at it. */
const routable_origin = "http://dossier.internal";
const asGet = (request: Request): RequestInit => request.method === "HEAD" ? { method: "GET", headers: request.headers, signal: request.signal } : request;

function withoutBody(response: Response): Response {
  void response.body?.cancel();
  return new Response(null, { status: response.status, headers: response.headers });
}

/** The peer, or the last hop of `X-Forwarded-For` when the peer is a trusted proxy. */
function clientAddress(request: Request, peer: string, trusted: BlockList): string {
  const forwarded = request.headers.get("x-forwarded-for");
  if (forwarded === null || !inBlock(trusted, peer)) return peer;
  const hop = forwarded.split(",").at(-1)!.trim();
  return isIP(hop) === 0 ? peer : hop;
}
