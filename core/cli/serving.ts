/**
 * `dossier serve`: one server on one data directory, from its first line of output to its graceful
 * end.
 */
import type { BlockList } from "node:net";
import { Type } from "@sinclair/typebox";
import { errorFields, type Log } from "../base/log";
import { networkSetting } from "../base/networks";
import { commit, version } from "../base/version";
import { Gateway, mountApi, mountSurface } from "../http/gateway";
import { compileRoutes, type MountedRoute } from "../http/compiled-route";
import { createRouter, fullPath, isOn, lazyRouter } from "../http/router";
import { api, openApiDocument, type Described } from "../http/openapi";
import { route, type Route } from "../http/route";
import { serve, type HttpServer } from "../http/http-server";
import { Authenticator, RateLimiter, RequestObserver, StartNotice, Surface } from "../http/slots";
import type { IsolatedRun } from "../isolate/pool";
import type { Plugin } from "../plugin/define";
import type { Host } from "../plugin/host";
import { lockDirectory } from "../store/lock";
import { assemble, openDataDirectory, type Setting } from "./compose";

/** Requests under way may end within this time when the server stops. */
const requests_ms_max = 10_000;
/** … and uploads that still arrive within this. */
const uploads_ms_max = 2_000;
const jobs_ms_max = 5_000;

const HealthRecord = Type.Object({
  status: Type.Union([Type.Literal("ok"), Type.Literal("degraded")]),
  version: Type.String(),
  plugins: Type.Array(Type.Object({ name: Type.String(), reason: Type.String() })),
});
export const coreRoutes = {
  openapi: route.get("/openapi.json", {
    summary: "The OpenAPI contract",
    description: "This document. It needs no API key.",
    tag: "Contract",
    operation: "getOpenApi",
    public: true,
    surface: "api",
    answers: {
      200: {
        description: "The OpenAPI 3.1 document.",
        schema: Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
        example: { openapi: "3.1.0" },
      },
    },
  }),
  health: route.get("/health", {
    summary: "Health",
    tag: "Operations",
    operation: "getHealth",
    root: true,
    answers: {
      200: {
        description: "The server answers; `degraded` names what does not work.",
        schema: HealthRecord,
      },
    },
  }),
};

/** The routes of the whole API as a document, without a server. */
export const documentOf = (routes: readonly Route<any, any>[], server_url: string): object =>
  openApiDocument([coreRoutes.openapi, ...routes], api, { version, server_url });

/**
 * The gateway to everything that the plugins bring. @throws ConfigError, and Error when
 * plugins get in each other's way.
 */
export function createApplication(
  host: Host,
  setting: Setting,
  stopping: AbortSignal,
  public_url: () => string,
): Gateway {
  const authenticators = host.slot(Authenticator);
  if (authenticators.length !== 1)
    throw new Error(
      `Exactly one plugin must know callers by their keys; ${authenticators.length} do.`,
    );
  const [limiter, second] = host.slot(RateLimiter);
  if (second) throw new Error("More than one plugin limits the rate of requests.");
  const surfaces = host.slot(Surface);
  const compiled = compileRoutes(
    [
      ...coreHandlers(host, public_url),
      ...surfaces.map((surface) => documentRoute(surface, host, public_url)),
      ...host.mounted,
    ],
    stopping,
  );
  const routesOn = (described: Described) => {
    const mine = compiled.filter(({ route }) => isOn(route, described.name));
    const open = new Set(
      mine
        .filter(({ route }) => route.public)
        .map(({ route }) => fullPath(route, described.prefix)),
    );
    return {
      router: () => createRouter(mine, { at: described.prefix, document: described.document.path }),
      isPublic: (path: string) => open.has(path),
    };
  };
  const ofApi = routesOn(api);
  return new Gateway({
    mounted: [
      mountApi(ofApi.router(), ofApi.isPublic, authenticators[0]!),
      ...surfaces.map((surface) => {
        const { router, isPublic } = routesOn(surface);
        return mountSurface(surface, lazyRouter(router), isPublic);
      }),
    ],
    root: createRouter(
      compiled.filter(({ route }) => route.root),
      { at: "", document: api.document.path },
    ),
    surfaces,
    observers: host.slot(RequestObserver),
    rate_limiter: limiter ?? unlimited,
    trusted_proxies: trustedProxies(setting),
    public_url,
    log: setting.log,
  });
}

