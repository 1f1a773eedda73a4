/** Finds the route of a request, with Elysia. */
import { Elysia, type AnyElysia } from "elysia";
import { HttpError } from "../base/errors";
import type { CompiledRoute, RequestContext } from "./compiled-route";
import { pathOf } from "./path";
import type { Route } from "./route";

/** The prefix of the original, unversioned paths. */
export const old_prefix = "/api/dev";
/** The prefix of the API's paths. */
export const prefix = `${old_prefix}/v1`;

/** Dispatches requests by their path. */
export interface Router {
  /** @throws what the handler throws: the gateway answers it. */
  handle(request: Request, context: RequestContext): Promise<Response>;
  /** The methods that a path supports; empty when there is no such path. */
  methodsAt(path: string): readonly string[];
}

/** Its path on the server: below the surface's prefix `at`, unless it is at the root. */
export const fullPath = (route: Route<any, any>, at: string = prefix): string =>
  `${route.root ? "" : at}${route.path}`;
/** Routes that name no surface are part of every one. */
export const isOn = (route: Route<any, any>, surface: string): boolean =>
  !route.root && (route.surface ?? surface) === surface;

/** Where the routes of a router are. */
export interface RouterOptions {
  /** The prefix of its routes. */
  readonly at: string;
  /** The path of the OpenAPI document, for the response to an unknown path. */
  readonly document: string;
}

/**
 * Parameters of two routes may have different names in the same place. @throws Error for a path
 * that can't be routed
 */
export function createRouter(
  compiled: readonly CompiledRoute[],
  { at, document }: RouterOptions,
): Router {
  const app: AnyElysia = new Elysia({ aot: true, normalize: false });
  const contexts = new WeakMap<Request, RequestContext>();
  const failures = new WeakMap<Request, unknown>();
  const paths = compiled.map(({ route }) => ({
    method: route.method,
    path: byPosition(fullPath(route, at)),
  }));
  const allowed = allowTable(paths);
  for (const { route, handle } of compiled) {
    const path = fullPath(route, at);
    const names = namesIn(path);
    app.route(
      route.method,
      byPosition(path),
      async ({ request, params }: any) => {
        // Elysia's error hooks would change the error: keep it for the gateway.
        try {
          return await handle(request, decoded(params, names), contexts.get(request)!);
        } catch (error) {
          failures.set(request, error);
          return new Response(null, { status: 500 });
        }
      },
      { parse: "none" } as never,
    );
  }
  const refuse = async ({ request }: any) => {
    failures.set(request, unrouted(request, allowed, document));
    return new Response(null, { status: 500 });
  };
  for (const { method, path } of maskedMethods(paths))
    app.route(method, path, refuse, { parse: "none" } as never);
  app.onError(({ request, code }: any) => {
    if (code === "NOT_FOUND")
      return new Response(null, { status: 404, headers: { "x-unrouted": "1" } });
    failures.set(request, new HttpError(400, "invalid_request", "The request could not be read."));
    return new Response(null, { status: 500 });
  });
  app.compile();
  return {
    methodsAt: allowed,
    async handle(request, context) {
      contexts.set(request, context);
      const response: Response = await app.handle(request);
      if (failures.has(request)) throw failures.get(request);
      if (response.status === 404 && response.headers.has("x-unrouted"))
        throw unrouted(request, allowed, document);
      return response;
    },
  };
}

/**
 * A router for each first segment below `at`, created when the first request needs it: creating
 * all of them would be a good part of a start.
 */
export function createSegmentRouters(
  compiled: readonly CompiledRoute[],
  options: RouterOptions,
): Router {
  const from = options.at.length + 1;
  const segmentOf = (path: string): string => {
    const to = path.indexOf("/", from);
    return path.slice(from, to < 0 ? undefined : to);
  };
  const groups = Map.groupBy(compiled, ({ route }) => segmentOf(fullPath(route, options.at)));
  // Any path may match a route whose first segment is a parameter.
  if ([...groups.keys()].some((segment) => /^[:*]/.test(segment)))
    return createRouter(compiled, options);
  const routers = new Map(
    [...groups].map(([segment, routes]) => [
      segment,
      lazyRouter(() => createRouter(routes, options)),
    ]),
  );
  const unknown_paths = lazyRouter(() => createRouter([], options));
  const routerAt = (path: string): Router => routers.get(segmentOf(path)) ?? unknown_paths;
  return {
    handle: (request, context) => routerAt(pathOf(request.url)).handle(request, context),
    methodsAt: (path) => routerAt(path).methodsAt(path),
  };
}

