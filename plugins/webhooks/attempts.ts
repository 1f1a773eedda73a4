/**
 * One attempt of a delivery: looks up the host, checks it, connects to the checked address, and
 * records the response.
 */
import { retryAfterMs } from "../../core/lib/retry-after";
import { TimeLimit } from "../../core/lib/timeout";
import {
  checkHost,
  errorCode,
  NotHttp,
  parseTarget,
  postPinned,
  version,
  type AddressPolicy,
  type Context,
  type JobEffect,
  type JobRun,
  type DnsLookup,
  type PostAnswer,
} from "../../core/sdk";
import type { Accounts } from "../accounts/contract";
import type { AttemptKey, AttemptResult, Deliveries } from "./deliveries";
import { secretContext } from "./service";
import { deliveryHeaders, type HeaderPrefixes } from "./signatures";
import * as deliveryStore from "./delivery-store";
import * as store from "./store";
import type { DeliveryRow, WebhookRow } from "./store";

/** What an attempt needs besides `Context`. */
export interface AttemptSenderContext extends Pick<Context, "db" | "now_ms" | "sealed"> {
  readonly accounts: Accounts;
  readonly deliveries: Deliveries;
  readonly lookup: DnsLookup;
  readonly allows: AddressPolicy;
  readonly prefixes: () => HeaderPrefixes;
}

const response_ms_max = 15_000;
/** Extra time for a pending response when the server stops or the webhook is deleted. */
const grace_ms = 3_000;
/** For the response's body, which is shown to people. */
const body_limits = { bytes_max: 4_096, ms_max: 2_000 };

type Outcome = Omit<AttemptResult, "duration_ms">;

/** Makes attempts. */
export class AttemptSender {
  constructor(private readonly ctx: AttemptSenderContext) {}

  /** The job of one attempt. */
  async run(key: AttemptKey, { signal }: JobRun): Promise<JobEffect | void> {
    const { db, accounts, deliveries } = this.ctx;
    const delivery = await deliveryStore.findDelivery(db, key.delivery_id);
    const webhook = delivery && (await store.findWebhook(db, delivery.webhook_id));
    if (!delivery || !webhook) return;
    // Nothing is sent for a user who may not sign in any more.
    if (!(await accounts.findUser(webhook.owner_id)).active)
      return (tx) => deliveries.end(tx, delivery.id, "cancelled");
    const begun = await deliveries.beginAttempt(key);
    if (begun === "not_due") return;
    if (begun === "interrupted") return (tx) => deliveries.endInterrupted(tx, webhook, key);
    const started_ms = performance.now();
    const outcome = await this.send(webhook, delivery, signal);
    const duration_ms = Math.round(performance.now() - started_ms);
    return (tx) => deliveries.endAttempt(tx, webhook, key, { ...outcome, duration_ms });
  }

  /** @throws the signal's reason when the attempt was aborted. */
  private async send(
    webhook: WebhookRow,
    delivery: DeliveryRow,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const target = parseTarget(webhook.href);
    const host = await checkHost(target, this.ctx.lookup, this.ctx.allows);
    signal.throwIfAborted();
    if (host.kind === "refused")
      return {
        ...failed("the host has a non-public address; nothing was sent"),
        outcome: "refused",
      };
    if (host.kind === "absent") return failed("the host does not exist");
    if (host.kind === "silent") return failed(`the host could not be looked up: ${host.reason}`);
    const secrets = this.openSecrets(webhook);
    if (secrets === null)
      return failed(
        "the signing secret can't be decrypted with the server's secret key; rotate the " +
          "secret",
      );
    const limit = new TimeLimit(response_ms_max, { signal, grace_ms });
    try {
      const answer = await postPinned(target, host.addresses, {
        headers: this.headers(delivery, secrets),
        body: delivery.request_body,
        signal: limit.signal,
        answer: body_limits,
      });
      return outcomeOf(answer, this.ctx.now_ms());
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      return failed(
        limit.signal.aborted
          ? `no response within ${response_ms_max / 1_000} s`
          : describeError(error),
      );
    } finally {
      limit.clear();
    }
  }

  private headers(
    { message_id, event_type, request_body }: DeliveryRow,
    secrets: [string, ...string[]],
  ): Record<string, string> {
    const { now_ms, prefixes } = this.ctx;
    const message = { id: message_id, event_type, body: request_body, sent_at_ms: now_ms() };
    return {
      "content-type": "application/json",
      "user-agent": `Dossier/${version}`,
      ...deliveryHeaders(message, secrets, prefixes()),
    };
  }

  /** Newest first; null when they were sealed with another key. */
  private openSecrets({
    id,
    secret,
    previous_secret,
    previous_until,
  }: WebhookRow): [string, ...string[]] | null {
    const { sealed, now_ms } = this.ctx;
    try {
      const newest = sealed.unseal(secret, secretContext(id));
      return previous_secret !== null && previous_until !== null && previous_until > now_ms()
        ? [newest, sealed.unseal(previous_secret, secretContext(id))]
        : [newest];
    } catch {
      return null;
    }
  }
}

const failed = (error: string): Outcome => ({
  outcome: "failed",
  status_code: null,
  error,
  response_body: null,
  retry_after_ms: null,
});

/** Only the status decides the outcome, even when the body was cut off. */
function outcomeOf({ status, headers, body }: PostAnswer, now_ms: number): Outcome {
  return {
    outcome: status >= 200 && status < 300 ? "delivered" : "failed",
    status_code: status,
    error: status >= 300 && status < 400 ? "redirects are not followed" : null,
    response_body: new TextDecoder().decode(body).replaceAll("\u0000", "\ufffd"),
    retry_after_ms:
      status === 429 || status === 503 ? retryAfterMs(headers.get("retry-after"), now_ms) : null,
  };
}

/** Why there was no response, for the log of deliveries. */
function describeError(error: unknown): string {
  const code = errorCode(error);
  if (/CERT|TLS|SSL|VERIFY/i.test(code)) return `the certificate was not accepted (${code})`;
  if (/refused|FailedToOpenSocket/i.test(code)) return "the connection was refused";
  if (error instanceof NotHttp) return "the response is not valid HTTP/1.1";
  return `the connection ended without a response (${code || "unknown error"})`;
}
