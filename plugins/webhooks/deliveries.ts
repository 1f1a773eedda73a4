/**
 * The rules about deliveries: what is written when one is due, how an attempt begins and ends, what
 * the log shows.
 */
import {
  jitter,
  conflict,
  notFound,
  type Context,
  type Db,
  type PageRequest,
} from "../../core/sdk";
import type { WebhookEvent } from "./contract";
import * as deliveryStore from "./delivery-store";
import * as store from "./store";
import type { AttemptEnd } from "./delivery-store";
import type { AttemptRow, DeliveryRow, DeliveryStatus, WebhookRow } from "./store";

/** A delivery with its attempts, oldest first. */
export interface FullDelivery {
  readonly delivery: DeliveryRow;
  readonly attempts: readonly AttemptRow[];
}
/** How an attempt ended. */
export interface AttemptResult extends AttemptEnd {
  /** `refused`: the host is not public, which ends the delivery. */
  readonly outcome: "delivered" | "failed" | "refused";
  /** The delay that the receiver asked for, milliseconds. */
  readonly retry_after_ms: number | null;
}
/** Identifies an attempt of a delivery. */
export interface AttemptKey {
  readonly delivery_id: string;
  /** Starting at 1. */
  readonly attempt: number;
}
type Receiver = Pick<WebhookRow, "id" | "owner_id">;

/** What deliveries need besides `Context`. */
export interface DeliveriesContext extends Pick<
  Context,
  | "certain_now_ms"
  | "db"
  | "inDeletion"
  | "inTransaction"
  | "newId"
  | "notify"
  | "now_ms"
  | "truncateWal"
> {
  /** How long finished deliveries are kept. */
  readonly keep_ms: () => number;
  readonly enqueueAttempt: (
    tx: Db<any>,
    webhook: Receiver,
    attempt: AttemptKey,
    run_at_ms: number,
  ) => Promise<void>;
  readonly events: () => readonly WebhookEvent[];
  /**
   * The delays before the second and the third attempt, milliseconds; the last one also replaces
   * missing ones.
   */
  readonly retry_delays_ms: () => readonly number[];
}

/** POSTs per delivery. `beginAttempt` enforces it, however often the job of an attempt runs. */
const attempts_max = 3;
const retry_after_ms_max = 15 * 60_000;
const jitter_share = 0.2;
/** The pause between two transactions that delete. */
const pause_ms = 20;
/** Deliveries deleted per transaction. */
const delete_batch = 500;
const interrupted =
  "interrupted: the server stopped before a response came; the receiver may have received it";

/** Creates deliveries, and records their attempts. */
export class Deliveries {
  constructor(private readonly ctx: DeliveriesContext) {}

  /** One delivery for each webhook of the owner that is registered for this event. */
  async createForEvent(
    tx: Db<any>,
    owner_id: string,
    event_type: string,
    body: object,
  ): Promise<void> {
    const request_body = JSON.stringify(body);
    for (const { id } of await store.findListeners(tx, owner_id, event_type))
      await this.create(tx, { id, owner_id }, { event_type, request_body });
  }

  async list(
    webhook_id: string,
    page: PageRequest,
  ): Promise<{ rows: FullDelivery[]; total: number }> {
    const { rows, total } = await deliveryStore.listDeliveries(this.ctx.db, webhook_id, page);
    return { rows: await this.withAttempts(rows), total };
  }

  /** @throws HttpError 404. */
  async get(webhook_id: string, delivery_id: string): Promise<FullDelivery> {
    const delivery = await requireDelivery(this.ctx.db, webhook_id, delivery_id);
    return (await this.withAttempts([delivery]))[0]!;
  }

