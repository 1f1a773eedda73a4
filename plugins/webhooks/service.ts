/**
 * The rules about webhooks: who may register what, where, and how many. Knows nothing of HTTP
 * requests and writes no SQL.
 */
import {
  badRequest,
  checkHost,
  forbidden,
  notFound,
  readTarget,
  unavailable,
  UnfitUrl,
  type AddressRule,
  type Change,
  type Db,
  type Lookup,
  type Seal,
  type Target,
} from "../../core/sdk";
import type { WebhookEvent } from "./contract";
import { WaitedTooLong, type Line } from "./line";
import { newSecret } from "./signatures";
import * as store from "./store";
import type { AttemptRow, DeliveryRow, WebhookRow } from "./store";

export interface NewWebhook {
  readonly event_type: string;
  readonly url: string;
}
/** A delivery with its attempts, oldest first. */
export interface FullDelivery {
  readonly delivery: DeliveryRow;
  readonly attempts: readonly AttemptRow[];
}
export interface FullWebhook {
  readonly webhook: WebhookRow;
  readonly last: FullDelivery | null;
}
/** The only time that the secret is told. */
export interface WebhookWithSecret extends FullWebhook {
  readonly secret: string;
}

export interface WebhooksParts {
  readonly db: Db<store.WebhooksTables>;
  readonly inTransaction: <R>(work: (tx: Db<any>) => Promise<R>) => Promise<R>;
  readonly cancelJobs: (tx: Db<any>, subjects: readonly string[]) => Promise<void>;
  /** Takes what was deleted out of the write-ahead log. */
  readonly truncateWal: () => void;
  readonly now_ms: () => number;
  readonly newId: (prefix: string) => string;
  readonly sealed: Seal;
  readonly events: () => readonly WebhookEvent[];
  readonly lookup: Lookup;
  readonly allows: AddressRule;
  /** Host checks go through it: names that nobody answers for must not pile up. */
  readonly line: Line;
  readonly per_account: number;
  readonly notify: (change: Change) => void;
}

const retry_after_s = 5;
const previous_ms = 24 * 3_600_000;

/** Where a secret belongs: sealed for one webhook, it opens for no other. */
export const placeOf = (webhook_id: string): string => `webhooks.secret ${webhook_id}`;

