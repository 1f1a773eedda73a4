/**
 * What the console shows of usage and the server, and what administrators can do about jobs.
 * jobs.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { jsonLog } from "../../core/base/log";
import { LogRing } from "../../core/base/log-ring";
import { definePlugin } from "../../core/plugin/contract";
import { handle, PermanentFailure, job } from "../../core/jobs/contract";
import { t, route } from "../../core/sdk";
import type { DamageFound } from "../../core/store/integrity";
import { probeEndpoint } from "../../core/outbound/endpoint-probe";
import { SystemChecks } from "../../plugins/doctor/contract";
import { UsageCounter } from "../../plugins/console/usage";
import { serverChecks } from "../../plugins/doctor/checks";
import { DamageCheck } from "../../plugins/doctor/damage-check";
import { AllChecks } from "../../plugins/doctor/all-checks";
import { signedIn, type Browser } from "../helpers/browser";
import { expectHas } from "../helpers/contract";
import { scriptedExtractor } from "../helpers/documents";
import { startTestServer, type TestServer } from "../helpers/host";
import { until } from "../helpers/jobs";

/**
 * Jobs that fail for good: one that can be retried, one whose record is retried another way, one
 * with its own way of requeueing.
 */
const Plain = job("failing.plain", t.Object({ text: t.String() }));
const Told = job("failing.told", t.Object({}));
const Revived = job("failing.revived", t.Object({ id: t.String() }));
const happened: string[] = [];
let broken = true;
const failing = definePlugin({
  name: "failing",
  version: "1.0.0",
  routes: {
    start: route.post("/failing", {
      summary: "Start",
      tag: "Failing",
      operation: "startFailing",
      answers: { 204: { description: "Started." } },
    }),
  },
  setup: (ctx) => {
    const fail = async () => {
      if (broken) throw new PermanentFailure("the moon is full");
      happened.push("ran");
    };
    return {
      routes: {
        start: async () => {
          const db = ctx.db;
          await ctx.enqueue(db, Plain, { text: "secret words" }, { subject: "sub_1" });
          await ctx.enqueue(db, Told, {});
          await ctx.enqueue(db, Revived, { id: "rec_1" });
          return new Response(null, { status: 204 });
        },
      },
      jobs: [
        handle(Plain, fail, { attempts_max: 1, timeout_ms: 1_000 }),
        handle(Told, fail, {
          attempts_max: 1,
          timeout_ms: 1_000,
          onExhausted: async () => undefined,
        }),
        handle(Revived, fail, {
          attempts_max: 1,
          timeout_ms: 1_000,
          onExhausted: async () => undefined,
          requeue: async (_tx, { id }) => void happened.push(`revived ${id}`),
        }),
      ],
      fills: [
        {
          slot: SystemChecks,
          value: {
            name: "Moon",
            run: async () => ({ status: "warn", detail: "It is full.", fix: "Wait." }),
          },
        },
        {
          slot: SystemChecks,
          value: {
            name: "Sun",
            run: async () => {
              throw new Error("too bright");
            },
          },
        },
      ],
    };
  },
});

let server: TestServer;
let root: Browser;
beforeAll(async () => {
  server = await startTestServer({
    plugins: [failing, scriptedExtractor().plugin],
    env: {
      DOSSIER_QUOTAS_FOLDERS: "7",
      DOSSIER_QUOTAS_STORAGE: "1MiB",
      DOSSIER_ADMIN_EMAIL: "boss@example.com",
      DOSSIER_ADMIN_PASSWORD: "a very secret password",
    },
  });
  root = await signedIn(server, "root", { role: "admin" });
});

