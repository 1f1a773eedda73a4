/** The rules for quotas: what is refused, and with which message. */
import { forbidden, type Db, type HttpError, type PreparedReads } from "../../core/sdk";
import type { Amounts, Resource, Quotas } from "./contract";
import * as store from "./store";

/** The limits of a user per resource; absent: no limit. */
export type Limits = { readonly [W in Resource]?: number };

/** `limits` are those of the settings; they can change while the server runs. */
export class QuotaService implements Quotas {
  constructor(
    private readonly limits: Limits,
    private readonly reads: PreparedReads,
  ) {}

  limitOf(resource: Resource): number | null {
    return this.limits[resource] ?? null;
  }

  async charge(tx: Db, owner_id: string, resource: Resource, amount: number): Promise<void> {
    const limit = this.limitOf(resource);
    if (amount < 0) return store.giveBack(tx, owner_id, resource, -amount);
    if (amount > 0 && !(await store.add(tx, owner_id, resource, amount, limit)))
      throw exceeded(resource, limit!);
  }

  async chargeAll(tx: Db, owner_id: string, amounts: Amounts): Promise<void> {
    const all = Object.entries(amounts) as [Resource, number][];
    if (
      all.length > 0 &&
      all.every(([resource, amount]) => amount > 0 && this.limitOf(resource) === null)
    )
      await store.addAll(tx, owner_id, all);
    else for (const [resource, amount] of all) await this.charge(tx, owner_id, resource, amount);
  }

  async require(db: Db, owner_id: string, resource: Resource, amount: number): Promise<void> {
    const limit = this.limitOf(resource);
    if (limit !== null && amount > 0 && (await this.usage(db, owner_id, resource)) + amount > limit)
      throw exceeded(resource, limit);
  }

  usage(db: Db, owner_id: string, resource: Resource): Promise<number> {
    return store.findUsage(db, owner_id, resource);
  }

  committedUsage(owner_id: string, resource: Resource): Promise<number> {
    return store.findCommittedUsage(this.reads, owner_id, resource);
  }
}

function exceeded(resource: Resource, limit: number): HttpError {
  const limit_in_words =
    resource === "storage"
      ? `${bytes(limit)} of stored files`
      : `${limit.toLocaleString("en-US")} ${words[resource]}${limit === 1 ? "" : "s"}`;
  return forbidden(
    `You can have at most ${limit_in_words}, and this would exceed the limit. Delete what ` +
      `you no longer need, or ask the operator to raise the limit (quotas.${resource}).`,
    "quota_exceeded",
  );
}

const words: Readonly<Record<Exclude<Resource, "storage">, string>> = {
  folders: "folder",
  documents: "document",
  chats: "chat session",
};

/** Such as `1 GiB`, `1.5 MiB`, `700 bytes`. */
export function bytes(n: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const power = n < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(n) / 10));
  return `${Number((n / 1024 ** power).toFixed(2)).toLocaleString("en-US")} ${units[power]}`;
}
