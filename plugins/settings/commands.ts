/**
 * The commands for settings: what is in force, what is stored, and which source takes precedence.
 */
import {
  isOverruled,
  UsageError,
  type Command,
  type CommandHandler,
  type SettingState,
} from "../../core/sdk";
import { serverAnswers, StoredChange, type StoredChangeContext } from "./contract";
import type { Trials } from "./trials";

const common = { loads_plugins: true } as const;
const json_option = { flags: "--json", description: "print JSON" };

export const commands = {
  configList: {
    ...common,
    name: "config list",
    summary: "List every setting, its value and where that comes from; secrets are hidden.",
    options: [json_option],
  },
  configGet: {
    ...common,
    name: "config get",
    summary: "Print the value of a setting; secrets are hidden.",
    args: ["key"],
    options: [json_option],
  },
  configSet: {
    ...common,
    name: "config set",
    summary: "Store a setting: most take effect at once, in the running server too.",
    changes: true,
    args: ["key", "value?"],
    options: [{ flags: "--stdin", description: "read the value from standard input" }, json_option],
  },
  configUnset: {
    ...common,
    name: "config unset",
    summary: "Take away what is stored of a setting: the default holds again.",
    changes: true,
    args: ["key"],
    options: [json_option],
  },
  configTest: {
    ...common,
    name: "config test",
    summary: "Use the service that a section names, such as answers or embeddings: what is wrong?",
    args: ["section"],
    options: [json_option],
  },
} satisfies Record<string, Command>;

type SettingCommandsContext = StoredChangeContext & { readonly trials: Trials };

export const commandHandlers = (
  ctx: SettingCommandsContext,
): { readonly [N in keyof typeof commands]: CommandHandler } => ({
  configList: async ({ options, print }) => {
    const states = await statesNow(ctx);
    if (options.json) return print(JSON.stringify(states));
    const width = Math.max(...states.map(({ setting }) => setting.length));
    for (const state of states)
      print(
        `${state.setting.padEnd(width)}  ${inWords(state.value) || "-"}  (${state.origin}` +
          `${state.restart_needed ? "; another value takes effect at the next start" : ""}` +
          `${state.overruled ? "; it wins over what is stored" : ""}` +
          `${state.problem === null ? "" : `; what is stored is not used: ${state.problem}`})`,
      );
  },
  configGet: async ({ args: [key], options, print }) => {
    const state = (await statesNow(ctx)).find(({ setting }) => setting === key);
    if (!state)
      throw new UsageError(`there is no setting ${key}: dossier config list shows those there are`);
    print(options.json ? JSON.stringify(state) : inWords(state.value));
  },
  configSet: async ({ args: [key, given], options, stdin, print, about }) => {
    if ((given === undefined) === (options.stdin === undefined))
      throw new UsageError("give the value after the key, or on standard input with --stdin");
    about(key!);
    await change(ctx, key!, given ?? (await stdin()), Boolean(options.json), print);
  },
  configUnset: async ({ args: [key], options, print, about }) => {
    about(key!);
    await change(ctx, key!, null, Boolean(options.json), print);
  },
  configTest: async ({ args: [section], options, print }) => {
    const { trials } = ctx;
    const sections = trials.list().map((one) => one.section);
    if (!sections.includes(section!))
      throw new UsageError(`${section} can't be tried; these can: ${sections.join(", ")}`);
    const finding = await trials.run(section!, {}, new AbortController().signal);
    const said = [finding.detail, finding.fix].filter(Boolean).join(" ");
    if (options.json) print(JSON.stringify({ section, ...finding }));
    if (finding.status === "fail") throw new Error(said);
    if (!options.json) print(said);
  },
});

async function change(
  ctx: SettingCommandsContext,
  key: string,
  value: string | null,
  json: boolean,
  print: (line: string) => void,
): Promise<void> {
  const stored = new StoredChange(ctx);
  await ctx.operations.changeSettings({ [key]: value }, stored.note);
  const server = await stored.followed();
  const now = (await statesNow(ctx)).find(({ setting }) => setting === key)!;
  const winner = now.overruled ? now.origin : null;
  if (json) return print(JSON.stringify({ ...now, server }));
  print(sentence(now, winner));
  if (server === "late")
    print("The running server has not taken it over yet: it does so when its jobs run.");
}

function sentence({ setting, value, stored, changes }: SettingState, winner: string | null) {
  if (winner !== null)
    return stored === null
      ? `Nothing is stored of ${setting} any more; ${winner} says what it is.`
      : `${setting} is stored as ${inWords(stored)}, but ${winner} wins over it: take it away ` +
          "there for this to take effect.";
  if (changes === "at start")
    return stored === null
      ? `Nothing is stored of ${setting} any more: that takes effect at the next start.`
      : `${setting} is stored as ${inWords(stored)}: it takes effect at the server's next start.`;
  return stored === null
    ? `${setting} is ${inWords(value) || "not set"} again, as by default.`
    : `${setting} is ${inWords(stored) || "empty"} from now on.`;
}

interface StateNow extends SettingState {
  /** A value is stored, but `origin` takes precedence. */
  readonly overruled: boolean;
}

/**
 * As the running server sees them, which may have been started with another environment than this
 * command; otherwise as the next server would.
 */
async function statesNow(ctx: SettingCommandsContext): Promise<StateNow[]> {
  const origins = (await serverAnswers(ctx)) ? await ctx.operations.originsOfServer() : null;
  return ctx.operations.settingStates().map((state) => {
    const now = { ...state, ...origins?.get(state.setting) };
    return { ...now, overruled: isOverruled(now) };
  });
}

const inWords = (value: unknown): string =>
  value === null ? "" : Array.isArray(value) ? value.join(",") : String(value);
