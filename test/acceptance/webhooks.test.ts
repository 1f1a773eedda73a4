/**
 * Acceptance, on the executable: registering webhooks. A number in brackets names a threat; other
 * cases of the same threat are in neighbouring files.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectProblem, rfc3339 } from "../helpers/contract";
import { filesWith } from "../helpers/data-directory";
import { person, type Person } from "../helpers/person";
import { allowed, event_type, startHooks, type Hooks } from "../helpers/hooks";

let hooks: Hooks;
let ada: Person;
let eve: Person;
const create = (who: Person, url: unknown, type: unknown = event_type) =>
  who.send("POST", "/webhooks", { event_type: type, url });
const count = async (who: Person): Promise<number> =>
  (await who.send("GET", "/webhooks")).body.length;

beforeAll(async () => {
  hooks = await startHooks({ env: { DOSSIER_WEBHOOKS_ALLOW_NETWORKS: `${allowed},10.9.0.0/16` } });
  ({ ada } = hooks);
  eve = await person(hooks.server, "eve");
  const zones: [string, Parameters<typeof hooks.names.set>[1]][] = [
    ["public.test", ["93.184.216.34"]],
    ["both.test", { a: ["93.184.216.34"], aaaa: ["2606:4700::1111"] }],
    ["six.test", { aaaa: ["2606:4700::1111"] }],
    ["xn--bcher-kva.test", ["93.184.216.34"]],
    ["inside.test", ["10.9.1.1"]],
    ["private.test", ["192.168.1.1"]],
    ["loop.test", ["127.0.0.1"]],
    ["loop6.test", { aaaa: ["::1"] }],
    ["mapped.test", { aaaa: ["0:0:0:0:0:ffff:7f00:1"] }],
    ["metadata.test", ["169.254.169.254"]],
    ["mixed.test", ["93.184.216.34", "127.0.0.1"]],
    ["mixed6.test", { a: ["93.184.216.34"], aaaa: ["fe80::1"] }],
    ["half-allowed.test", ["10.9.1.1", "10.8.1.1"]],
    ["nat64.test", { aaaa: ["64:ff9b::7f00:1"] }],
    ["gone.test", "nxdomain"],
    ["empty.test", []],
    ["servfail.test", "servfail"],
    ["refused.test", "refused"],
    ["half-fails.test", { a: [], aaaa: "servfail" }],
    ["a-only.test", { a: ["93.184.216.34"], aaaa: "silent" }],
    ["a-fails.test", { a: ["93.184.216.34"], aaaa: "servfail" }],
    ["a-private.test", { a: ["10.0.0.1"], aaaa: "silent" }],
  ];
  for (const [name, zone] of zones) hooks.names.set(name, zone);
}, 180_000);
afterAll(() => hooks?.[Symbol.asyncDispose]());

describe("accepts a URL with", () => {
  const cases: [why: string, url: string, type?: string][] = [
    ["http", "http://public.test/a"],
    ["https", "https://public.test/a"],
    ["the other event", "http://public.test/a", "transcription.completed"],
    ["a port, a path and a query", "http://public.test:8080/x/y?z=1"],
    ["an IPv4 address", "http://93.184.216.34/"],
    ["an IPv6 address", "http://[2606:4700::1111]/"],
    ["IPv4 and IPv6", "http://both.test/"],
    ["only IPv6", "http://six.test/"],
    ["an internationalized name", "https://bücher.test/ä"],
    ["a name in an allowed network", "http://inside.test/"],
    ["an address in an allowed network", "http://10.9.255.1/"],
    ["[11] IPv4 answers, IPv6 is silent", "http://a-only.test/"],
    ["[11] IPv4 answers, IPv6 fails", "http://a-fails.test/"],
  ];
  for (const [why, url, type = event_type] of cases)
    test(why, async () => {
      const answer = await create(ada, url, type);
      const { secret, ...record } = answer.body;
      expect({
        status: answer.status,
        location: answer.headers.get("location"),
        record,
        secret,
      }).toEqual({
        status: 201,
        location: `/api/dev/v1/webhooks/${answer.body.id}`,
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
        record: {
          id: expect.stringMatching(/^whk_[0-9A-HJKMNP-TV-Z]{26}$/),
          event_type: type,
          url,
          created_at: expect.stringMatching(rfc3339),
          last_delivery: null,
        },
      });
      expect((await ada.send("GET", answer.headers.get("location")!)).body).toEqual(record);
      const list = await ada.send("GET", "/webhooks");
      expect([list.status, list.body[0]]).toEqual([200, record]);
      expect((await ada.send("DELETE", answer.headers.get("location")!)).status).toBe(204);
      expect((await ada.send("DELETE", answer.headers.get("location")!)).status).toBe(404);
      expect((await ada.send("GET", "/webhooks")).body).toEqual([]);
    });
});

describe("refuses with 400 and stores nothing:", () => {
  const url = (why: string, ...urls: readonly string[]): [string, object, string][] =>
    urls.map((url) => [
      `${why}: ${JSON.stringify(url.length > 80 ? `${url.slice(0, 40)}…` : url)}`,
      { event_type, url },
      "/url",
    ]);
  const cases: [why: string, body: unknown, pointer: string][] = [
    ["no event type", { url: "http://public.test/" }, "/event_type"],
    ["an event type that is null", { event_type: null, url: "http://public.test/" }, "/event_type"],
    ["an empty event type", { event_type: "", url: "http://public.test/" }, "/event_type"],
    ["unknown event", { event_type: "folder.deleted", url: "http://public.test/" }, "/event_type"],
    [
      "an event type in upper case",
      { event_type: "Import.Finished", url: "http://public.test/" },
      "/event_type",
    ],
    ["a list of events", { event_type: [event_type], url: "http://public.test/" }, "/event_type"],
    ["no URL", { event_type }, "/url"],
    ["a URL that is null", { event_type, url: null }, "/url"],
    ["a URL that is a number", { event_type, url: 1 }, "/url"],
    ["a URL in a misnamed field", { event_type, URL: "http://public.test/" }, "/url"],
    ...url(
      "[2] IPv4 loopback in another notation",
      "http://2130706433/",
      "http://0x7f.1/",
      "http://0177.0.0.1/",
      "http://127.1/",
      "http://017700000001/",
      "http://127.0.0.1./",
      "http://１２７.０.０.１/",
      "http://①②⑦.0.0.1/",
      "http://127。0。0。1/",
      "http://%31%32%37.0.0.1/",
      "http://0/",
      "http://127.0.0.1../",
    ),
    ...url(
      "[2] an IPv4 address that is not public",
      "http://10.0.0.1/",
      "http://172.16.0.1/",
      "http://192.168.0.1/",
      "http://169.254.169.254/latest/meta-data/",
      "http://100.64.0.1/",
      "http://224.0.0.1/",
      "http://255.255.255.255/",
      "http://10.8.255.255/",
    ),
    ...url(
      "[3] IPv6 that embeds IPv4 or isn't public",
      "http://[::1]/",
      "http://[::]/",
      "http://[::ffff:127.0.0.1]/",
      "http://[::127.0.0.1]/",
      "http://[64:ff9b::7f00:1]/",
      "http://[64:ff9b:1::7f00:1]/",
      "http://[2002:7f00:1::]/",
      "http://[2001:0:7f00:1::]/",
      "http://[::ffff:10.8.0.1]:80/x",
      "http://[fe80::1]/",
      "http://[fd00::1]/",
      "http://[ff02::1]/",
      "http://[2001:db8::1]/",
    ),
    ...url(
      "[4] a local name",
      "http://localhost/",
      "http://LOCALHOST/",
      "http://localhost.:80/",
      "http://x.localhost/",
      "http://metadata.google.internal/",
      "http://printer.local/",
      "http://intranet/",
      "http://nas.home.arpa/",
      "http://ｌocalhost/",
      "http://loc\u00adalhost/",
    ),
    ...url(
      "[5] not an absolute http URL",
      "",
      "/hook",
      "//public.test/",
      "public.test",
      "http:public.test",
      "http:/public.test/",
      "ftp://public.test/",
      "file:///etc/passwd",
      "ws://public.test/",
      "blob:http://public.test/x",
      "javascript:alert(1)",
      "http://",
      "http://256.1.1.1/",
      "http://public.test:65536/",
      "http://[fe80::1%25eth0]/",
    ),
    ...url(
      "[5] forbidden parts or characters",
      "http://ada@public.test/",
      "http://ada:x@public.test/",
      "http://@public.test/",
      "http://public.test/#x",
      "http://public.test:0/",
      "http://public.test\\@127.0.0.1/",
      "http:/\\127.0.0.1/",
      "http://pub\tlic.test/",
      "http://public.test/\r\nX-Y: z",
      " http://public.test/",
      "http://public.test/a b",
      "http://public.test/\u007f",
      `http://public.test/${"x".repeat(2_048)}`,
      `http://${"a".repeat(64)}.test/`,
      "http://a..public.test/",
    ),
    ...url(
      "[6] a name with non-public addresses",
      "http://private.test/",
      "http://loop.test/",
      "http://loop6.test/",
      "http://mapped.test/",
      "http://metadata.test/",
      "http://nat64.test/",
      "http://a-private.test/",
    ),
    ...url(
      "[7] a name with one non-public address",
      "http://mixed.test/",
      "http://mixed6.test/",
      "http://half-allowed.test/",
    ),
    ...url("[8] a name without any address", "http://gone.test/", "http://empty.test/"),
  ];
  for (const [why, body, pointer] of cases)
    test(why, async () => {
      const answer = await eve.send("POST", "/webhooks", body);
      expectProblem(answer, 400);
      expect(answer.body.errors.map((error: { pointer: string }) => error.pointer)).toEqual([
        pointer,
      ]);
    });
  test("nothing was stored", async () => expect(await count(eve)).toBe(0));
});

describe("[10] failing name servers give 503 and don't blame the URL", () => {
  for (const name of ["servfail.test", "refused.test", "half-fails.test"])
    test(name, async () => {
      const answer = await create(eve, `http://${name}/`);
      expectProblem(answer, 503, "not at fault");
      expect(answer.headers.get("retry-after")).toBe("5");
      expect(await count(eve)).toBe(0);
    });
});

describe("limits", () => {
  test("[46] one free slot accepts one of eleven at once; deleting frees another", async () => {
    for (let n = 0; n < 9; n++)
      await ada.create("/webhooks", {
        event_type: n % 2 ? event_type : "transcription.completed",
        url: `http://public.test/${n}`,
      });
    const answers = await Promise.all(
      Array.from({ length: 11 }, (_, n) => create(ada, `http://public.test/more/${n}`)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(10).fill(400)]);
    for (const answer of answers)
      if (answer.status === 400) expectProblem(answer, 400, /\b10\b/, "webhook_limit");
    expectProblem(await create(ada, "http://public.test/one-more"), 400, /\b10\b/);
    // Another account has its own ten.
    const other = await create(eve, "http://public.test/");
    expect(other.status).toBe(201);
    await eve.send("DELETE", `/webhooks/${other.body.id}`);
    const webhooks = (await ada.send("GET", "/webhooks")).body;
    expect((await ada.send("DELETE", `/webhooks/${webhooks[3].id}`)).status).toBe(204);
    expect((await create(ada, "http://public.test/freed")).status).toBe(201);
    for (const { id } of (await ada.send("GET", "/webhooks")).body)
      await ada.send("DELETE", `/webhooks/${id}`);
  });

  test("[47] equal events and URLs at once are registered once, in any spelling", async () => {
    const urls = [
      "http://public.test",
      "http://public.test/",
      "http://PUBLIC.test/",
      "HTTP://public.test:80/",
      "http://public.test./",
      "http://public.test/./",
      "http://%70ublic.test/",
      "http://public.test/",
    ];
    const answers = await Promise.all(urls.map((url) => create(ada, url)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(400)]);
    for (const answer of answers)
      if (answer.status === 400) expectProblem(answer, 400, "", "duplicate_webhook");
    const others: [string, Person, string, string][] = [
      ["the other event", ada, "http://public.test/", "transcription.completed"],
      ["another path", ada, "http://public.test/b", event_type],
      ["https", ada, "https://public.test/", event_type],
      ["another account", eve, "http://public.test/", event_type],
    ];
    for (const [why, who, url, type] of others)
      expect([why, (await create(who, url, type)).status]).toEqual([why, 201]);
  });
});

test("[21] a secret is shown only in the response that creates it", async () => {
  const created = await ada.create("/webhooks", {
    event_type,
    url: `http://hook.test:${hooks.receiver.port}/`,
  });
  const rotated = (await ada.send("POST", `/webhooks/${created.id}/rotate-secret`)).body;
  await ada.send("POST", `/webhooks/${created.id}/test`);
  const messages = await Promise.all(
    [
      "/webhooks",
      `/webhooks/${created.id}`,
      `/webhooks/${created.id}/deliveries`,
      "/openapi.json",
    ].map(async (path) => JSON.stringify((await ada.send("GET", path)).body)),
  );
  const printed = await Promise.all(
    [["config"], ["openapi"], ["plugin", "list"]].map((words) => hooks.server.mustCli(words)),
  );
  for (const secret of [created.secret, rotated.secret]) {
    expect(
      [...messages, ...printed, hooks.server.output()].filter(
        (text) => text.includes(secret) || text.includes(secret.slice(6)),
      ),
    ).toEqual([]);
    // It is encrypted at rest: neither the text nor its bytes are in any file.
    expect(filesWith(hooks.server.data, secret.slice(6))).toEqual([]);
    expect(
      filesWith(hooks.server.data, Buffer.from(secret.slice(6), "base64").toString("hex")),
    ).toEqual([]);
  }
  for (const text of messages.slice(0, 3)) expect(text).not.toContain("secret");
});

describe("another user's webhook answers 403, a missing one 404", () => {
  const calls: [string, string][] = [
    ["GET", ""],
    ["DELETE", ""],
    ["POST", "/rotate-secret"],
    ["POST", "/test"],
    ["GET", "/deliveries"],
    ["GET", "/deliveries/whd_x"],
    ["POST", "/deliveries/whd_x/redeliver"],
  ];
  for (const [method, below] of calls)
    test(`${method} ${below || "itself"}`, async () => {
      const [{ id }] = (await ada.send("GET", "/webhooks")).body;
      expectProblem(await eve.send(method, `/webhooks/${id}${below}`), 403);
      expectProblem(
        await eve.send(method, `/webhooks/whk_00000000000000000000000000${below}`),
        404,
      );
      expect(
        (await eve.send("GET", "/webhooks")).body.map((webhook: { id: string }) => webhook.id),
      ).not.toContain(id);
      expect((await ada.send("GET", `/webhooks/${id}`)).status).toBe(200);
    });
});
