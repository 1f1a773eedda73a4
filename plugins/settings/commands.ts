/** The commands about settings: what is in force, what is stored, and what wins. */
import {
  isOverruled,
  serverOn,
  UsageError,
  type Command,
  type CommandHandler,
  type Context,
  type SettingState,
} from "../../core/sdk";
import { enqueueReload } from "./jobs";

/** How long a command waits for the running server to follow. */
const follow_ms_max = 10_000;
const look_every_ms = 50;

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
} satisfies Record<string, Command>;

type Parts = Pick<Context, "enqueue" | "newId" | "operations" | "paths">;

export const commandHandlers = (
  parts: Parts,
): { readonly [N in keyof typeof commands]: CommandHandler } => ({
  configList: async ({ options, print }) => {
    const states = await statesNow(parts);
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
    const state = (await statesNow(parts)).find(({ setting }) => setting === key);
    if (!state)
      throw new UsageError(`there is no setting ${key}: dossier config list shows those there are`);
    print(options.json ? JSON.stringify(state) : inWords(state.value));
  },
  configSet: async ({ args: [key, given], options, stdin, print, about }) => {
    if ((given === undefined) === (options.stdin === undefined))
      throw new UsageError("give the value after the key, or on standard input with --stdin");
    about(key!);
    await change(parts, key!, given ?? (await stdin()), Boolean(options.json), print);
  },
  configUnset: async ({ args: [key], options, print, about }) => {
    about(key!);
    await change(parts, key!, null, Boolean(options.json), print);
  },
});

async function change(
  parts: Parts,
  key: string,
  value: string | null,
  json: boolean,
  print: (line: string) => void,
): Promise<void> {
  const { operations, newId } = parts;
  const reload = newId("set");
  await operations.changeSettings({ [key]: value }, (tx) => enqueueReload(parts, tx, reload));
  const server = await followed(parts, reload);
  const now = (await statesNow(parts)).find(({ setting }) => setting === key)!;
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
  /** Something is stored, and `origin` wins over it. */
  readonly overruled: boolean;
}

/**
 * As the running server has them, which may have been started with another environment than this
 * command; as the next one would without it.
 */
async function statesNow(parts: Parts): Promise<StateNow[]> {
  const origins = (await serverAnswers(parts)) ? await parts.operations.originsOfServer() : null;
  return parts.operations.settingStates().map((state) => {
    const now = { ...state, ...origins?.get(state.setting) };
    return { ...now, overruled: isOverruled(now) };
  });
}

async function serverAnswers({ paths }: Pick<Parts, "paths">): Promise<boolean> {
  const server = serverOn(paths.data);
  return server !== null && ((await server("/health").catch(() => null))?.ok ?? false);
}

/** Waits until the running server has taken the change over. */
async function followed(parts: Parts, reload: string): Promise<"none" | "followed" | "late"> {
  if (!(await serverAnswers(parts))) return "none";
  for (let waited_ms = 0; waited_ms < follow_ms_max; waited_ms += look_every_ms) {
    if ((await parts.operations.jobs.subjectsAtWork([reload])).size === 0) return "followed";
    await Bun.sleep(look_every_ms);
  }
  return "late";
}

const inWords = (value: unknown): string =>
  value === null ? "" : Array.isArray(value) ? value.join(",") : String(value);
