/**
 * Tests settings before they are stored: a language model, an embedder, a reranker. A few at a
 * time, each with a time limit.
 */
import { Limiter, LimiterRefusal } from "../../core/lib/limiter";
import { TimeLimit } from "../../core/lib/timeout";
import {
  notFound,
  unavailable,
  type Context,
  type EndpointFinding,
  type SettingState,
} from "../../core/sdk";
import type { TriedSection } from "./contract";

/** Values by setting; null resets one to its default. */
export type Changes = Parameters<Context["operations"]["trySettings"]>[1];
/** What the tests need besides `Context`. */
export interface TrialsContext extends Pick<Context, "operations"> {
  readonly sections: () => readonly TriedSection[];
}

/** Tests have a shorter limit of their own; this one aborts those that exceed it. */
const trial_ms_max = 45_000;
const at_once_max = 4;
const wait_ms_max = 10_000;

/** Runs tests. */
export class Trials {
  private readonly limiter = new Limiter({
    concurrency: at_once_max,
    waiting_max: at_once_max,
    wait_ms_max,
  });

  constructor(private readonly ctx: TrialsContext) {}

  /** The sections that can be tested. */
  list(): readonly TriedSection[] {
    return this.ctx.sections();
  }

  /**
   * Runs the section's test with these changes. @throws HttpError 404, 400 naming the setting, 503
   * when too many are running.
   */
  async run(name: string, changes: Changes, signal: AbortSignal): Promise<EndpointFinding> {
    const section = this.list().find((section) => section.section === name);
    if (section === undefined) throw notFound("section of settings that can be tested");
    const { operations } = this.ctx;
    const states = operations
      .settingStates()
      .filter(({ setting }) => setting.startsWith(`${name}.`));
    const tried = operations.trySettings(name, changes);
    const { values, withheld } = guarded(tried, changes, states, section.address ?? "base_url");
    const finding = await this.bounded((ends) => section.run(values as never, ends), signal);
    const strays = Object.keys(changes).filter((setting) => !setting.startsWith(`${name}.`));
    return withAll(finding, { withheld, strays, overruled: overruledOf(changes, states) });
  }

  private async bounded<R>(
    work: (signal: AbortSignal) => Promise<R>,
    signal: AbortSignal,
  ): Promise<R> {
    try {
      return await this.limiter.run(
        async () => {
          const limit = new TimeLimit(trial_ms_max, { signal });
          try {
            return await limit.race(work(limit.signal));
          } finally {
            limit.clear();
          }
        },
        { signal },
      );
    } catch (error) {
      if (error instanceof LimiterRefusal)
        throw unavailable("Other settings are being tested at the moment. Try again soon.", 5);
      throw error;
    }
  }
}

/** A secret was not sent, but one is stored for another server than the one being tested. */
interface Withheld {
  readonly setting: string;
  readonly used_at: string;
}

/**
 * Leaves out a stored secret when the address differs from the one it is used at: testing an
 * address must not be a way to obtain the secret.
 */
function guarded(
  values: Readonly<Record<string, unknown>>,
  changes: Changes,
  states: readonly SettingState[],
  address: string,
): { readonly values: Readonly<Record<string, unknown>>; readonly withheld: Withheld | null } {
  const used_at = originOf(states.find(({ setting }) => keyOf(setting) === address)?.value);
  const secret = states.find(({ kind }) => kind === "secret");
  if (
    secret === undefined ||
    used_at === null ||
    originOf(values[address]) === used_at ||
    values[keyOf(secret.setting)] === undefined ||
    (Object.hasOwn(changes, secret.setting) && !isPinned(secret))
  )
    return { values, withheld: null };
  const { [keyOf(secret.setting)]: _, ...others } = values;
  return { values: others, withheld: { setting: secret.setting, used_at } };
}

function withAll(
  finding: EndpointFinding,
  {
    withheld,
    strays,
    overruled,
  }: {
    readonly withheld: Withheld | null;
    /** Values that were given, and those of other sections. */
    readonly strays: readonly string[];
    readonly overruled: readonly SettingState[];
  },
): EndpointFinding {
  const notes = overruled.map(
    ({ setting, origin }) => `${setting} is set by ${origin}, and that value was tested.`,
  );
  if (strays.length > 0)
    notes.push(`Not tested, because it belongs to another section: ${strays.join(", ")}.`);
  if (withheld === null) return { ...finding, detail: [finding.detail, ...notes].join(" ") };
  const { setting, used_at } = withheld;
  notes.push(`The stored key was not sent, because it is used at ${used_at}.`);
  const detail = [finding.detail, ...notes].join(" ");
  return finding.setting === setting
    ? { ...finding, detail, fix: "Enter the key together with the address." }
    : { ...finding, detail };
}

const overruledOf = (changes: Changes, states: readonly SettingState[]): SettingState[] =>
  states.filter((state) => Object.hasOwn(changes, state.setting) && isPinned(state));
/** The configuration file, the environment or the command line sets it. */
const isPinned = ({ origin }: SettingState): boolean => origin !== "default" && origin !== "stored";
const keyOf = (setting: string): string => setting.slice(setting.indexOf(".") + 1);
const originOf = (address: unknown): string | null =>
  typeof address === "string" ? (URL.parse(address)?.origin ?? null) : null;
