/**
 * The front door: the fixed order in which every request is handled, before its body is read. Read
 * it top to bottom.
 */
import { systemClock } from "../base/clock";
import { newId } from "../base/ids";
import { errorFields, type Log } from "../base/log";
import { HttpError } from "../base/errors";
import { prefix, type Router } from "./mount";
import { pathOf, pathStart } from "./path";
import { problemResponse } from "./problem";
import type { Caller, Client } from "./route";
import type { Admitted, Authenticator, RateLimit, RateLimiter, Seen, Surface } from "./slots";
import { visitorOf, type Believed } from "./visitor";

const old_prefix = "/api/dev";
/**
 * When the unversioned paths were deprecated (RFC 9745): the day of the first release, 2026-11-21.
 */
const deprecated_since_s = 1_795_219_200;

/** A way into the server: the API, or another surface of it. */
export interface Entrance {
  /** `api`, or the name of the surface. */
  readonly name: string;
  /** Everything below it comes in here, unknown paths too: `/api/dev`. */
  readonly area: string;
  readonly router: Router;
  /** Paths that need no caller. */
  readonly isPublic: (path: string) => boolean;
  readonly admit: (request: Request, visitor: Client) => Promise<Admitted>;
  readonly unauthorized: (request: Request) => HttpError;
  /** Who shares a rate limit: `owner:usr_…`, `address:192.0.2.1`. */
  readonly bucketOf: (caller: Caller | null, visitor: Client) => string;
}
export interface FrontParts extends Believed {
  readonly entrances: readonly Entrance[];
  /** What lies at the root of the server: `/health`. */
  readonly root: Router;
  readonly surfaces: readonly Surface[];
  readonly rate_limiter: Pick<RateLimiter, "take">;
  readonly observers: readonly ((seen: Seen) => void)[];
  readonly log: Log;
}
export type Front = (request: Request, peer_address: string) => Promise<Response>;

export const createFront =
  (parts: FrontParts): Front =>
  async (incoming, peer_address) => {
    const request_id = newId("req");
    const path = pathOf(incoming.url);
    const alias = isAlias(path);
    const headers: Record<string, string> = {
      "x-request-id": request_id,
      "x-content-type-options": "nosniff",
    };
    if (alias) announceAlias(path, headers);
    const visit: Visit = {
      request_id,
      headers,
      visitor: visitorOf(incoming, peer_address, parts),
      seen: null,
    };
    let response: Response;
    try {
      response = await answer(parts, alias ? asVersioned(incoming) : asRoutable(incoming), visit);
    } catch (error) {
      const what = { request_id, method: incoming.method, path };
      if (incoming.signal.aborted) parts.log.info("the client went away", what);
      else if (!(error instanceof HttpError))
        parts.log.error("request failed", { ...what, ...errorFields(error) });
      response = problemResponse(error, request_id);
    }
    for (const name in headers) response.headers.set(name, headers[name]!);
    for (const surface of parts.surfaces)
      if (isBelow(path, surface.root)) addMissing(response.headers, surface.headers);
    if (visit.seen)
      for (const observe of parts.observers) observe({ ...visit.seen, status: response.status });
    return incoming.method === "HEAD" ? await withoutBody(response) : response;
  };

interface Visit {
  readonly request_id: string;
  readonly headers: Record<string, string>;
  readonly visitor: Client;
  seen: Omit<Seen, "status"> | null;
}

const isBelow = (path: string, area: string): boolean =>
  path.startsWith(area) && (path.length === area.length || path[area.length] === "/");
function addMissing(headers: Headers, wanted: Readonly<Record<string, string>>): void {
  for (const name in wanted) if (!headers.has(name)) headers.set(name, wanted[name]!);
}

async function answer(parts: FrontParts, request: Request, visit: Visit): Promise<Response> {
  const path = pathOf(request.url);
  const { request_id, visitor } = visit;
  const entrance = parts.entrances.find((one) => isBelow(path, one.area));
  if (!entrance) return answerAtRoot(parts, request, path, visit);
  // 1. Who is calling? By a key at the API, which never looks at a cookie; by what each surface
  //    goes by there.
  const { caller, refusal } = await entrance.admit(request, visitor);
  visit.seen = { surface: entrance.name, owner_id: caller?.owner_id ?? null };
  // 2. The owner's window is charged when the caller is known, the address's otherwise.
  const limit = await countIn(parts, entrance.bucketOf(caller, visitor), 1, visit);
  if (!limit.allowed) throw tooManyRequests(limit);
  // 3. Without a known caller only what is public goes on, and unknown paths don't show.
  if (refusal) throw refusal;
  if (caller === null && !entrance.isPublic(path)) throw entrance.unauthorized(request);
  // 4. Route, then scope, size, type and shape of what it brings.
  return entrance.router.handle(request, { caller, request_id, visitor });
}

/**
 * Pages and health: nobody needs to be known. Health checks only look at the window; the files of a
 * surface's pages, of which one page needs many, don't count at all.
 */
