/**
 * The rules about webhooks: who may register what, where, and how many. Knows nothing of HTTP
 * requests and contains no SQL.
 */
import { LimiterRefusal } from "../../core/lib/limiter";
import { inParts } from "../../core/lib/chunked-work";
import {
  badRequest,
  checkHost,
  notFound,
  requireOwned,
  requireTarget,
  unavailable,
  type AddressPolicy,
  type Context,
  type Db,
  type DnsLookup,
  type Shared,
  type Target,
} from "../../core/sdk";
import type { WebhookEvent } from "./contract";
import type { FullDelivery } from "./deliveries";
import { newSecret } from "./signatures";
import * as deliveryStore from "./delivery-store";
import * as store from "./store";
import type { WebhookRow } from "./store";
import type { Subscriptions } from "./subscriptions";

/** A webhook to register. */
export interface NewWebhook {
  readonly event_type: string;
  /** Events to send besides it. */
  readonly events?: readonly string[] | null | undefined;
  readonly url: string;
}
/** A webhook with its last delivery. */
export interface FullWebhook {
  readonly webhook: WebhookRow;
  readonly last: FullDelivery | null;
}
/** The only time that the secret is shown. */
export interface WebhookWithSecret extends FullWebhook {
  readonly secret: string;
}

/** What the service needs besides `Context`. */
export interface WebhooksContext extends Pick<
  Context,
  | "cancelSomeJobs"
  | "db"
  | "inDeletion"
  | "inTransaction"
  | "newId"
  | "notify"
  | "now_ms"
  | "sealed"
  | "shared"
  | "truncateWal"
> {
  readonly events: () => readonly WebhookEvent[];
  readonly lookup: DnsLookup;
  readonly allows: AddressPolicy;
  readonly subscriptions: Pick<Subscriptions, "update">;
  /** Enqueues the job that calls `purge`. */
  readonly enqueuePurge: (tx: Db, webhook: Pick<WebhookRow, "id" | "owner_id">) => Promise<void>;
  /** The maximum number of webhooks per user. */
  readonly per_account: () => number;
}

const retry_after_s = 5;
/** Deliveries deleted and jobs cancelled per part, when all are. */
const deliveries_per_part = 100;
const jobs_per_part = 200;
/** How long a rotated secret continues to sign. */
const previous_secret_ms = 24 * 3_600_000;
/** Concurrent host checks over all processes. Names that no server answers for must not pile up. */
const host_check_limits = {
  concurrency: 64,
  per_key: 5,
  /** Below the time after which the HTTP server closes a silent connection. */
  wait_ms_max: 45_000,
};

/** Binds a sealed secret to its webhook: it can't be opened for another one. */
export const secretContext = (webhook_id: string): string => `webhooks.secret ${webhook_id}`;

/** Registers, lists, tests and deletes webhooks. */
export class Webhooks {
  private readonly hostChecks: ReturnType<Shared["limiter"]>;

  constructor(private readonly ctx: WebhooksContext) {
    this.hostChecks = ctx.shared.limiter("webhooks.host_checks", () => host_check_limits);
  }

  /** @throws HttpError 404 when there is no such webhook, 403 when it is another user's. */
  find(owner_id: string, webhook_id: string): Promise<WebhookRow> {
    return requireWebhook(this.ctx.db, owner_id, webhook_id);
  }

  /** @throws HttpError as `find`. */
  async get(owner_id: string, webhook_id: string): Promise<FullWebhook> {
    return this.withLastDelivery(await this.find(owner_id, webhook_id));
  }

  async list(owner_id: string): Promise<FullWebhook[]> {
    const webhooks = await store.listWebhooks(this.ctx.db, owner_id);
    return Promise.all(webhooks.map((webhook) => this.withLastDelivery(webhook)));
  }

  /** @throws HttpError 400 when a rule is violated, 503 when the host could not be looked up. */
  async create(owner_id: string, input: NewWebhook): Promise<WebhookWithSecret> {
    const { db, inTransaction, newId, notify, now_ms, sealed, subscriptions } = this.ctx;
    const { event_type, url } = input;
    const events = this.checkedEvents(input);
    const target = requireTarget(url, "/url");
    const { href } = target;
    const types = events ?? [event_type];
    const requireAllowed = async (db: Db): Promise<void> => {
      await this.requireCapacity(db, owner_id);
      if (await store.isRegistered(db, { owner_id, href }, types)) throw duplicate();
    };
    // Also before the host is looked up, which may take long, or fail: a request that can't succeed
    // should cost nothing.
    await requireAllowed(db);
    await this.checkHost(owner_id, target);
    const secret = newSecret();
    const id = newId("whk");
    const webhook: WebhookRow = {
      id,
      owner_id,
      event_type,
      url,
      href,
      secret: sealed.seal(secret, secretContext(id)),
      previous_secret: null,
      previous_until: null,
      events: events && JSON.stringify(events),
      created_at: now_ms(),
    };
    await inTransaction(async (tx) => {
      await requireAllowed(tx);
      await store.insertWebhook(tx, webhook, types.slice(1));
      await subscriptions.update(tx, owner_id);
      notify({ owner_id, kind: "webhook", id, action: "created" });
    });
    return { webhook, last: null, secret };
  }

