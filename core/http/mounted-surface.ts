/**
 * Where routes are mounted and how their callers are authenticated: the API, surfaces added by
 * plugins, and other protocols for callers with an API key.
 */
import { forbidden, HttpError } from "../base/errors";
import { problemResponse, toHttpError } from "./problem";
import { old_prefix, type Router } from "./router";
import type { Caller, Client } from "./route";
import type { Authentication, Authenticator, Protocol, Surface } from "./slots";

/** A surface with its routes: the API, or one added by a plugin. */
export interface MountedSurface {
  /** `api`, or the name of the surface or protocol. */
  readonly name: string;
  /** Every path below it belongs to this surface, including unknown ones: `/api/dev`. */
  readonly prefix: string;
  readonly router: Router;
  /** Paths that need no caller. */
  readonly isPublic: (path: string) => boolean;
  /** Whether pages of the origins in the settings may call it. */
  readonly allows_cors: boolean;
  readonly authenticate: (request: Request, client: Client) => Promise<Authentication>;
  /** Authenticates the request of an open stream again; null when the caller may no longer call. */
  readonly recheck: (request: Request, client: Client) => Promise<Caller | null>;
  readonly unauthorized: (request: Request) => HttpError;
  /** The subject of the rate limit: `owner:usr_…`, `address:192.0.2.1`. */
  readonly rateLimitSubject: (
    caller: Pick<Caller, "owner_id"> | null,
    client: Pick<Client, "address">,
  ) => string;
  /** The response for an error. */
  readonly problem: (error: unknown, request_id: string) => Response;
}

/** Callers are authenticated by key, requests are charged to the owner. */
const byKey = (
  authenticator: Authenticator,
): Pick<
  MountedSurface,
  "allows_cors" | "authenticate" | "rateLimitSubject" | "recheck" | "unauthorized"
> => ({
  allows_cors: true,
  async authenticate(request) {
    const token = bearerToken(request.headers.get("authorization"));
    return { caller: token === null ? null : await authenticator.authenticate(token) };
  },
  async recheck(request) {
    const token = bearerToken(request.headers.get("authorization"));
    if (token === null) return null;
    return authenticator.recheck?.(token) ?? authenticator.authenticate(token);
  },
  unauthorized: (request) => unauthorized(request.headers.get("authorization")),
  rateLimitSubject: (caller, { address }) =>
    caller ? `owner:${caller.owner_id}` : `address:${address}`,
});

/** The API itself, where callers are authenticated by key. */
export const mountApi = (
  router: Router,
  isPublic: MountedSurface["isPublic"],
  authenticator: Authenticator,
): MountedSurface => ({
  ...byKey(authenticator),
  name: "api",
  prefix: old_prefix,
  router,
  isPublic,
  problem: problemResponse,
});

/** Another surface: it authenticates callers itself and has a rate limit apart from the API's. */
export const mountSurface = (
  surface: Surface,
  router: Router,
  isPublic: MountedSurface["isPublic"],
): MountedSurface => ({
  name: surface.name,
  prefix: surface.prefix,
  router,
  isPublic,
  allows_cors: false,
  authenticate: (request, client) => surface.authenticate(request, client),
  recheck: async (request, client) =>
    surface.recheck?.(request, client) ?? (await surface.authenticate(request, client)).caller,
  unauthorized: () => surface.unauthorized(),
  rateLimitSubject: (caller, { address }) =>
    caller ? `${surface.name}:${caller.owner_id}` : `address:${surface.name}:${address}`,
  problem: problemResponse,
});

/** Another protocol: authentication, rate limit and CORS are those of the API, errors its own. */
export function mountProtocol(
  protocol: Protocol,
  router: Router,
  authenticator: Authenticator,
  isOwnOrigin: (origin: string) => boolean,
): MountedSurface {
  const keyed = byKey(authenticator);
  return {
    ...keyed,
    name: protocol.name,
    prefix: protocol.root,
    router,
    isPublic: () => false,
    async authenticate(request, client) {
      const origin = protocol.own_origins ? request.headers.get("origin") : null;
      if (origin === null || isOwnOrigin(origin)) return keyed.authenticate(request, client);
      return { caller: null, refusal: foreignOrigin(origin) };
    },
    problem: (error, request_id) => {
      const http_error = toHttpError(error);
      const response = protocolProblem(protocol, http_error, request_id);
      if (response === null) return problemResponse(http_error, request_id);
      for (const name in http_error.headers) response.headers.set(name, http_error.headers[name]!);
      return response;
    },
  };
}

/** Null when the protocol has no form for it. */
function protocolProblem(
  protocol: Protocol,
  error: HttpError,
  request_id: string,
): Response | null {
  try {
    const response: unknown = protocol.problem(error, request_id);
    return response instanceof Response ? response : null;
  } catch {
    return null;
  }
}

const foreignOrigin = (origin: string): HttpError =>
  forbidden(
    `It was sent by a page of ${origin.slice(0, 200)}, which is not listed in ` +
      "server.cors_origins.",
    "cross_site",
  );

/** The token of a single `Authorization: Bearer` header; the scheme is case-insensitive. */
function bearerToken(header: string | null): string | null {
  const match = header === null ? null : /^bearer +([^\s,]+) *$/i.exec(header);
  return match ? match[1]! : null;
}

const unauthorized = (header: string | null): HttpError =>
  new HttpError(
    401,
    "unauthorized",
    bearerToken(header) === null
      ? "This request needs an API key. Send the header `Authorization: Bearer <API_KEY>`."
      : "The API key is not valid. It may be mistyped, expired or deactivated.",
    {
      headers: {
        "www-authenticate":
          header === null
            ? `Bearer realm="dossier"`
            : `Bearer realm="dossier", error="invalid_token"`,
      },
    },
  );
