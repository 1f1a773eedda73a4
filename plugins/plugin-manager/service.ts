/**
 * The plugins of this server: the list with their state, changes that the next start will apply,
 * and adding and removing files.
 */
import {
  badRequest,
  conflict,
  notFound,
  type Added,
  type Context,
  type Db,
  type PluginDescription,
  type SettingState,
} from "../../core/sdk";
import {
  dropLeftovers,
  findLeftovers,
  isNothing,
  rowsIn,
  type Leftovers,
  type Owners,
} from "./leftovers";

/** The process that asks: the server, or a command running beside a server, or alone. */
export type ProcessKind = "server" | "beside" | "alone";

/** A plugin as a list shows it. */
export interface PluginRow {
  readonly name: string;
  /** Null when its file can't be imported, or was not. */
  readonly version: string | null;
  readonly built_in: boolean;
  readonly file: string | null;
  /** Of the file's current content. */
  readonly sha256: string | null;
  readonly status: "loaded" | "failing" | "left_out" | "disabled" | "not_loaded";
  readonly reason: string | null;
  /** What changes at the next start of the server; null: nothing. */
  readonly next_start: "added" | "replaced" | "removed" | "enabled" | "disabled" | null;
}
/** A plugin with its parts. */
export interface PluginDetails extends PluginRow {
  /** Null when the file can't be imported. */
  readonly made_of: PluginDescription | null;
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  readonly settings: readonly SettingState[];
}

const disabled_setting = "plugins.disabled";
type Also = ((tx: Db) => Promise<void>) | undefined;

/** Lists plugins, and changes which are loaded at the next start. */
export class PluginManager {
  constructor(
    private readonly ctx: Pick<
      Context,
      "operations" | "db" | "inTransaction" | "truncateWal" | "paths"
    >,
  ) {}

  /** Including built-in ones, sorted by name. */
  async list(process_kind: ProcessKind): Promise<PluginRow[]> {
    const { operations } = this.ctx;
    const { plugin_files } = operations;
    const files = plugin_files.files();
    const running =
      process_kind === "server"
        ? plugin_files.loaded
        : new Map(plugin_files.running().map(({ file, sha256 }) => [file, sha256]));
    const disabled = await this.disabled();
    const loaded = (await operations.plugins()).map((plugin): PluginRow => {
      const sha256 = files.find(({ file }) => file === plugin.file)?.sha256 ?? null;
      return {
        ...plugin,
        sha256,
        next_start:
          nextOfFile(plugin.file, sha256, running) ??
          nextOfSetting(plugin.name, plugin.status, disabled),
      };
    });
    const strange = files.filter(({ file }) => !loaded.some((row) => row.file === file));
    if (strange.length === 0) return loaded.sort(byName);
    const found_files = await plugin_files.find();
    const added = found_files.files
      .filter(({ file }) => strange.some((hashed) => hashed.file === file))
      .map(({ name, file, sha256, description, reason }): PluginRow => {
        const waits =
          process_kind === "server" || (process_kind === "beside" && !running.has(file));
        const replaced = !waits && process_kind === "beside" && running.get(file) !== sha256;
        const is_disabled = disabled.next.includes(name);
        return {
          name,
          file,
          sha256,
          reason,
          built_in: false,
          version: description?.version ?? null,
          status: is_disabled
            ? "disabled"
            : waits
              ? "not_loaded"
              : reason === null
                ? "loaded"
                : "left_out",
          next_start: is_disabled || !waits ? (replaced ? "replaced" : null) : "added",
        };
      });
    return [...loaded, ...added].sort(byName);
  }

  /** @throws HttpError 404 */
  async details(name: string, process_kind: ProcessKind): Promise<PluginDetails> {
    const row = (await this.list(process_kind)).find((row) => row.name === name);
    if (row === undefined) throw notFound(`plugin ${name}`);
    const made_of = await this.madeOf(name);
    return {
      ...row,
      made_of,
      tables: await this.tablesOf(made_of),
      settings: made_of === null ? [] : await this.settingsOf(made_of),
    };
  }

  /** @throws HttpError 400 with the reason, 409 when the name is taken. */
  add(plugin: Parameters<Context["operations"]["plugin_files"]["add"]>[0]): Promise<Added> {
    return this.ctx.operations.plugin_files.add(plugin);
  }

  /** Removes its file and returns it. @throws HttpError 404, 409 when it is built in. */
  async remove(name: string, also?: Also): Promise<string> {
    const { plugin_files } = this.ctx.operations;
    if (plugin_files.built_in.includes(name))
      throw conflict(
        `The plugin ${name} is built in. It can be disabled, but not removed.`,
        "built_in",
      );
    const file = await this.fileOf(name);
    if (file === null) throw notFound(`plugin ${name}`);
    plugin_files.remove(file);
    const { next } = await this.disabled();
    if (next.includes(name)) await this.storeDisabled(name, { enabled: true }, also);
    return file;
  }

