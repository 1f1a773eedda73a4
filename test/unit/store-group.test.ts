/** Transactions that share a commit: which outcome each gets when a step fails. */
import { describe, expect, test } from "bun:test";
import { withOrigin, type Origin } from "../../core/base/origin";
import { GroupCommit, type GroupCommitOptions } from "../../core/store/group-commit";

const tx = { executeQuery: async () => ({ rows: [] }) } as never;
const parts = {
  memberHandle: () => ({ tx, end: () => {} }),
  isOpen: () => true,
  releaseReserve: () => false,
};
const outcomes = async (works: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(works)).map((result) =>
    result.status === "fulfilled" ? result.value : (result.reason as Error).message,
  );
const fails = (message: string) => async (): Promise<never> => {
  throw new Error(message);
};

describe("a group commit where", () => {
  const cases: [
    why: string,
    transact: GroupCommitOptions["transact"],
    open: boolean,
    expected: unknown[],
  ][] = [
    ["the commit succeeds", async (within) => within(tx), true, ["one", "two is wrong", "three"]],
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
      ["one", "two is wrong", "three"],
    ],
  ];
  for (const [why, transact, open, expected] of cases)
    test(`${why}`, async () => {
      const group = new GroupCommit({ ...parts, transact, isOpen: () => open });
      expect(
        await outcomes([
          group.run(async () => "one"),
          group.run(fails("two is wrong")),
          group.run(async () => "three"),
        ]),
      ).toEqual(expected);
    });

  test("every member failed may fail itself, and the next group is still written", async () => {
    let commits = 0;
    const group = new GroupCommit({
      ...parts,
      transact: async (within) => {
        await within(tx);
        if (++commits === 1) throw new Error("no commit");
      },
    });
    expect(await outcomes([group.run(fails("wrong"))])).toEqual(["wrong"]);
    while (commits === 0) await Bun.sleep(1);
    expect(await outcomes([group.run(async () => "later")])).toEqual(["later"]);
  });
});

test("long members of a commit let other work continue between them", async () => {
  const order: string[] = [];
  const group = new GroupCommit({ ...parts, transact: async (within) => within(tx) });
  const member = (name: string) =>
    group.run(async () => {
      Bun.sleepSync(3);
      order.push(name);
    });
  setImmediate(() => order.push("other work"));
  await Promise.all([member("first"), member("second")]);
  expect(order).toEqual(["first", "other work", "second"]);
});

describe("a commit with a long gathering time", () => {
  const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
  /** How many members each commit had. */
  function counting() {
    const sizes: number[] = [];
    let members = 0;
    const group = new GroupCommit({
      ...parts,
      gather_ms: 60_000,
      transact: async (within) => {
        members = 0;
        await within(tx);
        sizes.push(members);
      },
    });
    const write = () => group.run(async () => void members++);
    return { sizes, group, write };
  }

  test("does not wait when no other member is expected", async () => {
    const { sizes, write } = counting();
    for (let i = 0; i < 3; i++) await write();
    expect(sizes).toEqual([1, 1, 1]);
  });
  test("waits for expected members", async () => {
    const { sizes, group, write } = counting();
    const coming = (async () => {
      for (let i = 0; i < 20; i++) await nextTurn();
    })();
    group.expect(coming);
    const others = coming.then(() => Promise.all([write(), write()]));
    await write();
    await others;
    expect(sizes).toEqual([3]);
  });
  test("stops waiting when expected members fail to come", async () => {
    const { sizes, group, write } = counting();
    const coming = Promise.withResolvers<void>();
    group.expect(coming.promise);
    const written = write();
    for (let i = 0; i < 20; i++) await nextTurn();
    coming.reject(new Error("it came to nothing"));
    await written;
    expect(sizes).toEqual([1]);
  });
});

describe("of the transactions that wait", () => {
  const cases: [why: string, arriving: readonly string[], expected: readonly string[]][] = [
    [
      "those of one owner keep their order",
      ["ada 1", "ada 2", "ada 3"],
      ["ada 1", "ada 2", "ada 3"],
    ],
    [
      "one of another owner comes after one of the first",
      ["ada 1", "ada 2", "ada 3", "bob 1"],
      ["ada 1", "bob 1", "ada 2", "ada 3"],
    ],
    [
      "several owners take turns",
      ["ada 1", "ada 2", "ada 3", "bob 1", "bob 2", "eve 1"],
      ["ada 1", "bob 1", "eve 1", "ada 2", "bob 2", "ada 3"],
    ],
  ];
  test.each(cases)("%s", async (_why, arriving, expected) => {
    const order: string[] = [];
    const group = new GroupCommit({ ...parts, transact: async (within) => within(tx) });
    await Promise.all(
      arriving.map((name) =>
        withOrigin({ subject: name.split(" ")[0]! }, () =>
          group.run(async () => void order.push(name)),
        ),
      ),
    );
    expect(order).toEqual([...expected]);
  });
  test("a job counts as its owner, like a request of that owner", async () => {
    const order: string[] = [];
    const group = new GroupCommit({ ...parts, transact: async (within) => within(tx) });
    const run = (origin: Origin, name: string) =>
      withOrigin(origin, () => group.run(async () => void order.push(name)));
    await Promise.all([
      run({ subject: "ada" }, "request"),
      run({ owner: "ada", job: "1" }, "job"),
      run({ subject: "bob" }, "other"),
    ]);
    expect(order).toEqual(["request", "other", "job"]);
  });
});
