/** Puts the routes of core and of every plugin behind one gateway, with their OpenAPI document. */
import { Type } from "@sinclair/typebox";
import { ConfigError, type Config } from "../base/config";
import { networkSetting, type Networks } from "../base/networks";
import { basePathOf } from "../base/public-url";
import { version } from "../base/version";
import { compileRoutes, type CompiledRoute, type MountedRoute } from "../http/compiled-route";
import { Cors } from "../http/cors";
import { Gateway } from "../http/gateway";
import { LocalApi } from "../http/local-api";
import { mountApi, mountProtocol, mountSurface } from "../http/mounted-surface";
import { api, openApiSteps, type Described } from "../http/openapi";
import { route } from "../http/route";
import { inSteps } from "../lib/chunked-work";
import { ServedText } from "../lib/served-text";
import {
  createRouter,
  createSegmentRouters,
  fullPath,
  isOn,
  lazyRouter,
  type Router,
} from "../http/router";
import {
  Authenticator,
  DocumentParts,
  Protocols,
  RateLimiter,
  RequestObserver,
  Surface,
} from "../http/slots";
import type { TlsFiles } from "../http/tls-files";
import type { Host } from "../plugin/host";
import { healthHandler, healthRoute } from "./health";
import { readyHandler, readyRoute } from "./readiness";
import type { Bootstrap } from "./bootstrap";

const OpenApi = Type.Object({ openapi: Type.String() }, { additionalProperties: true });
const document_answers = {
  200: {
    description: "The OpenAPI 3.1 document.",
    schema: OpenApi,
    example: { openapi: "3.1.0" },
    headers: {
      etag: "Of the document in this encoding.",
      "content-encoding": "`br`, `zstd` or `gzip`, when the client takes one of them.",
      vary: "`Accept-Encoding`.",
    },
  },
  304: { description: "It is what `If-None-Match` names." },
};

/** The routes of core under the API and at the root. */
export const coreRoutes = {
  openapi: route.get("/openapi.json", {
    summary: "The OpenAPI contract",
    description: "This document. It needs no API key.",
    tag: "Contract",
    operation: "getOpenApi",
    public: true,
    surface: "api",
    answers: document_answers,
  }),
  health: healthRoute,
};

/** The OpenAPI document of the API, or of another surface, for the plugins of this host. */
export const documentOf = (host: Host, described: Described, server_url: string): Promise<object> =>
  inSteps(
    openApiSteps([coreRoutes.openapi, ...host.mounted.map(({ route }) => route)], described, {
      version,
      server_url,
      parts: host.slot(DocumentParts),
    }),
  );

/**
 * Made on the first request, because every plugin is set up by then; and again when settings of a
 * plugin that was installed meanwhile become known.
 */
function serveDocument(host: Host, described: Described, public_url: () => string) {
  let served: Promise<ServedText> | undefined;
  let sections = 0;
  const make = async (): Promise<ServedText> => {
    const document = await documentOf(host, described, public_url());
    return new ServedText(JSON.stringify(document), "application/json");
  };
  return async ({ request }: { readonly request: Request }): Promise<Response> => {
    const known_sections = host.operations.knownSections();
    if (served === undefined || sections !== known_sections) {
      sections = known_sections;
      const made = make();
      served = made;
      made.catch(() => {
        if (served === made) served = undefined;
      });
    }
    return (await served).respond(request);
  };
}

