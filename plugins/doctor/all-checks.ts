/** Runs the checks of every plugin. */
import { cached } from "../../core/lib/cached-result";
import { settlesWithin } from "../../core/lib/timeout";
import { notFound, type Context } from "../../core/sdk";
import {
  failed,
  type Checked,
  type CheckResult,
  type Doctor,
  type ExamineOptions,
  type SystemCheck,
} from "./contract";

/** How long a page reuses the result of a check. */
const hold_ms = 60_000;
/** A check that takes longer is reported as running; a later request may get its result. */
const timeout_ms = 3_000;

/** The checks of the server itself, and those of plugins. */
export interface DoctorContext extends Pick<Context, "now_ms"> {
  /** These run on every request, except those with a `hold_ms`. */
  readonly of_core: readonly SystemCheck[];
  readonly of_plugins: () => readonly SystemCheck[];
}

/** Runs them, and reuses the results of slow ones. */
export class AllChecks implements Doctor {
  /** Results that are reused. */
  private readonly reused = new WeakMap<SystemCheck, () => Promise<CheckResult>>();

  constructor(private readonly ctx: DoctorContext) {}

  async overview(): Promise<Checked[]> {
    const { of_core, of_plugins, now_ms } = this.ctx;
    for (const check of [
      ...of_core.filter((check) => check.hold_ms !== undefined),
      ...of_plugins(),
    ])
      if (!this.reused.has(check))
        this.reused.set(
          check,
          cached(() => check.run().catch(failed), check.hold_ms ?? hold_ms, now_ms),
        );
    return Promise.all(
      [...of_core, ...of_plugins()].map(async (check) =>
        toChecked(check, await inTime(this.reused.get(check) ?? (() => check.run()))),
      ),
    );
  }

  async *examine({ without = [], deep }: ExamineOptions = {}) {
    for (const check of this.all()) {
      if (without.includes(idOf(check))) continue;
      const result =
        deep && check.deep ? check.deep((progress) => deep(check.name, progress)) : check.run();
      yield toChecked(check, await result.catch(failed));
    }
  }

  async mend(id: string): Promise<string> {
    const check = this.all().find((check) => idOf(check) === id);
    if (!check?.mend) throw notFound("check");
    this.reused.delete(check);
    return check.mend();
  }

  private all(): SystemCheck[] {
    return [...this.ctx.of_core, ...this.ctx.of_plugins()];
  }
}

const idOf = ({ name }: Pick<SystemCheck, "name">): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");

/** The result of a check, as others see it. */
export const toChecked = (check: SystemCheck, result: CheckResult): Checked => ({
  id: idOf(check),
  name: check.name,
  ...result,
  mendable: result.status !== "ok" && check.mend !== undefined && result.mendable !== false,
});

async function inTime(run: () => Promise<CheckResult>): Promise<CheckResult> {
  const result = run().catch(failed);
  if (await settlesWithin(result, timeout_ms)) return result;
  return {
    status: "warn",
    detail: "The check is still running. Look again in a moment.",
    fix: null,
  };
}
