/** Changing settings at runtime: who may, what is refused, what takes precedence, the effects. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { signedIn, type Browser } from "../helpers/browser";
import { onSqlite } from "../helpers/databases";
import { startEmbedder } from "../helpers/embedder";
import { form } from "../helpers/forms";
import { startTestServer, type TestServer } from "../helpers/host";
import { person } from "../helpers/person";
import { says, startProvider } from "../helpers/provider";
import { until } from "../helpers/server";

const canary = "sk-xylophonecanary";
let server: TestServer;
let admin: Browser;
let ada: Browser;
beforeAll(async () => {
  server = await startTestServer({
    env: {
      DOSSIER_AUDIT_KEEP: "90d",
      DOSSIER_METRICS_NETWORKS: "10.0.0.0/8",
      DOSSIER_EMBEDDINGS_PROVIDER: "",
    },
  });
  admin = await signedIn(server, "grace", { role: "admin" });
  ada = await signedIn(server, "ada");
  await change({ "embeddings.provider": "none" });
});
afterAll(() => server.stop());

const change = (changes: object) => admin.send("PATCH", "/settings", changes);
const stateOf = async (setting: string): Promise<any> =>
  (await admin.send("GET", "/settings")).body.find((one: any) => one.setting === setting);

describe("refused, with nothing stored", () => {
  const cases: [why: string, changes: object, says: RegExp][] = [
    ["an unknown setting", { "chats.restore_four": "1d" }, /nearest is chats\.restore_for/],
    ["an unknown section", { "nothing.at_all": 1 }, /There is no setting nothing\.at_all/],
    ["a name without a section", { restore_for: "1d" }, /There is no setting restore_for/],
    ["a JavaScript property", { "server.constructor": "1" }, /no setting server\.constructor/],
    [
      "a duration without a unit",
      { "chats.restore_for": "30" },
      /^chats\.restore_for must be a dur/,
    ],
    ["a number as duration", { "chats.restore_for": 30 }, /^chats\.restore_for must be a dur/],
    ["an infinite duration", { "chats.restore_for": "1e99d" }, /^chats\.restore_for must be/],
    ["too many days", { "chats.restore_for": `${"9".repeat(30)}d` }, /is too large/],
    [
      "an integer with a fraction",
      { "quotas.folders": 1.5 },
      /^quotas\.folders must be an integer/,
    ],
    ["below the minimum", { "quotas.folders": -1 }, /^quotas\.folders .* at least 0/],
    ["above the maximum", { "answers.concurrency": 1_000 }, /^answers\.concurrency .* at most 64/],
    ["an invalid choice", { "server.log_level": "loud" }, /^server\.log_level must be "debug"/],
    ["an invalid size", { "documents.upload_bytes_max": "big" }, /^documents\.upload_bytes_max/],
    ["an invalid boolean", { "audit.reads": "perhaps" }, /^audit\.reads must be a boolean/],
    ["an empty text", { "answers.model": "" }, /^answers\.model must not be empty/],
    ["a text too long", { "answers.model": "m".repeat(9_000) }, /at most 8192 characters/],
    ["an invalid schedule", { "backups.schedule": "at noon" }, /backups\.schedule: "at noon"/],
    ["too many delays", { "webhooks.retry_delays": "1s,2s,3s" }, /webhooks\.retry_delays must be/],
    ["an invalid network", { "metrics.networks": "home" }, /metrics\.networks/],
    [
      "an invalid address",
      { "answers.provider": "openai", "answers.base_url": "ftp://x", "answers.model": "m" },
      /answers\.base_url must start with/,
    ],
    ["an incomplete group", { "answers.provider": "openai" }, /answers\.base_url is required/],
    ["the server's port", { "server.port": 1 }, /^server\.port can't be stored/],
    ["the administrator", { "admin.email": "a@b.c" }, /^admin\.email can't be stored/],
    ["a command to run", { "transcription.command": "sh {input}" }, /can't be stored/],
    ["server directories", { "imports.directories": "/etc" }, /can't be stored/],
    ["private networks", { "webhooks.allow_networks": "10.0.0.0/8" }, /can't be stored/],
    ["one of two", { "quotas.folders": 3, "quotas.chats": "many" }, /^quotas\.chats must be/],
    ["no settings", {}, /at least one setting/],
    ["an invalid, unused address", { "answers.base_url": "x" }, /must be an address/],
    ["leading zeros", { "quotas.folders": "007" }, /must be a whole number from 0 to/],
    ["a duration of zero", { "embeddings.timeout": "0s" }, /^embeddings\.timeout must be a dur/],
  ];
  test.each(cases)("%s", async (_why, changes, says) => {
    const { status, body } = await change(changes);
    expect([status, body.detail]).toEqual([400, expect.stringMatching(says)]);
    for (const setting of Object.keys(changes))
      expect((await stateOf(setting))?.stored ?? null).toBeNull();
  });
  test("a value of a wrong type, naming its field", async () => {
    const { status, body } = await change({ "quotas.folders": { most: 3 } });
    expect([status, body.errors[0].pointer]).toEqual([400, "/quotas.folders"]);
  });
  test("a change by a member, or without a key", async () => {
    const sent = { "quotas.folders": 1 };
    expect((await ada.send("PATCH", "/settings", sent)).status).toBe(403);
    expect((await ada.send("GET", "/settings")).status).toBe(403);
    expect((await server.send("ada", "PATCH", "/settings", sent)).status).toBe(403);
    expect((await server.send(null, "PATCH", "/settings", sent)).status).toBe(401);
  });
});

describe("takes effect at once:", () => {
  test("a quota, and its removal", async () => {
    await change({ "quotas.folders": 1 });
    expect((await server.send("bob", "POST", "/folders", { name: "one" })).status).toBe(201);
    expect((await server.send("bob", "POST", "/folders", { name: "two" })).body).toMatchObject({
      code: "quota_exceeded",
      detail: expect.stringContaining("at most 1 folder,"),
    });
    expect((await change({ "quotas.folders": null })).body[0]).toMatchObject({
      value: null,
      stored: null,
      origin: "default",
    });
    expect((await server.send("bob", "POST", "/folders", { name: "two" })).status).toBe(201);
  });
  test("the largest upload", async () => {
    const { id } = (await server.send("ada", "POST", "/folders", { name: "Uploads" })).body;
    const upload = async () =>
      (
        await server.send(
          "ada",
          "POST",
          `/documents/file?folder_id=${id}&overwrite=true`,
          form("a.txt", "x".repeat(2_000)),
        )
      ).status;
    await change({ "documents.upload_bytes_max": "1KiB" });
    expect(await upload()).toBe(413);
    await change({ "documents.upload_bytes_max": null });
    expect(await upload()).toBe(201);
  });
  test("the environment overrides a stored rate limit, and the response says so", async () => {
    const [state] = (await change({ "rate_limit.requests": 5 })).body;
    expect(state).toMatchObject({
      value: "1000000",
      origin: "DOSSIER_RATE_LIMIT_REQUESTS",
      stored: 5,
      overruled: true,
    });
    await change({ "rate_limit.requests": null });
  });
  test("access to the metrics", async () => {
    const read = (token: string) =>
      server.call(null, "GET", "//metrics", undefined, { authorization: `Bearer ${token}` });
    expect((await read("hush hush")).status).toBe(403);
    await change({ "metrics.token": canary });
    expect((await read(canary)).status).toBe(200);
    expect((await read("another")).status).toBe(401);
    await change({ "metrics.token": null });
    expect((await read(canary)).status).toBe(403);
  });
  test("webhooks per account", async () => {
    await change({ "webhooks.per_account": 3 });
    expect(await stateOf("webhooks.per_account")).toMatchObject({ value: 3, origin: "stored" });
    await change({ "webhooks.per_account": null });
  });
  test("the retry delays of webhooks", async () => {
    for (const delays of ["1s, 2m", ["3s"]]) {
      await change({ "webhooks.retry_delays": delays });
      expect(await stateOf("webhooks.retry_delays")).toMatchObject({
        value: delays,
        origin: "stored",
        problem: null,
      });
    }
    await change({ "webhooks.retry_delays": null });
  });
  test("the log level", async () => {
    expect((await change({ "server.log_level": "debug" })).body[0].value).toBe("debug");
    await change({ "server.log_level": null });
  });
  onSqlite("backups").test("the schedule of backups", async () => {
    const next = async () => (await admin.send("GET", "/backups")).body.next_at;
    expect(await next()).toBeNull();
    await change({ "backups.schedule": "0 3 1 1 *", "backups.keep": 2 });
    expect((await admin.send("GET", "/backups")).body).toMatchObject({
      schedule: "0 3 1 1 *",
      keep: 2,
      overdue: false,
    });
    expect(await next()).toEndWith("-01-01T03:00:00.000Z");
    await change({ "backups.schedule": null, "backups.keep": null });
    expect(await next()).toBeNull();
  });
});

test("a setting that needs a restart says so, and can be reset", async () => {
  expect((await change({ "index.cache": "64MiB" })).body[0]).toMatchObject({
    value: "256MiB",
    stored: "64MiB",
    overruled: false,
    changes: "at start",
    restart_needed: true,
  });
  expect((await change({ "index.cache": null })).body[0].restart_needed).toBe(false);
});

test("a secret is stored encrypted, and never shown", async () => {
  await change({ "answers.api_key": canary });
  expect(await stateOf("answers.api_key")).toMatchObject({
    value: "[secret]",
    stored: "[secret]",
    origin: "stored",
  });
  for (const path of ["/settings", "/system/config"])
    expect((await admin.send("GET", path)).text).not.toContain(canary);
  const rows = await server.store.db.selectFrom("core_settings").selectAll().execute();
  expect(JSON.stringify(rows)).toContain("answers.api_key");
  expect(JSON.stringify(rows)).not.toContain(canary);
  await change({ "answers.api_key": null });
});

test("the audit log has an entry per setting, without values", async () => {
  await change({ "chats.restore_for": "7d", "documents.restore_for": "8d" });
  const { data } = (await admin.send("GET", "/audit?action=changeSettings&per_page=2")).body;
  expect(data.map((entry: any) => [entry.record, entry.actor, entry.outcome]).sort()).toEqual([
    ["chats.restore_for", "grace@dossier.test", "done"],
    ["documents.restore_for", "grace@dossier.test", "done"],
  ]);
  await change({ "chats.restore_for": null, "documents.restore_for": null });
});

test("an administrator's key can change settings through the API", async () => {
  await server.key("grace");
  expect((await server.send("grace", "PATCH", "/settings", { "audit.reads": true })).body).toEqual([
    expect.objectContaining({ setting: "audit.reads", value: true, default: false }),
  ]);
  await server.send("grace", "PATCH", "/settings", { "audit.reads": null });
});

describe("model endpoints", () => {
  const birds = "The heron stands in shallow water. It waits for fish without moving.";
  test("the language model can be turned on, replaced and turned off", async () => {
    const [first, second] = [startProvider(), startProvider()];
    for (const provider of [first, second])
      provider.answerWith(() => says("The heron stands in shallow water [1]."));
    const bob = await person(server, "bob");
    const folder_id = await bob.folder("Birds");
    await bob.text(folder_id, birds);
    const { id } = await bob.create("/chats", { usedFolders: [folder_id] });
    const model = async () => (await bob.ask(id, "Where does the heron stand?")).model;
    expect(await model()).toBe("extractive");
    await change({
      "answers.provider": "openai",
      "answers.base_url": first.base_url,
      "answers.model": "tiny-1",
      "answers.api_key": canary,
    });
    await until(async () => (await model()) === "tiny-1");
    await change({ "answers.base_url": second.base_url, "answers.model": "tiny-2" });
    await until(async () => (await model()) === "tiny-2");
    await change({
      "answers.provider": null,
      "answers.base_url": null,
      "answers.model": null,
      "answers.api_key": null,
    });
    await until(async () => (await model()) === "extractive");
    for (const provider of [first, second]) provider.stop();
  });

  test("the embedder can be turned on, changed, made built-in and turned off", async () => {
    const embedder = startEmbedder({ small: 64, large: 128 });
    const sets = () =>
      server.store.db.selectFrom("index_vector_sets").selectAll().orderBy("id").execute();
    const waiting = async () =>
      (await server.store.db.selectFrom("index_vectors_waiting").selectAll().execute()).length;
    await change({
      "embeddings.provider": null,
      "embeddings.base_url": embedder.url,
      "embeddings.model": "small",
    });
    await until(async () => (await sets()).at(-1)?.dimensions === 64);
    await until(async () => (await waiting()) === 0);
    await change({ "embeddings.model": "large" });
    await until(async () => {
      const rows = await sets();
      return rows.length === 1 && rows[0]!.model === "large" && rows[0]!.serving === 1;
    });
    await change({
      "embeddings.base_url": null,
      "embeddings.model": null,
      "embeddings.provider": "builtin",
    });
    // A busy machine takes a while to compute the vectors.
    await until(async () => {
      const rows = await sets();
      return rows.length === 1 && rows[0]!.dimensions === 384 && rows[0]!.serving === 1;
    }, 120_000);
    await change({ "embeddings.provider": "none" });
    const { status } = await server.send("bob", "POST", "/search", { query: "heron" });
    expect([status, (await server.send(null, "GET", "/health")).body.status]).toEqual([200, "ok"]);
    await embedder.stop();
  }, 180_000);
});
