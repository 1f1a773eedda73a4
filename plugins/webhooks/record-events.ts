/**
 * Webhooks for events about documents and answers: their bodies, and the jobs that create the
 * deliveries.
 */
import { fill, handle, type Fill, type JobHandler } from "../../core/sdk";
import {
  answerCompleted,
  documentDeleted,
  documentFailed,
  documentSynced,
  WebhookEvents,
  type RecordEvent,
} from "./contract";
import type { Deliveries } from "./deliveries";
import { creation_limits } from "./jobs";
import type { Subscriptions } from "./subscriptions";

const record_events: readonly RecordEvent[] = [
  documentSynced,
  documentFailed,
  documentDeleted,
  answerCompleted,
];

export const recordEvents: readonly Fill[] = record_events.map((event) =>
  fill(WebhookEvents, event),
);

/** Every event is about some user's records. */
const ownerOf = (payload: unknown): string => (payload as { readonly owner_id: string }).owner_id;

/** One delivery for each webhook that lists the event; no job when none does. */
export const recordEventJobs = (
  deliveries: Pick<Deliveries, "createForEvent">,
  subscriptions: Pick<Subscriptions, "has">,
): readonly JobHandler[] =>
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
