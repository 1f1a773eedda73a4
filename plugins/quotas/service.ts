/** The rules about quotas: what is refused, and in which words. */
import { forbidden, type PreparedReads, type HttpError } from "../../core/sdk";
import type { Counted, Quotas } from "./contract";
import * as store from "./store";

/** The most that a user may hold of each thing; absent means: no limit. */
export type Limits = { readonly [W in Counted]?: number };

export function createQuotas(limits: Limits, reads: PreparedReads): Quotas {
  const limitOf = (what: Counted): number | null => limits[what] ?? null;

  return {
    limitOf,

    async charge(tx, owner_id, what, amount) {
      if (amount < 0) return store.giveBack(tx, owner_id, what, -amount);
      if (amount > 0 && !(await store.add(tx, owner_id, what, amount, limitOf(what))))
        throw exceeded(what, limitOf(what)!);
    },

    async require(db, owner_id, what, amount) {
      const limit = limitOf(what);
      if (limit !== null && amount > 0 && (await store.held(db, owner_id, what)) + amount > limit)
        throw exceeded(what, limit);
    },

    held: (db, owner_id, what) => store.held(db, owner_id, what),

    heldCommitted: (owner_id, what) => store.heldCommitted(reads, owner_id, what),
  };
}

function exceeded(what: Counted, limit: number): HttpError {
  const limit_in_words =
    what === "storage"
      ? `${bytes(limit)} of stored files`
      : `${limit.toLocaleString("en-US")} ${words[what]}`;
  return forbidden(
    `You may hold at most ${limit_in_words}, and this would go above it. Delete what you no longer need, or ask the operator to raise the limit (quotas.${what}).`,
    "quota_exceeded",
  );
}

const words: Readonly<Record<Exclude<Counted, "storage">, string>> = {
  folders: "folders",
  documents: "documents",
  chats: "chat sessions",
};

/** `1 GiB`, `1.5 MiB`, `700 bytes`. */
export function bytes(n: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const power = n < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(n) / 10));
  return `${Number((n / 1024 ** power).toFixed(2)).toLocaleString("en-US")} ${units[power]}`;
}
