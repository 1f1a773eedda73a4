/** The daily job that forgets old deliveries. */
import { job, t, type Db } from "../../core/sdk";
import * as store from "./store";

export const Prune = job("webhooks.prune", t.Object({}));
const kept_ms = 30 * 24 * 3_600_000;
const each = 500;

export const createPruning =
  (db: Db<store.WebhooksTables>, now_ms: () => number) =>
  async (_: object, { signal }: { readonly signal: AbortSignal }): Promise<void> => {
    while (!signal.aborted && (await store.pruneDeliveries(db, now_ms() - kept_ms, each)) === each);
  };
