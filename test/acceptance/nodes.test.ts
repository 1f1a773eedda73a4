/** Several processes over one PostgreSQL database, started by this test. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { SQL } from "bun";
import { findPostgres, startPostgres, type PostgresServer } from "../../scripts/lib/postgres";
import { jsonLog } from "../../core/base/log";
import { handle, job } from "../../core/jobs/contract";
import { JobQueue } from "../../core/jobs/queue";
import { coreSchema } from "../../core/jobs/schema";
import { migrate } from "../../core/store/migrate";
import { PostgresStore } from "../../core/store/postgres/postgres-store";
import { SharedNotifier } from "../../core/store/shared-notifier";
import { temporaryDirectory } from "../helpers/data-directory";
import { movableClock, type MovableClock } from "../helpers/jobs";
import { until } from "../helpers/server";

/** Skipped, and listed as such, where no PostgreSQL from 15 on is installed. */
const suite = findPostgres() === null ? describe.skip : describe;

suite("several processes on one PostgreSQL", () => {
  let postgres: PostgresServer;
  let admin: SQL;
  let databases = 0;
  beforeAll(async () => {
    postgres = (await startPostgres())!;
    admin = new SQL(postgres.url, { max: 1 });
  }, 120_000);
  afterAll(async () => {
    await admin.close();
    await postgres.stop();
  });

  async function newDatabase(): Promise<string> {
    const name = `dossier_${++databases}`;
    await admin.unsafe(
      `create database ${name} template template0 encoding 'UTF8' locale 'C.UTF-8'`,
    );
    return postgres.url.replace(/postgres$/, name);
  }

  describe("run the same jobs", () => {
    const Work = job("test.work", Type.Object({ name: Type.String() }));
    const limits = { attempts_max: 3, timeout_ms: 60_000 };
    interface Node extends AsyncDisposable {
      readonly store: PostgresStore;
      readonly queue: JobQueue;
    }
    const log = jsonLog("error", () => undefined);

    /** Like processes: each its own connections, queue and notifier. */
    async function nodes(count: number, clock: MovableClock): Promise<Node[]> {
      const url = await newDatabase();
      const made: Node[] = [];
      for (let n = 0; n < count; n++) {
        const options = { url, connections: 3, statement_ms_max: 30_000 };
        const store = new PostgresStore({ ...options, log, data: temporaryDirectory() });
        await store.open();
        if (n === 0) await migrate(store, [coreSchema], clock, { backups: null, log });
        const notifier = new SharedNotifier(store);
        await notifier.listen();
        const queue = new JobQueue({ store, clock, log, notifier, node_id: `node_${n}` });
        made.push({
          store,
          queue,
          async [Symbol.asyncDispose]() {
            await queue.drain(1_000);
            await store.close();
          },
        });
      }
      return made;
    }

    test("and no more at a time than their limits, with everybody claiming at once", async () => {
      const [a, b, c] = (await nodes(3, movableClock())) as [Node, Node, Node];
      await using stack = new AsyncDisposableStack();
      const most = new Map<string, number>(),
        now = new Map<string, number>(),
        ran: string[] = [];
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
    }, 60_000);

    test("and one that died is followed by another after its lease, once", async () => {
      const clock = movableClock();
      const [a, b] = (await nodes(2, clock)) as [Node, Node];
      const begun: string[] = [],
        signals: AbortSignal[] = [];
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
      // Nobody has heard of the end of the first yet.
      await b.queue.start(["node_2"]);
      await b.queue.runDue();
      expect(begun).toEqual(["a"]);
      clock.pass(16_000);
      await b.queue.runDue();
      expect(begun).toEqual(["a", "b"]);
      hang.resolve();
      await on_a;
      expect(effects).toEqual(["b"]);
      // One whose process is known to be gone goes on at once, with the next that starts.
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
    }, 60_000);

    test("and a cancelled one is aborted where it runs", async () => {
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
              aborted.resolve((signal.reason as { why: string }).why);
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
    }, 60_000);
  });
});
