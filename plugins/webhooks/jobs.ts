/** Every job of webhooks: name, payload, how it is enqueued, what it runs, limits and schedule. */
import { every, handle, job, t, type Context, type JobHandler } from "../../core/sdk";
import type { AttemptSender } from "./attempts";
import { WebhookDue } from "./contract";
import type { Deliveries, DeliveriesContext } from "./deliveries";
import { record_events } from "./record-events";
import type { Webhooks, WebhooksContext } from "./service";
import type { Subscriptions } from "./subscriptions";

const hour_ms = 3_600_000;

/** One attempt of a delivery. */
export const Deliver = job(
  "webhooks.deliver",
  t.Object({ delivery_id: t.String(), attempt: t.Integer() }),
);
/** Deletes the deliveries of a deleted webhook. */
const PurgeWebhook = job("webhooks.purge", t.Object({ webhook_id: t.String() }));
/** Deletes old deliveries. */
export const Prune = job("webhooks.prune", t.Object({}));

/**
 * For jobs that create the deliveries of an event. Each is just a small transaction: those that run
 * together are claimed together and share a commit, so a thousand events take no longer than their
 * rows.
 */
const creation_limits = { attempts_max: 20, timeout_ms: 10_000, concurrency: 32 };

/** One webhook gets one attempt at a time, so a slow receiver delays nobody else. */
export const enqueueAttempt =
  (enqueue: Context["enqueue"]): DeliveriesContext["enqueueAttempt"] =>
  (tx, webhook, payload, run_at_ms) =>
    enqueue(tx, Deliver, payload, {
      owner: webhook.owner_id,
      queue: `webhook ${webhook.id}`,
      queue_concurrency: 1,
      subject: webhook.id,
      run_at_ms,
    });

/** The function that enqueues the purge of a deleted webhook. */
export const purgeEnqueuer =
  (enqueue: Context["enqueue"]): WebhooksContext["enqueuePurge"] =>
  (tx, { id, owner_id }) =>
    enqueue(tx, PurgeWebhook, { webhook_id: id }, { owner: owner_id, key: id });

/** Every event is about some user's records. */
const ownerOf = (payload: unknown): string => (payload as { readonly owner_id: string }).owner_id;

/** One delivery for each webhook that lists the event; no job when none does. */
const recordEventJobs = (deliveries: Deliveries, subscriptions: Subscriptions): JobHandler[] =>
  record_events.map(({ on, type, bodyOf }) =>
    handle(
      on,
      async (payload) => (tx) =>
        deliveries.createForEvent(tx, ownerOf(payload), type, { event: type, ...bodyOf(payload) }),
      {
        ...creation_limits,
        wants: (payload, tx) => subscriptions.has(tx, ownerOf(payload), type),
        ownerOf,
      },
    ),
  );

/** The jobs with their limits. */
export const webhookJobs = (
  webhooks: Webhooks,
  deliveries: Deliveries,
  sender: AttemptSender,
  subscriptions: Subscriptions,
): readonly JobHandler[] => [
  handle(
    WebhookDue,
    async ({ owner_id, event_type, body }) =>
      (tx) =>
        deliveries.createForEvent(tx, owner_id, event_type, body),
    { ...creation_limits, ownerOf },
  ),
  ...recordEventJobs(deliveries, subscriptions),
  handle(Deliver, (payload, run) => sender.run(payload, run), {
    // Runs of an attempt's job, which sends at most once: deliveries.ts counts the POSTs.
    attempts_max: 10,
    // The look-up, the response, the beginning of its body, and some slack.
    timeout_ms: 40_000,
    // Half of the requests that the runtime sends at once.
    concurrency: 128,
    io_bound: true,
    onExhausted: (tx, { delivery_id }) => deliveries.end(tx, delivery_id, "dropped"),
  }),
  handle(PurgeWebhook, ({ webhook_id }, { signal }) => webhooks.purge(webhook_id, signal), {
    attempts_max: 20,
    timeout_ms: 6 * hour_ms,
    io_bound: true,
    concurrency: 16,
    uses_reserve: true,
  }),
  handle(Prune, (_payload, { signal }) => deliveries.deleteOld(signal), {
    attempts_max: 3,
    timeout_ms: 60_000,
  }),
];

/** Old deliveries are deleted once a day. */
export const webhookSchedules = [every("23 3 * * *", Prune, {})];
