/** Quotas: exact under concurrency; a refusal names the limit in force. */
import { describe, expect, test } from "bun:test";
import { HttpError } from "../../core/base/errors";
import type { Resource } from "../../plugins/quotas/contract";
import { migrations } from "../../plugins/quotas/migrations";
import { bytes, QuotaService, type Limits } from "../../plugins/quotas/service";
import { openTestStore } from "../helpers/store";

async function quotasWith(limits: Limits) {
  const { store, close } = await openTestStore();
  for (const { up } of migrations) await store.inTransaction(up);
  const quotas = new QuotaService(limits, store.reads);
  const charge = (what: Resource, amount: number, owner_id = "usr_ada") =>
    store.inTransaction((tx) => quotas.charge(tx, owner_id, what, amount));
  const usedBy = async (what: Resource, owner_id = "usr_ada") => {
    const found = await quotas.usage(store.db, owner_id, what);
    expect(await quotas.committedUsage(owner_id, what)).toBe(found);
    return found;
  };
  return { ...store, quotas, charge, held: usedBy, close };
}

async function refusal(work: Promise<unknown>): Promise<HttpError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
  throw new Error("was accepted");
}

describe("one user, step by step", () => {
  // Each amount with whether it is accepted, then the total at the end.
  const cases: [string, Limits, Resource, [amount: number, accepted: boolean][], number][] = [
    [
      "without a limit everything is counted and nothing is refused",
      {},
      "folders",
      [
        [5, true],
        [1_000_000, true],
      ],
      1_000_005,
    ],
    [
      "the last unit is granted, the next is refused",
      { folders: 2 },
      "folders",
      [
        [1, true],
        [1, true],
        [1, false],
      ],
      2,
    ],
    [
      "a refused amount changes nothing",
      { storage: 100 },
      "storage",
      [
        [60, true],
        [41, false],
        [40, true],
      ],
      100,
    ],
    [
      "the very first amount is checked against the limit too",
      { storage: 100 },
      "storage",
      [[101, false]],
      0,
    ],
    ["a limit of zero refuses the first", { chats: 0 }, "chats", [[1, false]], 0],
    [
      "what is returned can be taken again",
      { documents: 1 },
      "documents",
      [
        [1, true],
        [1, false],
        [-1, true],
        [1, true],
      ],
      1,
    ],
    [
      "returning more than is held ends at zero",
      { documents: 1 },
      "documents",
      [
        [1, true],
        [-5, true],
        [1, true],
        [1, false],
      ],
      1,
    ],
    ["returning something never held is fine", {}, "documents", [[-1, true]], 0],
    ["adding zero is accepted even at the limit", { documents: 0 }, "documents", [[0, true]], 0],
    [
      "sizes above 2 GiB are counted exactly",
      { storage: 5_000_000_001 },
      "storage",
      [
        [5_000_000_000, true],
        [2, false],
        [1, true],
      ],
      5_000_000_001,
    ],
  ];
  for (const [why, limits, what, steps, at_the_end] of cases)
    test(why, async () => {
      const { charge, held: usedBy, close } = await quotasWith(limits);
      for (const [amount, accepted] of steps) {
        if (accepted) await charge(what, amount);
        else
          expect(await refusal(charge(what, amount))).toMatchObject({
            status: 403,
            code: "quota_exceeded",
          });
      }
      expect(await usedBy(what)).toBe(at_the_end);
      await close();
    });
});

test("50 concurrent requests get exactly the 20 units of the limit", async () => {
  const { inTransaction, quotas, held: usedBy, close } = await quotasWith({ folders: 20 });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, () =>
      inTransaction(async (tx) => {
        await quotas.require(tx, "usr_ada", "folders", 1);
        await Promise.resolve();
        await quotas.charge(tx, "usr_ada", "folders", 1);
      }),
    ),
  );
  expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBe(20);
  expect(await usedBy("folders")).toBe(20);
  await close();
});

