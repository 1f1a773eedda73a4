/** The contract of quotas for other plugins: how much of each resource a user may hold. */
import { service, type Db } from "../../core/sdk";

/** `storage` is in bytes; the others are numbers of records. */
export type Resource = "folders" | "documents" | "chats" | "storage";

/** Amounts per resource. */
export type Amounts = { readonly [W in Resource]?: number };

/** Usage and limits for other plugins. */
export interface Quotas {
  /**
   * Adds to the owner's usage (a negative amount releases), exact under concurrency because it is
   * one statement in the caller's transaction.
   * @throws HttpError 403 `quota_exceeded`, with the limit in force, when a positive amount would
   * exceed it.
   */
  charge(tx: Db, owner_id: string, resource: Resource, amount: number): Promise<void>;
  /** The same for several resources at once; a caller that catches the error must roll back. */
  chargeAll(tx: Db, owner_id: string, amounts: Amounts): Promise<void>;
  /**
   * Throws early what `charge` would throw, without a change: for use before a long upload is read.
   * @throws HttpError 403 `quota_exceeded`.
   */
  require(db: Db, owner_id: string, resource: Resource, amount: number): Promise<void>;
  /** The owner's current usage. */
  usage(db: Db, owner_id: string, resource: Resource): Promise<number>;
  /**
   * The committed usage, without waiting for a transaction: for the totals of frequently read
   * lists.
   */
  committedUsage(owner_id: string, resource: Resource): Promise<number>;
  /** The user's limit; null: none. */
  limitOf(resource: Resource): number | null;
}
export const Quotas = service<Quotas>("quotas");
