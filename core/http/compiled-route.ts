/**
 * Compiles each route into the function that handles its requests: it checks scope, size, type and
 * shape, in this order, before it calls the handler.
 */
import { messageOf } from "../lib/error-message";
import { forbidden } from "../base/errors";
import type { ActivityTracker } from "../base/stall-meter";
import { Bodies } from "./bodies";
import { bodyReader, isMultipart } from "./body-reader";
import { LongPage } from "./pagination";
import { searchOf } from "./path";
import { UnsentAnswers, wholePage, type AnswerInit } from "./unsent-answers";
import { Reply, type Call, type Caller, type Client, type LocalRequest, type Route } from "./route";
import { compileQuery, requireCompilable } from "./validation";

/** What the gateway knows of a request before routing, completed by the router. */
export interface RequestContext {
  /** `api`, the name of another surface or protocol, or `root`. */
  readonly surface: string;
  readonly caller: Caller | null;
  readonly request_id: string;
  readonly client: Client;
  /** A call within this process, which receives its answer at once. */
  readonly is_local?: true;
  /** Authenticates again; null when the caller may no longer call. */
  readonly recheck: () => Promise<Caller | null>;
  route: Route<any, any> | null;
  params: Readonly<Record<string, string>>;
  /** Ids of the records that the handler has named. */
  readonly about: string[];
}

/** The request in whose name the API is called within this process. */
export type CallOrigin = Pick<RequestContext, "client" | "recheck" | "request_id" | "surface"> & {
  readonly caller: Caller;
};
/** Calls a route of the API. @throws HttpError what the route responds with */
export type CallApi = (origin: CallOrigin, request: LocalRequest) => Promise<Response>;

/** A route and its handler. */
export interface MountedRoute {
  readonly route: Route<any, any>;
  readonly handler: (call: Call<any, any>) => unknown;
}

/** Compiled once, however many surfaces the route is part of. */
export interface CompiledRoute {
  readonly route: Route<any, any>;
  readonly handle: RouteHandler;
}
/** Routes compiled together share the memory for bodies and answers. */
export const compileRoutes = (
  mounted: readonly MountedRoute[],
  options: Omit<CompilerOptions, "answers" | "bodies">,
): CompiledRoute[] => {
  const shared = { ...options, bodies: new Bodies(), answers: new UnsentAnswers() };
  return mounted.map((mounted_route) => ({
    route: mounted_route.route,
    handle: compileRoute(mounted_route, shared),
  }));
};

/**
 * Finds errors in schemas early: validators are compiled only at the first request. @throws Error
 * when a schema of the route can't be compiled.
 */
export function requireValidSchemas({ method, path, query, body }: Route<any, any>): void {
  try {
    if (query) requireCompilable(query);
    if (body && !isMultipart(body)) requireCompilable(body);
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(`requests to its route ${method} ${path} can't be checked: ${reason}`);
  }
}

type RouteHandler = (
  request: Request,
  params: Record<string, string>,
  context: RequestContext,
) => Promise<Response>;

const anonymous: Caller = { owner_id: "", key_id: "", scopes: [] };

interface CompilerOptions {
  readonly answers: UnsentAnswers;
  readonly bodies: Bodies;
  readonly stopping: AbortSignal;
  readonly callApi: CallApi;
  /** Tracks requests in progress. */
  readonly activities: ActivityTracker;
}

function compileRoute(
  { route, handler }: MountedRoute,
  { callApi, answers, bodies, stopping, activities }: CompilerOptions,
): RouteHandler {
  const scope =
    route.public || route.root
      ? null
      : (route.scope ?? (route.method === "GET" ? "read" : "write"));
  const readQuery = route.query ? compileQuery(route.query) : () => ({});
  const requireAllowed = (caller: Caller | null): void => {
    if (route.admin && !caller?.admin)
      throw forbidden("Only administrators may do this.", "admin_only");
    if (scope !== null && !caller?.scopes.includes(scope))
      throw forbidden(`This API key lacks the scope ${scope}.`, "missing_scope");
  };
  const body = bodyReader(route, bodies);
  const activity = `${route.method} ${route.path}`;
  return async (request, params, context) => {
    const { caller, request_id, client, is_local } = context;
    /** Whose long answers are counted. */
    const owner = is_local ? null : (caller?.owner_id ?? null);
    context.route = route;
    // Elysia passes none for a path without parameters.
    if (params !== undefined) context.params = params;
    requireAllowed(caller);
    const expected = body.expect(request);
    const turn =
      expected && (await bodies.turn(caller?.owner_id ?? client.address, expected, request.signal));
    activities.begin(activity);
    let long_text: Uint8Array | undefined;
    let answered: (() => void) | undefined;
    try {
      if (owner !== null) answered = await answers.reserve(owner, request.signal);
      // The shape of body and query is checked after size and type of the body.
      const parsed_body = await body.read(request, turn);
      ({ long_text } = parsed_body);
      const query = readQuery(searchOf(request.url));
      const call = {
        caller: caller ?? anonymous,
        params,
        query,
        body: parsed_body.value,
        long_text,
        request,
        request_id,
        client,
        stopping,
        wait_ms: waitOf(request),
        isAllowed: () => isStillAllowed(context, requireAllowed),
        api: (request: LocalRequest) =>
          callApi({ ...context, caller: caller ?? anonymous }, request),
        about: (record: string) => {
          context.about.push(record);
        },
      } as Call<any, any>;
      return await respond(await handler(call), owner, answers);
    } finally {
      activities.end(activity);
      answered?.();
      // Now rather than at garbage collection, so that the next body may be read.
      (long_text?.buffer as ArrayBuffer | undefined)?.transfer(0);
      turn?.end();
    }
  };
}

/** Whether the caller could make the request again now. */
async function isStillAllowed(
  { caller, recheck }: RequestContext,
  requireAllowed: (caller: Caller | null) => void,
): Promise<boolean> {
  const current_caller = await recheck();
  if (current_caller?.owner_id !== (caller?.owner_id ?? "")) return false;
  try {
    requireAllowed(current_caller);
    return true;
  } catch {
    return false;
  }
}

/** Turns the return value of a handler into the response. */
function respond(
  result: unknown,
  owner: string | null,
  answers: UnsentAnswers,
): Response | Promise<Response> {
  const toJson = (body: unknown, init?: AnswerInit): Response =>
    owner === null ? Response.json(body, init) : answers.json(owner, body, init);
  if (result instanceof Response) return result;
  if (result instanceof LongPage)
    return owner === null ? wholePage(result) : answers.page(owner, result);
  if (!(result instanceof Reply)) return toJson(result);
  const { status, body, headers } = result;
  return body === undefined
    ? new Response(null, { status, headers })
    : toJson(body, { status, headers });
}

const wait_ms_max = 30_000;

/** `Prefer: wait=20` (RFC 7240), at most 30 s, in milliseconds. */
function waitOf(request: Request): number {
  const prefer = request.headers.get("prefer");
  const wait = prefer === null ? null : /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?/i.exec(prefer);
  return wait ? Math.min(Number(wait[1]) * 1_000, wait_ms_max) : 0;
}
