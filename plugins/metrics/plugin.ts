/** GET /metrics: figures about the server for Prometheus. */
import {
  definePlugin,
  fill,
  List,
  network_pattern,
  networkSetting,
  RequestObserver,
  route,
  Secret,
  t,
} from "../../core/sdk";
import { requireAccess, sha256, type MetricsAccess } from "./access";
import { Metrics } from "./contract";
import { RequestCounts } from "./request-counts";
import { Scraper } from "./scrape";
import { serverMetrics } from "./server-metrics";

const routes = {
  metrics: route.get("/metrics", {
    summary: "Metrics",
    description: "For Prometheus. Needs the token of `metrics.token`, or a network it allows.",
    tag: "Operations",
    operation: "getMetrics",
    root: true,
    answers: {
      200: {
        description: "The text format of Prometheus.",
        schema: t.String(),
        media_type: "text/plain; version=0.0.4",
      },
    },
  }),
};

/** @throws ConfigError for an invalid network. */
const accessBy = ({
  token,
  networks,
}: {
  readonly token?: string;
  readonly networks: readonly string[];
}): MetricsAccess => ({
  token_sha256: token ? sha256(token) : null,
  networks: networks.length > 0 ? networkSetting("metrics.networks", networks) : null,
});

export default definePlugin({
  name: "metrics",
  version: "1.0.0",
  config: t.Object({
    token: t.Optional(
      Secret({ changes: "now", description: "The token required to read GET /metrics." }),
    ),
    networks: List("string", {
      changes: "now",
      stored: {
        item: `^${network_pattern}$`,
        must: "be networks such as 10.0.0.0/8, or single addresses",
      },
      description: "Networks from which GET /metrics can be read without a token.",
    }),
  }),
  checkConfig: (config) => {
    accessBy(config);
  },
  slots: { metrics: Metrics },
  routes,
  setup: (ctx) => {
    const { config, log, slots } = ctx;
    let access = accessBy(config);
    ctx.whenSettingsChange(() => (access = accessBy(config)));
    const requests = new RequestCounts();
    const of_server = serverMetrics(ctx);
    const scraper = new Scraper({
      metrics: () => [...of_server, ...slots.metrics()],
      requests,
      log,
    });
    return {
      fills: [fill(RequestObserver, requests.note)],
      routes: {
        metrics: async ({ request, client }) => {
          requireAccess(access, request, client);
          const { text, content_type } = await scraper.scrape();
          return new Response(text, {
            headers: { "content-type": content_type, "cache-control": "no-store" },
          });
        },
      },
    };
  },
});
