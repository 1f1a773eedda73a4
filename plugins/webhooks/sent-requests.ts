/** Deliveries as receivers see them, for the OpenAPI document. */
import { pascalCase } from "../../core/lib/pascal-case";
import { named, t, type SentRequest } from "../../core/sdk";
import type { WebhookEvent } from "./contract";
import { deliveryHeaders, type HeaderPrefixes } from "./signatures";

const secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD8Pmd3nHkzTA=";
const sent_at_ms = Date.UTC(2026, 2, 1, 9, 31);

/** The event as it is sent with these prefixes. */
export function sentRequest(
  { type, sample, schema, description }: WebhookEvent,
  prefixes: HeaderPrefixes,
): SentRequest {
  const example = deliveryHeaders(
    {
      id: "whd_01KAJ2Z9Q4W7N8X5R3T6V1Y0BD",
      event_type: type,
      body: JSON.stringify(sample),
      sent_at_ms,
    },
    [secret],
    prefixes,
  );
  return {
    name: type,
    operation: `on${pascalCase(type)}`,
    tag: "Webhooks",
    summary: `The event ${type}`,
    description: [
      description ?? `The event \`${type}\`.`,
      "Compare the signature with one of your own over the exact bytes of the body. Any 2xx says " +
        "that it has arrived; otherwise it is sent twice more.",
    ].join(" "),
    headers: Object.fromEntries(
      Object.entries(example).map(([name, value]) => [
        name,
        { description: meaningOf(name, prefixes), example: value },
      ]),
    ),
    body: named(`${pascalCase(type)}Event`, schema ?? t.Object(schemasOf(sample))),
    example: sample,
  };
}

function meaningOf(name: string, { legacy }: HeaderPrefixes): string {
  const end = name.startsWith(`X-${legacy}-`) ? " Deprecated." : "";
  if (name.endsWith("-Event")) return `The event.${end}`;
  if (name.endsWith("-Signature"))
    return `\`sha256=\` and the hex HMAC-SHA256 of the body, keyed with the secret as text.${end}`;
  return {
    "webhook-id": "The same at every attempt of a delivery (Standard Webhooks).",
    "webhook-timestamp": "When it was sent, Unix epoch seconds (Standard Webhooks).",
    "webhook-signature":
      "`v1,` and a signature of id, timestamp and body, one for each valid secret (Standard " +
      "Webhooks).",
  }[name]!;
}

/** For an event without a schema: the types of its sample. */
const schemasOf = (sample: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(sample).map(([name, value]) => [name, schemaOf(value)]));
const schemaOf = (value: unknown) =>
  typeof value === "string"
    ? t.String()
    : typeof value === "number"
      ? t.Number()
      : typeof value === "boolean"
        ? t.Boolean()
        : t.Unknown();
