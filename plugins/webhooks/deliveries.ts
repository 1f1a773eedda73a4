/**
 * The rules about deliveries: what is written when something is due, how an attempt begins and
 * ends, what the log shows.
 */
import {
  conflict,
  job,
  notFound,
  spread,
  t,
  type Change,
  type Context,
  type Db,
  type PageRequest,
} from "../../core/sdk";
import type { WebhookEvent } from "./contract";
import type { FullDelivery } from "./service";
import * as store from "./store";
import type { AttemptEnd, DeliveryRow, WebhookRow } from "./store";

/** One attempt; each has a job of its own. */
export const Deliver = job(
  "webhooks.deliver",
  t.Object({ delivery_id: t.String(), attempt: t.Integer() }),
);
export const attempts_max = 3;
const retry_after_ms_max = 15 * 60_000;
const jitter = 0.2;
const lost = "interrupted: the server stopped before an answer came; the receiver may have got it";

export interface AttemptResult extends AttemptEnd {
  /** `refused`: the host is not public, so the delivery ends. */
  readonly outcome: "delivered" | "failed" | "refused";
  /** What the receiver asked for, milliseconds. */
  readonly retry_after_ms: number | null;
}
type Receiver = Pick<WebhookRow, "id" | "owner_id">;
export interface DeliveriesParts {
  readonly db: Db<store.WebhooksTables>;
  readonly inTransaction: <R>(work: (tx: Db<any>) => Promise<R>) => Promise<R>;
  readonly enqueue: Context["enqueue"];
  readonly now_ms: () => number;
  readonly newId: (prefix: string) => string;
  readonly events: () => readonly WebhookEvent[];
  /**
   * Before the second and the third attempt, milliseconds; the last one serves for those that are
   * missing.
   */
  readonly retry_delays_ms: readonly number[];
  readonly notify: (change: Change) => void;
}