  /**
   * The same message again, with attempts of its own. @throws HttpError 404, 409 while the first
   * one is pending.
   */
  redeliver(webhook: Receiver, delivery_id: string): Promise<FullDelivery> {
    return this.ctx.inTransaction(async (tx) => {
      const delivery = await requireDelivery(tx, webhook.id, delivery_id);
      if (delivery.status === "pending")
        throw conflict("This delivery is still in progress. It can be repeated when it has ended.");
      return { delivery: await this.create(tx, webhook, delivery), attempts: [] };
    });
  }

  /**
   * Sends a sample of this webhook's event. @throws HttpError 404 when the webhook or its kind of
   * event is gone.
   */
  sendSample({ id, owner_id, event_type }: WebhookRow): Promise<FullDelivery> {
    return this.ctx.inTransaction(async (tx) => {
      const sample = this.ctx.events().find(({ type }) => type === event_type)?.sample;
      if (!sample || !(await store.findWebhook(tx, id))) throw notFound("webhook");
      const message = { event_type, request_body: JSON.stringify(sample) };
      return { delivery: await this.create(tx, { id, owner_id }, message), attempts: [] };
    });
  }

  /**
   * Counts the attempt before anything is sent, so that no crash leads to a fourth. `not_due`: it
   * has ended, or the delivery has. `interrupted`: it was begun before, with an unknown outcome.
   */
  beginAttempt({ delivery_id, attempt }: AttemptKey): Promise<"begun" | "interrupted" | "not_due"> {
    return this.ctx.inTransaction(async (tx) => {
      const delivery = await deliveryStore.findDelivery(tx, delivery_id);
      if (delivery?.status !== "pending") return "not_due";
      if (delivery.attempts === attempt) {
        const begun = await deliveryStore.findAttempt(tx, delivery_id, attempt);
        return begun?.duration_ms === null ? "interrupted" : "not_due";
      }
      if (delivery.attempts !== attempt - 1 || attempt > attempts_max) return "not_due";
      await deliveryStore.insertAttempt(tx, delivery_id, attempt, this.ctx.now_ms());
      await deliveryStore.updateDelivery(tx, delivery_id, {
        attempts: attempt,
        next_attempt_at: null,
      });
      return "begun";
    });
  }

  /** Ends the attempt, and with it the delivery or the wait for the next attempt. */
  async endAttempt(
    tx: Db<any>,
    webhook: Receiver,
    { delivery_id, attempt }: AttemptKey,
    { outcome, retry_after_ms, ...end }: AttemptResult,
  ): Promise<void> {
    await deliveryStore.endAttempt(tx, delivery_id, attempt, end);
    this.notify(webhook, delivery_id, "changed");
    const status = statusAfter(outcome, attempt);
    if (status !== "pending")
      return deliveryStore.updateDelivery(tx, delivery_id, { status, next_attempt_at: null });
    const delays_ms = this.ctx.retry_delays_ms();
    const delay_ms = jitter(delays_ms[attempt - 1] ?? delays_ms.at(-1) ?? 0, jitter_share);
    const next_attempt_at =
      this.ctx.now_ms() + Math.max(delay_ms, Math.min(retry_after_ms ?? 0, retry_after_ms_max));
    await deliveryStore.updateDelivery(tx, delivery_id, { next_attempt_at });
    const next = { delivery_id, attempt: attempt + 1 };
    await this.ctx.enqueueAttempt(tx, webhook, next, next_attempt_at);
  }

  /** Ends an attempt that a crash interrupted. */
  async endInterrupted(tx: Db<any>, webhook: Receiver, key: AttemptKey): Promise<void> {
    const now_ms = this.ctx.now_ms();
    const started_at =
      (await deliveryStore.findAttempt(tx, key.delivery_id, key.attempt))?.started_at ?? now_ms;
    await this.endAttempt(tx, webhook, key, {
      outcome: "failed",
      status_code: null,
      error: interrupted,
      duration_ms: Math.max(0, now_ms - started_at),
      response_body: null,
      retry_after_ms: null,
    });
  }

