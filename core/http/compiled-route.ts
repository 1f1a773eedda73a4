/**
 * Makes of each route the function that handles its requests: scope, size, type and shape checks,
 * in this order, before the handler.
 */
import type { TSchema } from "@sinclair/typebox";
import { badRequest, forbidden } from "../base/errors";
import { FairLimiter } from "../lib/limiter";
import {
  checkLength,
  checkMediaType,
  hasBody,
  json_body_bytes_max,
  mediaType,
  parseJson,
  readBytes,
} from "./body";
import { searchOf } from "./path";
import { Reply, type Call, type Caller, type Client, type Multipart, type Route } from "./route";
import { compileQuery, requireCompilable, Validator } from "./validation";

/** What the gateway knows of a request before it is routed. */
export interface RequestContext {
  readonly caller: Caller | null;
  readonly request_id: string;
  readonly client: Client;
}

export interface MountedRoute {
  readonly route: Route<any, any>;
  readonly handler: (call: Call<any, any>) => unknown;
}

/** Made once, however many surfaces the route is part of. */
export interface CompiledRoute {
  readonly route: Route<any, any>;
  readonly handle: RouteHandler;
}
export const compileRoutes = (
  mounted: readonly MountedRoute[],
  stopping: AbortSignal,
): CompiledRoute[] =>
  mounted.map(({ route, handler }) => ({ route, handle: compileRoute(route, handler, stopping) }));

/**
 * Validators are compiled at the first request; this finds out beforehand. @throws Error when a
 * schema of the route can't be compiled.
 */
export function requireValidSchemas({ method, path, query, body }: Route<any, any>): void {
  try {
    if (query) requireCompilable(query);
    if (body && !isMultipart(body)) requireCompilable(body);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`requests to its route ${method} ${path} can't be checked: ${reason}`);
  }
}

type RouteHandler = (
  request: Request,
  params: Record<string, string>,
  context: RequestContext,
) => Promise<Response>;

const nobody: Caller = { owner_id: "", key_id: "", scopes: [] };

function compileRoute(
  route: Route<any, any>,
  handler: MountedRoute["handler"],
  stopping: AbortSignal,
): RouteHandler {
  const scope =
    route.public || route.root
      ? null
      : (route.scope ?? (route.method === "GET" ? "read" : "write"));
  const readQuery = route.query ? compileQuery(route.query) : () => ({});
  // A multipart route knows its own limit, which is a setting, and refuses by it before it reads.
  const bytes_max =
    route.body_bytes_max ?? (isMultipart(route.body) ? Infinity : json_body_bytes_max);
  const body = bodyReader(route);
  return async (request, params, { caller, request_id, client }) => {
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
        client,
        stopping,
        wait_ms: waitOf(request),
      } as Call<any, any>;
      return respond(await handler(call));
    };
    return bytes && bytes.length > large_body_bytes
      ? largeBodies.run(caller?.owner_id ?? client.address, request.signal, run)
      : run();
  };
}

/** Parsed, a body may take thirty times its size in memory: larger ones take turns. */
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
  const validator = new Validator(route.body as TSchema);
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
      validator.validate(value);
      return value;
    },
  };
}

/**
 * The handler reads a multipart body itself; JSON, where the route takes that too, is read and
 * checked as usual.
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
  const validator = new Validator(or_json);
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
      validator.validate(value);
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

const wait_ms_max = 30_000;

/** `Prefer: wait=20` (RFC 7240), at most 30 s, in milliseconds. */
function waitOf(request: Request): number {
  const prefer = request.headers.get("prefer");
  const wait = prefer === null ? null : /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?/i.exec(prefer);
  return wait ? Math.min(Number(wait[1]) * 1_000, wait_ms_max) : 0;
}
