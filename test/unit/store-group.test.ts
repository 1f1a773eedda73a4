/** Transactions that share a commit: who is told what when a step of it fails. */
import { describe, expect, test } from "bun:test";
import { createGroup, type GroupParts } from "../../core/store/group";

const tx = { executeQuery: async () => ({ rows: [] }) } as never;
const outcomes = async (works: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(works)).map((one) =>
    one.status === "fulfilled" ? one.value : (one.reason as Error).message,
  );
const fails = (message: string) => async (): Promise<never> => {
  throw new Error(message);
};

describe("a group of which", () => {
  const cases: [
    why: string,
    transact: GroupParts["transact"],
    open: boolean,
    expected: unknown[],
  ][] = [
    ["everything is written", async (within) => within(tx), true, ["one", "two is wrong", "three"]],
    [
      "the beginning fails",
      fails("no beginning"),
      true,
      ["no beginning", "no beginning", "no beginning"],
    ],
    [
      "the commit fails",
      async (within) => {
        await within(tx);
        throw new Error("no commit");
      },
      true,
      ["no commit", "two is wrong", "no commit"],
    ],
    [
      "the database ends the transaction by itself",
      async (within) => within(tx),
      false,
      ["two is wrong", "two is wrong", "three"],
    ],
  ];
  for (const [why, transact, open, expected] of cases)
    test(`${why}`, async () => {
      const join = createGroup({ transact, isOpen: () => open, full: () => false });
      expect(
        await outcomes([
          join(async () => "one"),
          join(fails("two is wrong")),
          join(async () => "three"),
        ]),
      ).toEqual(expected);
    });

  test("nobody is left when the commit fails has nobody to tell, and the next one is written", async () => {
    let commits = 0;
    const join = createGroup({
      transact: async (within) => {
        await within(tx);
        if (++commits === 1) throw new Error("no commit");
      },
      isOpen: () => true,
      full: () => false,
    });
    expect(await outcomes([join(fails("wrong"))])).toEqual(["wrong"]);
    while (commits === 0) await Bun.sleep(1);
    expect(await outcomes([join(async () => "later")])).toEqual(["later"]);
  });
});
