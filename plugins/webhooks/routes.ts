/**
 * The routes of webhooks and their deliveries: a schema in, one call to the service, a record out.
 */
import {
  OneOf,
  Nullable,
  PageOf,
  PageQuery,
  reply,
  rfc3339,
  rfc3339OrNull,
  route,
  t,
  Timestamp,
  toPage,
  type HandlersOf,
  type Static,
  named,
  documented,
} from "../../core/sdk";
import type { Deliveries, FullDelivery } from "./deliveries";
import { Events, EventType, NewWebhook, url_description } from "./new-webhook";
import type { FullWebhook, Webhooks } from "./service";

const Text = t.String();
const Status = named(
  "DeliveryStatus",
  OneOf(["pending", "delivered", "skipped", "dropped", "cancelled"], {
    description:
      "`delivered`: an attempt got a 2xx. `skipped`: the host has an address that is not " +
      "public. `dropped`: three attempts failed.",
  }),
);
const Url = documented(t.String({ description: url_description }), { format: "uri" });

const WebhookFields = {
  id: t.String({ description: "Opaque, starts with `whk_`." }),
  event_type: EventType,
  url: Url,
  events: t.Optional(
    Events("All that it is told, `event_type` first; left out when it was given no list."),
  ),
  created_at: Timestamp("When it was registered."),
  last_delivery: Nullable(
    named(
      "LastDelivery",
      t.Object(
        {
          id: Text,
          status: Status,
          created_at: Timestamp("When it was due."),
          status_code: Nullable(t.Integer({ minimum: 100, maximum: 999 })),
          error: Nullable(Text),
        },
        { description: "What its last attempt came to." },
      ),
    ),
  ),
};
const WebhookRecord = named("Webhook", t.Object(WebhookFields));
const WebhookWithSecret = named(
  "WebhookWithSecret",
  t.Object({
    ...WebhookFields,
    secret: t.String({
      description: "Keys the signatures, as it stands here. It is shown this once.",
    }),
  }),
);
const Attempt = named(
  "DeliveryAttempt",
  t.Object({
    at: Timestamp("When it began."),
    status_code: Nullable(t.Integer({ minimum: 100, maximum: 999 })),
    error: Nullable(
      t.String({ description: "Why there was no answer, or why it does not count." }),
    ),
    duration_ms: t.Integer({ description: "Until its end; until now while it is under way." }),
    response_body: Nullable(t.String({ description: "The first 4 KiB." })),
  }),
);
const DeliveryRecord = named(
  "Delivery",
  t.Object({
    id: t.String({ description: "Opaque, starts with `whd_`." }),
    webhook_id: Text,
    event_type: EventType,
    status: Status,
    attempts: t.Array(Attempt, { maxItems: 3, description: "Oldest first, at most three." }),
    next_attempt_at: Nullable(Timestamp("When the next attempt begins, if one is to come.")),
    request_body: t.String({ description: "Exactly what every attempt sends." }),
    created_at: Timestamp("When it was due."),
  }),
);

const example: Static<typeof WebhookRecord> = {
  id: "whk_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC",
  event_type: "import.finished",
  url: "https://example.com/hooks/dossier",
  created_at: "2026-03-01T09:30:00.000Z",
  last_delivery: null,
};
const with_secret: Static<typeof WebhookWithSecret> = {
  ...example,
  secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD8Pmd3nHkzTA=",
};
const delivery_example: Static<typeof DeliveryRecord> = {
  id: "whd_01KAJ2Z9Q4W7N8X5R3T6V1Y0BD",
  webhook_id: example.id,
  event_type: example.event_type,
  status: "delivered",
  attempts: [
    {
      at: "2026-03-01T09:31:00.000Z",
      status_code: 204,
      error: null,
      duration_ms: 84,
      response_body: "",
    },
  ],
  next_attempt_at: null,
  request_body: JSON.stringify({
    event: "import.finished",
    import_run_id: "imp_01KAJ2Z9Q4W7N8X5R3T6V1Y0BE",
    status: "completed",
    completed_item_count: 3,
    succeeded_item_count: 3,
    failed_item_count: 0,
  }),
  created_at: "2026-03-01T09:31:00.000Z",
};
const started = {
  description: "The delivery, which is about to begin.",
  schema: DeliveryRecord,
  example: { ...delivery_example, status: "pending" as const, attempts: [] },
  headers: {
    location: "Path of the delivery, to poll.",
    "retry-after": "Seconds until the first poll is worth it.",
  },
  links: { getWebhookDelivery: { webhookId: "webhook_id", deliveryId: "id" } },
};
const tag = "Webhooks";

