/**
 * The job behind each attempt: looks the host up, checks it, connects to the address that was
 * checked, and writes down what came back.
 */
import {
  checkHost,
  codeOf,
  fetchPinned,
  readHead,
  readTarget,
  version,
  type AddressRule,
  type Db,
  type JobEffect,
  type JobRun,
  type Lookup,
  type Seal,
} from "../../core/sdk";
import type { AttemptResult, DeliveryService } from "./deliveries";
import { placeOf } from "./service";
import { deliveryHeaders, type HeaderPrefixes } from "./signatures";
import * as store from "./store";
import type { DeliveryRow, WebhookRow } from "./store";

export interface DeliveringParts {
  readonly db: Db<store.WebhooksTables>;
  readonly deliveries: DeliveryService;
  readonly lookup: Lookup;
  readonly allows: AddressRule;
  readonly sealed: Seal;
  readonly now_ms: () => number;
  readonly prefixes: HeaderPrefixes;
  /** Nothing is sent for a person who may not sign in any more. */
  readonly isActive: (owner_id: string) => Promise<boolean>;
  /** For one answer, milliseconds. */
  readonly timeout_ms?: number;
}

const answer_ms_max = 15_000;
/** What is under way when the server stops, or the webhook goes, may still be answered. */
const parting_ms = 3_000;
const body_bytes_max = 4_096;
const body_ms_max = 2_000;

/** The look-up, the answer and the beginning of its body, and a little more. */
export const job_ms_max = 40_000;

export const createDelivering =
  (parts: DeliveringParts) =>
  async (
    payload: { delivery_id: string; attempt: number },
    job: JobRun,
  ): Promise<JobEffect | void> => {
    const { db, deliveries } = parts;
    const delivery = await store.findDelivery(db, payload.delivery_id);
    const webhook = delivery && (await store.findWebhook(db, delivery.webhook_id));
    if (!delivery || !webhook) return;
    if (!(await parts.isActive(webhook.owner_id)))
      return (tx) => deliveries.end(tx, delivery.id, "cancelled");
    const begun = await deliveries.begin(delivery, payload.attempt);
    if (begun === "lost")
      return (tx) => deliveries.settleLost(tx, webhook, delivery, payload.attempt);
    if (!begun) return;
    const result = await attempt(parts, webhook, delivery, job.signal);
    return (tx) => deliveries.settle(tx, webhook, delivery, payload.attempt, result);
  };

type Came = Omit<AttemptResult, "duration_ms">;
const failed = (error: string): Came => ({
  outcome: "failed",
  status_code: null,
  error,
  response_body: null,
  retry_after_ms: null,
});

/** @throws the signal's reason when the attempt was broken off. */
async function attempt(
  parts: DeliveringParts,
  webhook: WebhookRow,
  delivery: DeliveryRow,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const started = performance.now();
  const result = await outcomeOf(parts, webhook, delivery, signal);
  return { ...result, duration_ms: Math.round(performance.now() - started) };
}

async function outcomeOf(
  parts: DeliveringParts,
  webhook: WebhookRow,
  delivery: DeliveryRow,
  signal: AbortSignal,
): Promise<Came> {
  const target = readTarget(webhook.href);
  const checked = await checkHost(target, parts.lookup, parts.allows);
  signal.throwIfAborted();
  if (checked.kind === "refused")
    return {
      ...failed("the host has an address that is not public; nothing was sent"),
      outcome: "refused",
    };
  if (checked.kind === "absent") return failed("the host does not exist");
  if (checked.kind === "silent")
    return failed(`the host could not be looked up: ${checked.reason}`);
  const secrets = openSecrets(parts, webhook);
  if (secrets === null)
    return failed(
      "the signing secret can't be opened with the server's secret key; rotate the secret",
    );
  const limit = limitOf(signal, parts.timeout_ms ?? answer_ms_max);
  try {
    const headers = deliveryHeaders(
      {
        id: delivery.message_id,
        event_type: delivery.event_type,
        body: delivery.request_body,
        sent_at_ms: parts.now_ms(),
      },
      secrets,
      parts.prefixes,
    );
    const response = await fetchPinned(target, checked.addresses, {
      method: "POST",
      body: delivery.request_body,
      signal: limit.signal,
      headers: {
        "content-type": "application/json",
        "user-agent": `Dossier/${version}`,
        ...headers,
      },
    });
    return await read(response, parts.now_ms());
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return failed(
      limit.signal.aborted
        ? `no answer within ${(parts.timeout_ms ?? answer_ms_max) / 1_000} s`
        : wordsOf(error),
    );
  } finally {
    limit.clear();
  }
}

/** Ends after `timeout_ms`, or a little after the job's own signal. */
function limitOf(signal: AbortSignal, timeout_ms: number) {
  const controller = new AbortController();
  const timers = [setTimeout(() => controller.abort(), timeout_ms)];
  const part = () => void timers.push(setTimeout(() => controller.abort(), parting_ms));
  if (signal.aborted) part();
  else signal.addEventListener("abort", part, { once: true });
  return {
    signal: controller.signal,
    clear: () => {
      signal.removeEventListener("abort", part);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** The status line alone decides; the body is for people to read. */
async function read(response: Response, now_ms: number): Promise<Came> {
  const { status } = response;
  const body = new TextDecoder()
    .decode(await readHead(response, body_bytes_max, body_ms_max))
    .replaceAll("\u0000", "\ufffd");
  return {
    outcome: status >= 200 && status < 300 ? "delivered" : "failed",
    status_code: status,
    error: status >= 300 && status < 400 ? "redirects are not followed" : null,
    response_body: body,
    retry_after_ms:
      status === 429 || status === 503
        ? retryAfter(response.headers.get("retry-after"), now_ms)
        : null,
  };
}

/** Seconds or an HTTP date, in milliseconds from now; null when it is neither. */
export function retryAfter(value: string | null, now_ms: number): number | null {
  if (value === null) return null;
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value) * 1_000;
  const at_ms = Date.parse(value);
  return Number.isNaN(at_ms) ? null : Math.max(0, at_ms - now_ms);
}

/** Newest first; null when the key that sealed them is not the one of now. */
function openSecrets(
  { sealed, now_ms }: DeliveringParts,
  webhook: WebhookRow,
): [string, ...string[]] | null {
  try {
    const newest = sealed.unseal(webhook.secret, placeOf(webhook.id));
    const holds =
      webhook.previous_secret !== null &&
      webhook.previous_until !== null &&
      webhook.previous_until > now_ms();
    return holds
      ? [newest, sealed.unseal(webhook.previous_secret!, placeOf(webhook.id))]
      : [newest];
  } catch {
    return null;
  }
}

function wordsOf(error: unknown): string {
  const code = codeOf(error);
  if (/CERT|TLS|SSL|VERIFY/i.test(code)) return `the certificate was not accepted (${code})`;
  if (/refused|FailedToOpenSocket/i.test(code)) return "the connection was refused";
  return `the connection ended without an answer (${code || "unknown error"})`;
}
