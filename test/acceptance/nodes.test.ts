/** Several processes on one PostgreSQL database, which this test starts. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { SQL } from "bun";
import { jsonLog } from "../../core/base/log";
import { every, handle, job } from "../../core/jobs/contract";
import { CronSchedules } from "../../core/jobs/cron";
import { JobQueue } from "../../core/jobs/queue";
import { coreSchema } from "../../core/plugin/migrations";
import { migrate } from "../../core/store/migrator";
import { PostgresStore } from "../../core/store/postgres/postgres-store";
import { SharedNotifier } from "../../core/store/shared-notifier";
import { runCommand } from "../../scripts/lib/launch";
import { temporaryDirectory } from "../helpers/data-directory";
import { startExecutable, type Executable } from "../helpers/executable";
import { movableClock, type MovableClock } from "../helpers/jobs";
import { startPostgresForSuite, describeOnPostgres } from "../helpers/postgres-suite";
import { until } from "../helpers/server";

describeOnPostgres("several processes on one PostgreSQL", () => {
  const { newDatabase } = startPostgresForSuite();

  describe("jobs of several processes", () => {
    const Work = job("test.work", Type.Object({ name: Type.String() }));
    const limits = { attempts_max: 3, timeout_ms: 60_000 };
    interface Node extends AsyncDisposable {
      readonly store: PostgresStore;
      readonly queue: JobQueue;
    }
    const log = jsonLog("error", () => undefined);

    /** Each acts like a process, with its own connections, queue and notifier. */
    async function nodes(count: number, clock: MovableClock): Promise<Node[]> {
      const url = await newDatabase();
      const started: Node[] = [];
      for (let n = 0; n < count; n++) {
        const options = { url, connections: 3, statement_ms_max: 30_000 };
        const store = new PostgresStore({ ...options, log, data: temporaryDirectory() });
        await store.open();
        if (n === 0) await migrate(store, [coreSchema], clock, { backups: null, log });
        const notifier = new SharedNotifier(store);
        await notifier.listen();
        const queue = new JobQueue({ store, clock, log, notifier, node_id: `node_${n}` });
        started.push({
          store,
          queue,
          async [Symbol.asyncDispose]() {
            await queue.drain(1_000);
            await store.close();
          },
        });
      }
      return started;
    }

    test("never exceed their limits when all processes claim at once", async () => {
      const [a, b, c] = (await nodes(3, movableClock())) as [Node, Node, Node];
      await using stack = new AsyncDisposableStack();
      const most = new Map<string, number>();
      const now = new Map<string, number>();
      const ran: string[] = [];
      const count = (what: string, by: number): void => {
        now.set(what, (now.get(what) ?? 0) + by);
        most.set(what, Math.max(most.get(what) ?? 0, now.get(what)!));
      };
      for (const node of [a, b, c]) {
        stack.use(node);
        const run = async ({ name }: { name: string }): Promise<void> => {
          const lane = name.split(" ")[0]!;
          for (const what of ["all", lane]) count(what, 1);
          await Bun.sleep(1);
          for (const what of ["all", lane]) count(what, -1);
          ran.push(name);
        };
        node.queue.register("test", handle(Work, run, { ...limits, concurrency: 5 }));
        await node.queue.start();
      }
      const names: string[] = [];
      for (let n = 0; n < 120; n++) {
        const [lane, lane_max] = n % 3 === 0 ? ["narrow", 1] : ["wide", 4];
        names.push(`${lane} ${n}`);
        const at = [a, b, c][n % 3]!;
        await at.store.inTransaction((tx) =>
          at.queue.enqueue(
            tx,
            Work,
            { name: `${lane} ${n}` },
            { queue: lane, queue_concurrency: lane_max, priority: n % 7 },
          ),
        );
      }
      await until(() => ran.length >= names.length);
      expect(ran.toSorted()).toEqual(names.toSorted());
      expect(most.get("narrow")).toBe(1);
      expect(most.get("wide")).toBeLessThanOrEqual(4);
      expect(most.get("all")).toBeLessThanOrEqual(5);
    }, 120_000);

    test("of a dead process run once in another after the lease", async () => {
      const clock = movableClock();
      const [a, b] = (await nodes(2, clock)) as [Node, Node];
      const begun: string[] = [];
      const signals: AbortSignal[] = [];
      const hang = Promise.withResolvers<void>();
      const effects: string[] = [];
      const runOn =
        (who: string, wait: Promise<void>) =>
        async (_: unknown, { signal }: { signal: AbortSignal }) => {
          begun.push(who);
          signals.push(signal);
          await wait;
          return async () => void effects.push(who);
        };
      a.queue.register("test", handle(Work, runOn("a", hang.promise), limits));
      b.queue.register("test", handle(Work, runOn("b", Promise.resolve()), limits));
      await a.queue.enqueue(a.store.db, Work, { name: "one" });
      const on_a = a.queue.runDue();
      await until(() => begun.length === 1);
      // The lease of the first has not expired yet.
      await b.queue.start(["node_2"]);
      await b.queue.runDue();
      expect(begun).toEqual(["a"]);
      clock.pass(16_000);
      await b.queue.runDue();
      expect(begun).toEqual(["a", "b"]);
      hang.resolve();
      await on_a;
      expect(effects).toEqual(["b"]);
      // A job of a process known to be gone continues as soon as another process starts.
      await a.queue.enqueue(a.store.db, Work, { name: "two" });
      await b.store.db
        .updateTable("core_jobs")
        .set({ state: "running", lease_token: "node_0.x", lease_until: clock.now_ms() + 9_000 })
        .where("state", "=", "ready")
        .execute();
      await b.queue.start(["node_0"]);
      await until(() => begun.length === 3);
      await b[Symbol.asyncDispose]();
      await a[Symbol.asyncDispose]();
    }, 120_000);

    test("keep their lease while all reads of their process are blocked", async () => {
      const clock = movableClock();
      const [a, b] = (await nodes(2, clock)) as [Node, Node];
      await using _a = a;
      await using _b = b;
      const begun: string[] = [];
      for (const [who, { queue }] of [
        ["a", a],
        ["b", b],
      ] as const) {
        const run = (_: unknown, { signal }: { signal: AbortSignal }) => {
          begun.push(who);
          return new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        };
        queue.register("test", handle(Work, run, limits));
      }
      await a.queue.start();
      await a.queue.enqueue(a.store.db, Work, { name: "long" });
      await until(() => begun.length === 1);
      const leaseEnd = async (): Promise<number> =>
        (await b.store.db.selectFrom("core_jobs").select("lease_until").executeTakeFirst())!
          .lease_until;
      const waiting = Array.from({ length: 3 }, () => a.store.reads.all("select pg_sleep(8)"));
      // The first renewal may date from before the reads were blocked.
      for (let times = 0; times < 2; times++) {
        const before = await leaseEnd();
        clock.pass(5_000);
        await until(async () => (await leaseEnd()) > before, 3_000);
      }
      clock.pass(12_000);
      await b.queue.runDue();
      expect(begun).toEqual(["a"]);
      await Promise.all(waiting);
    }, 120_000);

    test("run each tick of a schedule once", async () => {
      const clock = movableClock(Date.UTC(2026, 0, 5, 12) - 200);
      const started = await nodes(3, clock);
      const ran: string[] = [];
      const schedules = started.map(({ queue, store }) => {
        const run = async ({ name }: { name: string }) => void ran.push(name);
        queue.register("test", handle(Work, run, limits));
        const one = new CronSchedules({ queue, store, log, clock, check_ms_max: 5 });
        one.add(every("* * * * *", Work, { name: "tick" }));
        return one;
      });
      for (let ticks = 1; ticks <= 3; ticks++) {
        clock.pass(60_000);
        const taken = async (): Promise<boolean> => {
          const [row] = await started[0]!.store.db.selectFrom("core_ticks").selectAll().execute();
          return row !== undefined && clock.now_ms() - row.tick_at < 60_000;
        };
        await until(taken);
        for (const { queue } of started) await queue.runDue();
        expect(ran.length).toBe(ticks);
      }
      for (const schedule of schedules) schedule.stop();
      for (const node of started) await node[Symbol.asyncDispose]();
    }, 120_000);

    test("are aborted where they run when cancelled elsewhere", async () => {
      const [a, b] = (await nodes(2, movableClock())) as [Node, Node];
      await using _a = a;
      await using _b = b;
      const aborted = Promise.withResolvers<unknown>();
      const begun = Promise.withResolvers<void>();
      for (const { queue } of [a, b]) {
        const run = (_: unknown, { signal }: { signal: AbortSignal }) =>
          new Promise<void>((resolve) => {
            begun.resolve();
            signal.addEventListener("abort", () => {
              aborted.resolve((signal.reason as { kind: string }).kind);
              resolve();
            });
          });
        queue.register("test", handle(Work, run, limits));
      }
      await a.queue.start();
      await b.queue.enqueue(b.store.db, Work, { name: "x" }, { subject: "doc_1" });
      await begun.promise;
      await b.store.inTransaction((tx) => b.queue.cancelJobs(tx, ["doc_1"]));
      expect(await aborted.promise).toBe("cancelled");
    }, 120_000);
  });

  describe("several servers as one", () => {
    const key = "the key that all of them have, of 32 bytes or more";
    const host = "127.0.0.2";
    const originals = temporaryDirectory();
    let url: string;
    const running: Executable[] = [];
    let api_key: string;
    const start = async (role: string): Promise<Executable> => {
      const server = await startExecutable({
        files: {
          "dossier.toml":
            `[database]\nurl = "${url}"\n[server]\nsecret_key = "${key}"\nrole = "${role}"\n` +
            `[files]\nurl = "file://${originals}"\n[imports]\nallow_networks = ["${host}"]\n` +
            `[metrics]\nnetworks = ["127.0.0.0/8"]\n`,
        },
      });
      running.push(server);
      return server;
    };
    let a: Executable;
    let b: Executable;
    let web: Executable;
    beforeAll(async () => {
      url = await newDatabase();
      [a, b, web] = await Promise.all([start("all"), start("worker"), start("web")]);
      api_key = await a.key("ada");
    }, 120_000);
    afterAll(async () => {
      await Promise.all(running.map((launched) => launched[Symbol.asyncDispose]()));
    });

    const ask = async (
      at: Executable,
      method: string,
      path: string,
      body?: object,
    ): Promise<{ status: number; body: any }> => {
      const response = await fetch(
        `${at.url()}${path.startsWith("//") ? path.slice(1) : `/api/dev/v1${path}`}`,
        {
          method,
          headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
          ...(body && { body: JSON.stringify(body) }),
        },
      );
      const text = await response.text();
      return { status: response.status, body: text === "" ? null : JSON.parse(text) };
    };
    const rows = async (statement: string): Promise<any[]> => {
      const database = new SQL(url, { max: 1 });
      try {
        return [...(await database.unsafe(statement))];
      } finally {
        await database.close();
      }
    };
    const nodesSeen = async (
      at: Executable,
    ): Promise<{ id: string; role: string; here: boolean }[]> =>
      (await ask(at, "GET", "//health")).body.nodes;
    /** The ids of the processes that run a job of this kind. */
    const runnersOf = async (name: string): Promise<string[]> =>
      (
        await rows(`select lease_token from core_jobs where state = 'running' and name = '${name}'`)
      ).map(({ lease_token }) => lease_token.split(".")[0]);

    test("list each other in /health", async () => {
      const seen = await nodesSeen(a);
      expect(seen.map(({ role }) => role).toSorted()).toEqual(["all", "web", "worker"]);
      expect(seen.find(({ here }) => here)!.role).toBe("all");
      expect((await ask(b, "GET", "//ready")).status).toBe(200);
      expect((await ask(b, "GET", "/folders")).status).toBe(404);
    });

    test("give the same results on any node, and the web node runs no jobs", async () => {
      const folder = await ask(web, "POST", "/folders", { name: "House" });
      const text = "# Kettle\n\nThe kettle holds two litres of water.";
      const created = await ask(web, "POST", "/documents", {
        folder_id: folder.body.id,
        name: "House",
        content: text,
      });
      expect(created.status).toBe(201);
      await until(
        async () => (await ask(a, "GET", `/documents/${created.body.id}`)).body.status === "synced",
      );
      for (const server of [a, web]) {
        const found = await ask(server, "POST", "/search", {
          query: "How much water does the kettle hold?",
          folder_ids: [folder.body.id],
        });
        expect(found.body.data[0]?.document_id).toBe(created.body.id);
      }
      const chat = await ask(web, "POST", "/chats", { usedFolders: [folder.body.id] });
      const message = await ask(a, "POST", `/chats/${chat.body.id}/messages`, {
        text: "How much water does the kettle hold?",
      });
      const path = `/chats/${chat.body.id}/messages/${message.body.requestId}`;
      let answer: any;
      await until(async () => (answer = await ask(web, "GET", path)).body.status === "COMPLETED");
      expect(answer.body.result.citations[0].quote).toContain("two litres");
      expect(web.output()).not.toContain('"job":');
    }, 120_000);

    test("share settings at once and require the same key and originals", async () => {
      await a.mustCli(["config", "set", "jobs.pause_intake", "true"]);
      const intake = async (at: Executable) => (await ask(at, "GET", "//health")).body.intake;
      for (const server of [a, b, web])
        await until(async () => (await intake(server)) === "paused");
      await a.mustCli(["config", "set", "jobs.pause_intake", "false"]);
      for (const server of [a, b, web]) await until(async () => (await intake(server)) === "open");
      const data = temporaryDirectory();
      await Bun.write(`${data}/dossier.toml`, `[database]\nurl = "${url}"\n`);
      const { code, stderr } = await runCommand(data, ["serve", "--port", "0"]);
      expect([code, stderr]).toEqual([1, expect.stringContaining("a different key")]);
      const settings = `[database]\nurl = "${url}"\n[server]\nsecret_key = "${key}"\n`;
      await Bun.write(`${data}/dossier.toml`, settings);
      const alone = await runCommand(data, ["serve", "--port", "0"]);
      expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining("files.url")]);
    }, 120_000);

    /** A page that is answered only when the test says so. */
    const slowSite = () => {
      let request_count = 0;
      let broken_off = 0;
      const open = Promise.withResolvers<void>();
      const site = Bun.serve({
        hostname: host,
        port: 0,
        idleTimeout: 0,
        async fetch(request) {
          if (request.url.endsWith("/robots.txt")) return new Response(null, { status: 404 });
          request_count += 1;
          request.signal.addEventListener("abort", () => (broken_off += 1));
          await open.promise;
          return new Response("<main><p>A slow page.</p></main>", {
            headers: { "content-type": "text/html" },
          });
        },
      });
      return {
        url: `http://${host}:${site.port}/page`,
        asked: () => request_count,
        brokenOff: () => broken_off,
        answer: () => open.resolve(),
        [Symbol.dispose]: () => void site.stop(true),
      };
    };
    const importOf = async (at: Executable, page: string): Promise<string> => {
      const folder = await ask(at, "POST", "/folders", { name: crypto.randomUUID() });
      const source = { type: "urls", urls: [page] };
      const created = await ask(at, "POST", "/imports", { folder_id: folder.body.id, source });
      expect(created.status).toBe(202);
      return created.body.id;
    };
    const serverOf = async (node_id: string): Promise<Executable> => {
      for (const server of [a, b])
        if ((await nodesSeen(server)).some(({ id, here }) => here && id === node_id)) return server;
      throw new Error(`nobody is ${node_id}`);
    };

    test("cancel work that another node runs", async () => {
      using site = slowSite();
      const id = await importOf(web, site.url);
      await until(() => site.asked() === 1);
      expect((await ask(web, "POST", `/imports/${id}/cancel`)).status).toBe(202);
      await until(() => site.brokenOff() === 1);
      expect((await ask(a, "GET", `/imports/${id}`)).body.status).toBe("cancelled");
    }, 120_000);

    test("take over the work of a killed node at once", async () => {
      using site = slowSite();
      const id = await importOf(web, site.url);
      await until(() => site.asked() === 1);
      const [runner] = await runnersOf("imports.items");
      const [killed, other] = (await serverOf(runner!)) === a ? [a, b] : [b, a];
      await killed.kill();
      site.answer();
      let run: any;
      await until(
        async () => (run = (await ask(web, "GET", `/imports/${id}`)).body).finished_at !== null,
        60_000,
      );
      expect(run.status).toBe("completed");
      // The missing process was noticed before its lease expired.
      const output = [web, other].map((server) => server.output()).join("");
      expect(output).toContain("jobs of a process that is gone were resumed");
      expect(output).not.toContain("could not be understood");
      expect((await nodesSeen(web)).map((node) => node.id)).not.toContain(runner);
      const metrics = await (await fetch(`${other.url()}/metrics`)).text();
      const up = [...metrics.matchAll(/^dossier_node_up\{.*role="(\w+)".*\} (\d)$/gm)];
      expect(up.map(([, role, value]) => `${role} ${value}`).toSorted()).toEqual(
        killed === a ? ["all 0", "web 1", "worker 1"] : ["all 1", "web 1", "worker 0"],
      );
      await killed.restart();
      await until(async () => (await nodesSeen(web)).length === 3);
    }, 120_000);
  });
});