export const routes = {
  list: route.get("/webhooks", {
    summary: "List webhooks",
    tag,
    operation: "listWebhooks",
    description: "The caller's webhooks as an array, newest first, without their secrets.",
    answers: {
      200: { description: "All of them.", schema: t.Array(WebhookRecord), example: [example] },
    },
  }),
  create: route.post("/webhooks", {
    summary: "Register a webhook",
    tag,
    operation: "createWebhook",
    description:
      "Registers a URL that is told when a run ends, and with a list of `events` also of what " +
      "happens to documents and answers. The answer holds the signing secret, this " +
      "once. The URL's host is looked up and must be public.",
    body: NewWebhook,
    example: { event_type: example.event_type, url: example.url },
    answers: {
      201: {
        description: "The webhook with its secret.",
        schema: WebhookWithSecret,
        example: with_secret,
        headers: { location: "Path of the new webhook." },
        links: {
          getWebhook: { webhookId: "id" },
          testWebhook: { webhookId: "id" },
          listWebhookDeliveries: { webhookId: "id" },
          deleteWebhook: { webhookId: "id" },
        },
      },
    },
    errors: {
      400: {
        duplicate_webhook: "There is a webhook for this event and URL already.",
        webhook_limit: "An account holds as many webhooks as it may; the detail names the limit.",
      },
      503: "The URL's host could not be checked in time; try again.",
    },
  }),
  get: route.get("/webhooks/:webhookId", {
    summary: "Get a webhook",
    tag,
    operation: "getWebhook",
    description: "One of the caller's webhooks, without its secret.",
    answers: { 200: { description: "The webhook.", schema: WebhookRecord, example } },
  }),
  remove: route.delete("/webhooks/:webhookId", {
    summary: "Delete a webhook",
    tag,
    operation: "deleteWebhook",
    description:
      "Deletes the webhook and its log, cancels what waits to be delivered, and frees a slot.",
    answers: { 204: { description: "It is gone." } },
  }),
  rotate: route.post("/webhooks/:webhookId/rotate-secret", {
    summary: "Rotate a webhook's secret",
    tag,
    operation: "rotateWebhookSecret",
    description:
      "Makes a new signing secret, shown this once. `webhook-signature` carries the old one too " +
      "for 24 hours.",
    answers: {
      200: {
        description: "The webhook with its new secret.",
        schema: WebhookWithSecret,
        example: with_secret,
      },
    },
  }),
  test: route.post("/webhooks/:webhookId/test", {
    summary: "Send a test delivery",
    tag,
    operation: "testWebhook",
    description: "Delivers a sample of the webhook's event, signed like a real one.",
    answers: { 202: started },
  }),
  deliveries: route.get("/webhooks/:webhookId/deliveries", {
    summary: "List deliveries",
    tag,
    operation: "listWebhookDeliveries",
    description:
      "What was delivered to this webhook in the last 30 days, newest first, with every attempt.",
    query: PageQuery,
    answers: {
      200: {
        description: "One page of deliveries.",
        schema: PageOf(DeliveryRecord),
        example: toPage([delivery_example], 1, {}),
      },
    },
  }),
  delivery: route.get("/webhooks/:webhookId/deliveries/:deliveryId", {
    summary: "Get a delivery",
    tag,
    operation: "getWebhookDelivery",
    description: "One delivery with its attempts.",
    answers: {
      200: { description: "The delivery.", schema: DeliveryRecord, example: delivery_example },
    },
  }),
  redeliver: route.post("/webhooks/:webhookId/deliveries/:deliveryId/redeliver", {
    summary: "Deliver again",
    tag,
    operation: "redeliverWebhook",
    description:
      "Sends the same body again, as a new delivery with attempts of its own and the same " +
      "`webhook-id`.",
    answers: { 202: started },
    errors: { 409: "The delivery is still under way." },
  }),
};

