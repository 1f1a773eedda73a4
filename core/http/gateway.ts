/**
 * The gateway: the fixed order of steps in which every request is handled before its body is read.
 * Read it from top to bottom.
 */
import { counted } from "../lib/counted";
import { systemClock } from "../base/clock";
import { errorFields, type Log } from "../base/log";
import { HttpError } from "../base/errors";
import { notifyObservers } from "../base/observers";
import { withOrigin } from "../base/origin";
import { translateError } from "../store/storage-errors";
import { loop_turns } from "../lib/loop-turns";
import { basePathOf } from "../base/public-url";
import { dropUnreadBody, onBodyEnd } from "./body-ends";
import type { RequestContext } from "./compiled-route";
import type { Cors } from "./cors";
import { tooManyBodies } from "./bodies";
import { KnownCallers } from "./known-callers";
import type { MountedSurface } from "./mounted-surface";
import { old_prefix, prefix, type Router } from "./router";
import { pathOf, pathStart } from "./path";
import { problemResponse, errorFor } from "./problem";
import { requestIdOf } from "./request-id";
import type { Caller, Client } from "./route";
import type { RateLimit, RateLimiter, ServedRequest, Surface } from "./slots";
import { clientOf, type Peer, type ProxyOptions } from "./client";
import { UnreadBodies } from "./unread-bodies";

/**
 * When the unversioned paths were deprecated (RFC 9745): the day of the first release, 2026-11-21.
 */
const deprecated_since_s = 1_795_219_200;

/** What requests are checked by and dispatched to. */
export interface GatewayOptions extends ProxyOptions {
  /** The API comes first. */
  readonly mounted: readonly MountedSurface[];
  /** Routes at the root of the server: `/health`. */
  readonly root: Router;
  readonly surfaces: readonly Surface[];
  readonly rate_limiter: Pick<RateLimiter, "take">;
  /** For the API; null when no other origin may call it. */
  readonly cors: Cors | null;
  readonly observers: readonly ((request: ServedRequest) => void)[];
  /** Called when a request arrives, before anything is read for it. */
  readonly noteRequest: () => void;
  readonly log: Log;
}

/** The state of a request while it is handled. */
interface RequestState {
  readonly request_id: string;
  /** For the response, including an error. */
  readonly headers: Record<string, string>;
  readonly client: Client;
  /** Whether its body may be received: otherwise it is refused before anything else. */
  readonly is_admitted: boolean;
  /** What the request was for; null when it was refused before routing. */
  served: RequestContext | null;
}

/** Handles every request of the server, whichever port or socket it arrives on. */
export class Gateway {
  /** `/dossier`, or the empty string: the prefix of every path as clients see it. */
  private readonly base_path: string;
  private readonly callers = new KnownCallers();
  private readonly unread_bodies = new UnreadBodies();

  constructor(private readonly options: GatewayOptions) {
    this.base_path = basePathOf(options.public_url());
  }

  /** Never throws: an error becomes the response. */
  async handle(received: Request, peer: Peer): Promise<Response> {
    this.options.noteRequest();
    const incoming = withoutBase(received, this.base_path);
    const began_ms = performance.now();
    const request_id = requestIdOf(incoming);
    const path = pathOf(incoming.url);
    const is_alias = isAlias(path);
    const headers: Record<string, string> = {
      "x-request-id": request_id,
      "x-content-type-options": "nosniff",
    };
    if (is_alias) addDeprecationHeaders(path, this.base_path, headers);
    const client = clientOf(incoming, peer, this.base_path, this.options);
    const subject = this.callers.subjectOf(incoming, client);
    const release = this.unread_bodies.admit(subject, incoming);
    const is_admitted = release !== null;
    const state: RequestState = { request_id, headers, client, is_admitted, served: null };
    if (!is_admitted) peer.receiveSlowly?.();
    const turn = is_admitted ? loop_turns.enter(subject) : undefined;
    if (turn) await turn;
    const routed = is_alias ? asVersioned(incoming) : asRoutable(incoming);
    onBodyEnd(routed, () => {
      release?.();
      peer.bodyEnded?.();
    });
    const response = await withOrigin({ request_id, subject }, () =>
      this.answer(incoming, routed, state),
    );
    release?.();
    dropUnreadBody(routed);
    this.completeHeaders(response.headers, incoming, headers);
    const { method } = incoming;
    this.notifyObservers(state, response, { method, duration_ms: performance.now() - began_ms });
    prependBasePath(this.base_path, response.headers);
    return method === "HEAD" ? await withoutBody(response) : response;
  }

