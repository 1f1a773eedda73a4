/** Webhooks: tells the receivers that people registered when a long run has ended. */
import {
  ConfigError,
  createAddressRule,
  createLookup,
  definePlugin,
  every,
  fill,
  handle,
  List,
  t,
} from "../../core/sdk";
import { Accounts } from "../accounts/contract";
import { NameLookup, WebhookDue, WebhookEvents, type WebhookEvent } from "./contract";
import { createDeliveries, Deliver } from "./deliveries";
import { createDelivering, job_ms_max } from "./attempts";
import { createLine } from "./line";
import { migrations } from "./migrations";
import { createPruning, Prune } from "./pruning";
import { routes, webhookHandlers } from "./routes";
import { createWebhooks } from "./service";

/** Of runs that are told by this plugin as long as no other does. */
const events: readonly WebhookEvent[] = [
  {
    type: "transcription.completed",
    sample: {
      event: "transcription.completed",
      processing_run_id: "trn_00000000000000000000000000",
      result_history_id: null,
      status: "completed",
    },
  },
  {
    type: "import.finished",
    sample: {
      event: "import.finished",
      import_run_id: "imp_00000000000000000000000000",
      status: "completed",
      completed_item_count: 3,
      succeeded_item_count: 3,
      failed_item_count: 0,
    },
  },
];
const retries = 2;
/** Below the time after which the HTTP server closes a silent connection. */
const line_limits = { each_max: 5, all_max: 64, wait_ms_max: 45_000 };
/** Attempts under way at the same time. Half of the requests that the runtime sends at once. */
const together_max = 128;
/** @throws ConfigError on a name server that is no address. */
function lookupBy(servers: readonly string[]): ReturnType<typeof createLookup> {
  try {
    return createLookup({ servers });
  } catch (error) {
    throw new ConfigError([
      `webhooks.dns_servers must be addresses such as 10.0.0.1 or 10.0.0.1:5353: ${(error as Error).message}.`,
    ]);
  }
}
const prefix_pattern = "^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$";

export default definePlugin({
  name: "webhooks",
  version: "1.0.0",
  config: t.Object({
    allow_networks: List("string", {
      description:
        "Networks that are not public and may be delivered to all the same, such as 10.1.0.0/16.",
    }),
    dns_servers: List("string", {
      description:
        "Name servers, such as 10.0.0.1 or 10.0.0.1:5353, for webhooks and imports; those of the " +
        "system unless given.",
    }),
    retry_delays: List<number>("duration", {
      default: "5s,5m",
      description: "Before the second and before the third attempt, give or take a fifth.",
    }),
    per_account: t.Integer({
      default: 10,
      minimum: 1,
      description: "Webhooks that one user may hold.",
    }),
    header_prefix: t.String({
      default: "Service",
      pattern: prefix_pattern,
      description:
        "The product's name in the headers of a delivery: X-Service-Event, X-Service-Signature.",
    }),
    legacy_header_prefix: t.String({
      default: "Legacy",
      pattern: prefix_pattern,
      description: "Its previous name, under which the same headers are sent too.",
    }),
  }),
  needs: { accounts: Accounts },
  provides: { lookup: NameLookup },
  slots: { events: WebhookEvents },
  events: [WebhookDue],
  tables: ["webhooks", "webhooks_deliveries", "webhooks_attempts"],
  migrations,
  routes,
  setup: ({
    cancelJobs,
    notify,
    now_ms,
    config,
    db,
    enqueue,
    inTransaction,
    log,
    newId,
    truncateWal,
    sealed,
    services,
    slots,
  }) => {
    if (config.retry_delays.length < 1 || config.retry_delays.length > retries)
      throw new ConfigError([
        `webhooks.retry_delays must be one or ${retries} durations: there are three attempts at most.`,
      ]);
    const allows = createAddressRule(config.allow_networks, "webhooks.allow_networks");
    const lookup = lookupBy(config.dns_servers);
    const webhooks = createWebhooks({
      db,
      inTransaction,
      cancelJobs,
      truncateWal,
      now_ms,
      newId,
      sealed,
      lookup,
      allows,
      events: slots.events,
      per_account: config.per_account,
      line: createLine(line_limits),
      notify,
    });
    const deliveries = createDeliveries({
      db,
      inTransaction,
      enqueue,
      now_ms,
      newId,
      events: slots.events,
      retry_delays_ms: config.retry_delays,
      notify,
    });
    const deliver = createDelivering({
      db,
      deliveries,
      lookup,
      allows,
      sealed,
      now_ms,
      prefixes: { current: config.header_prefix, legacy: config.legacy_header_prefix },
      isActive: async (owner_id) => (await services.accounts.findUser(owner_id)).active,
    });
    return {
      services: { lookup },
      routes: webhookHandlers(webhooks, deliveries, now_ms),
      fills: events.map((one) => fill(WebhookEvents, one)),
      jobs: [
        handle(
          WebhookDue,
          async ({ owner_id, event_type, body }) =>
            (tx) =>
              deliveries.announce(tx, owner_id, event_type, body),
          {
            attempts_max: 20,
            timeout_ms: 10_000,
            concurrency: 4,
            ownerOf: ({ owner_id }) => owner_id,
          },
        ),
        handle(Deliver, deliver, {
          attempts_max: 10,
          timeout_ms: job_ms_max,
          concurrency: together_max,
          io_bound: true,
          onExhausted: (tx, { delivery_id }) => deliveries.end(tx, delivery_id, "dropped"),
        }),
        handle(Prune, createPruning(db, now_ms), { attempts_max: 3, timeout_ms: 60_000 }),
      ],
      schedules: [every("23 3 * * *", Prune, {})],
      start: async () => {
        if (config.allow_networks.length > 0)
          log.warn("webhooks may be delivered to networks that are not public", {
            networks: config.allow_networks,
          });
      },
    };
  },
});
