/** What other plugins may know about quotas: how much of each thing a user may hold. */
import { service, type Db } from "../../core/sdk";

/** `storage` counts bytes; the rest count records. */
export type Counted = "folders" | "documents" | "chats" | "storage";

/** How much of each thing. */
export type Amounts = { readonly [W in Counted]?: number };

export interface Quotas {
  /**
   * Adds to what the owner holds (a negative amount gives back), exact under concurrency because it
   * is one statement of the caller's transaction.
   * @throws HttpError 403 `quota_exceeded`, with the limit in force, when a positive amount would
   * go above it.
   */
  charge(tx: Db, owner_id: string, what: Counted, amount: number): Promise<void>;
  /** The same for several things at once; whoever catches the error undoes the transaction. */
  chargeAll(tx: Db, owner_id: string, amounts: Amounts): Promise<void>;
  /**
   * Refuses early what `charge` would refuse, and changes nothing: before a long upload is read.
   * @throws HttpError 403 `quota_exceeded`.
   */
  require(db: Db, owner_id: string, what: Counted, amount: number): Promise<void>;
  /** What the owner holds now. */
  held(db: Db, owner_id: string, what: Counted): Promise<number>;
  /**
   * The same as far as it is committed, without waiting for a transaction: the total of a list that
   * is asked for all the time.
   */
  heldCommitted(owner_id: string, what: Counted): Promise<number>;
  /** The most that a user may hold; null: no limit. */
  limitOf(what: Counted): number | null;
}
export const Quotas = service<Quotas>("quotas");