function coreHandlers(host: Host, public_url: () => string): MountedRoute[] {
  let openapi: string | undefined;
  return [
    {
      route: coreRoutes.openapi,
      handler: () =>
        new Response(
          (openapi ??= JSON.stringify(
            documentOf(
              host.mounted.map((one) => one.route),
              public_url(),
            ),
          )),
          { headers: { "content-type": "application/json" } },
        ),
    },
    {
      route: coreRoutes.health,
      handler: async () => {
        const plugins = [
          ...host.failures.map(({ name, reason }) => ({ name, reason })),
          ...(await host.health()).map(({ plugin, failing }) => ({
            name: plugin,
            reason: failing,
          })),
        ];
        return Response.json(
          { status: plugins.length === 0 ? "ok" : "degraded", version, plugins },
          { headers: { "cache-control": "no-store" } },
        );
      },
    },
  ];
}

/** The document of a further surface lies where that says, outside its own routes. */
function documentRoute(surface: Surface, host: Host, public_url: () => string): MountedRoute {
  let document: string | undefined;
  return {
    route: route.get(surface.document.path, {
      summary: "The OpenAPI document",
      tag: "Contract",
      operation: `getOpenApiOf_${surface.name}`,
      root: true,
      answers: {
        200: {
          description: "The OpenAPI 3.1 document.",
          schema: Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
        },
      },
    }),
    handler: () =>
      new Response(
        (document ??= JSON.stringify(
          openApiDocument(
            host.mounted.map((one) => one.route),
            surface,
            { version, server_url: public_url() },
          ),
        )),
        { headers: { "content-type": "application/json" } },
      ),
  };
}

const unlimited: RateLimiter = {
  take: async () => ({
    limit: Number.MAX_SAFE_INTEGER,
    remaining: Number.MAX_SAFE_INTEGER,
    reset_s: Math.floor(Date.now() / 1_000) + 60,
    allowed: true,
  }),
};

const trustedProxies = (setting: Setting): BlockList =>
  networkSetting(
    "server.trusted_proxies",
    setting.config.values.server!.trusted_proxies as string[],
  );

export interface Running {
  readonly served: HttpServer;
  readonly host: Host;
  stop(): Promise<void>;
}

/** Starts a server and prints where it is. @throws Error in words when it can't. */
export async function startServer(
  setting: Setting,
  built_in: readonly Plugin[],
  isolate: IsolatedRun,
  print: (line: string) => void,
): Promise<Running> {
  const {
    host: listen,
    port,
    public_url,
  } = setting.config.values.server as { host: string; port: number; public_url?: string };
  let address = `http://${listen}:${port}`;
  const publicUrl = () => (public_url ?? address).replace(/\/$/, "");
  openDataDirectory(setting.located.data);
  const unlock = lockDirectory(setting.located.data);
  try {
    const assembled = await assemble(setting, built_in, isolate, publicUrl);
    const { host } = assembled;
    const stopping = new AbortController();
    let served: HttpServer;
    try {
      const gateway = createApplication(host, setting, stopping.signal, publicUrl);
      await host.start();
      served = serve(gateway, { host: listen, port, log: setting.log });
    } catch (error) {
      await host.stop(0);
      await assembled.close();
      throw error;
    }
    address = served.url;
    setting.log.info("listening", {
      version,
      commit,
      url: served.url,
      data: setting.located.data,
      plugins: host.plugins.length,
      left_out: host.failures.map(({ name, reason }) => ({ name, reason })),
    });
    // After the log lines, so that what a person must read stands last.
    print(`Dossier ${version} is ready at ${publicUrl()}/`);
    for (const notice of host.slot(StartNotice)) print(await notice());
    return {
      served,
      host,
      async stop() {
        stopping.abort();
        const aborting = setTimeout(() => assembled.files.abortUploads(), uploads_ms_max);
        await served.stop(requests_ms_max);
        clearTimeout(aborting);
        await host.stop(jobs_ms_max);
        await assembled.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/**
 * Runs until SIGTERM or SIGINT; a second signal ends at once. A stray throw of a plugin's timer is
 * logged and survived.
 */
export async function serveUntilStopped(start: () => Promise<Running>, log: Log): Promise<void> {
  process.on("uncaughtException", (error) =>
    log.error("uncaught error in the background", errorFields(error)),
  );
  process.on("unhandledRejection", (error) =>
    log.error("unhandled rejection in the background", errorFields(error)),
  );
  const { promise, resolve } = Promise.withResolvers<void>();
  let asked = false;
  const stop = (signal: string) => {
    if (asked) process.exit(1);
    asked = true;
    log.info("stopping", { signal });
    resolve();
  };
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGINT", () => stop("SIGINT"));
  // A signal that comes while it starts is heard: it ends gracefully as soon as it runs.
  const running = await start();
  await promise;
  await running.stop();
  log.info("stopped");
}