describe("usage", () => {
  test("counts a user's own requests, documents and answers only", async () => {
    const ada = await signedIn(server, "ada");
    const { body: folder } = await server.send("ada", "POST", "/folders", { name: "One" });
    await server.send("ada", "POST", "/documents", {
      folder_id: folder.id,
      content: "x".repeat(1_000),
    });
    await ada.send("POST", "/documents", { folder_id: folder.id, content: "y".repeat(24) });
    const { body: chat } = await ada.send("POST", "/chats", { usedFolders: [folder.id] });
    await ada.send("POST", `/chats/${chat.id}/messages`, { text: "Why?" });
    await server.send("ada", "GET", "/nowhere");
    await server.send(null, "GET", "/folders");
    await server.send("eve", "GET", "/folders");
    await server.settle();
    const { body } = await ada.send("GET", "/usage?days=3");
    expect(body.days.map(({ date }: any) => date)).toEqual(
      [2, 1, 0].map((back) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10)),
    );
    expect(body.days.at(-1)).toEqual({
      date: expect.any(String),
      requests: 3,
      console_requests: expect.any(Number),
      answers: 1,
      uploads: 2,
      storage_bytes: 1_024,
    });
    expect(
      body.days
        .slice(0, 2)
        .every((day: any) => day.requests + day.answers + day.uploads + day.storage_bytes === 0),
    ).toBe(true);
    expect(body.storage).toEqual({ bytes: 1_024, documents: 2, folders: 1, chats: 1 });
    expect(body.limits).toEqual({
      folders: 7,
      documents: null,
      chats: null,
      storage_bytes: 1_048_576,
      requests_per_window: 1_000_000,
      window_s: 60,
    });
    // Reading again must not count anything twice.
    expect((await ada.send("GET", "/usage?days=3")).body.days.at(-1)).toMatchObject({
      requests: 3,
      answers: 1,
      uploads: 2,
    });
    expect((await (await signedIn(server, "eve")).send("GET", "/usage")).body.days).toHaveLength(
      30,
    );
  });

  const refused: [string, string][] = [
    ["none", "0"],
    ["too many", "367"],
    ["words", "all"],
  ];
  test.each(refused)("is refused for %s days", async (_why, days) =>
    expect((await root.send("GET", `/usage?days=${days}`)).status).toBe(400),
  );

  test("by day: storage carries over to idle days, and failed writes are retried", async () => {
    let now_ms = Date.UTC(2026, 0, 1, 23, 59);
    let held_bytes = 100;
    let full = false;
    const { db, inTransaction } = server.store;
    const usage = new UsageCounter({
      db,
      now_ms: () => now_ms,
      certain_now_ms: () => now_ms,
      storageOf: async () => held_bytes,
      keep_ms: () => 400 * 24 * 3_600_000,
      log: jsonLog("error", () => {}),
      inTransaction: (work) =>
        full ? Promise.reject(new Error("disk full")) : inTransaction(work),
    });
    const anyRoute = route.get("/folders", { summary: "", tag: "", operation: "x", answers: {} });
    const request = { surface: "api", owner_id: "usr_clock", status: 200, route: null };
    usage.noteRequest(request);
    full = true;
    await usage.flush();
    usage.noteRequest(request);
    usage.noteRequest({ ...request, surface: "console" });
    usage.noteRequest({ ...request, owner_id: null });
    // A protocol request counts once, without the API calls it makes for its caller.
    usage.noteRequest({ ...request, surface: "mcp", route: { ...anyRoute, surface: "mcp" } });
    usage.noteRequest({ ...request, surface: "mcp", route: anyRoute });
    full = false;
    await usage.flush();
    now_ms += 3 * 86_400_000;
    held_bytes = 40;
    usage.noteChange({ owner_id: "usr_clock", kind: "document", id: "d", action: "created" });
    usage.noteChange({ owner_id: "usr_clock", kind: "document", id: "d", action: "changed" });
    const days = await usage.read("usr_clock", 5);
    expect(
      days.map(({ date, requests, console_requests, uploads, storage_bytes }) => [
        date.slice(5),
        requests,
        console_requests,
        uploads,
        storage_bytes,
      ]),
    ).toEqual([
      ["12-31", 0, 0, 0, 0],
      ["01-01", 3, 1, 0, 100],
      ["01-02", 0, 0, 0, 100],
      ["01-03", 0, 0, 0, 100],
      ["01-04", 0, 0, 1, 40],
    ]);
    // A period that starts after the last change still has the storage from before.
    now_ms += 86_400_000;
    expect((await usage.read("usr_clock", 1))[0]).toMatchObject({ requests: 0, storage_bytes: 40 });
  });
});

