/**
 * A server that only runs jobs, for tests that kill it: enqueues what it receives on standard
 * input, confirms once it is on disk, and runs it.
 */
import { Type } from "@sinclair/typebox";
import { join } from "node:path";
import { systemClock } from "../../core/base/clock";
import { jsonLog } from "../../core/base/log";
import { SharedNotifier } from "../../core/store/shared-notifier";
import { JobQueue } from "../../core/jobs/queue";
import { coreSchema } from "../../core/plugin/migrations";
import { handle, event, job } from "../../core/jobs/contract";
import { lockDirectory } from "../../core/store/lock";
import { migrate } from "../../core/store/migrator";
import { SqliteStore } from "../../core/store/sqlite-store";

const Payload = Type.Object({ number: Type.Integer() });
const Work = job("child.work", Payload);
const Done = event("child.done", Payload);
/** Above every number of consecutive crashes in a test. */
export const attempts_max = 50;

/** Each job has an effect and emits an event, whose subscriber has an effect of its own. */
async function main(directory: string): Promise<void> {
  lockDirectory(directory);
  const log = jsonLog("error");
  const store = new SqliteStore(join(directory, "dossier.db"), { log });
  await migrate(store, [coreSchema], systemClock, { backups: join(directory, "backups"), log });
  await store.db.schema
    .createTable("effects")
    .ifNotExists()
    .addColumn("name", "text", (c) => c.notNull())
    .execute();
  const queue = new JobQueue({
    store,
    clock: systemClock,
    log,
    notifier: new SharedNotifier(store),
  });
  const limits = { attempts_max, timeout_ms: 60_000, concurrency: 6 };
  queue.register(
    "child",
    handle(
      Work,
      async ({ number }) => {
        await Bun.sleep(number % 7);
        return async (tx) => {
          await tx
            .insertInto("effects")
            .values({ name: `work ${number}` })
            .execute();
          await queue.emit(tx, Done, { number });
        };
      },
      limits,
    ),
  );
  queue.register(
    "child",
    handle(
      Done,
      async ({ number }) =>
        async (tx) => {
          await tx
            .insertInto("effects")
            .values({ name: `done ${number}` })
            .execute();
        },
      limits,
    ),
  );
  await queue.start();
  console.log("ready");
  for await (const line of console) {
    const number = Number(line);
    await store.inTransaction((tx) =>
      queue.enqueue(tx, Work, { number }, { queue: `queue ${number % 3}`, queue_concurrency: 2 }),
    );
    console.log(`acknowledged ${number}`);
  }
}

if (import.meta.main) await main(process.argv[2]!);