  /** Adds the headers of the request's state, of its surface, and of CORS. */
  private completeHeaders(
    response_headers: Headers,
    request: Request,
    headers: RequestState["headers"],
  ): void {
    const { cors, surfaces } = this.options;
    const path = pathOf(request.url);
    for (const name in headers) response_headers.set(name, headers[name]!);
    for (const surface of surfaces)
      if (isBelow(path, surface.root)) addMissing(response_headers, surface.headers);
    if (cors && this.mountedAt(path)?.allows_cors) cors.share(request, response_headers);
  }

  private notifyObservers(
    { served }: RequestState,
    response: Response,
    measured: Pick<ServedRequest, "method" | "duration_ms">,
  ): void {
    const { log, observers } = this.options;
    if (served && observers.length > 0)
      notifyObservers(observers, servedRequest(served, response, measured), log);
  }

  private async answer(incoming: Request, routed: Request, state: RequestState): Promise<Response> {
    const { log } = this.options;
    try {
      return await this.respond(routed, state);
    } catch (error) {
      const fields = { method: incoming.method, path: pathOf(incoming.url) };
      if (incoming.signal.aborted) log.info("the client disconnected", fields);
      else if (!(error instanceof HttpError))
        log.error("request failed", { ...fields, ...errorFields(error) });
      await this.addRateLimit(routed, state);
      const problem = this.mountedAt(pathOf(routed.url))?.problem ?? problemResponse;
      const public_error = errorFor(translateError(error), state.served?.route ?? null);
      return problem(public_error, state.request_id);
    }
  }

  private mountedAt(path: string): MountedSurface | undefined {
    return this.options.mounted.find((surface) => isBelow(path, surface.prefix));
  }

  private async respond(request: Request, state: RequestState): Promise<Response> {
    if (!state.is_admitted) throw tooManyBodies();
    const path = pathOf(request.url);
    const { client } = state;
    const surface = this.mountedAt(path);
    if (!surface) return this.respondAtRoot(request, path, state);
    const { cors } = this.options;
    if (cors && request.method === "OPTIONS" && surface.allows_cors) {
      // A preflight request brings no key; the request after it is charged.
      await this.charge(`address:${client.address}`, 0, state);
      return cors.preflight(request, surface.router.methodsAt(path));
    }
    // 1. Who is calling? At the API by key, never by cookie; elsewhere as the surface decides.
    const { caller, refusal } = await surface.authenticate(request, client);
    if (caller) this.callers.note(request, caller);
    const recheck = () => surface.recheck(request, client);
    const context = unrouted(surface.name, caller, state, recheck);
    state.served = context;
    // 2. Charge the owner's rate limit when the caller is known, otherwise that of the address.
    const limit = await this.charge(surface.rateLimitSubject(caller, client), 1, state);
    if (!limit.allowed) throw tooManyRequests(limit);
    // 3. Without a caller only public paths go on; others don't learn which paths exist.
    if (refusal) throw refusal;
    if (caller === null && !surface.isPublic(path)) throw surface.unauthorized(request);
    // 4. The route, then scope, size, type and shape of the request.
    return surface.router.handle(request, context);
  }

  /**
   * Pages and health need no caller. Probes are not charged, but refused when the limit is used up;
   * files of a surface's pages, of which one page needs many, are neither charged nor refused.
   */
  private async respondAtRoot(
    request: Request,
    path: string,
    state: RequestState,
  ): Promise<Response> {
    const { client } = state;
    const context = unrouted("root", null, state);
    state.served = context;
    const is_page = this.options.surfaces.some(({ root }) => isBelow(path, root));
    const count = is_page || probe_paths.has(path) ? 0 : 1;
    const limit = await this.charge(`address:${client.address}`, count, state);
    if (!limit.allowed && !is_page) throw tooManyRequests(limit);
    return this.options.root.handle(request, context);
  }

  /** For a response to a request that was refused, or failed, before it was charged. */
  private async addRateLimit(request: Request, state: RequestState): Promise<void> {
    const { client, headers } = state;
    if ("x-ratelimit-limit" in headers) return;
    const surface = this.mountedAt(pathOf(request.url));
    const owner_id = this.callers.ownerOf(request);
    const caller = owner_id === undefined ? null : { owner_id };
    const subject = surface?.rateLimitSubject(caller, client) ?? `address:${client.address}`;
    // A limiter that fails, too, hides no other error.
    await this.charge(subject, 0, state).catch(() => undefined);
  }

  private async charge(
    subject: string,
    count: 0 | 1,
    { headers }: RequestState,
  ): Promise<RateLimit> {
    const limit = await this.options.rate_limiter.take(subject, count);
    headers["x-ratelimit-limit"] = String(limit.limit);
    headers["x-ratelimit-remaining"] = String(limit.remaining);
    headers["x-ratelimit-reset"] = String(limit.reset_s);
    return limit;
  }
}

/** Requested all the time by supervisors. */
const probe_paths: ReadonlySet<string> = new Set(["/health", "/ready"]);
const no_params = {};