  /** All events that it is sent, `event_type` first; null without a list. @throws HttpError 400 */
  private checkedEvents({ event_type, events: listed }: NewWebhook): readonly string[] | null {
    const event_kinds = this.ctx.events();
    const has_list = listed !== undefined && listed !== null && listed.length > 0;
    // Some events can be registered for only with a list.
    const types = event_kinds
      .filter(({ listed_only }) => has_list || listed_only !== true)
      .map(({ type }) => type);
    if (!types.includes(event_type))
      throw badRequest(`The field event_type must be one of ${types.join(", ")}.`, "/event_type");
    if (!has_list) return null;
    const unknown = listed.findIndex((type) => !types.includes(type));
    if (unknown >= 0)
      throw badRequest(
        `Each item of the field events must be one of ${types.join(", ")}.`,
        `/events/${unknown}`,
      );
    return [...new Set([event_type, ...listed])];
  }

  /**
   * From now on the new secret signs; for 24 hours `webhook-signature` also has the signature of
   * the old one. @throws HttpError 403 or 404.
   */
  async rotateSecret(owner_id: string, webhook_id: string): Promise<WebhookWithSecret> {
    const { inTransaction, notify, now_ms, sealed } = this.ctx;
    const secret = newSecret();
    const sealed_secret = sealed.seal(secret, secretContext(webhook_id));
    const webhook = await inTransaction(async (tx) => {
      const previous = await requireWebhook(tx, owner_id, webhook_id);
      notify({ owner_id, kind: "webhook", id: webhook_id, action: "changed" });
      return store.setSecret(tx, webhook_id, {
        secret: sealed_secret,
        previous_secret: previous.secret,
        previous_until: now_ms() + previous_secret_ms,
      });
    });
    if (!webhook) throw notFound("webhook");
    return { ...(await this.withLastDelivery(webhook)), secret };
  }

  /**
   * Deletes it: pending deliveries are not sent, and its log, which can be long, is deleted in the
   * background. @throws HttpError 403 or 404.
   */
  async remove(owner_id: string, webhook_id: string): Promise<void> {
    const { cancelSomeJobs, enqueuePurge, inDeletion, notify, subscriptions, truncateWal } =
      this.ctx;
    await inDeletion(async (tx) => {
      await requireWebhook(tx, owner_id, webhook_id);
      await cancelSomeJobs(tx, webhook_id, jobs_per_part);
      await store.deleteWebhook(tx, webhook_id);
      await enqueuePurge(tx, { id: webhook_id, owner_id });
      await subscriptions.update(tx, owner_id);
      notify({ owner_id, kind: "webhook", id: webhook_id, action: "deleted" });
    });
    // Its URL may contain a password of the receiver.
    truncateWal();
  }

  /** Runs `PurgeWebhook`: deletes what a deleted webhook was sent, in parts. */
  async purge(webhook_id: string, signal: AbortSignal): Promise<void> {
    const { cancelSomeJobs, inDeletion, truncateWal } = this.ctx;
    await inParts(() => inDeletion((tx) => cancelSomeJobs(tx, webhook_id, jobs_per_part)), signal);
    await inParts(
      () =>
        inDeletion(
          async (tx) =>
            (await deliveryStore.deleteDeliveriesOf(tx, webhook_id, deliveries_per_part)) > 0,
        ),
      signal,
    );
    truncateWal();
  }

  /** Deletes every webhook of a deleted user, with what was sent to it. */
  async removeAll(owner_id: string, signal: AbortSignal): Promise<void> {
    for (const { id } of await store.listWebhooks(this.ctx.db, owner_id)) {
      await this.remove(owner_id, id);
      await this.purge(id, signal);
    }
  }

  /** @throws HttpError 400 when the owner has as many webhooks as an account may. */
  private async requireCapacity(db: Db, owner_id: string): Promise<void> {
    const per_account = this.ctx.per_account();
    if ((await store.countWebhooks(db, owner_id)) >= per_account)
      throw badRequest(
        `An account can have at most ${per_account} webhooks across all events. Delete one ` +
          "to register another.",
        undefined,
        "webhook_limit",
      );
  }

  /** @throws HttpError 400 when the host is not public, 503 when it could not be looked up. */
  private async checkHost(owner_id: string, target: Target): Promise<void> {
    try {
      await this.hostChecks.run(() => requireHost(target, this.ctx), { key: owner_id });
    } catch (error) {
      throw error instanceof LimiterRefusal
        ? hostUnchecked("too many other hosts are being checked")
        : error;
    }
  }

  private async withLastDelivery(webhook: WebhookRow): Promise<FullWebhook> {
    const { db } = this.ctx;
    const delivery = await deliveryStore.findLastDelivery(db, webhook.id);
    return {
      webhook,
      last: delivery
        ? { delivery, attempts: await deliveryStore.listAttempts(db, [delivery.id]) }
        : null,
    };
  }
}

const duplicate = () =>
  badRequest("There is a webhook for this event and URL already.", "/url", "duplicate_webhook");

async function requireWebhook(db: Db, owner_id: string, webhook_id: string): Promise<WebhookRow> {
  return requireOwned(await store.findWebhook(db, webhook_id), owner_id, "webhook");
}

async function requireHost(
  target: Target,
  { lookup, allows }: Pick<WebhooksContext, "lookup" | "allows">,
): Promise<void> {
  const checked = await checkHost(target, lookup, allows);
  if (checked.kind === "refused")
    throw badRequest(
      "The URL's host must be public, but it has a local, private or reserved address.",
      "/url",
    );
  if (checked.kind === "absent")
    throw badRequest(`The URL's host ${target.host} does not exist.`, "/url");
  if (checked.kind === "silent") throw hostUnchecked(checked.reason);
}

const hostUnchecked = (reason: string) =>
  unavailable(
    `The URL's host could not be checked: ${reason}. The URL is not at fault. Try again.`,
    retry_after_s,
  );
