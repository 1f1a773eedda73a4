/** Verifies deliveries of webhooks: sender, time and content (Standard Webhooks). */
import { DossierError } from "./errors.js";
import type { webhooks } from "./schema.gen.js";

type Bodies = {
  [N in keyof webhooks]: webhooks[N] extends {
    post: { requestBody: { content: { "application/json": infer B } } };
  }
    ? B
    : never;
};
/** The content of a delivery, discriminated by `event`. */
export type WebhookEvent = Bodies[keyof Bodies];

export interface SentWebhook {
  /** The raw body, as bytes or text; not parsed and serialised again. */
  readonly body: string | Uint8Array | ArrayBuffer;
  readonly headers:
    | Headers
    | Readonly<Record<string, string | readonly string[] | undefined>>
    | Iterable<readonly [string, string]>;
  /** As returned by `createWebhook` or `rotateWebhookSecret`; both during a rotation. */
  readonly secret: string | readonly string[];
  /**
   * The tolerated difference between the time of the delivery and the clock, in seconds. Default
   * 300.
   */
  readonly tolerance?: number;
  /** The time to use instead of the clock. */
  readonly now?: Date;
}

export interface VerifiedWebhook {
  /** The same for every attempt of a delivery, so that duplicates can be ignored. */
  readonly id: string;
  readonly sentAt: Date;
  readonly event: WebhookEvent;
}

/** The most signatures that are checked: there is one per valid secret. */
const signatures_max = 8;

/**
 * Checks the signature and time of a delivery, in any runtime with Web Crypto.
 * @throws DossierError `bad_webhook`, with the reason.
 */
export async function verifyWebhook(sent: SentWebhook): Promise<VerifiedWebhook> {
  const header = readerOf(sent.headers);
  const id = header("webhook-id");
  const timestamp = header("webhook-timestamp");
  const { tolerance = 300, now = new Date() } = sent;
  if (!/^\d{1,12}$/.test(timestamp)) throw refused("webhook-timestamp is not a time.");
  const off_s = Math.abs(now.getTime() / 1_000 - Number(timestamp));
  if (!(off_s <= tolerance))
    throw refused(`It was sent ${Math.round(off_s)} s from now, and ${tolerance} s are allowed.`);

  const body = bytesOf(sent.body);
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const signatures = header("webhook-signature")
    .split(" ")
    .filter((signature) => signature.startsWith("v1,"))
    .slice(0, signatures_max)
    .flatMap((signature) => bytesOfBase64(signature.slice(3)) ?? []);
  const secrets = typeof sent.secret === "string" ? [sent.secret] : sent.secret;
  if (!(await isSigned(signed, signatures, await Promise.all(secrets.map(keyOf)))))
    throw refused("The signature is of another secret, or the body is not as it was sent.");
  return {
    id,
    sentAt: new Date(Number(timestamp) * 1_000),
    event: parsed(body),
  };
}

/** `verify` takes the same time wherever a signature differs. */
async function isSigned(
  bytes: Uint8Array<ArrayBuffer>,
  signatures: readonly Uint8Array<ArrayBuffer>[],
  keys: readonly CryptoKey[],
): Promise<boolean> {
  const checks = keys.flatMap((key) =>
    signatures.map((signature) => crypto.subtle.verify("HMAC", key, signature, bytes)),
  );
  return (await Promise.all(checks)).includes(true);
}

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = bytesOfBase64(secret.replace(/^whsec_/, ""));
  if (!bytes || bytes.length === 0) throw refused("The secret is not whsec_ and Base64.");
  const how = { name: "HMAC", hash: "SHA-256" };
  return crypto.subtle.importKey("raw", bytes, how, false, ["verify"]);
}

const refused = (why: string): DossierError =>
  new DossierError(`This is no delivery to trust: ${why}`, { code: "bad_webhook" });

function readerOf(headers: SentWebhook["headers"]): (name: string) => string {
  const entries =
    Symbol.iterator in headers ? [...headers] : Object.entries(headers as Record<string, unknown>);
  const values = new Map(
    entries.map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(" ") : String(value ?? ""),
    ]),
  );
  return (name) => {
    const value = values.get(name) ?? "";
    if (value === "") throw refused(`The header ${name} is missing.`);
    return value;
  };
}

function bytesOf(body: SentWebhook["body"]): Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return new TextEncoder().encode(body);
  return new Uint8Array(body);
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(one.length + other.length);
  bytes.set(one);
  bytes.set(other, one.length);
  return bytes;
}

/** Null if it is not Base64. */
function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}

function parsed(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
  } catch (cause) {
    throw new DossierError("The body of the delivery is not JSON.", { code: "bad_webhook", cause });
  }
}
