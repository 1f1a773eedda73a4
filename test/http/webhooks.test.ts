/** Parts of webhooks: the limit's setting, duplicates, and sealing. */
import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { createSeal } from "../../core/store/seal";
import { startNameServer } from "../../scripts/lib/name-server";
import { startTestServer } from "../helpers/host";

test("the limit is a setting named in the error, and only the owner can read the key", async () => {
  const server = await startTestServer({ env: { DOSSIER_WEBHOOKS_PER_ACCOUNT: "1" } });
  const create = (event_type: string) =>
    server.send("ada", "POST", "/webhooks", { event_type, url: "http://93.184.216.34/" });
  expect((await create("import.finished")).status).toBe(201);
  const { status, body } = await create("transcription.completed");
  expect([status, body.detail]).toEqual([400, expect.stringContaining("at most 1 ")]);
  expect(statSync(join(server.data, "secret.key")).mode & 0o777).toBe(0o600);
  await server.stop();
});

test("a duplicate is refused as such, whatever became of its host", async () => {
  using names = await startNameServer();
  const server = await startTestServer({
    env: { DOSSIER_WEBHOOKS_DNS_SERVERS: names.address },
  });
  const create = async (path: string): Promise<[number, string | undefined]> => {
    const body = { event_type: "import.finished", url: `http://hook.test/${path}` };
    const answer = await server.send("ada", "POST", "/webhooks", body);
    return [answer.status, answer.body.code];
  };
  names.set("hook.test", ["93.184.216.34"]);
  expect(await create("a")).toEqual([201, undefined]);
  names.set("hook.test", "servfail");
  expect(await create("a")).toEqual([400, "duplicate_webhook"]);
  expect(await create("b")).toEqual([503, "unavailable"]);
  await server.stop();
});

describe("sealing", () => {
  const seal = createSeal(join("/nonexistent"), "a passphrase");
  const sealed = seal.seal("whsec_x", "row 1");
  test("opens in its own place", () => expect(seal.unseal(sealed, "row 1")).toBe("whsec_x"));
  test("is new each time", () => expect(seal.seal("whsec_x", "row 1")).not.toBe(sealed));
  const cases: [string, () => string][] = [
    ["in another place", () => seal.unseal(sealed, "row 2")],
    ["with another key", () => createSeal("/nonexistent", "another").unseal(sealed, "row 1")],
    [
      "after a change",
      () =>
        seal.unseal(
          sealed.replace(/.(.{8})$/, (all, end) => (all[0] === "A" ? "B" : "A") + end),
          "row 1",
        ),
    ],
    ["when truncated", () => seal.unseal(sealed.slice(0, 20), "row 1")],
  ];
  for (const [why, open] of cases)
    test(`does not open ${why}`, () => expect(open).toThrow("secret key"));
});