const unrouted = (
  surface: string,
  caller: Caller | null,
  { request_id, client }: RequestState,
  recheck: RequestContext["recheck"] = async () => null,
): RequestContext => ({
  surface,
  caller,
  request_id,
  client,
  recheck,
  route: null,
  params: no_params,
  about: [],
});

const servedRequest = (
  { surface, caller, request_id, client, route, params, about }: RequestContext,
  { status, headers }: Response,
  measured: Pick<ServedRequest, "method" | "duration_ms">,
): ServedRequest => ({
  ...measured,
  surface,
  owner_id: caller?.owner_id ?? null,
  key_id: caller?.key_id ?? null,
  request_id,
  client,
  route,
  params,
  about: about[0] ?? null,
  also_about: about.slice(1),
  status,
  location: status === 201 || status === 202 ? headers.get("location") : null,
});

const isBelow = (path: string, area: string): boolean =>
  path.startsWith(area) && (path.length === area.length || path[area.length] === "/");
function addMissing(headers: Headers, defaults: Readonly<Record<string, string>>): void {
  for (const name in defaults) if (!headers.has(name)) headers.set(name, defaults[name]!);
}

function tooManyRequests({ limit, reset_s }: RateLimit): HttpError {
  const retry_after_s = Math.max(1, reset_s - Math.floor(systemClock.now_ms() / 1_000));
  return new HttpError(
    429,
    "rate_limited",
    `The limit of ${counted(limit, "request")} per window was exceeded. ` +
      `Try again in ${retry_after_s} s.`,
    { headers: { "retry-after": String(retry_after_s) } },
  );
}

const isAlias = (path: string): boolean =>
  (path === old_prefix || path.startsWith(`${old_prefix}/`)) &&
  path !== prefix &&
  !path.startsWith(`${prefix}/`);

function addDeprecationHeaders(
  path: string,
  base_path: string,
  headers: Record<string, string>,
): void {
  headers.warning = `299 - "Deprecated: use ${prefix}"`;
  headers.deprecation = `@${deprecated_since_s}`;
  const successor = `${base_path}${prefix}${path.slice(old_prefix.length)}`;
  headers.link = `<${successor}>; rel="successor-version"`;
}

/**
 * The request at its path on this server: a reverse proxy may strip the base path or pass it on. No
 * path of the server itself begins with it.
 */
function withoutBase(request: Request, base_path: string): Request {
  if (base_path === "" || !isBelow(pathOf(request.url), base_path)) return request;
  const remainder = request.url.slice(pathStart(request.url) + base_path.length);
  return new Request(
    routable_origin + (remainder.startsWith("/") ? remainder : `/${remainder}`),
    request,
  );
}
/** Handlers use paths of the server; clients see them below the base path. */
function prependBasePath(base_path: string, headers: Headers): void {
  const location = base_path === "" ? null : headers.get("location");
  if (location?.startsWith("/")) headers.set("location", base_path + location);
}

/** The same request at the versioned path, with HEAD as GET. */
const asVersioned = (request: Request): Request =>
  new Request(
    routable_origin + prefix + request.url.slice(pathStart(request.url) + old_prefix.length),
    asGet(request),
  );
/**
 * HEAD as GET. Elysia looks for the path from the eleventh character on, and would miss it after a
 * host of one to three letters.
 */
function asRoutable(request: Request): Request {
  const path_start = pathStart(request.url);
  return request.method === "HEAD" || path_start < 11
    ? new Request(routable_origin + request.url.slice(path_start), asGet(request))
    : request;
}
/** Replaces the host of the request, which is not used behind the gateway. */
const routable_origin = "http://dossier.internal";
const asGet = (request: Request): RequestInit =>
  request.method === "HEAD"
    ? { method: "GET", headers: request.headers, signal: request.signal }
    : request;

/**
 * The response to HEAD: that of GET without its body, with the length of it; a stream is not
 * started.
 */
async function withoutBody(response: Response): Promise<Response> {
  const { status, headers } = response;
  if (response.body === null) return response;
  if (!headers.has("content-length") && isStream(headers.get("content-type"))) {
    void response.body.cancel();
    // As that of GET; without it, the runtime announces zero bytes.
    headers.set("transfer-encoding", "chunked");
    return new Response(null, { status, headers });
  }
  if (headers.has("content-length")) void response.body.cancel();
  else headers.set("content-length", String(await lengthOf(response.body)));
  return new Response(null, { status, headers });
}
/** Its length is known only at its end, and producing it is expensive. */
const isStream = (media_type: string | null): boolean =>
  media_type !== null &&
  (media_type.startsWith("text/event-stream") || media_type === "application/zip");
/** Counts without keeping the body in memory: it may be long. */
async function lengthOf(body: ReadableStream<Uint8Array>): Promise<number> {
  let length = 0;
  for await (const chunk of body) length += chunk.byteLength;
  return length;
}
