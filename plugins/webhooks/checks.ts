/** Health checks of webhooks: deliveries without a job, and name servers. */
import { counted } from "../../core/lib/counted";
import { nextTurn } from "../../core/lib/chunked-work";
import { fill, ipVersion, type Context, type DnsLookup, type Fill } from "../../core/sdk";
import { ok, SystemChecks, type CheckResult } from "../doctor/contract";
import type { Deliveries } from "./deliveries";
import { secretContext } from "./service";
import * as deliveryStore from "./delivery-store";
import * as store from "./store";

/** What the checks need besides `Context`. */
export interface WebhookChecksContext extends Pick<
  Context,
  "db" | "inTransaction" | "operations" | "sealed"
> {
  readonly lookup: DnsLookup;
  readonly deliveries: Deliveries;
}

/** Webhooks per read. */
const secrets_per_read = 500;
/** The number of deliveries that are checked, and repaired, at once. */
const deliveries_max = 1_000;

/**
 * The checks of deliveries, whose repair enqueues those without a job, of secrets and of name
 * servers.
 */
export const webhookChecks = (ctx: WebhookChecksContext): Fill[] => [
  fill(SystemChecks, {
    name: "Deliveries",
    run: async () => {
      const stuck = await listWithoutJob(ctx);
      if (stuck.length === 0) return ok("Every due delivery has a job.");
      return {
        status: "fail",
        detail: `${counted(stuck.length, "delivery is", "deliveries are")} pending without a job.`,
        fix: "Redeliver them: POST /webhooks/{id}/deliveries/{deliveryId}/redeliver.",
      };
    },
    mend: () => resume(ctx),
  }),
  fill(SystemChecks, { name: "Webhook secrets", run: () => checkSecrets(ctx) }),
  fill(SystemChecks, { name: "Name servers", run: () => checkNameServers(ctx) }),
];

async function listWithoutJob({ db, operations }: WebhookChecksContext) {
  const pending = await deliveryStore.listPending(db, deliveries_max);
  const busy = await operations.jobs.activeSubjects(pending.map(({ webhook_id }) => webhook_id));
  return pending.filter(({ webhook_id }) => !busy.has(webhook_id));
}

async function resume(ctx: WebhookChecksContext): Promise<string> {
  const { deliveries, inTransaction } = ctx;
  const stuck = await listWithoutJob(ctx);
  await inTransaction(async (tx) => {
    for (const delivery of stuck) {
      const webhook = await store.findWebhook(tx, delivery.webhook_id);
      if (webhook) await deliveries.resume(tx, webhook, delivery);
      else await deliveries.end(tx, delivery.id, "cancelled");
    }
  });
  return `${counted(stuck.length, "delivery was", "deliveries were")} queued again.`;
}

/** Whether the server can sign deliveries with its secret key. */
async function checkSecrets({ db, sealed }: WebhookChecksContext): Promise<CheckResult> {
  let count = 0;
  let unreadable = 0;
  let reason = "";
  for (let after = ""; ; await nextTurn()) {
    const batch = await store.listSecrets(db, after, secrets_per_read);
    for (const { id, secret } of batch)
      try {
        sealed.unseal(secret, secretContext(id));
      } catch (error) {
        unreadable++;
        reason = (error as Error).message;
      }
    count += batch.length;
    if (batch.length < secrets_per_read) break;
    after = batch.at(-1)!.id;
  }
  if (unreadable === 0) return ok(`The secrets of ${counted(count, "webhook")} can be opened.`);
  return {
    status: "fail",
    detail:
      `Of ${counted(count, "webhook")}, ${unreadable} can't be signed, and send nothing: ` +
      `${reason}.`,
    fix:
      "Put back the secret key that the server had. When it is lost for good, rotate the " +
      "secrets: POST /webhooks/{id}/rotate-secret.",
  };
}

/** Looks up the host of the newest webhook: a server without webhooks may not need name servers. */
async function checkNameServers({ db, lookup }: WebhookChecksContext): Promise<CheckResult> {
  const newest = await store.findNewestWebhook(db);
  if (!newest) return ok("No webhook needs them.");
  const host = new URL(newest.href).hostname;
  if (ipVersion(host.replace(/^\[|\]$/g, "")) > 0)
    return ok("The newest webhook has an IP address instead of a name.");
  const resolved = await lookup(host);
  if (resolved.kind === "silent")
    return {
      status: "fail",
      detail: `The name servers can't resolve ${host}: ${resolved.reason}.`,
      fix: "Check the network of this machine, or set other name servers in webhooks.dns_servers.",
    };
  if (resolved.kind === "absent")
    return {
      status: "warn",
      detail: `The host of a webhook, ${host}, does not exist.`,
      fix: "Check whether the webhook is still needed.",
    };
  return ok("They are responding.");
}
