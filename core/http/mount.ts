/**
 * Mounts declared routes on Elysia: each request runs through scope, size, type and shape checks,
 * in this order, before its handler.
 */
import { FairLimiter } from "../lib/limiter";
import { Elysia, type AnyElysia } from "elysia";
import type { TSchema } from "@sinclair/typebox";
import {
  checkLength,
  checkMediaType,
  compileChecker,
  compileQuery,
  hasBody,
  json_body_bytes_max,
  mediaType,
  parseJson,
  readBytes,
  requireCheckable as requireSchema,
} from "./body";
import { badRequest, forbidden, HttpError } from "../base/errors";
import { pathOf, searchOf } from "./path";
import { Reply, type Call, type Caller, type Multipart, type Route, type Client } from "./route";

export const prefix = "/api/dev/v1";

/** What the front door knows of a request before it is routed. */
export interface Admission {
  readonly caller: Caller | null;
  readonly request_id: string;
  readonly visitor: Client;
}

export interface Mounted {
  readonly route: Route<any, any>;
  readonly handler: (call: Call<any, any>) => unknown;
}
export interface Router {
  /** @throws what the handler throws: the front door answers it. */
  handle(request: Request, admission: Admission): Promise<Response>;
}

const wait_ms_max = 30_000;

/** Where it is found: `at` is the prefix of the surface, unless it is at the root. */
export const fullPath = (route: Route<any, any>, at: string = prefix): string =>
  `${route.root ? "" : at}${route.path}`;
/** Routes that name no surface are part of every one. */
export const isOn = (route: Route<any, any>, surface: string): boolean =>
  !route.root && (route.surface ?? surface) === surface;

/** A route whose checks are made: once, however many surfaces it is part of. */
export interface Compiled {
  readonly route: Route<any, any>;
  readonly run: Run;
}
export const compileRoutes = (mounted: readonly Mounted[], stopping: AbortSignal): Compiled[] =>
  mounted.map(({ route, handler }) => ({ route, run: compileRoute(route, handler, stopping) }));

/**
 * Checks are made when the first request needs them: this tells beforehand. @throws Error when a
 * schema of the route is none.
 */
