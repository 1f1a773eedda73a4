/** Parts of webhooks: the line that host checks wait in, the setting of the limit, and sealing. */
import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { createSeal } from "../../core/store/seal";
import { createLine } from "../../plugins/webhooks/line";
import { startTestServer } from "../helpers/host";

test("the limit is a setting, the message names the one in force, and the key that seals is its owner's alone", async () => {
  const server = await startTestServer({ env: { DOSSIER_WEBHOOKS_PER_ACCOUNT: "1" } });
  const create = (event_type: string) =>
    server.send("ada", "POST", "/webhooks", { event_type, url: "http://93.184.216.34/" });
  expect((await create("import.finished")).status).toBe(201);
  const { status, body } = await create("transcription.completed");
  expect([status, body.detail]).toEqual([400, expect.stringContaining("at most 1 ")]);
  expect(statSync(join(server.data, "secret.key")).mode & 0o777).toBe(0o600);
  await server.stop();
});

test("the line lets so many in at a time, and no more of any one", async () => {
  const line = createLine({ each_max: 2, all_max: 3, wait_ms_max: 60_000 });
  const running: string[] = [];
  const begun: string[] = [];
  const gates: (() => void)[] = [];
  const work = (who: string) =>
    line(who, async () => {
      running.push(who);
      begun.push(who);
      await new Promise<void>((resolve) => {
        gates.push(resolve);
      });
      running.splice(running.indexOf(who), 1);
    });
  const all = [work("a"), work("a"), work("a"), work("b"), work("b"), work("c")];
  await Bun.sleep(0);
  expect(running).toEqual(["a", "a", "b"]);
  while (begun.length < 6) {
    gates.shift()!();
    await Bun.sleep(0);
  }
  expect(begun).toEqual(["a", "a", "b", "a", "b", "c"]);
  for (const open of gates) open();
  await Promise.all(all);
});

test("who waits too long is sent away, and the place goes to the next", async () => {
  const line = createLine({ each_max: 1, all_max: 1, wait_ms_max: 5 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = line("a", () => promise);
  expect(line("b", async () => "never")).rejects.toThrow();
  await Bun.sleep(20);
  resolve();
  await first;
  expect(await line("c", async () => "in")).toBe("in");
});

describe("sealing", () => {
  const seal = createSeal(join("/nonexistent"), "a passphrase");
  const sealed = seal.seal("whsec_x", "row 1");
  test("opens at its place", () => expect(seal.unseal(sealed, "row 1")).toBe("whsec_x"));
  test("twice is not twice the same", () => expect(seal.seal("whsec_x", "row 1")).not.toBe(sealed));
  const cases: [string, () => string][] = [
    ["at another place", () => seal.unseal(sealed, "row 2")],
    ["with another key", () => createSeal("/nonexistent", "another").unseal(sealed, "row 1")],
    [
      "changed",
      () =>
        seal.unseal(
          sealed.replace(/.(.{8})$/, (all, end) => (all[0] === "A" ? "B" : "A") + end),
          "row 1",
        ),
    ],
    ["cut short", () => seal.unseal(sealed.slice(0, 20), "row 1")],
  ];
  for (const [why, open] of cases)
    test(`does not open ${why}`, () => expect(open).toThrow("secret key"));
});