export function createDeliveries({
  db,
  inTransaction,
  enqueue,
  now_ms,
  newId,
  events,
  retry_delays_ms,
  notify,
}: DeliveriesParts) {
  /** The delivery, and its webhook, which shows the last one. */
  const tell = (
    { id: webhook_id, owner_id }: Receiver,
    id: string,
    action: "created" | "changed",
  ): void => {
    notify({ owner_id, kind: "delivery", id, action });
    notify({ owner_id, kind: "webhook", id: webhook_id, action: "changed" });
  };

  const schedule = (
    tx: Db<any>,
    webhook: Receiver,
    delivery: DeliveryRow,
    attempt: number,
    run_at_ms: number,
  ): Promise<void> =>
    enqueue(
      tx,
      Deliver,
      { delivery_id: delivery.id, attempt },
      {
        owner: `webhooks of ${webhook.owner_id}`,
        queue: `webhook ${webhook.id}`,
        queue_concurrency: 1,
        subject: webhook.id,
        run_at_ms,
      },
    );

  async function add(
    tx: Db<any>,
    webhook: Receiver,
    event_type: string,
    request_body: string,
    message_id?: string,
  ): Promise<DeliveryRow> {
    const id = newId("whd");
    const now = now_ms();
    const delivery: DeliveryRow = {
      id,
      webhook_id: webhook.id,
      message_id: message_id ?? id,
      event_type,
      status: "pending",
      request_body,
      attempts: 0,
      next_attempt_at: now,
      created_at: now,
    };
    await store.insertDelivery(tx, delivery);
    await schedule(tx, webhook, delivery, 1, now);
    tell(webhook, id, "created");
    return delivery;
  }

  const requireOne = async (
    from: Db,
    webhook_id: string,
    delivery_id: string,
  ): Promise<DeliveryRow> => {
    const delivery = await store.findDelivery(from, delivery_id);
    if (!delivery || delivery.webhook_id !== webhook_id) throw notFound("delivery");
    return delivery;
  };

  const withAttempts = async (rows: readonly DeliveryRow[]): Promise<FullDelivery[]> => {
    const attempts = Map.groupBy(
      await store.listAttempts(
        db,
        rows.map(({ id }) => id),
      ),
      ({ delivery_id }) => delivery_id,
    );
    return rows.map((delivery) => ({ delivery, attempts: attempts.get(delivery.id) ?? [] }));
  };

  /** Ends the attempt, and the delivery or its wait for the next one. */
  async function settle(
    tx: Db<any>,
    webhook: Receiver,
    delivery: DeliveryRow,
    number: number,
    { outcome, retry_after_ms, ...end }: AttemptResult,
  ): Promise<void> {
    await store.endAttempt(tx, delivery.id, number, end);
    tell(webhook, delivery.id, "changed");
    if (outcome !== "failed")
      return store.updateDelivery(tx, delivery.id, {
        status: outcome === "delivered" ? "delivered" : "skipped",
        next_attempt_at: null,
      });
    if (number >= attempts_max)
      return store.updateDelivery(tx, delivery.id, { status: "dropped", next_attempt_at: null });
    const delay_ms = spread(retry_delays_ms[number - 1] ?? retry_delays_ms.at(-1) ?? 0, jitter);
    const next_attempt_at =
      now_ms() + Math.max(delay_ms, Math.min(retry_after_ms ?? 0, retry_after_ms_max));
    await store.updateDelivery(tx, delivery.id, { next_attempt_at });
    await schedule(tx, webhook, delivery, number + 1, next_attempt_at);
  }

  return {
    settle,

    /** One delivery for each webhook of the owner that waits for this event. */
    async announce(tx: Db<any>, owner_id: string, event_type: string, body: object): Promise<void> {
      const request_body = JSON.stringify(body);
      for (const { id } of await store.findListeners(tx, owner_id, event_type))
        await add(tx, { id, owner_id }, event_type, request_body);
    },

    list: async (
      webhook_id: string,
      page: PageRequest,
    ): Promise<{ rows: FullDelivery[]; total: number }> => {
      const { rows, total } = await store.listDeliveries(db, webhook_id, page);
      return { rows: await withAttempts(rows), total };
    },

    /** @throws HttpError 404. */
    get: async (webhook_id: string, delivery_id: string): Promise<FullDelivery> =>
      (await withAttempts([await requireOne(db, webhook_id, delivery_id)]))[0]!,

    /**
     * The same message again, with attempts of its own. @throws HttpError 404, 409 while the first
     * one is under way.
     */
    redeliver: (webhook: Receiver, delivery_id: string): Promise<FullDelivery> =>
      inTransaction(async (tx) => {
        const delivery = await requireOne(tx, webhook.id, delivery_id);
        if (delivery.status === "pending")
          throw conflict("This delivery is still under way; it can be repeated when it has ended.");
        return {
          delivery: await add(
            tx,
            webhook,
            delivery.event_type,
            delivery.request_body,
            delivery.message_id,
          ),
          attempts: [],
        };
      }),

    /**
     * Sends what a real event of this webhook looks like. @throws HttpError 404 when it is gone, or
     * its kind of event is.
     */
    test: ({ id, owner_id, event_type }: WebhookRow): Promise<FullDelivery> =>
      inTransaction(async (tx) => {
        const sample = events().find(({ type }) => type === event_type)?.sample;
        if (!sample || !(await store.findWebhook(tx, id))) throw notFound("webhook");
        return {
          delivery: await add(tx, { id, owner_id }, event_type, JSON.stringify(sample)),
          attempts: [],
        };
      }),

    /**
     * Counts the attempt before anything is sent, so that no crash leads to a fourth. False when it
     * is not this attempt's turn: it has ended,
     * or the delivery has. "lost": it began once before and nobody knows how it went.
     */
    begin: (delivery: DeliveryRow, number: number): Promise<boolean | "lost"> =>
      inTransaction(async (tx) => {
        const now = await store.findDelivery(tx, delivery.id);
        if (now?.status !== "pending") return false;
        if (now.attempts === number)
          return (await store.findAttempt(tx, delivery.id, number))?.duration_ms === null
            ? "lost"
            : false;
        if (now.attempts !== number - 1 || number > attempts_max) return false;
        await store.insertAttempt(tx, delivery.id, number, now_ms());
        await store.updateDelivery(tx, delivery.id, { attempts: number, next_attempt_at: null });
        return true;
      }),

    /** What is written about an attempt that a crash cut off. */
    async settleLost(
      tx: Db<any>,
      webhook: Receiver,
      delivery: DeliveryRow,
      number: number,
    ): Promise<void> {
      const began = (await store.findAttempt(tx, delivery.id, number))?.started_at ?? now_ms();
      await settle(tx, webhook, delivery, number, {
        outcome: "failed",
        status_code: null,
        error: lost,
        duration_ms: Math.max(0, now_ms() - began),
        response_body: null,
        retry_after_ms: null,
      });
    },

    async end(tx: Db<any>, delivery_id: string, status: "dropped" | "cancelled"): Promise<void> {
      if ((await store.findDelivery(tx, delivery_id))?.status === "pending")
        await store.updateDelivery(tx, delivery_id, { status, next_attempt_at: null });
    },
  };
}
export type DeliveryService = ReturnType<typeof createDeliveries>;
