/** The slots through which plugins take part in handling requests. */
import type { TSchema } from "@sinclair/typebox";
import { slot } from "../base/refs";
import { isFunction, shaped } from "../base/shape";
import type { HttpError } from "../base/errors";
import type { Caller, Client, Route } from "./route";
import type { LateSchema } from "./schema-book";

/** Authenticates callers by the token of `Authorization: Bearer`. One plugin fills it. */
export interface Authenticator {
  /** Null when the token is not, or no longer, valid. Called for every request. */
  authenticate(token: string): Promise<Caller | null>;
  /**
   * The same for an open stream, which does not count as a use of the key. Default: `authenticate`.
   */
  recheck?(token: string): Promise<Caller | null>;
}
export const Authenticator = slot<Authenticator>("http.authenticator", {
  arity: "one",
  check: shaped<Authenticator>({ authenticate: "function", recheck: "function?" }),
});

/** The state of a rate limit after a request. */
export interface RateLimit {
  /** Requests allowed in a window. */
  readonly limit: number;
  readonly remaining: number;
  /** Unix epoch second at which the window ends. */
  readonly reset_s: number;
  readonly allowed: boolean;
}
/**
 * Limits the rate of requests. At most one plugin fills it. An implementation may count in the
 * memory of one process or in a store shared by several.
 */
export interface RateLimiter {
  /** Counts `count` requests of `subject`, an owner or an address, if allowed. 0 only checks. */
  take(subject: string, count: number): Promise<RateLimit>;
  readonly window_ms?: number;
}
export const RateLimiter = slot<RateLimiter>("http.rate_limiter", {
  arity: "one",
  check: shaped<RateLimiter>({ take: "function", window_ms: "number?" }),
});

/** The caller of a request to a surface, as far as known before routing. */
export interface Authentication {
  readonly caller: Caller | null;
  /** Thrown once the request is counted, whatever its path. */
  readonly refusal?: HttpError;
}
/**
 * Another place where every route of the API is mounted, for callers that authenticate with
 * something other than a key, with a rate limit of its own.
 */
export interface Surface {
  /** Routes that name it as their `surface` exist only there. */
  readonly name: string;
  /** All its paths are below this one, including those of its pages: `/console`. */
  readonly root: string;
  /** Where the routes are mounted, below `root`: `/console/api/v1`. */
  readonly prefix: string;
  /** The path of its OpenAPI document, which needs no caller. */
  readonly document: {
    readonly path: string;
    readonly title: string;
    readonly description: string;
    readonly security: Readonly<Record<string, unknown>>;
    /** When there is no caller; see `RouteShape.errors`. */
    readonly unauthorized: string | Readonly<Record<string, string>>;
  };
  /** Added to every response below `root` that does not set them itself. */
  readonly headers: Readonly<Record<string, string>>;
  /** Must ignore `Authorization`, as the API ignores cookies. */
  authenticate(request: Request, client: Client): Promise<Authentication>;
  /**
   * The caller of an open stream, without counting as a use of the session; null when that has
   * ended. Default: as `authenticate`.
   */
  recheck?(request: Request, client: Client): Promise<Caller | null>;
  /** The response to a request without the caller that it needs. */
  unauthorized(): HttpError;
}
export const Surface = slot<Surface>("http.surface", {
  check: (value) => shapeOfSurface(value) ?? problemOfPaths(value as Surface),
  key: ({ root }) => `the paths below ${root}`,
});
const shapeOfSurface = shaped<Surface>({
  name: "text",
  root: "text",
  prefix: "text",
  document: "object",
  headers: "object",
  authenticate: "function",
  recheck: "function?",
  unauthorized: "function",
});
const problemOfRoot = (root: string): string | null =>
  /^\/[a-z0-9][a-z0-9-]*$/.test(root) && root !== "/api"
    ? null
    : `its root ${JSON.stringify(root)} must be one word such as "/portal", and not "/api"`;
/**
 * Every path below its root is its own: it must not overlap the API or other pages of the server.
 */
function problemOfPaths({ name, root, prefix, document }: Surface): string | null {
  const wrong = problemOfRoot(root);
  if (wrong !== null) return wrong;
  if (name === "api" || name === "root") return `its name must not be ${name}`;
  const outside = [prefix, document.path].find((path) => !path?.startsWith(`${root}/`));
  return outside === undefined ? null : `its path ${JSON.stringify(outside)} is not below ${root}`;
}