test("a failed transaction returns what it took", async () => {
  const { inTransaction, quotas, held: usedBy, close } = await quotasWith({ folders: 1 });
  await expect(
    inTransaction(async (tx) => {
      await quotas.charge(tx, "usr_ada", "folders", 1);
      throw new Error("power cut");
    }),
  ).rejects.toThrow("power cut");
  expect(await usedBy("folders")).toBe(0);
  await close();
});

test("above a lowered limit, returning is possible and taking is not", async () => {
  const { inTransaction, charge, held: usedBy, reads, close } = await quotasWith({});
  await charge("documents", 10);
  const lowered = new QuotaService({ documents: 5 }, reads);
  expect(
    await refusal(inTransaction((tx) => lowered.charge(tx, "usr_ada", "documents", 1))),
  ).toMatchObject({ code: "quota_exceeded" });
  await inTransaction((tx) => lowered.charge(tx, "usr_ada", "documents", -3));
  expect(await usedBy("documents")).toBe(7);
  await close();
});

describe("several amounts charged together", () => {
  const amounts = { documents: 2, storage: 50 };
  const cases: [string, Limits, boolean][] = [
    ["are counted without limits", {}, true],
    ["are counted up to their limits", { documents: 4, storage: 100 }, true],
    ["are all refused when the first exceeds its limit", { documents: 3 }, false],
    ["are all refused when the last exceeds its limit", { storage: 99 }, false],
  ];
  for (const [why, limits, is_accepted] of cases)
    test(why, async () => {
      const { inTransaction, quotas, held: usedBy, close } = await quotasWith(limits);
      const charge = () => inTransaction((tx) => quotas.chargeAll(tx, "usr_ada", amounts));
      await charge();
      if (is_accepted) await charge();
      else expect(await refusal(charge())).toMatchObject({ code: "quota_exceeded" });
      const times = is_accepted ? 2 : 1;
      expect([await usedBy("documents"), await usedBy("storage")]).toEqual([2 * times, 50 * times]);
      await close();
    });
});

test("users and quota kinds do not share a count", async () => {
  const { charge, held: usedBy, close } = await quotasWith({ folders: 1, documents: 1 });
  await charge("folders", 1);
  await charge("documents", 1);
  await charge("folders", 1, "usr_bob");
  expect([
    await usedBy("folders"),
    await usedBy("documents"),
    await usedBy("folders", "usr_bob"),
    await usedBy("chats"),
  ]).toEqual([1, 1, 1, 0]);
  await close();
});

test("an upload over the limit is refused before it is read, and nothing is counted", async () => {
  const { db, quotas, charge, held: usedBy, close } = await quotasWith({ storage: 100 });
  await charge("storage", 90);
  await quotas.require(db, "usr_ada", "storage", 10);
  expect(await refusal(quotas.require(db, "usr_ada", "storage", 11))).toMatchObject({
    status: 403,
    code: "quota_exceeded",
  });
  expect(await usedBy("storage")).toBe(90);
  await close();
});

describe("the refusal names the limit in force", () => {
  const cases: [string, Limits, Resource, RegExp][] = [
    ["folders", { folders: 0 }, "folders", /at most 0 folders.*quotas\.folders/],
    ["documents", { documents: 1_000 }, "documents", /at most 1,000 documents/],
    ["chat sessions", { chats: 3 }, "chats", /at most 3 chat sessions/],
    [
      "bytes",
      { storage: 1.5 * 2 ** 20 },
      "storage",
      /at most 1\.5 MiB of stored files.*quotas\.storage/,
    ],
  ];
  for (const [why, limits, what, sentence] of cases)
    test(why, async () => {
      const { charge, close } = await quotasWith(limits);
      expect((await refusal(charge(what, 10_000_000))).detail).toMatch(sentence);
      await close();
    });
});

test.each([
  [0, "0 bytes"],
  [1023, "1,023 bytes"],
  [1024, "1 KiB"],
  [2 ** 20 - 1, "1,024 KiB"],
  [2 ** 30, "1 GiB"],
  [5 * 2 ** 50, "5,120 TiB"],
])("%d bytes are shown as %s", (n, words) => {
  expect(bytes(n)).toBe(words);
});
