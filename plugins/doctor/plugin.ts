/** The doctor: the checks of every plugin, for the system page and for `dossier doctor`. */
import {
  definePlugin,
  fill,
  findDamage,
  findDanglingRows,
  task,
  type SearchPlace,
} from "../../core/sdk";
import { serverChecks } from "./checks";
import { Doctor, Doctors, SystemChecks } from "./contract";
import { DamageCheck } from "./damage-check";
import { AllChecks } from "./doctor";
import { doctorTool } from "./tool";

/** Of one step of the search for damage, which takes about a second; of all rows for the other. */
const limits = { timeout_ms: 30 * 60_000, memory_max_bytes: 512 * 2 ** 20 };

export interface DamageInput {
  readonly path: string;
  readonly from: SearchPlace | null;
}

export default definePlugin({
  name: "doctor",
  version: "1.0.0",
  provides: { doctor: Doctor },
  slots: { checks: SystemChecks },
  tools: { doctor: doctorTool },
  tasks: {
    findDamage: task(({ path, from }: DamageInput) => findDamage(path, from)),
    findDanglingRows: task(async (path: string) => findDanglingRows(path)),
  },
  setup: (ctx) => {
    const { database } = ctx.paths;
    const damage = new DamageCheck({
      ...ctx,
      findDamage: (from) => ctx.isolate("findDamage", { path: database, from }, limits),
    });
    const doctor = new AllChecks({
      ...ctx,
      own: serverChecks({
        ...ctx,
        damage: () => damage.run(),
        findDanglingRows: () => ctx.isolate("findDanglingRows", database, limits),
      }),
      of_plugins: () => ctx.slots.checks(),
    });
    return { services: { doctor }, fills: [fill(Doctors, doctor)] };
  },
});