/** The gateway in front of all plugins. @throws ConfigError, and Error when plugins conflict. */
export function createApplication(
  host: Host,
  boot: Pick<Bootstrap, "config" | "log">,
  stopping: AbortSignal,
  public_url: () => string,
  tls: Pick<TlsFiles, "failure"> | null = null,
): Gateway {
  const authenticators = host.slot(Authenticator);
  if (authenticators.length !== 1)
    throw new Error(`One plugin must know callers by their keys; ${authenticators.length} do.`);
  const [limiter, second_limiter] = host.slot(RateLimiter);
  if (second_limiter) throw new Error("More than one plugin limits the rate of requests.");
  const surfaces = host.slot(Surface);
  const protocols = host.slot(Protocols);
  const observers = host.slot(RequestObserver);
  const local = new LocalApi();
  const compiled = compileRoutes(
    [
      { route: coreRoutes.openapi, handler: serveDocument(host, api, public_url) },
      { route: healthRoute, handler: healthHandler(host, tls) },
      { route: readyRoute, handler: readyHandler(host, stopping) },
      ...surfaces.map((surface) => documentRoute(surface, host, public_url)),
      ...host.mounted,
    ],
    { callApi: (by, request) => local.call(by, request), stopping, activities: host.stalls },
  );
  const api_routes = routesOn(compiled, api);
  checkBasePath(basePathOf(public_url()), [
    ...[api, ...surfaces].map(({ prefix }) => prefix),
    ...protocols.map(({ root }) => root),
    ...compiled.filter(({ route }) => route.root).map(({ route }) => route.path),
  ]);
  const cors = Cors.of(boot.config.values.server!.cors_origins as string[]);
  const api_router = api_routes.router();
  local.open({ router: api_router, observers, log: boot.log });
  const is_worker = host.nodes.role === "worker";
  return new Gateway({
    mounted: is_worker
      ? []
      : [
          mountApi(api_router, api_routes.isPublic, authenticators[0]!),
          ...protocols.map((protocol) => {
            const protocol_routes = compiled.filter(({ route }) => route.surface === protocol.name);
            return mountProtocol(
              protocol,
              lazyRouter(() => rootRouter(protocol_routes)),
              authenticators[0]!,
              (origin) => isOwnOrigin(origin, public_url(), cors),
            );
          }),
          ...surfaces.map((surface) => {
            const { router, isPublic } = routesOn(compiled, surface);
            return mountSurface(surface, lazyRouter(router), isPublic);
          }),
        ],
    root: lazyRouter(() =>
      rootRouter(
        compiled.filter(({ route }) => route.root && (!is_worker || worker_paths.has(route.path))),
      ),
    ),
    surfaces: is_worker ? [] : surfaces,
    observers,
    noteRequest: host.noteRequest,
    rate_limiter: limiter ?? unlimited,
    trusted_proxies: trustedProxies(boot.config),
    cors,
    public_url,
    log: boot.log,
  });
}

/** The only paths of a process that just runs jobs. */
const worker_paths: ReadonlySet<string> = new Set(["/health", "/ready", "/metrics"]);

/** A predicate for these paths, in which `:name` matches anything but a slash. */
function pathsOf(paths: readonly string[]): (path: string) => boolean {
  const exact_paths = new Set(paths.filter((path) => !path.includes("/:")));
  const patterns = paths
    .filter((path) => path.includes("/:"))
    .map((path) => new RegExp(`^${path.split(/:\w+/).map(RegExp.escape).join("[^/]+")}$`));
  return (path) => exact_paths.has(path) || patterns.some((pattern) => pattern.test(path));
}

/** The routes mounted on the surface, and which of their paths need no caller. */
function routesOn(compiled: readonly CompiledRoute[], described: Described) {
  const surface_routes = compiled.filter(({ route }) => isOn(route, described.name));
  const isPublic = pathsOf(
    surface_routes
      .filter(({ route }) => route.public)
      .map(({ route }) => fullPath(route, described.prefix)),
  );
  return {
    router: () =>
      createSegmentRouters(surface_routes, {
        at: described.prefix,
        document: described.document.path,
      }),
    isPublic,
  };
}

/** For routes with an absolute path. */
const rootRouter = (routes: readonly CompiledRoute[]): Router =>
  createRouter(routes, { at: "", document: api.document.path });
const isOwnOrigin = (origin: string, public_url: string, cors: Cors | null): boolean =>
  origin === new URL(public_url).origin || (cors?.allows(origin) ?? false);

/** The OpenAPI document of a further surface, at the path that the surface names. */
const documentRoute = (surface: Surface, host: Host, public_url: () => string): MountedRoute => ({
  route: route.get(surface.document.path, {
    summary: "The OpenAPI document",
    tag: "Contract",
    operation: `getOpenApiOf_${surface.name}`,
    root: true,
    answers: document_answers,
  }),
  handler: serveDocument(host, surface, public_url),
});

/** A proxy may or may not strip the base path, so no path of the server may begin with it. */
function checkBasePath(base_path: string, paths: readonly string[]): void {
  const first_segment = base_path.split("/")[1];
  const route = first_segment && paths.find((path) => path.split("/")[1] === first_segment);
  if (route)
    throw new ConfigError([
      `server.public_url: its path must not begin with /${first_segment}, as ${route} of the ` +
        "server does.",
    ]);
}

const unlimited: RateLimiter = {
  take: async () => ({
    limit: Number.MAX_SAFE_INTEGER,
    remaining: Number.MAX_SAFE_INTEGER,
    reset_s: Math.floor(Date.now() / 1_000) + 60,
    allowed: true,
  }),
};

const trustedProxies = ({ values }: Config): Networks =>
  networkSetting("server.trusted_proxies", values.server!.trusted_proxies as string[]);
