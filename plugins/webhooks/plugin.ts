/** Webhooks: notify receivers that people have registered when a long run has ended. */
import {
  ConfigError,
  createAddressPolicy,
  createDnsLookup,
  DnsLookup,
  definePlugin,
  Duration,
  List,
  t,
  DocumentParts,
  fill,
} from "../../core/sdk";
import { Accounts, purgeOfUser } from "../accounts/contract";
import { AttemptSender } from "./attempts";
import { WebhookDue, WebhookEvents } from "./contract";
import { Deliveries } from "./deliveries";
import { webhookChecks } from "./checks";
import { enqueueAttempt, purgeEnqueuer, webhookJobs, webhookSchedules } from "./jobs";
import { webhookMetrics } from "./metrics";
import { migrations } from "./migrations";
import { record_events } from "./record-events";
import { lateSchemas } from "./new-webhook";
import { routes, webhookHandlers } from "./routes";
import { sentRequest } from "./sent-requests";
import { Webhooks } from "./service";
import { Subscriptions } from "./subscriptions";

/** After the first attempt: there are three in total (deliveries.ts). */
const retries = 2;
/** @throws ConfigError on a name server that is not an address. */
function lookupBy(servers: readonly string[]): DnsLookup {
  try {
    return createDnsLookup({ servers });
  } catch (error) {
    throw new ConfigError([
      "webhooks.dns_servers must be addresses such as 10.0.0.1 or 10.0.0.1:5353: " +
        `${(error as Error).message}.`,
    ]);
  }
}
const prefix_pattern = "^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$";

export default definePlugin({
  name: "webhooks",
  version: "1.0.0",
  config: t.Object({
    allow_networks: List("string", {
      changes: "outside",
      description: "Non-public networks that webhooks may be delivered to, such as 10.1.0.0/16.",
    }),
    dns_servers: List("string", {
      changes: "outside",
      description:
        "Name servers for webhooks and imports, such as 10.0.0.1 or 10.0.0.1:5353; by " +
        "default those of the system.",
    }),
    retry_delays: List<number>("duration", {
      default: "5s,5m",
      changes: "now",
      stored: { items_least: 1, items_most: retries, must: "be one or two durations such as 5s" },
      description: "The delays before the second and the third attempt, varied by up to a fifth.",
    }),
    per_account: t.Integer({
      default: 10,
      minimum: 1,
      changes: "now",
      description: "The maximum number of webhooks per user.",
    }),
    keep_deliveries: Duration({
      default: "30d",
      changes: "now",
      description: "How long finished deliveries are kept.",
    }),
    header_prefix: t.String({
      default: "Service",
      pattern: prefix_pattern,
      changes: "now",
      description:
        "The product name in the headers of a delivery: X-Service-Event, X-Service-Signature.",
    }),
    legacy_header_prefix: t.String({
      default: "Legacy",
      pattern: prefix_pattern,
      changes: "now",
      description: "The previous product name, with which the same headers are sent as well.",
    }),
  }),
  checkConfig: ({ retry_delays }) => {
    if (retry_delays.length < 1 || retry_delays.length > retries)
      throw new ConfigError([
        `webhooks.retry_delays must be one or ${retries} durations, because there are at ` +
          "most three attempts.",
      ]);
  },
  needs: { accounts: Accounts },
  provides: { lookup: DnsLookup },
  slots: { events: WebhookEvents },
  events: [WebhookDue],
  tables: ["webhooks", "webhooks_events", "webhooks_deliveries", "webhooks_attempts"],
  migrations,
  routes,
  setup: (ctx) => {
    const { config, slots, services } = ctx;
    const allows = createAddressPolicy(config.allow_networks, "webhooks.allow_networks");
    const lookup = lookupBy(config.dns_servers);
    const subscriptions = new Subscriptions(ctx);
    const webhooks = new Webhooks({
      ...ctx,
      subscriptions,
      events: slots.events,
      lookup,
      allows,
      per_account: () => config.per_account,
      enqueuePurge: purgeEnqueuer(ctx.enqueue),
    });
    const deliveries = new Deliveries({
      ...ctx,
      enqueueAttempt: enqueueAttempt(ctx.enqueue),
      events: slots.events,
      retry_delays_ms: () => config.retry_delays,
      keep_ms: () => config.keep_deliveries,
    });
    const prefixes = () => ({
      current: config.header_prefix,
      legacy: config.legacy_header_prefix,
    });
    const sender = new AttemptSender({
      ...ctx,
      ...services,
      deliveries,
      lookup,
      allows,
      prefixes,
    });
    return {
      services: { lookup },
      routes: webhookHandlers(webhooks, deliveries, ctx.now_ms),
      fills: [
        ...record_events.map((event) => fill(WebhookEvents, event)),
        ...webhookMetrics(ctx),
        ...webhookChecks({ ...ctx, lookup, deliveries }),
        fill(DocumentParts, {
          schemas: lateSchemas({
            events: slots.events,
            any_address: config.allow_networks.length > 0,
          }),
          sends: () => slots.events().map((event) => sentRequest(event, prefixes())),
        }),
      ],
      jobs: [
        ...webhookJobs(webhooks, deliveries, sender, subscriptions),
        purgeOfUser((user_id, signal) => webhooks.removeAll(user_id, signal)),
      ],
      schedules: webhookSchedules,
      start: async () => {
        await subscriptions.load();
        if (config.allow_networks.length > 0)
          ctx.log.warn("webhooks may be delivered to networks that are not public", {
            networks: config.allow_networks,
          });
      },
    };
  },
});