/** A router that is created when the first request needs it. */
export function lazyRouter(create: () => Router): Router {
  let router: Router | undefined;
  const get = () => (router ??= create());
  return {
    handle: (request, context) => get().handle(request, context),
    methodsAt: (path) => get().methodsAt(path),
  };
}

/** 405 with `Allow` for a path that exists with other methods, otherwise 404. */
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
      `There is nothing at ${pathOf(request.url)}. The API is described at ${document}.`,
    );
  return new HttpError(
    405,
    "method_not_allowed",
    `This path does not support ${request.method}, only ${methods.join(", ")}.`,
    { headers: { allow: methods.join(", ") } },
  );
}

interface MethodAt {
  readonly method: string;
  readonly path: string;
}

const isParameter = (part: string): boolean => part.startsWith(":");

/**
 * `/notes/file` is narrower than `/notes/:noteId`: a request for it is not about a note. Compares
 * the segments.
 */
const isNarrower = (path: readonly string[], than: readonly string[]): boolean =>
  path.length === than.length &&
  path.every((part, i) => part === than[i] || isParameter(than[i]!)) &&
  path.some((part, i) => !isParameter(part) && isParameter(than[i]!));

/**
 * Methods of a wider path that a narrower one lacks: without these, the request would fall through
 * to the wider route.
 */
function maskedMethods(routes: readonly MethodAt[]): MethodAt[] {
  const by_path = new Map<string, Set<string>>();
  for (const { method, path } of routes)
    by_path.set(path, (by_path.get(path) ?? new Set<string>()).add(method));
  const paths = [...by_path].map(([path, methods]) => ({ path, methods, parts: path.split("/") }));
  const parameter_paths = Map.groupBy(
    paths.filter(({ path }) => path.includes(":")),
    ({ parts }) => parts.length,
  );
  return paths.flatMap(({ path, methods, parts }) => {
    const wider = (parameter_paths.get(parts.length) ?? []).filter((wider_path) =>
      isNarrower(parts, wider_path.parts),
    );
    const wider_methods = new Set(wider.flatMap((wider_path) => [...wider_path.methods]));
    return [...wider_methods]
      .filter((method) => !methods.has(method))
      .map((method) => ({ method, path }));
  });
}

interface PathPattern {
  readonly matches: RegExp;
  readonly methods: Set<string>;
}

/** By the shape of the path. */
function pathPatterns(routes: readonly MethodAt[]): ReadonlyMap<string, PathPattern> {
  const patterns = new Map<string, PathPattern>();
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
  return patterns;
}

function allowTable(routes: readonly MethodAt[]): (path: string) => readonly string[] {
  /** Created at the first use: most requests find their route. */
  let patterns: ReadonlyMap<string, PathPattern> | undefined;
  return (path) => {
    patterns ??= pathPatterns(routes);
    const matching = [...patterns].filter(([, { matches }]) => matches.test(path));
    const narrowest = matching.filter(
      ([shape]) =>
        !matching.some(([other_shape]) => isNarrower(other_shape.split("/"), shape.split("/"))),
    );
    return [...new Set(narrowest.flatMap(([, { methods }]) => [...methods]))].sort();
  };
}

/**
 * An invalid UTF-8 escape (`%ff`) arrives as null; it becomes the empty id, which matches nothing.
 */
function decoded(
  params: Record<string, string | null> | undefined,
  names: readonly string[],
): Record<string, string> {
  const named: Record<string, string> = {};
  for (let position = 0; position < names.length; position++)
    named[names[position]!] = params?.[`p${position}`] ?? "";
  if (params && "*" in params) named["*"] = params["*"] ?? "";
  return named;
}

/**
 * The path with its parameters named by position: two plugins may name the same one differently,
 * which Elysia would reject.
 */
function byPosition(path: string): string {
  let position = 0;
  return path.replace(/:[^/]+/g, () => `:p${position++}`);
}
const namesIn = (path: string): string[] =>
  [...path.matchAll(/:([^/]+)/g)].map(([, name]) => name!);
