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
    summary: "List all settings with their values and sources; secrets are hidden.",
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
    summary: "Store a setting. Most take effect immediately, even in a running server.",
    changes: true,
    args: ["key", "value?"],
    options: [{ flags: "--stdin", description: "read the value from standard input" }, json_option],
  },
  configUnset: {
    ...common,
    name: "config unset",
    summary: "Remove the stored value of a setting, so that the default applies again.",
    changes: true,
    args: ["key"],
    options: [json_option],
  },
  configTest: {
    ...common,
    name: "config test",
    summary:
      "Test the service configured in a section, such as answers or embeddings, and show " +
      "what is wrong.",
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
          (state.restart_needed ? "; a changed value takes effect when the server restarts" : "") +
          (state.overruled ? "; overrides the stored value" : "") +
          `${state.problem === null ? "" : `; the stored value is not used: ${state.problem}`})`,
      );
  },
  configGet: async ({ args: [key], options, print }) => {
    const states = await statesNow(ctx);
    const state = states.find(({ setting }) => setting === key);
    if (!state) throw new UsageError(await unknownSetting(ctx, key!, states));
    print(options.json ? JSON.stringify(state) : inWords(state.value));
  },
  configSet: async ({ args: [key, value], options, stdin, print, about }) => {
    if ((value === undefined) === (options.stdin === undefined))
      throw new UsageError("specify the value after the key, or on standard input with --stdin");
    about(key!);
    await change(ctx, key!, value ?? (await stdin()), Boolean(options.json), print);
  },
  configUnset: async ({ args: [key], options, print, about }) => {
    about(key!);
    await change(ctx, key!, null, Boolean(options.json), print);
  },
  configTest: async ({ args: [section], options, print }) => {
    const { trials } = ctx;
    const sections = trials.list().map((section) => section.section);
    if (!sections.includes(section!))
      throw new UsageError(
        `the section ${section} can't be tested. These sections can: ${sections.join(", ")}`,
      );
    const finding = await trials.run(section!, {}, new AbortController().signal);
    const words = [finding.detail, finding.fix].filter(Boolean).join(" ");
    if (options.json) print(JSON.stringify({ section, ...finding }));
    if (finding.status === "fail") throw new Error(words);
    if (!options.json) print(words);
  },
});

/** Why there is no such setting: its plugin may be left out, or have no settings at all. */
async function unknownSetting(
  { operations }: SettingCommandsContext,
  key: string,
  states: readonly SettingState[],
): Promise<string> {
  const section = key.split(".", 1)[0]!;
  const plugin = (await operations.plugins()).find(
    ({ name }) => name.replaceAll("-", "_") === section,
  );
  if (plugin && !states.some(({ setting }) => setting.startsWith(`${section}.`)))
    return plugin.reason !== null && ["left_out", "disabled"].includes(plugin.status)
      ? `${key} is not known, because the plugin ${plugin.name} is not loaded: ${plugin.reason}`
      : `there is no setting ${key}: the plugin ${plugin.name} has no settings`;
  return `there is no setting ${key}. Run dossier config list to see the settings`;
}

async function change(
  ctx: SettingCommandsContext,
  key: string,
  value: string | null,
  json: boolean,
  print: (line: string) => void,
): Promise<void> {
  const was_stored = ctx.operations
    .settingStates()
    .some(({ setting, stored }) => setting === key && stored !== null);
  const stored = new StoredChange(ctx);
  await ctx.operations.changeSettings({ [key]: value }, stored.note);
  const server = await stored.followed();
  const now = (await statesNow(ctx)).find(({ setting }) => setting === key)!;
  const winner = now.overruled ? now.origin : null;
  if (json) return print(JSON.stringify({ ...now, server }));
  if (value === null && !was_stored)
    return print(`${key} has no stored value: ${inWords(now.value) || "not set"} (${now.origin}).`);
  print(sentence(now, winner));
  if (server === "late")
    print("The running server has not applied it yet, and will do so when its jobs run.");
}

function sentence({ setting, value, stored, changes }: SettingState, winner: string | null) {
  if (winner !== null)
    return stored === null
      ? `Removed the stored value of ${setting}. ${winner} still sets it.`
      : `Stored ${setting} as ${inWords(stored)}, but ${winner} overrides it. Remove it ` +
          "there for this to take effect.";
  if (changes === "at start")
    return stored === null
      ? `Removed the stored value of ${setting}. This takes effect when the server restarts.`
      : `Stored ${setting} as ${inWords(stored)}. It takes effect when the server restarts.`;
  return stored === null
    ? `${setting} is back to its default: ${inWords(value) || "not set"}.`
    : `${setting} is now ${inWords(stored) || "empty"}.`;
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