describe("the system", () => {
  test("shows version, checks, storage, jobs and plugins", async () => {
    let body: any;
    // The first check of the whole database may take longer than the page waits.
    await until(
      async () => ({ body } = await root.send("GET", "/system")).body.checks[0].status !== "warn",
    );
    expectHas(body, {
      version: expect.any(String),
      uptime_s: expect.any(Number),
      storage: {
        database_bytes: expect.any(Number),
        files_bytes: expect.any(Number),
        free_bytes: expect.any(Number),
      },
      jobs: { ready: expect.any(Number), running: expect.any(Number), failed: expect.any(Number) },
    });
    expect(body.storage.database_bytes).toBeGreaterThan(10_000);
    const by_name = Object.fromEntries(body.checks.map(({ name, ...check }: any) => [name, check]));
    expect(Object.keys(by_name)).toEqual([
      "Database",
      "References",
      "Disk",
      "Data directory",
      "Permissions",
      "Tables",
      "Clock",
      "Jobs",
      "Plugins",
      "Responsiveness",
      ...Object.keys(by_name).slice(10, -2),
      "Moon",
      "Sun",
    ]);
    expectHas(by_name, {
      Database: { status: "ok" },
      "Data directory": { status: "ok" },
      Tables: { status: "ok" },
      Plugins: { status: "ok" },
      Moon: { status: "warn", detail: "It is full.", fix: "Wait." },
      Sun: { status: "fail", detail: expect.stringContaining("too bright") },
    });
    expect(body.plugins.find(({ name }: any) => name === "folders")).toEqual({
      name: "folders",
      version: "1.0.0",
      built_in: true,
      file: null,
      status: "loaded",
      reason: null,
    });
  });

  test("lists the processes on the database, here only one", async () => {
    const { nodes, version } = (await root.send("GET", "/system")).body;
    expect(nodes).toEqual([
      expect.objectContaining({ role: "all", status: "up", here: true, pid: process.pid, version }),
    ]);
    expect(Date.parse(nodes[0].started_at)).toBeLessThanOrEqual(Date.parse(nodes[0].seen_at));
  });
  test("shows the effective settings, without secrets", async () => {
    const { body, text } = await root.send("GET", "/system/config");
    const of = (name: string) => body.find((section: any) => section.name === name);
    expect([of("quotas.folders"), of("server.port"), of("admin.password")]).toEqual([
      { name: "quotas.folders", value: "7", origin: "DOSSIER_QUOTAS_FOLDERS" },
      { name: "server.port", value: "4780", origin: "default" },
      { name: "admin.password", value: "[secret]", origin: "DOSSIER_ADMIN_PASSWORD" },
    ]);
    expect(text).not.toContain("very secret");
  });

  test("shows the newest log lines, of a level and above", async () => {
    const ring = new LogRing();
    const log = jsonLog("debug", (line) => ring.add(line));
    for (let n = 0; n < 1_500; n++) log.debug(`line ${n}`);
    log.warn("a warning", { document_id: "doc_1" });
    log.error("a fault with dsk_0123456789abcdef");
    expect(ring.read("debug", 10_000)).toHaveLength(1_000);
    expect(ring.read("debug", 3).map(({ message }) => message)).toEqual([
      "a fault with dsk_[secret]",
      "a warning",
      "line 1499",
    ]);
    expect(ring.read("warn", 10).map(({ level, fields }) => [level, fields])).toEqual([
      ["error", {}],
      ["warn", { document_id: "doc_1" }],
    ]);
    const { status, body } = await root.send("GET", "/system/logs?level=error&limit=5");
    expect([status, Array.isArray(body.data)]).toEqual([200, true]);
    for (const query of ["level=loud", "limit=0", "limit=1001"])
      expect((await root.send("GET", `/system/logs?${query}`)).status).toBe(400);
  });

  const facts: [string, object, string, "ok" | "warn" | "fail", RegExp][] = [
    [
      "a damaged database",
      {
        findDamage: async () => ({
          problems: ["Tree 4 page 7: btreeInitPage() returns error code 11"],
          next: null,
        }),
      },
      "Database",
      "fail",
      /damaged: Tree 4/,
    ],
    [
      "a failed check of the database",
      {
        findDamage: async () => {
          throw new Error("no memory");
        },
      },
      "Database",
      "fail",
      /no memory/,
    ],
    ["a full disk", { operations: { storageFull: () => true } }, "Disk", "fail", /full/],
    [
      "a directory that isn't writable",
      { paths: { data: "/", temporary: "/proc/nothing" } },
      "Data directory",
      "fail",
      /can be written/,
    ],
    [
      "jobs that nothing runs",
      {
        operations: {
          intakePaused: () => false,
          jobs: {
            count: async () => ({ ready: 3, running: 0, failed: 0 }),
            list: async () => ({ rows: [{ run_at: 0 }], total: 1 }),
          },
        },
      },
      "Jobs",
      "fail",
      /none is running/,
    ],
    [
      "jobs that failed",
      {
        operations: {
          intakePaused: () => false,
          jobs: {
            count: async () => ({ ready: 0, running: 0, failed: 2 }),
            list: async () => ({ rows: [], total: 0 }),
          },
        },
      },
      "Jobs",
      "warn",
      /2 jobs have failed/,
    ],
    [
      "a plugin that was not loaded",
      {
        operations: {
          plugins: async () => [{ name: "odd", status: "left_out", reason: "it can't be read" }],
        },
      },
      "Plugins",
      "warn",
      /odd: it can't be read/,
    ],
    [
      "a server that stalled",
      { operations: { stalls: () => ({ max_ms: 1_500, p99_ms: 3 }) } },
      "Responsiveness",
      "warn",
      /1500 ms/,
    ],
  ];
  test.each(facts)("reports %s", async (_why, change: any, name, status, detail) => {
    const operations = {
      storageFull: () => false,
      plugins: async () => [],
      stalls: () => ({ max_ms: 0, p99_ms: 0 }),
      schema: async () => ({ steps: 1, last: "core/0001", applied_at: "" }),
      jobs: {
        count: async () => ({ ready: 0, running: 0, failed: 0 }),
        list: async () => ({ rows: [], total: 0 }),
        newest: async () => null,
      },
      ...change.operations,
    };
    const now_ms = () => 3_600_000;
    const findDamage = async () => ({ problems: [], next: null, tables: 1, tables_done: 1 });
    const damage = new DamageCheck({ now_ms, findDamage, ...change });
    const checks = new AllChecks({
      now_ms,
      of_core: serverChecks({
        operations,
        paths: { data: "/", temporary: server.data },
        now_ms,
        damage: () => damage.run(),
        findDanglingRows: async () => [],
        ...change,
        ...(change.operations ? { operations } : {}),
      }),
      of_plugins: () => [],
    });
    expect((await checks.overview()).find((check) => check.name === name)).toMatchObject({
      status,
      detail: expect.stringMatching(detail),
      fix: change.findDamage && !/damaged/.test(detail.source) ? null : expect.any(String),
    });
  });

  test("shows the last result and the progress while the database is checked again", async () => {
    let at_ms = 0;
    const steps: ((found: DamageFound) => void)[] = [];
    const check = new DamageCheck({
      now_ms: () => at_ms,
      findDamage: () => new Promise((resolve) => steps.push(resolve)),
    });
    const next = { table: "a", row: 7 };
    expect(await check.run()).toMatchObject({
      status: "ok",
      detail: expect.stringMatching(/for the first time/),
    });
    steps[0]!({ problems: [], next, tables_done: 1, tables: 3 });
    await until(async () => steps.length === 2);
    expect((await check.run()).detail).toMatch(/: 1 of 3 tables so far/);
    steps[1]!({ problems: [], next: null, tables_done: 3, tables: 3 });
    await until(async () => (await check.run()).detail.includes("no damage was found"));
    at_ms += 29 * 60_000;
    expect((await check.run()).detail).not.toMatch(/again/);
    at_ms += 2 * 60_000;
    const second_result = await check.run();
    expect([second_result.status, second_result.detail, steps.length]).toEqual([
      "ok",
      expect.stringMatching(/no damage was found\. It is being read again/),
      3,
    ]);
  });
});