  /** Continues a delivery that has lost its job, with the unfinished attempt or the next one. */
  async resume(
    tx: Db<any>,
    webhook: Receiver,
    { id, attempts }: Pick<DeliveryRow, "id" | "attempts">,
  ): Promise<void> {
    const last_attempt =
      attempts === 0 ? undefined : await deliveryStore.findAttempt(tx, id, attempts);
    const attempt = last_attempt?.duration_ms === null ? attempts : attempts + 1;
    if (attempt > attempts_max) return this.end(tx, id, "dropped");
    const key = { delivery_id: id, attempt };
    await this.ctx.enqueueAttempt(tx, webhook, key, this.ctx.now_ms());
  }

  /** Ends a pending delivery. */
  async end(tx: Db<any>, delivery_id: string, status: "dropped" | "cancelled"): Promise<void> {
    if ((await deliveryStore.findDelivery(tx, delivery_id))?.status === "pending")
      await deliveryStore.updateDelivery(tx, delivery_id, { status, next_attempt_at: null });
  }

  /** Deletes deliveries older than the retention time, in batches. */
  async deleteOld(signal: AbortSignal): Promise<void> {
    const { inDeletion, keep_ms, certain_now_ms, truncateWal } = this.ctx;
    while (!signal.aborted) {
      const deleted = await inDeletion((tx) =>
        deliveryStore.deleteOldDeliveries(tx, certain_now_ms() - keep_ms(), delete_batch),
      );
      if (deleted > 0) truncateWal();
      if (deleted < delete_batch) return;
      await Bun.sleep(pause_ms);
    }
  }

  /** A new delivery whose first attempt is due now. */
  private async create(
    tx: Db<any>,
    webhook: Receiver,
    message: Pick<DeliveryRow, "event_type" | "request_body"> & { readonly message_id?: string },
  ): Promise<DeliveryRow> {
    const id = this.ctx.newId("whd");
    const now_ms = this.ctx.now_ms();
    const delivery: DeliveryRow = {
      id,
      webhook_id: webhook.id,
      message_id: message.message_id ?? id,
      event_type: message.event_type,
      status: "pending",
      request_body: message.request_body,
      attempts: 0,
      next_attempt_at: now_ms,
      created_at: now_ms,
    };
    await deliveryStore.insertDelivery(tx, delivery);
    await this.ctx.enqueueAttempt(tx, webhook, { delivery_id: id, attempt: 1 }, now_ms);
    this.notify(webhook, id, "created");
    return delivery;
  }

  private async withAttempts(rows: readonly DeliveryRow[]): Promise<FullDelivery[]> {
    const ids = rows.map(({ id }) => id);
    const attempts = Map.groupBy(
      await deliveryStore.listAttempts(this.ctx.db, ids),
      ({ delivery_id }) => delivery_id,
    );
    return rows.map((delivery) => ({ delivery, attempts: attempts.get(delivery.id) ?? [] }));
  }

  /** The delivery has changed, and so has its webhook, which shows the latest one. */
  private notify(
    { id: webhook_id, owner_id }: Receiver,
    delivery_id: string,
    action: "created" | "changed",
  ): void {
    this.ctx.notify({ owner_id, kind: "delivery", id: delivery_id, action });
    this.ctx.notify({ owner_id, kind: "webhook", id: webhook_id, action: "changed" });
  }
}

function statusAfter(outcome: AttemptResult["outcome"], attempt: number): DeliveryStatus {
  if (outcome === "delivered") return "delivered";
  if (outcome === "refused") return "skipped";
  return attempt < attempts_max ? "pending" : "dropped";
}

async function requireDelivery(
  db: Db,
  webhook_id: string,
  delivery_id: string,
): Promise<DeliveryRow> {
  const delivery = await deliveryStore.findDelivery(db, delivery_id);
  if (!delivery || delivery.webhook_id !== webhook_id) throw notFound("delivery");
  return delivery;
}