export function createWebhooks(parts: WebhooksParts) {
  const {
    db,
    inTransaction,
    cancelJobs,
    truncateWal,
    now_ms,
    newId,
    sealed,
    events,
    per_account,
    notify,
  } = parts;

  /** @throws HttpError 404 when there is no such webhook, 403 when it is another user's. */
  const requireOne = async (
    from: Db,
    owner_id: string,
    webhook_id: string,
  ): Promise<WebhookRow> => {
    const webhook = await store.findWebhook(from, webhook_id);
    if (!webhook) throw notFound("webhook");
    if (webhook.owner_id !== owner_id) throw forbidden("This webhook belongs to another user.");
    return webhook;
  };

  const requireRoom = async (from: Db, owner_id: string): Promise<void> => {
    if ((await store.countWebhooks(from, owner_id)) >= per_account) {
      throw badRequest(
        `An account may hold at most ${per_account} webhooks, all events together. Delete one to register another.`,
        undefined,
        "webhook_limit",
      );
    }
  };

  const withLast = async (webhook: WebhookRow): Promise<FullWebhook> => {
    const delivery = await store.findLastDelivery(db, webhook.id);
    return {
      webhook,
      last: delivery ? { delivery, attempts: await store.listAttempts(db, [delivery.id]) } : null,
    };
  };

  return {
    /** @throws HttpError 403 or 404. */
    find: (owner_id: string, webhook_id: string) => requireOne(db, owner_id, webhook_id),
    get: async (owner_id: string, webhook_id: string): Promise<FullWebhook> =>
      withLast(await requireOne(db, owner_id, webhook_id)),
    list: async (owner_id: string): Promise<FullWebhook[]> =>
      Promise.all((await store.listWebhooks(db, owner_id)).map(withLast)),

    /** @throws HttpError 400 when a rule is broken, 503 when nobody could say where the host is. */
    async create(owner_id: string, { event_type, url }: NewWebhook): Promise<WebhookWithSecret> {
      const types = events().map(({ type }) => type);
      if (!types.includes(event_type))
        throw badRequest(`The field event_type must be one of ${types.join(", ")}.`, "/event_type");
      const target = fitTarget(url);
      // Before the host is looked up, too: what can't succeed costs nothing.
      await requireRoom(db, owner_id);
      await parts
        .line(owner_id, () => requireHost(target, parts))
        .catch((error: unknown) => {
          throw error instanceof WaitedTooLong
            ? unchecked("too many others are being checked")
            : error;
        });
      const secret = newSecret();
      const id = newId("whk");
      const webhook: WebhookRow = {
        id,
        owner_id,
        event_type,
        url,
        href: target.href,
        secret: sealed.seal(secret, placeOf(id)),
        previous_secret: null,
        previous_until: null,
        created_at: now_ms(),
      };
      await inTransaction(async (tx) => {
        await requireRoom(tx, owner_id);
        if (!(await store.insertWebhook(tx, webhook)))
          throw badRequest(
            "There is a webhook for this event and URL already.",
            "/url",
            "duplicate_webhook",
          );
        notify({ owner_id, kind: "webhook", id, action: "created" });
      });
      return { webhook, last: null, secret };
    },

    /**
     * From now on the new secret signs; for 24 hours `webhook-signature` carries the old one too.
     * @throws HttpError 403 or 404.
     */
    async rotateSecret(owner_id: string, webhook_id: string): Promise<WebhookWithSecret> {
      const secret = newSecret();
      const sealed_secret = sealed.seal(secret, placeOf(webhook_id));
      const webhook = await inTransaction(async (tx) => {
        const before = await requireOne(tx, owner_id, webhook_id);
        notify({ owner_id, kind: "webhook", id: webhook_id, action: "changed" });
        return store.setSecret(tx, webhook_id, {
          secret: sealed_secret,
          previous_secret: before.secret,
          previous_until: now_ms() + previous_ms,
        });
      });
      if (!webhook) throw notFound("webhook");
      return { ...(await withLast(webhook)), secret };
    },

    /** What waits for it is not sent any more. @throws HttpError 403 or 404. */
    async remove(owner_id: string, webhook_id: string): Promise<void> {
      await inTransaction(async (tx) => {
        await requireOne(tx, owner_id, webhook_id);
        await cancelJobs(tx, [webhook_id]);
        await store.deleteWebhook(tx, webhook_id);
        notify({ owner_id, kind: "webhook", id: webhook_id, action: "deleted" });
      });
      // Its URL may hold a password of the receiver.
      truncateWal();
    },
  };
}
export type WebhookService = ReturnType<typeof createWebhooks>;

/** @throws HttpError 400 in the words of the rule that the URL breaks. */
function fitTarget(url: string): Target {
  try {
    return readTarget(url);
  } catch (error) {
    if (error instanceof UnfitUrl) throw badRequest(error.message, "/url");
    throw error;
  }
}

async function requireHost(target: Target, { lookup, allows }: WebhooksParts): Promise<void> {
  const checked = await checkHost(target, lookup, allows);
  if (checked.kind === "refused")
    throw badRequest(
      "The URL's host must be public: it has an address that is local, private or reserved.",
      "/url",
    );
  if (checked.kind === "absent")
    throw badRequest(`The URL's host ${target.host} does not exist.`, "/url");
  if (checked.kind === "silent") throw unchecked(checked.reason);
}

const unchecked = (why: string) =>
  unavailable(
    `The URL's host could not be checked: ${why}. The URL is not at fault; try again.`,
    retry_after_s,
  );