/**
 * A protocol other than the API's, for callers with an API key: authentication and limits are those
 * of the API. Its routes name it as their `surface`.
 */
export interface Protocol {
  readonly name: string;
  /** All its paths are below this one, including unknown ones: `/v1`. */
  readonly root: string;
  /** The response for an error; the headers of the error are added. */
  problem(error: HttpError, request_id: string): Response;
  /**
   * Rejects requests from pages of other origins, except those in `server.cors_origins`, even with
   * a key.
   */
  readonly own_origins?: boolean;
}
export const Protocols = slot<Protocol>("http.protocols", {
  check: (value) =>
    shaped<Protocol>({ name: "text", root: "text", problem: "function" })(value) ??
    problemOfRoot((value as Protocol).root),
  key: ({ root }) => `the paths below ${root}`,
});

/** One answered request. */
export interface ServedRequest {
  readonly request_id: string;
  /**
   * `api`, the name of a surface or protocol, or `root` for everything else. A protocol calls
   * routes of the API; these calls are reported as well, with the protocol's name.
   */
  readonly surface: string;
  readonly owner_id: string | null;
  /** The API key, or its equivalent on another surface. */
  readonly key_id: string | null;
  readonly client: Client;
  /** As sent by the client; `HEAD` for a route of `GET`. */
  readonly method: string;
  /** Null when it was refused before routing, or no route matches the path. */
  readonly route: Route<any, any> | null;
  /** The parameters of the route's path. */
  readonly params: Readonly<Record<string, string>>;
  /** The id of the record that its handler has named, besides those in the path. */
  readonly about: string | null;
  /** Further records, when the request was about several. */
  readonly also_about: readonly string[];
  readonly status: number;
  /** The `Location` of a created record. */
  readonly location: string | null;
  /** Until the response began: a stream continues after it. */
  readonly duration_ms: number;
}
/** Called for every such request once its response is known, before it is sent: must be quick. */
export const RequestObserver = slot<(request: ServedRequest) => void>("http.request_observer", {
  check: isFunction,
  otherwise: () => undefined,
});

/**
 * A part without which requests can't be served: GET /ready responds 503 with the text from
 * `failing`, null when all is well. Must be quick.
 */
export interface ReadinessCheck {
  readonly name: string;
  failing(): string | null | Promise<string | null>;
}
export const ReadinessChecks = slot<ReadinessCheck>("http.readiness_checks", {
  check: shaped<ReadinessCheck>({ name: "text", failing: "function" }),
  key: ({ name }) => `the check ${name}`,
  otherwise: { failing: () => null },
});

/** A field of GET /health besides `status`: the state of background work. Must be quick. */
export interface HealthField {
  readonly name: string;
  read(): Promise<unknown>;
}
export const HealthFields = slot<HealthField>("http.health_fields", {
  check: (value) =>
    shaped<HealthField>({ name: "text", read: "function" })(value) ??
    (health_fields.includes((value as HealthField).name)
      ? `/health has a field ${(value as HealthField).name} of its own`
      : null),
  key: ({ name }) => `the field ${name}`,
  otherwise: { read: async () => null },
});
/** The server's own fields. */
const health_fields = ["status", "storage", "version", "intake", "tls", "plugins"];

/**
 * Lines for the person who started the server, such as how to sign in. Printed once the port is
 * open, never logged.
 */
export const StartNotice = slot<() => Promise<string>>("http.start_notice", { check: isFunction });

/** A request that the server sends to subscribers: `webhooks` of the OpenAPI document. */
export interface SentRequest {
  /** `import.finished`. */
  readonly name: string;
  /** Unique camelCase name among the operations. */
  readonly operation: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly headers: Readonly<
    Record<string, { readonly description: string; readonly example: string }>
  >;
  readonly body: TSchema;
  readonly example: unknown;
}
/** What the OpenAPI document can contain only once every plugin is set up; read when it is made. */
export interface DocumentPart {
  /** Each replaces the schema of its name. */
  readonly schemas?: readonly LateSchema[];
  sends?(): readonly SentRequest[];
  /**
   * Problem codes besides those declared by routes, such as those of a check before documents are
   * stored. Code → meaning.
   */
  readonly codes?: Readonly<Record<string, string>>;
}
export const DocumentParts = slot<DocumentPart>("http.document_parts", {
  check: shaped<DocumentPart>({ schemas: "object?", sends: "function?", codes: "object?" }),
  otherwise: { sends: () => [] },
});