async function answerAtRoot(
  parts: FrontParts,
  request: Request,
  path: string,
  visit: Visit,
): Promise<Response> {
  const { request_id, visitor } = visit;
  const of_page = parts.surfaces.some(({ root }) => isBelow(path, root));
  const limit = await countIn(
    parts,
    `address:${visitor.address}`,
    of_page || path === "/health" ? 0 : 1,
    visit,
  );
  if (!limit.allowed && !of_page) throw tooManyRequests(limit);
  return parts.root.handle(request, { caller: null, request_id, visitor });
}

async function countIn(
  { rate_limiter }: FrontParts,
  subject: string,
  count: 0 | 1,
  { headers }: Visit,
): Promise<RateLimit> {
  const limit = await rate_limiter.take(subject, count);
  headers["x-ratelimit-limit"] = String(limit.limit);
  headers["x-ratelimit-remaining"] = String(limit.remaining);
  headers["x-ratelimit-reset"] = String(limit.reset_s);
  return limit;
}

/** The API: known by its key, counted by its owner. */
export const apiEntrance = (
  router: Router,
  isPublic: Entrance["isPublic"],
  authenticator: Authenticator,
): Entrance => ({
  name: "api",
  area: old_prefix,
  router,
  isPublic,
  async admit(request) {
    const token = bearerToken(request.headers.get("authorization"));
    return { caller: token === null ? null : await authenticator.authenticate(token) };
  },
  unauthorized: (request) => unauthorized(request.headers.has("authorization")),
  bucketOf: (caller, { address }) => (caller ? `owner:${caller.owner_id}` : `address:${address}`),
});

/** Another surface: known by what it goes by, counted apart from the API. */
export const surfaceEntrance = (
  surface: Surface,
  router: Router,
  isPublic: Entrance["isPublic"],
): Entrance => ({
  name: surface.name,
  area: surface.prefix,
  router,
  isPublic,
  admit: (request, visitor) => surface.admit(request, visitor),
  unauthorized: () => surface.unauthorized(),
  bucketOf: (caller, { address }) =>
    caller ? `${surface.name}:${caller.owner_id}` : `address:${surface.name}:${address}`,
});

/** The token of exactly one `Authorization: Bearer`; the scheme is case-insensitive. */
function bearerToken(header: string | null): string | null {
  const match = header === null ? null : /^bearer +([^\s,]+) *$/i.exec(header);
  return match ? match[1]! : null;
}

const unauthorized = (token_was_sent: boolean): HttpError =>
  new HttpError(
    401,
    "unauthorized",
    token_was_sent
      ? "The API key is not valid: it may be mistyped, expired or deactivated."
      : "This needs an API key: send the header `Authorization: Bearer <API_KEY>`.",
    {
      headers: {
        "www-authenticate": token_was_sent
          ? `Bearer realm="dossier", error="invalid_token"`
          : `Bearer realm="dossier"`,
      },
    },
  );

function tooManyRequests({ limit, reset_s }: RateLimit): HttpError {
  const retry_after_s = Math.max(1, reset_s - Math.floor(systemClock.now_ms() / 1_000));
  return new HttpError(
    429,
    "rate_limited",
    `More than ${limit} requests came in this window. Try again in ${retry_after_s} s.`,
    { headers: { "retry-after": String(retry_after_s) } },
  );
}

const isAlias = (path: string): boolean =>
  (path === old_prefix || path.startsWith(`${old_prefix}/`)) &&
  path !== prefix &&
  !path.startsWith(`${prefix}/`);

function announceAlias(path: string, headers: Record<string, string>): void {
  headers.warning = `299 - "Deprecated: use ${prefix}"`;
  headers.deprecation = `@${deprecated_since_s}`;
  headers.link = `<${prefix}${path.slice(old_prefix.length)}>; rel="successor-version"`;
}

/** The same request at the versioned path, HEAD as GET. */
const asVersioned = (request: Request): Request =>
  new Request(
    routable_origin + prefix + request.url.slice(pathStart(request.url) + old_prefix.length),
    asGet(request),
  );
/**
 * HEAD as GET. Elysia looks for the path behind the eleventh character: with a host of one to three
 * letters it would miss it.
 */
function asRoutable(request: Request): Request {
  const from = pathStart(request.url);
  return request.method === "HEAD" || from < 11
    ? new Request(routable_origin + request.url.slice(from), asGet(request))
    : request;
}
/** Stands for whatever host was asked: nothing behind the front door looks at it. */
const routable_origin = "http://dossier.internal";
const asGet = (request: Request): RequestInit =>
  request.method === "HEAD"
    ? { method: "GET", headers: request.headers, signal: request.signal }
    : request;

/**
 * What GET would answer, with the length of its body in place of the body; a stream is not begun.
 */
async function withoutBody(response: Response): Promise<Response> {
  const { status, headers } = response;
  if (response.body === null) return response;
  if (headers.get("content-type")?.startsWith("text/event-stream")) {
    void response.body.cancel();
    // Null would be announced as a body of no bytes.
    return new Response(new ReadableStream({ start: (empty) => empty.close() }), {
      status,
      headers,
    });
  }
  if (headers.has("content-length")) void response.body.cancel();
  else headers.set("content-length", String((await response.arrayBuffer()).byteLength));
  return new Response(null, { status, headers });
}
