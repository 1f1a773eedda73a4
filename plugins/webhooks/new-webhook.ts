/**
 * The schema of a new webhook, as far as the API document can express it: events of every plugin,
 * and addresses that may be public.
 */
import { named, PublicUrl, t, type LateSchema } from "../../core/sdk";
import type { WebhookEvent } from "./contract";

/** The most events that one webhook can list. */
const events_max = 50;
export const url_description =
  "Absolute http or https URL on a public host, at most 2,048 characters.";

export const EventType = t.String({
  description:
    "`transcription.completed` or `import.finished`; plugins may add further ones. Those of " +
    "documents and answers can be registered for with a list of `events` only.",
});
export const Events = (description: string, Item = t.String()) =>
  t.Array(Item, { maxItems: events_max, description });

const fields = {
  event_type: named("WebhookEventType", EventType),
  url: named("WebhookUrl", newUrl(false)),
  events: t.Optional(
    t.Union([
      Events(
        "What it is told beside `event_type`: `document.synced`, `document.failed`, " +
          "`document.deleted`, `answer.completed`, or any other event.",
        named("WebhookEventType", EventType),
      ),
      t.Null(),
    ]),
  ),
};
export const NewWebhook = named("NewWebhook", t.Object(fields));

interface LateSchemaOptions {
  readonly events: () => readonly WebhookEvent[];
  /** Whether the operator allows networks that are not public. */
  readonly any_address: boolean;
}
/** The same schemas with the events of every plugin: read once all of them are set up. */
export const lateSchemas = ({ events, any_address }: LateSchemaOptions): LateSchema[] => [
  { name: "WebhookEventType", read: () => oneOfTypes(events()) },
  { name: "WebhookUrl", read: () => newUrl(any_address) },
  { name: "NewWebhook", read: () => withListed(events()) },
];

function newUrl(any_address: boolean) {
  return PublicUrl(url_description, { any_address });
}

const oneOfTypes = (events: readonly WebhookEvent[]) =>
  t.Union(
    events.map(({ type }) => t.Literal(type)),
    { description: "The event." },
  );

/** With the condition that some events need a list of `events`. */
const withListed = (events: readonly WebhookEvent[]) =>
  t.Object(fields, {
    if: {
      properties: {
        event_type: {
          enum: events.filter(({ listed_only }) => listed_only).map(({ type }) => type),
        },
      },
    },
    // The keyword of JSON Schema.
    // oxlint-disable-next-line unicorn/no-thenable
    then: {
      required: ["events"],
      properties: { events: { type: "array", items: {}, minItems: 1 } },
    },
  });
