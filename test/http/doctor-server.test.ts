/**
 * The doctor's checks of the machine and the running server, each shown failing and then fixed. The
 * checks of stored data are in doctor.test.ts, that of a damaged database in
 * test/acceptance/doctor.test.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { jsonLog } from "../../core/base/log";
import { StallMeter } from "../../core/base/stall-meter";
import { definePlugin, handle, job, PermanentFailure, t, type Context } from "../../core/sdk";
import { serverChecks } from "../../plugins/doctor/checks";
import { Doctors, type Checked } from "../../plugins/doctor/contract";
import { can_mount, mountSmallDisk } from "../../scripts/lib/small-disk";
import { signedIn, type Browser } from "../helpers/browser";
import { onSqlite } from "../helpers/databases";
import { startTestServer, type TestServer } from "../helpers/host";
import { until } from "../helpers/server";

const Fragile = job("ailing.work", t.Object({}));
/** What is wrong with the plugin, as set by a case. */
const ailing = { health: "", job: false };
let ctx: Context;
const plugin = definePlugin({
  name: "ailing",
  version: "1.0.0",
  setup: (context) => {
    ctx = context as unknown as Context;
    return {
      health: async () => (ailing.health === "" ? "ok" : { failing: ailing.health }),
      jobs: [
        handle(
          Fragile,
          async () => {
            if (ailing.job) throw new PermanentFailure("the valve is stuck");
          },
          { attempts_max: 1, timeout_ms: 5_000 },
        ),
      ],
    };
  },
});
/** A model and an embedder, as far as the checks need them. */
const model = { status: 200 };
const endpoint = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () => Response.json({ data: [] }, { status: model.status }),
});
const base_url = `http://127.0.0.1:${endpoint.port}/v1`;

let server: TestServer;
let root: Browser;
beforeAll(async () => {
  server = await startTestServer({
    plugins: [plugin],
    env: {
      DOSSIER_ANSWERS_PROVIDER: "openai",
      DOSSIER_ANSWERS_BASE_URL: base_url,
      DOSSIER_ANSWERS_MODEL: "m",
      DOSSIER_EMBEDDINGS_BASE_URL: base_url,
      DOSSIER_EMBEDDINGS_MODEL: "e",
    },
  });
  root = await signedIn(server, "root", { role: "admin" });
});
afterAll(async () => {
  await server.stop();
  await endpoint.stop(true);
});

async function check(name: string, of = server): Promise<Checked> {
  for await (const checked of of.host.slot(Doctors)[0]!.examine())
    if (checked.name === name) return checked;
  throw new Error(`there is no check ${name}`);
}
const ok = { status: "ok", fix: null, mendable: false };
const inBackups = (...names: string[]): string => join(server.data, "backups", ...names);
const asideNames = (): string[] =>
  readdirSync(inBackups())
    .filter((name) => name.endsWith("-rolled-back.db"))
    .toSorted();

interface Case {
  readonly check: string;
  readonly because: string;
  readonly spoil: () => unknown;
  readonly status: "warn" | "fail";
  readonly says: RegExp;
  readonly mend: () => unknown;
}
const answers = (name: string): readonly Case[] => [
  {
    check: name,
    because: "it refuses the key",
    spoil: () => (model.status = 401),
    status: "fail",
    says: /127\.0\.0\.1:\d+ requires an API key \(401\)/,
    mend: () => (model.status = 200),
  },
  {
    check: name,
    because: "it answers with an error",
    spoil: () => (model.status = 503),
    status: "warn",
    says: /responds with status 503/,
    mend: () => (model.status = 200),
  },
];
const cases: readonly Case[] = [
  {
    check: "Data directory",
    because: "no file can be written",
    spoil: () => {
      renameSync(join(server.data, "tmp"), join(server.data, "tmp-away"));
      writeFileSync(join(server.data, "tmp"), "");
    },
    status: "fail",
    says: /No file can be written to the data directory: ENOTDIR/,
    mend: () => {
      rmSync(join(server.data, "tmp"));
      renameSync(join(server.data, "tmp-away"), join(server.data, "tmp"));
    },
  },
  {
    check: "Jobs",
    because: "one is overdue, and none runs",
    spoil: async () => {
      await server.settle();
      await server.store.db
        .insertInto("core_jobs")
        .values({
          id: "job_0",
          plugin: "nobody",
          name: "nobody.work",
          payload: "{}",
          owner: "o",
          lane: "l",
          lane_max: 1,
          priority: 0,
          state: "ready",
          crashes: 0,
          run_at: Date.now() - 3_600_000,
          attempts: 0,
          attempts_max: 1,
          created_at: 0,
        })
        .execute();
    },
    status: "fail",
    says: /Jobs are overdue by 60 minutes, and none is running/,
    mend: () => server.store.db.deleteFrom("core_jobs").where("id", "=", "job_0").execute(),
  },
  {
    check: "Jobs",
    because: "one has failed for good",
    spoil: async () => {
      ailing.job = true;
      await ctx.enqueue(ctx.db, Fragile, {});
      await server.settle();
    },
    status: "warn",
    says: /1 job has failed permanently/,
    mend: async () => {
      ailing.job = false;
      const [failed] = (await root.send("GET", "/system/jobs?state=failed")).body.data;
      expect(failed.error).toBe("the valve is stuck");
      expect((await root.send("POST", `/system/jobs/${failed.id}/retry`)).status).toBe(204);
      await server.settle();
    },
  },
  {
    check: "Plugins",
    because: "one reports a failure",
    spoil: () => (ailing.health = "The moon is full."),
    status: "warn",
    says: /ailing: The moon is full\./,
    mend: () => (ailing.health = ""),
  },
  ...answers("Language model"),
  ...answers("Embeddings"),
  {
    check: "Copies",
    because: "a restore was interrupted an hour ago",
    spoil: () => {
      const path = join(server.data, ".restoring");
      mkdirSync(path);
      const at = new Date(Date.now() - 7_200_000);
      utimesSync(path, at, at);
    },
    status: "warn",
    says: /interrupted restore or rollback left .*\.restoring/,
    mend: () => root.send("POST", "/system/checks/copies/mend"),
  },
  {
    check: "Copies",
    because: "rollbacks left too many",
    spoil: () => {
      for (const day of ["01", "02", "03", "04", "05"])
        for (const end of ["", "-wal"])
          writeFileSync(inBackups(`209901${day}T000000Z-rolled-back.db${end}`), "");
    },
    status: "warn",
    says: /5 set aside by rollbacks/,
    mend: () => root.send("POST", "/system/checks/copies/mend"),
  },
];

