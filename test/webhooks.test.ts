/** Registering webhooks, over HTTP: every rule, the limits under concurrency, and the secret that is told once. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { createSeal } from "../core/store/seal";
import { createLine } from "../plugins/webhooks/line";
import { filesWith } from "./helpers/contract";
import { startNameServer, type NameServer } from "./helpers/dns";
import { startTestServer, type TestServer } from "./helpers/host";

let names: NameServer;
let server: TestServer;
beforeAll(async () => {
  names = await startNameServer();
  server = await startTestServer({ env: { DOSSIER_WEBHOOKS_DNS_SERVERS: names.address, DOSSIER_WEBHOOKS_ALLOW_NETWORKS: "127.0.0.2" } });
  names.set("hook.test", ["93.184.216.34"]);
  names.set("private.test", ["192.168.1.1"]);
  names.set("mixed.test", ["93.184.216.34", "127.0.0.1"]);
  names.set("v6.test", { a: ["93.184.216.34"], aaaa: ["fe80::1"] });
  names.set("allowed.test", ["127.0.0.2"]);
  names.set("failing.test", "servfail");
  names.set("empty.test", []);
  names.set("silent.test", "silent");
});
afterAll(() => names[Symbol.dispose]());

const event_type = "import.finished";
const create = (who: string, url: string, type = event_type) => server.send(who, "POST", "/webhooks", { event_type: type, url });
const count = async (who: string): Promise<number> => (await server.send(who, "GET", "/webhooks")).body.length;

test("a webhook is registered, and its secret is told once", async () => {
  const made = await create("ada", "http://hook.test/a");
  expect(made.status).toBe(201);
  expect(made.headers.get("location")).toBe(`/api/dev/v1/webhooks/${made.body.id}`);
  const { secret, ...record } = made.body;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(record).toEqual({ id: expect.stringMatching(/^whk_[0-9A-HJKMNP-TV-Z]{26}$/), event_type, url: "http://hook.test/a", created_at: expect.stringMatching(/Z$/), last_delivery: null });
  expect((await server.send("ada", "GET", made.headers.get("location")!)).body).toEqual(record);
  const second = (await create("ada", "http://hook.test/b", "transcription.completed")).body;
  const list = await server.send("ada", "GET", "/webhooks");
  expect(list.body.map(({ id }: { id: string }) => id)).toEqual([second.id, record.id]);
  expect(list.text).not.toContain("secret");
});

test("neither the secret nor the key that seals it is in the database, and the key's file is its owner's alone", async () => {
  const { secret } = (await create("sue", "http://hook.test/")).body;
  expect(filesWith(server.data, secret)).toEqual([]);
  expect(statSync(join(server.data, "secret.key")).mode & 0o777).toBe(0o600);
});

describe("refused", () => {
  const cases: [string, unknown, number, string?][] = [
    ["no body", undefined, 400], ["no event type", { url: "http://hook.test/" }, 400, "/event_type"], ["no URL", { event_type }, 400, "/url"], ["an unknown event", { event_type: "folder.deleted", url: "http://hook.test/" }, 400, "/event_type"],
    ["an empty event", { event_type: "", url: "http://hook.test/" }, 400, "/event_type"], ["an event in capitals", { event_type: "IMPORT.FINISHED", url: "http://hook.test/" }, 400, "/event_type"], ["a URL that is a number", { event_type, url: 1 }, 400, "/url"],
    ["localhost", { event_type, url: "http://localhost/" }, 400, "/url"], ["loopback", { event_type, url: "http://127.0.0.1/" }, 400, "/url"], ["loopback as a number", { event_type, url: "http://2130706433/" }, 400, "/url"], ["the metadata of a cloud", { event_type, url: "http://169.254.169.254/" }, 400, "/url"],
    ["IPv6 loopback", { event_type, url: "http://[::1]/" }, 400, "/url"], ["ftp", { event_type, url: "ftp://hook.test/" }, 400, "/url"], ["a password", { event_type, url: "http://a:b@hook.test/" }, 400, "/url"], ["a name of a private address", { event_type, url: "http://private.test/" }, 400, "/url"],
    ["public and private", { event_type, url: "http://mixed.test/" }, 400, "/url"], ["public IPv4, local IPv6", { event_type, url: "http://v6.test/" }, 400, "/url"], ["no such name", { event_type, url: "http://gone.test/" }, 400, "/url"], ["no address", { event_type, url: "http://empty.test/" }, 400, "/url"],
    ["a name server that fails", { event_type, url: "http://failing.test/" }, 503],
  ];
  for (const [why, body, status, pointer] of cases) test(why, async () => {
    const answer = await server.send("eve", "POST", "/webhooks", body);
    expect({ status: answer.status, pointer: answer.body.errors?.[0]?.pointer, wait: answer.headers.get("retry-after") }).toEqual({ status, pointer: pointer ?? (status === 400 ? expect.anything() : undefined), wait: status === 503 ? "5" : null } as never);
  });
  test("nothing was registered", async () => expect(await count("eve")).toBe(0));
});

test("an address of an allowed network may be given, by name and as it is", async () => {
  expect((await create("amy", "http://allowed.test:8080/x")).status).toBe(201);
  expect((await create("amy", "https://127.0.0.2/")).status).toBe(201);
});

test("a silent name is 503 after five seconds and takes no slot; others are answered meanwhile", async () => {
  const started = performance.now();
  const silent = create("zoe", "http://silent.test/");
  expect((await create("zoe", "http://hook.test/")).status).toBe(201);
  expect(performance.now() - started).toBeLessThan(4_000);
  const answer = await silent;
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(Math.round((performance.now() - started) / 1_000)).toBe(5);
  expect(await count("zoe")).toBe(1);
}, 15_000);

describe("limits", () => {
  test("eleven at once at nine held: one is registered, the others are told the limit", async () => {
    for (let n = 0; n < 9; n++) expect((await create("max", `http://hook.test/${n}`, n % 2 ? event_type : "transcription.completed")).status).toBe(201);
    const answers = await Promise.all(Array.from({ length: 11 }, (_, n) => create("max", `http://hook.test/more/${n}`)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(10).fill(400)]);
    for (const { status, body } of answers) if (status === 400) expect(body).toMatchObject({ code: "webhook_limit", detail: expect.stringContaining("10") });
    const [first] = (await server.send("max", "GET", "/webhooks")).body;
    expect((await server.send("max", "DELETE", `/webhooks/${first.id}`)).status).toBe(204);
    expect((await create("max", "http://hook.test/freed")).status).toBe(201);
  });
  test("the same event and URL at once: one is registered, however it is written", async () => {
    const urls = ["http://hook.test", "http://HOOK.test/", "http://hook.test:80/", "http://hook.test./", "http://hook.test/./"];
    const answers = await Promise.all(urls.map((url) => create("tom", url)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400, 400]);
    expect((await create("tom", "http://hook.test", "transcription.completed")).status).toBe(201);
    expect((await create("tim", "http://hook.test")).status).toBe(201);
  });
  test("the limit is a setting, and the message names the one in force", async () => {
    const small = await startTestServer({ env: { DOSSIER_WEBHOOKS_DNS_SERVERS: names.address, DOSSIER_WEBHOOKS_PER_ACCOUNT: "1" } });
    expect((await small.send("ada", "POST", "/webhooks", { event_type, url: "http://hook.test/" })).status).toBe(201);
    const { status, body } = await small.send("ada", "POST", "/webhooks", { event_type: "transcription.completed", url: "http://hook.test/" });
    expect([status, body.detail]).toEqual([400, expect.stringContaining("at most 1 ")]);
    await small.stop();
  });
});

describe("another user's, and none", () => {
  const calls: [string, string][] = [["GET", ""], ["DELETE", ""], ["POST", "/rotate-secret"], ["POST", "/test"], ["GET", "/deliveries"], ["GET", "/deliveries/whd_x"], ["POST", "/deliveries/whd_x/redeliver"]];
  for (const [method, below] of calls) test(`${method} ${below || "itself"}`, async () => {
    const { id } = (await server.send("amy", "GET", "/webhooks")).body[0];
    expect((await server.send("bob", method, `/webhooks/${id}${below}`)).status).toBe(403);
    expect((await server.send("bob", method, `/webhooks/whk_none${below}`)).status).toBe(404);
  });
});

test("a deleted webhook is gone", async () => {
  const { id } = (await create("dan", "http://hook.test/")).body;
  expect((await server.send("dan", "DELETE", `/webhooks/${id}`)).status).toBe(204);
  expect((await server.send("dan", "DELETE", `/webhooks/${id}`)).status).toBe(404);
  expect(await count("dan")).toBe(0);
});

test("the line lets so many in at a time, and no more of any one", async () => {
  const line = createLine({ each_max: 2, all_max: 3, wait_ms_max: 60_000 });
  const running: string[] = [];
  const begun: string[] = [];
  const gates: (() => void)[] = [];
  const work = (who: string) => line(who, async () => {
    running.push(who);
    begun.push(who);
    await new Promise<void>((resolve) => { gates.push(resolve); });
    running.splice(running.indexOf(who), 1);
  });
  const all = [work("a"), work("a"), work("a"), work("b"), work("b"), work("c")];
  await Bun.sleep(0);
  expect(running).toEqual(["a", "a", "b"]);
  while (begun.length < 6) { gates.shift()!(); await Bun.sleep(0); }
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
    ["changed", () => seal.unseal(sealed.replace(/.(.{8})$/, (all, end) => (all[0] === "A" ? "B" : "A") + end), "row 1")],
    ["cut short", () => seal.unseal(sealed.slice(0, 20), "row 1")],
  ];
  for (const [why, open] of cases) test(`does not open ${why}`, () => expect(open).toThrow("secret key"));
});