export function requireCheckable({ method, path, query, body }: Route<any, any>): void {
  try {
    if (query) requireSchema(query);
    if (body && !isMultipart(body)) requireSchema(body);
  } catch (error) {
    throw new Error(
      `requests to its route ${method} ${path} can't be checked: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

export interface RouterOptions {
  /** The prefix of its routes. */
  readonly at: string;
  /** Where a caller who is lost finds what is there. */
  readonly document: string;
}

export function createRouter(
  compiled: readonly Compiled[],
  { at, document }: RouterOptions,
): Router {
  const app: AnyElysia = new Elysia({ aot: true, normalize: false });
  const admissions = new WeakMap<Request, Admission>();
  const failures = new WeakMap<Request, unknown>();
  for (const { route, run } of compiled) {
    app.route(
      route.method,
      fullPath(route, at),
      async ({ request, params }: any) => {
        // Elysia's error hooks would change what was thrown: keep it for the front door.
        try {
          return await run(request, readable(params), admissions.get(request)!);
        } catch (error) {
          failures.set(request, error);
          return new Response(null, { status: 500 });
        }
      },
      { parse: "none" } as never,
    );
  }
  app.onError(({ request, code }: any) => {
    if (code === "NOT_FOUND")
      return new Response(null, { status: 404, headers: { "x-unrouted": "1" } });
    failures.set(request, new HttpError(400, "invalid_request", "The request could not be read."));
    return new Response(null, { status: 500 });
  });
  app.compile();
  const allowed = allowTable(
    compiled.map(({ route }) => ({ method: route.method, path: fullPath(route, at) })),
  );
  return {
    async handle(request, admission) {
      admissions.set(request, admission);
      const response: Response = await app.handle(request);
      if (failures.has(request)) throw failures.get(request);
      if (response.status === 404 && response.headers.has("x-unrouted"))
        throw unrouted(request, allowed, document);
      return response;
    },
  };
}

/** A router that is made when the first request needs it. */
export function lateRouter(make: () => Router): Router {
  let made: Router | undefined;
  return { handle: (request, admission) => (made ??= make()).handle(request, admission) };
}

/** A path that exists with other methods is 405 with `Allow`; any other is 404. */
function unrouted(
  request: Request,
  allowed: (path: string) => readonly string[],
  document: string,
): HttpError {
  const methods = allowed(pathOf(request.url));
  if (methods.length === 0)
    return new HttpError(
      404,
      "no_such_route",
      `There is no ${pathOf(request.url)} here. The API is described at ${document}.`,
    );
  return new HttpError(
    405,
    "method_not_allowed",
    `${request.method} is not possible here, only ${methods.join(", ")}.`,
    { headers: { allow: methods.join(", ") } },
  );
}

function allowTable(
  routes: readonly { readonly method: string; readonly path: string }[],
): (path: string) => readonly string[] {
  const patterns = new Map<string, { readonly matches: RegExp; readonly methods: Set<string> }>();
  for (const { method, path } of routes) {
    const shape = path.replace(/:[^/]+/g, ":");
    const entry = patterns.get(shape) ?? {
      matches: new RegExp(
        `^${shape
          .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
          .replaceAll(":", "[^/]+")
          .replaceAll("*", ".*")}/?$`,
      ),
      methods: new Set<string>(),
    };
    entry.methods.add(method);
    if (method === "GET") entry.methods.add("HEAD");
    patterns.set(shape, entry);
  }
  const fixedFirst = [...patterns].sort(
    ([a], [b]) => Number(a.includes(":")) - Number(b.includes(":")),
  );
  // `/documents/file` is also `/documents/:id`: every pattern that matches has a say.
  return (path) =>
    [
      ...new Set(
        fixedFirst
          .filter(([, { matches }]) => matches.test(path))
          .flatMap(([, { methods }]) => [...methods]),
      ),
    ].sort();
}

/** An escape that spells no text (`%ff`) comes as null: the empty name, which nothing has. */
function readable(params: Record<string, string | null>): Record<string, string> {
  for (const name in params) params[name] ??= "";
  return params as Record<string, string>;
}

type Run = (
  request: Request,
  params: Record<string, string>,
  admission: Admission,
) => Promise<Response>;

const nobody: Caller = { owner_id: "", key_id: "", scopes: [] };

function compileRoute(
  route: Route<any, any>,
  handler: Mounted["handler"],
  stopping: AbortSignal,
): Run {
  const scope =
    route.public || route.root
      ? null
      : (route.scope ?? (route.method === "GET" ? "read" : "write"));
  const readQuery = route.query ? compileQuery(route.query) : () => ({});
  // A multipart route knows its own limit, which is a setting, and refuses by it before it reads.
  const bytes_max =
    route.body_bytes_max ?? (isMultipart(route.body) ? Infinity : json_body_bytes_max);
  const body = bodyReader(route);
  return async (request, params, { caller, request_id, visitor }) => {
    if (route.admin && !caller?.admin)
      throw forbidden("Only administrators may do this.", "admin_only");
    if (scope !== null && !caller?.scopes.includes(scope))
      throw forbidden(`This API key may not ${scope}: it lacks that scope.`, "missing_scope");
    checkLength(request, bytes_max);
    const bytes = await body.read(request);
    const run = async (): Promise<Response> => {
      // The body's shape and the query's are one step; the body's size and type come before both.
      const value = body.parse(bytes);
      const query = readQuery(searchOf(request.url));
      const call = {
        caller: caller ?? nobody,
        params,
        query,
        body: value,
        request,
        request_id,
        visitor,
        stopping,
        wait_ms: waitOf(request),
      } as Call<any, any>;
      return respond(await handler(call));
    };
    return bytes && bytes.length > large_body_bytes
      ? largeBodies.run(caller?.owner_id ?? visitor.address, request.signal, run)
      : run();
  };
}

/** Parsed, a body may take thirty times its size: those above this one take turns. */
const large_body_bytes = 2 ** 20;
const largeBodies = new FairLimiter({ concurrency: 1, patience_ms: 500, overflow_max: 2 });

const isMultipart = (body: TSchema | Multipart | undefined): body is Multipart =>
  body !== undefined && "multipart" in body;

/** `read` answers undefined when there is no body to parse. */
interface BodyReader {
  read(request: Request): Promise<Uint8Array | undefined>;
  parse(bytes: Uint8Array | undefined): unknown;
}

function bodyReader(route: Route<any, any>): BodyReader {
  const none = async (): Promise<undefined> => undefined;
  if (!route.body) return { read: none, parse: () => undefined };
  if (isMultipart(route.body)) return multipartReader(route.body);
  const checker = compileChecker(route.body as TSchema);
  const bytes_max = route.body_bytes_max ?? json_body_bytes_max;
  return {
    async read(request) {
      if (!hasBody(request)) return undefined;
      checkMediaType(request, "application/json");
      return readBytes(request, bytes_max);
    },
    parse(bytes) {
      if (!bytes && !route.body_optional) throw badRequest("The request needs a JSON body.", "");
      const value = bytes ? parseJson(bytes) : {};
      checker.check(value);
      return value;
    },
  };
}

/**
 * The handler reads a multipart body itself; JSON, where the route takes that too, is read and
 * checked as ever.
 */
function multipartReader({ or_json }: Multipart): BodyReader {
  if (!or_json)
    return {
      read: async (request) => {
        checkMediaType(request, "multipart/form-data");
        return undefined;
      },
      parse: () => undefined,
    };
  const checker = compileChecker(or_json);
  return {
    async read(request) {
      checkMediaType(request, "multipart/form-data", "application/json");
      return mediaType(request) === "application/json"
        ? readBytes(request, json_body_bytes_max)
        : undefined;
    },
    parse(bytes) {
      if (!bytes) return undefined;
      const value = parseJson(bytes);
      checker.check(value);
      return value;
    },
  };
}

function respond(result: unknown): Response {
  if (result instanceof Response) return result;
  if (!(result instanceof Reply)) return Response.json(result);
  return result.body === undefined
    ? new Response(null, { status: result.status, headers: result.headers })
    : Response.json(result.body, { status: result.status, headers: result.headers });
}

/** `Prefer: wait=20` (RFC 7240), at most 30 s, in milliseconds. */
function waitOf(request: Request): number {
  const prefer = request.headers.get("prefer");
  const wait = prefer === null ? null : /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?/i.exec(prefer);
  return wait ? Math.min(Number(wait[1]) * 1_000, wait_ms_max) : 0;
}
