/** What other plugins may know about webhooks: how to send an event to them. */
import { event, shaped, slot, t, type TSchema } from "../../core/sdk";

/**
 * Emit it in the transaction that ends a run: every webhook for it gets a delivery, even if the
 * server crashes then. `body` is sent as it is.
 */
export const WebhookDue = event(
  "webhook.due",
  t.Object({
    owner_id: t.String(),
    event_type: t.String(),
    body: t.Record(t.String(), t.Unknown()),
  }),
);

/** A kind of event that webhooks can be registered for. */
export interface WebhookEvent {
  /** `import.finished`. */
  readonly type: string;
  /** The body of a test delivery: what a real one looks like. */
  readonly sample: Readonly<Record<string, unknown>>;
  /** What every body has, for the API document; without it, the types of the sample. */
  readonly schema?: TSchema;
  /** It is sent to webhooks with a list of `events` that has it, and to no other. */
  readonly listed_only?: boolean;
  /** When it is sent, in a sentence or two, for the API document. */
  readonly description?: string;
}
export const WebhookEvents = slot<WebhookEvent>("webhooks.events", {
  check: shaped<WebhookEvent>({ type: "text", sample: "object" }),
  key: ({ type }) => `the event ${type}`,
});
