/**
 * Which events are sent to whose webhooks. A single process keeps this in memory, so that an event
 * without subscribers costs nothing; where there are several processes, another one may have
 * created a webhook a moment ago, and the database is queried.
 */
import type { Context, Db } from "../../core/sdk";
import { isSubscribed, listSubscribed } from "./store";

/** The types of events that an owner's webhooks want. */
export class Subscriptions {
  private readonly types = new Map<string, ReadonlySet<string>>();

  constructor(private readonly ctx: Pick<Context, "afterCommit" | "db" | "shared">) {}

  /** Before the first request. */
  async load(): Promise<void> {
    if (this.ctx.shared.is_distributed) return;
    const rows = await listSubscribed(this.ctx.db);
    for (const [owner_id, of_owner] of Map.groupBy(rows, (row) => row.owner_id))
      this.set(owner_id, of_owner);
  }

  /** Call it inside the transaction of the change. */
  has(tx: Db, owner_id: string, event_type: string): boolean | Promise<boolean> {
    return this.ctx.shared.is_distributed
      ? isSubscribed(tx, owner_id, event_type)
      : (this.types.get(owner_id)?.has(event_type) ?? false);
  }

  /** Call it in the transaction that changes a webhook of this owner. */
  async update(tx: Db, owner_id: string): Promise<void> {
    if (this.ctx.shared.is_distributed) return;
    const rows = await listSubscribed(tx, owner_id);
    this.ctx.afterCommit(() => this.set(owner_id, rows));
  }

  private set(owner_id: string, rows: readonly { readonly event_type: string }[]): void {
    if (rows.length === 0) this.types.delete(owner_id);
    else this.types.set(owner_id, new Set(rows.map(({ event_type }) => event_type)));
  }
}
