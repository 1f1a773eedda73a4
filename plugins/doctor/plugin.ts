/** The doctor: the checks of every plugin, for the system page and for `dossier doctor`. */
import {
  definePlugin,
  fill,
  findDamage,
  findDanglingRows,
  task,
  type Context,
  type Isolate,
  type SearchPlace,
} from "../../core/sdk";
import { serverChecks, type ServerChecksContext } from "./checks";
import { Doctor, Doctors, ok, SystemChecks } from "./contract";
import { DamageCheck } from "./damage-check";
import { AllChecks } from "./all-checks";
import { doctorTool } from "./tool";

/**
 * Limits of one step of the scan for damage, which takes about a second, and of the check of all
 * rows.
 */
const limits = { timeout_ms: 30 * 60_000, memory_max_bytes: 512 * 2 ** 20 };

/** The database, and where the scan continues; null: at its beginning. */
export interface DamageInput {
  readonly path: string;
  readonly from: SearchPlace | null;
}

const tasks = {
  findDamage: task(({ path, from }: DamageInput) => findDamage(path, from)),
  findDanglingRows: task(async (path: string) => findDanglingRows(path)),
};

/** Limits of the database check: the file is read in a child process, a server is queried. */
function databaseChecks({
  paths: { database },
  isolate,
  now_ms,
  operations,
}: Pick<Context, "now_ms" | "operations" | "paths"> & {
  readonly isolate: Isolate<typeof tasks>;
}): Pick<ServerChecksContext, "damage" | "findDanglingRows"> {
  if (database === null)
    return {
      damage: async () => {
        const failing = await operations.storageFailure();
        if (failing === null) return ok(`${operations.database()} is responding.`);
        return { status: "fail", detail: failing, fix: "Check the database server and its log." };
      },
      // PostgreSQL enforces references itself.
      findDanglingRows: async () => [],
    };
  const damage = new DamageCheck({
    now_ms,
    findDamage: (from) => isolate("findDamage", { path: database, from }, limits),
  });
  return {
    damage: () => damage.run(),
    findDanglingRows: () => isolate("findDanglingRows", database, limits),
  };
}

export default definePlugin({
  name: "doctor",
  version: "1.0.0",
  provides: { doctor: Doctor },
  slots: { checks: SystemChecks },
  tools: { doctor: doctorTool },
  tasks,
  setup: (ctx) => {
    const doctor = new AllChecks({
      ...ctx,
      of_core: serverChecks({ ...ctx, ...databaseChecks(ctx) }),
      of_plugins: () => ctx.slots.checks(),
    });
    return { services: { doctor }, fills: [fill(Doctors, doctor)] };
  },
});
