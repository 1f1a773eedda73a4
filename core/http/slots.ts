/** What the gateway asks plugins for. */
import type { TSchema } from "@sinclair/typebox";
import { slot } from "../base/refs";
import { isFunction, shaped } from "../base/shape";
import type { HttpError } from "../base/errors";
import type { Caller, Client, Route } from "./route";
import type { LateSchema } from "./schema-book";

/** Knows callers by the token of `Authorization: Bearer`. One plugin fills it. */
export interface Authenticator {
  /** Null when the token is not, or no longer, valid. Asked at every request. */
  authenticate(token: string): Promise<Caller | null>;
  /**
   * The same for a stream that is open, which is no further use of the key. Default:
   * `authenticate`.
   */
  recheck?(token: string): Promise<Caller | null>;
}
export const Authenticator = slot<Authenticator>("http.authenticator", {
  arity: "one",
  check: shaped<Authenticator>({ authenticate: "function", recheck: "function?" }),
});

export interface RateLimit {
  /** Requests allowed in a window. */
  readonly limit: number;
  readonly remaining: number;
  /** Unix epoch second at which the window ends. */
  readonly reset_s: number;
  readonly allowed: boolean;
}
/**
 * Counts requests. At most one plugin fills it. An implementation may count in the memory of one
 * process or in a store that several processes share.
 */
export interface RateLimiter {
  /** Counts `count` requests of `subject`, an owner or an address, if allowed. 0 only looks. */
  take(subject: string, count: number): Promise<RateLimit>;
  readonly window_ms?: number;
}
export const RateLimiter = slot<RateLimiter>("http.rate_limiter", {
  arity: "one",
  check: shaped<RateLimiter>({ take: "function", window_ms: "number?" }),
});

/** Who sent a request to a surface, as far as it is known before the request is routed. */
export interface Authentication {
  readonly caller: Caller | null;
  /** Thrown once the request is counted, whatever it asks for. */
  readonly refusal?: HttpError;
}
/**
 * A further place where every route of the API is found, for callers that are known by something
 * else than a key, with a rate limit of its own.
 */
export interface Surface {
  /** Routes that name it as their `surface` exist only there. */
  readonly name: string;
  /** All its paths lie below this one, those of its pages too: `/console`. */
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
  /** On every answer below `root` that does not set them itself. */
  readonly headers: Readonly<Record<string, string>>;
  /** It must not look at `Authorization`, as the API never looks at cookies. */
  authenticate(request: Request, client: Client): Promise<Authentication>;
  /**
   * Who sent the request of a stream that is open, which is no further use of a session; null when
   * it has ended. Default: as `authenticate`.
   */
  recheck?(request: Request, client: Client): Promise<Caller | null>;
  /** The answer to a request that needs a caller and has none. */
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
/** Every path below its root is its own: the API and other pages of the server must not be. */
function problemOfPaths({ name, root, prefix, document }: Surface): string | null {
  const wrong = problemOfRoot(root);
  if (wrong !== null) return wrong;
  if (name === "api" || name === "root") return `its name must not be ${name}`;
  const outside = [prefix, document.path].find((path) => !path?.startsWith(`${root}/`));
  return outside === undefined ? null : `its path ${JSON.stringify(outside)} is not below ${root}`;
}

/**
 * Another protocol than that of the API, for callers with an API key, who are known, counted and
 * limited as there. Its routes name it as their `surface`.
 */
export interface Protocol {
  readonly name: string;
  /** All its paths lie below this one, unknown ones too: `/v1`. */
  readonly root: string;
  /** What a request that failed is answered; the headers of the error are added. */
  problem(error: HttpError, request_id: string): Response;
  /**
   * Refuses what pages of other origins send, but those that `server.cors_origins` names, even with
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

/** One request that was answered. */
export interface ServedRequest {
  readonly request_id: string;
  /**
   * `api`, the name of a surface or protocol, or `root` for what lies outside. A protocol asks
   * routes of the API, which are told of too, with its own name.
   */
  readonly surface: string;
  readonly owner_id: string | null;
  /** The API key, or what stands for it on another surface. */
  readonly key_id: string | null;
  readonly client: Client;
  /** As the client sent it; `HEAD` where the route is one of `GET`. */
  readonly method: string;
  /** Null when it was refused before it was routed, or no route has its path. */
  readonly route: Route<any, any> | null;
  /** Those of the route's path. */
  readonly params: Readonly<Record<string, string>>;
  /** The record that its handler has named, beyond those of the path: an id. */
  readonly about: string | null;
  /** Further ones, when the request was about several. */
  readonly also_about: readonly string[];
  readonly status: number;
  /** Where a record was made, as the answer's `Location` says. */
  readonly location: string | null;
  /** Until the answer began: a stream goes on after it. */
  readonly duration_ms: number;
}
/** Called at every such request, once its response is known, before it is sent: must be quick. */
export const RequestObserver = slot<(request: ServedRequest) => void>("http.request_observer", {
  check: isFunction,
  otherwise: () => undefined,
});

/**
 * A part without which requests can't be served: GET /ready says 503 with what `failing` answers,
 * null when all is well. Must be quick.
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

/** A field of GET /health beside `status`: what goes on in the background. Must be quick. */
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
/** Those of the server itself. */
const health_fields = ["status", "storage", "version", "intake", "tls", "plugins"];

/**
 * Lines for the person who started the server: how to sign in. Printed once the address is open,
 * never logged.
 */
export const StartNotice = slot<() => Promise<string>>("http.start_notice", { check: isFunction });

/** A request that the server sends to whoever asked for it: `webhooks` of the OpenAPI document. */
export interface SentRequest {
  /** `import.finished`. */
  readonly name: string;
  /** Unique among the operations, camelCase. */
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
/** What the OpenAPI document can say only once every plugin is set up; read when it is made. */
export interface DocumentPart {
  /** Each in place of the schema of its name. */
  readonly schemas?: readonly LateSchema[];
  sends?(): readonly SentRequest[];
  /**
   * Codes of problems, beside those that routes name: such as those of a check before documents are
   * taken in. Code → what it means.
   */
  readonly codes?: Readonly<Record<string, string>>;
}
export const DocumentParts = slot<DocumentPart>("http.document_parts", {
  check: shaped<DocumentPart>({ schemas: "object?", sends: "function?", codes: "object?" }),
  otherwise: { sends: () => [] },
});