describe("a check", () => {
  test.each(cases.map((one) => [`${one.check}: ${one.because}`, one] as const))(
    "fails and passes again after the fix: %s",
    async (_why, { check: name, spoil, status, says, mend }) => {
      expect(await check(name)).toMatchObject({ status: "ok" });
      await spoil();
      const found = await check(name);
      await mend();
      expect([found.status, typeof found.fix]).toEqual([status, "string"]);
      expect(found.detail).toMatch(says);
      expect(await check(name)).toMatchObject(ok);
    },
  );

  test("Copies: the fix keeps the newest three with their logs, and nothing else", () => {
    expect(asideNames()).toEqual([
      "20990103T000000Z-rolled-back.db",
      "20990104T000000Z-rolled-back.db",
      "20990105T000000Z-rolled-back.db",
    ]);
    expect(readdirSync(inBackups()).filter((name) => name.endsWith("-wal"))).toHaveLength(3);
    expect(existsSync(join(server.data, ".restoring"))).toBe(false);
  });

  test("Responsiveness: the server stalled, and recovers after a minute", async () => {
    let now_ms = 1_000;
    const meter = new StallMeter(
      jsonLog("error", () => {}),
      () => now_ms,
    );
    const [responsiveness] = serverChecks({
      operations: { stalls: () => meter.lastMinute() },
    } as unknown as Parameters<typeof serverChecks>[0]).filter(
      ({ name }) => name === "Responsiveness",
    );
    expect(await responsiveness!.run()).toMatchObject({ status: "ok", fix: null });
    meter.start();
    now_ms += 2_500;
    meter.begin("GET /slow");
    expect(await responsiveness!.run()).toMatchObject({
      status: "warn",
      detail: expect.stringMatching(/was blocked for at most 1500 ms/),
      fix: expect.any(String),
    });
    meter.stop();
    now_ms += 60_001;
    expect(await responsiveness!.run()).toMatchObject({ status: "ok", fix: null });
  });
});

describe.skipIf(!can_mount)("Disk", () => {
  onSqlite("disks").test("is almost full, then full, then has room again", async () => {
    using disk = mountSmallDisk(620);
    const data = join(disk.path, "data");
    mkdirSync(data);
    await using small = await startTestServer({ data });
    expect(await check("Disk", small)).toMatchObject(ok);
    await small.key("ada");
    disk.fill(200 * 2 ** 20);
    expect(await check("Disk", small)).toMatchObject({
      status: "warn",
      detail: expect.stringMatching(/The disk is almost full\. 0\.2 GiB are free/),
      fix: expect.any(String),
    });
    disk.fill();
    const { status } = await small.send("ada", "POST", "/folders", { name: "One" });
    expect(status).toBe(507);
    expect(await check("Disk", small)).toMatchObject({
      status: "fail",
      detail: expect.stringMatching(/The disk is full, and nothing new can be saved/),
      fix: expect.any(String),
    });
    disk.empty();
    // Free space is checked at intervals only.
    const add = () => small.send("ada", "POST", "/folders", { name: "One" });
    await until(async () => (await add()).status === 201, 20_000);
    await until(async () => (await check("Disk", small)).status === "ok", 20_000);
    expect(await check("Disk", small)).toMatchObject(ok);
  });
});
