/** Turns for what takes much memory. */
import { expect, test } from "bun:test";
import { createTurns } from "../../core/http/turns";

const never = new AbortController().signal;

test("one at a time, in the order of asking, whatever becomes of each", async () => {
  const turns = createTurns({ patience_ms: 60_000, aside_max: 1 });
  const seen: string[] = [];
  const work = (name: string) => async () => {
    seen.push(`${name} begins`);
    await Bun.sleep(1);
    seen.push(`${name} ends`);
    if (name === "a") throw new Error("a fails");
    return name;
  };
  const all = await Promise.allSettled([
    turns.run("ada", never, work("a")),
    turns.run("eve", never, work("b")),
    turns.run("ada", never, work("c")),
  ]);
  expect(all.map((one) => (one.status === "fulfilled" ? one.value : one.reason.message))).toEqual([
    "a fails",
    "b",
    "c",
  ]);
  expect(seen).toEqual(["a", "b", "c"].flatMap((name) => [`${name} begins`, `${name} ends`]));
});

test("who takes long lets others begin, but has no second turn meanwhile", async () => {
  const turns = createTurns({ patience_ms: 5, aside_max: 1 });
  const { promise: held, resolve: go } = Promise.withResolvers<void>();
  let second = false;
  const first = turns.run("ada", never, () => held);
  const next = turns.run("ada", never, async () => {
    second = true;
  });
  expect(await turns.run("eve", never, async () => "eve")).toBe("eve");
  expect(second).toBe(false);
  go();
  await Promise.all([first, next]);
  expect(second).toBe(true);
});

test("who has gone away leaves the line", async () => {
  const turns = createTurns({ patience_ms: 60_000, aside_max: 1 });
  const { promise: held, resolve: go } = Promise.withResolvers<void>();
  const first = turns.run("ada", never, () => held);
  const gone = new AbortController();
  let worked = false;
  const waiting = turns
    .run("eve", gone.signal, async () => {
      worked = true;
    })
    .catch((error: Error) => error.message);
  await Bun.sleep(1);
  gone.abort();
  expect([await waiting, worked]).toEqual(["The task was stopped.", false]);
  go();
  await first;
});