const webhookPath = (webhook_id: string): string => `/api/dev/v1/webhooks/${webhook_id}`;

export function webhookHandlers(
  webhooks: Webhooks,
  deliveries: Deliveries,
  now_ms: () => number,
): HandlersOf<typeof routes> {
  const toRecord = (full: FullDelivery) => deliveryRecord(full, now_ms());
  const accepted = (full: FullDelivery) =>
    reply(202, toRecord(full), {
      location: `${webhookPath(full.delivery.webhook_id)}/deliveries/${full.delivery.id}`,
      "retry-after": "1",
    });
  return {
    list: async ({ caller }) => (await webhooks.list(caller.owner_id)).map(webhookRecord),
    create: async ({ caller, body }) => {
      const created = await webhooks.create(caller.owner_id, body);
      return reply(
        201,
        { ...webhookRecord(created), secret: created.secret },
        { location: webhookPath(created.webhook.id) },
      );
    },
    get: async ({ caller, params }) =>
      webhookRecord(await webhooks.get(caller.owner_id, params.webhookId)),
    remove: async ({ caller, params }) => {
      await webhooks.remove(caller.owner_id, params.webhookId);
      return reply(204);
    },
    rotate: async ({ caller, params }) => {
      const rotated = await webhooks.rotateSecret(caller.owner_id, params.webhookId);
      return { ...webhookRecord(rotated), secret: rotated.secret };
    },
    test: async ({ caller, params }) => {
      const webhook = await webhooks.find(caller.owner_id, params.webhookId);
      return accepted(await deliveries.sendSample(webhook));
    },
    deliveries: async ({ caller, params, query }) => {
      const webhook = await webhooks.find(caller.owner_id, params.webhookId);
      const { rows, total } = await deliveries.list(webhook.id, query);
      return toPage(rows.map(toRecord), total, query);
    },
    delivery: async ({ caller, params }) => {
      const webhook = await webhooks.find(caller.owner_id, params.webhookId);
      return toRecord(await deliveries.get(webhook.id, params.deliveryId));
    },
    redeliver: async ({ caller, params }) => {
      const webhook = await webhooks.find(caller.owner_id, params.webhookId);
      return accepted(await deliveries.redeliver(webhook, params.deliveryId));
    },
  };
}

/** The wire format of a webhook, without its secret. */
function webhookRecord({
  webhook: { id, event_type, url, events, created_at },
  last,
}: FullWebhook): Static<typeof WebhookRecord> {
  const attempt = last?.attempts.at(-1);
  return {
    id,
    event_type,
    url,
    ...(events === null ? {} : { events: JSON.parse(events) }),
    created_at: rfc3339(created_at),
    last_delivery:
      last === null
        ? null
        : {
            id: last.delivery.id,
            status: last.delivery.status,
            created_at: rfc3339(last.delivery.created_at),
            status_code: attempt?.status_code ?? null,
            error: attempt?.error ?? null,
          },
  };
}

const deliveryRecord = (
  {
    delivery: { id, webhook_id, event_type, status, next_attempt_at, request_body, created_at },
    attempts,
  }: FullDelivery,
  now_ms: number,
): Static<typeof DeliveryRecord> => ({
  id,
  webhook_id,
  event_type,
  status,
  attempts: attempts.map(({ started_at, status_code, error, duration_ms, response_body }) => ({
    at: rfc3339(started_at),
    status_code,
    error,
    duration_ms: duration_ms ?? Math.max(0, now_ms - started_at),
    response_body,
  })),
  next_attempt_at: rfc3339OrNull(next_attempt_at),
  request_body,
  created_at: rfc3339(created_at),
});