  /**
   * @throws HttpError 404, 409 when others need it, or a setting of higher precedence overrides it.
   */
  async setEnabled(name: string, enabled: boolean, also?: Also): Promise<void> {
    const { operations } = this.ctx;
    const { plugin_files } = operations;
    const { next, pinned_by } = await this.disabled();
    const known =
      plugin_files.built_in.includes(name) ||
      next.includes(name) ||
      (await this.fileOf(name)) !== null;
    if (!known) throw notFound(`plugin ${name}`);
    if (next.includes(name) === !enabled) return;
    if (pinned_by !== null)
      throw conflict(
        `The disabled plugins are set by ${pinned_by}. Change them there.`,
        "overruled",
      );
    await this.storeDisabled(name, { enabled }, also);
  }

  /** What it has left in the database. */
  async leftovers(name: string): Promise<Leftovers> {
    return findLeftovers(this.ctx.db, await this.owners(name));
  }

  /** Deletes what it has left in the database; it must not be loaded in any process. */
  async purge(name: string): Promise<Leftovers> {
    const { inTransaction, truncateWal } = this.ctx;
    const owners = await this.owners(name);
    const dropped = await inTransaction(async (tx) => {
      const leftovers = await findLeftovers(tx, owners);
      if (!isNothing(leftovers)) await dropLeftovers(tx, owners);
      return leftovers;
    });
    truncateWal();
    return dropped;
  }

  /** Also for a plugin that is not loaded: its settings can be stored in advance. */
  async settingsOf(made_of: PluginDescription): Promise<SettingState[]> {
    const { operations } = this.ctx;
    // A required setting may still be missing while others are stored.
    const { required: _, ...config } = made_of.config;
    operations.knowSettings(made_of.section, config as typeof made_of.config);
    await operations.reloadSettings();
    return operations
      .settingStates()
      .filter(({ setting }) => setting.startsWith(`${made_of.section}.`));
  }

  /** The file of a plugin; null if it has none. */
  async fileOf(name: string): Promise<string | null> {
    const { plugin_files } = this.ctx.operations;
    const by_stem = plugin_files.files().find(({ stem }) => stem === name);
    if (by_stem) return by_stem.file;
    const { files } = await plugin_files.find();
    return files.find((file) => file.name === name)?.file ?? null;
  }

  private async madeOf(name: string): Promise<PluginDescription | null> {
    const { operations } = this.ctx;
    const running = operations.describe(name);
    if (running) return running;
    const { files } = await operations.plugin_files.find();
    return files.find((file) => file.name === name)?.description ?? null;
  }

  private async owners(name: string): Promise<Owners> {
    const { operations } = this.ctx;
    const { files } = await operations.plugin_files.find();
    const all = [
      ...operations.plugin_files.built_in.flatMap((plugin) => operations.describe(plugin) ?? []),
      ...files.flatMap(({ description }) => description ?? []),
    ];
    const described = all.find((plugin) => plugin.name === name);
    return {
      name,
      section: described?.section ?? name.replaceAll("-", "_"),
      others: all.filter((other) => other !== described),
    };
  }

  private async tablesOf(made_of: PluginDescription | null): Promise<PluginDetails["tables"]> {
    if (made_of === null || made_of.tables.length === 0) return [];
    const { db } = this.ctx;
    const there = new Set((await db.introspection.getTables()).map(({ name }) => name));
    const tables = made_of.tables.filter((name) => there.has(name));
    return Promise.all(tables.map(async (name) => ({ name, rows: await rowsIn(db, name) })));
  }

  /** Names that are disabled now, and at the next start. */
  private async disabled() {
    const { operations } = this.ctx;
    await operations.reloadSettings();
    const state = operations.settingStates().find(({ setting }) => setting === disabled_setting);
    if (state === undefined) throw badRequest(`There is no setting ${disabled_setting}.`);
    const is_pinned = state.origin !== "default" && state.origin !== "stored";
    return {
      now: namesIn(state.value),
      next: namesIn(is_pinned ? state.value : state.stored),
      pinned_by: is_pinned ? state.origin : null,
    };
  }

  /**
   * Based on the names stored at that moment, because somebody else may disable another plugin
   * concurrently. @throws HttpError 409 when others need it
   */
  private async storeDisabled(
    name: string,
    { enabled }: { readonly enabled: boolean },
    also: Also,
  ): Promise<void> {
    const { operations } = this.ctx;
    await operations.changeSettings((stored) => {
      const others = namesIn(stored(disabled_setting)).filter((other) => other !== name);
      const names = enabled ? others : [...others, name];
      const [problem] = enabled ? [] : operations.plugin_files.disablingProblems(names);
      if (problem !== undefined) throw conflict(problem.replace(/^\S+: /, ""), "needed");
      return { [disabled_setting]: names.length === 0 ? null : names };
    }, also);
  }
}

const namesIn = (value: unknown) => (value ?? []) as readonly string[];
const byName = (a: PluginRow, b: PluginRow): number => a.name.localeCompare(b.name);

function nextOfFile(
  file: string | null,
  sha256: string | null,
  running: ReadonlyMap<string, string>,
): PluginRow["next_start"] {
  if (file === null) return null;
  if (sha256 === null) return "removed";
  const loaded = running.get(file);
  return loaded === undefined || loaded === sha256 ? null : "replaced";
}

function nextOfSetting(
  name: string,
  status: PluginRow["status"],
  { now, next }: { readonly now: readonly string[]; readonly next: readonly string[] },
): PluginRow["next_start"] {
  if (next.includes(name) && status !== "disabled") return "disabled";
  return now.includes(name) && !next.includes(name) && status === "disabled" ? "enabled" : null;
}