describe("an endpoint of a model", () => {
  const answers: [string, number | null, "ok" | "warn" | "fail"][] = [
    ["answers", 200, "ok"],
    ["lists no models", 404, "ok"],
    ["refuses the key", 401, "fail"],
    ["refuses the user", 403, "fail"],
    ["fails", 500, "warn"],
    ["can't be reached", null, "fail"],
  ];
  test.each(answers)("that %s", async (_why, status, expected) => {
    using endpoint = Bun.serve({
      port: 0,
      fetch: (request) =>
        new Response("{}", {
          status:
            new URL(request.url).pathname === "/v1/models" &&
            request.headers.get("authorization") === "Bearer k"
              ? (status ?? 200)
              : 418,
        }),
    });
    const base_url = `http://127.0.0.1:${endpoint.port}/v1`;
    if (status === null) await endpoint.stop(true);
    expect(await probeEndpoint({ base_url, api_key: "k", section: "answers" })).toMatchObject({
      status: expected,
      detail: expect.stringContaining("127.0.0.1"),
    });
  });
});

describe("jobs", () => {
  const list = async (state: string) =>
    (await root.send("GET", `/system/jobs?state=${state}&per_page=200`)).body.data as any[];
  const failed = async (name: string) => (await list("failed")).find((job) => job.name === name);
  test("that failed for good are listed with the reason, without their payload", async () => {
    await server.send("ada", "POST", "/failing");
    await until(async () => (await list("failed")).length === 3);
    const { body, text } = await root.send("GET", "/system/jobs");
    expect(body.pagination.total).toBe(3);
    expect(body.data.find((job: any) => job.name === "failing.plain")).toEqual({
      id: expect.stringMatching(/^job_/),
      plugin: "failing",
      name: "failing.plain",
      state: "failed",
      attempts: 1,
      attempts_max: 1,
      error: "the moon is full",
      run_at: expect.any(String),
      created_at: expect.any(String),
      finished_at: expect.any(String),
      subject: "sub_1",
      request_id: expect.stringMatching(/^req_/),
      retriable: true,
    });
    expect(text).not.toContain("secret words");
    expect((await failed("failing.told")).retriable).toBe(false);
    for (const state of ["ready", "running", "done", "cancelled"])
      expect(Array.isArray(await list(state))).toBe(true);
  });
  test("run again once when retried", async () => {
    broken = false;
    const { id } = await failed("failing.plain");
    expect((await root.send("POST", `/system/jobs/${id}/retry`)).status).toBe(204);
    await until(
      async () => happened.includes("ran") && (await list("done")).some((job) => job.id === id),
    );
    expect(await root.send("POST", `/system/jobs/${id}/retry`)).toMatchObject({
      status: 409,
      body: { code: "not_failed" },
    });
  });
  test("whose record has another way to retry are refused", async () => {
    const { id } = await failed("failing.told");
    expect(await root.send("POST", `/system/jobs/${id}/retry`)).toMatchObject({
      status: 409,
      body: { code: "not_retriable" },
    });
  });
  test("with their own way of requeueing use it", async () => {
    const { id } = await failed("failing.revived");
    expect((await root.send("POST", `/system/jobs/${id}/retry`)).status).toBe(204);
    expect(happened).toContain("revived rec_1");
    expect((await list("cancelled")).some((job) => job.id === id)).toBe(true);
  });
  test("that index a document requeue it, unless it was replaced or deleted", async () => {
    const { body: folder } = await server.send("ada", "POST", "/folders", { name: "Broken" });
    const form = new FormData();
    form.append("file", new Blob(["#!throw\ntext"]), "broken.txt");
    const { body: document } = await server.send(
      "ada",
      "POST",
      `/documents/file?folder_id=${folder.id}`,
      form,
    );
    const status = async () =>
      (await server.send("ada", "GET", `/documents/${document.id}?content=false`)).body.status;
    const give_up = async () => {
      // Skips the pauses between attempts.
      await until(async () => {
        await server.store.db
          .updateTable("core_jobs")
          .set({ run_at: 0 })
          .where("state", "=", "ready")
          .where("subject", "=", document.id)
          .execute();
        return (await status()) === "sync_failed";
      });
      return (await list("failed")).find((job) => job.subject === document.id && job.retriable);
    };
    const first = await give_up();
    expect(first).toMatchObject({ plugin: "documents", attempts: 3, retriable: true });
    expect((await root.send("POST", `/system/jobs/${first.id}/retry`)).status).toBe(204);
    expect((await list("cancelled")).some(({ id }) => id === first.id)).toBe(true);
    const second_result = await give_up();
    expect(second_result.id).not.toBe(first.id);
    await server.send("ada", "DELETE", `/folders/${folder.id}`);
    await server.settle();
    expect(await root.send("POST", `/system/jobs/${second_result.id}/retry`)).toMatchObject({
      status: 409,
      body: { code: "not_retriable" },
    });
  });
  test("are counted by kind and reason, and can all be retried at once", async () => {
    const kind = async (name: string) =>
      (await root.send("GET", "/system/job-kinds")).body.find((kind: any) => kind.name === name);
    broken = true;
    const { failed: before = 0 } = (await kind("failing.plain")) ?? {};
    for (const _ of [1, 2]) await server.send("ada", "POST", "/failing");
    await until(async () => (await kind("failing.plain"))?.failed === before + 2);
    expect(await kind("failing.plain")).toMatchObject({
      plugin: "failing",
      ready: 0,
      reasons: [{ error: "the moon is full", jobs: before + 2 }],
    });
    broken = false;
    const retry = (name: string) =>
      root.send("POST", "/system/job-kinds/retry", { plugin: "failing", name });
    expect((await retry("failing.plain")).body).toMatchObject({
      retried: before + 2,
      left: 0,
      more: false,
    });
    await until(async () => ((await kind("failing.plain"))?.failed ?? 0) === 0);
    const failed_jobs = (await kind("failing.told")).failed;
    expect((await retry("failing.told")).body).toMatchObject({
      retried: 0,
      left: failed_jobs,
      more: false,
    });
    expect((await kind("failing.told")).failed).toBe(failed_jobs);
    expect((await retry("failing.none")).body).toMatchObject({ retried: 0, left: 0, more: false });
    const ada = await signedIn(server, "ada");
    expect((await ada.send("GET", "/system/job-kinds")).status).toBe(403);
    expect(
      (await ada.send("POST", "/system/job-kinds/retry", { plugin: "a", name: "b" })).status,
    ).toBe(403);
  });
  test("that don't exist are not found", async () =>
    expect((await root.send("POST", "/system/jobs/job_none/retry")).status).toBe(404));
  test("that failed lose their payload when their record is deleted", async () => {
    broken = true;
    await server.send("ada", "POST", "/failing");
    await until(async () => (await failed("failing.plain")) !== undefined);
    const { id } = await failed("failing.plain");
    const payload = async () =>
      (
        await server.store.db
          .selectFrom("core_jobs")
          .select("payload")
          .where("id", "=", id)
          .executeTakeFirstOrThrow()
      ).payload;
    expect(await payload()).toContain("secret words");
    await server.host.queue.cancelJobs(server.store.db, ["sub_1"]);
    expect(await payload()).toBe("");
    expect(await root.send("POST", `/system/jobs/${id}/retry`)).toMatchObject({
      status: 409,
      body: { code: "not_retriable" },
    });
  });
});
