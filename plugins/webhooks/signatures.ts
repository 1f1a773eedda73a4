/** Secrets, and the headers that authenticate a delivery. */
import { createHmac, randomBytes } from "node:crypto";

const secret_prefix = "whsec_";
const secret_bytes = 32;

/** A random secret in the form of Standard Webhooks. */
export const newSecret = (): string => secret_prefix + randomBytes(secret_bytes).toString("base64");

/** What is signed. */
export interface Message {
  readonly id: string;
  readonly event_type: string;
  readonly body: string;
  readonly sent_at_ms: number;
}
/** The prefixes of the signature headers. */
export interface HeaderPrefixes {
  readonly current: string;
  readonly legacy: string;
}

/**
 * The event and its signature under both prefixes, keyed with the text of the newest secret; and
 * the headers of Standard Webhooks, signed with every valid secret. `secrets`: newest first.
 */
export function deliveryHeaders(
  { id, event_type, body, sent_at_ms }: Message,
  secrets: readonly [string, ...string[]],
  prefixes: HeaderPrefixes,
): Record<string, string> {
  const signature = `sha256=${createHmac("sha256", secrets[0]).update(body).digest("hex")}`;
  const timestamp = String(Math.floor(sent_at_ms / 1_000));
  const standard = secrets.map(
    (secret) =>
      `v1,${createHmac("sha256", Buffer.from(secret.slice(secret_prefix.length), "base64"))
        .update(`${id}.${timestamp}.${body}`)
        .digest("base64")}`,
  );
  return {
    [`X-${prefixes.legacy}-Event`]: event_type,
    [`X-${prefixes.legacy}-Signature`]: signature,
    [`X-${prefixes.current}-Event`]: event_type,
    [`X-${prefixes.current}-Signature`]: signature,
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": standard.join(" "),
  };
}
