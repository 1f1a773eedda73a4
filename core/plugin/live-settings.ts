/**
 * Settings that change while the server runs: which values are stored, which are in force, and who
 * is notified. The command line, the environment and dossier.toml win over stored values.
 */
import type { TObject } from "@sinclair/typebox";
import type { Clock } from "../base/clock";
import {
  ConfigError,
  readSection,
  shownSettings,
  stored_origin,
  type Config,
  type Setting,
  type ShownSetting,
  type StoredValues,
} from "../base/config";
import { decode } from "../base/setting-decoder";
import { badRequest } from "../base/errors";
import { errorFields, type Log } from "../base/log";
import { Mutex } from "../store/mutex";
import type { Notifier } from "../base/notifier";
import type { Seal } from "../store/seal";
import type { Db, Store } from "../store/store";
import { SettingsChanged } from "./followed-settings";
import { changesOf, describe, keysOf, propertyOf, type SettingState } from "./setting-state";
import {
  keyOf,
  sectionOf,
  SettingRules,
  type SettingChanges,
  type SettingUpdate,
  type SettingForm,
} from "./setting-rules";
import * as rows from "./settings-store";

/** The settings at the start, and where stored ones are. */
export interface LiveSettingsOptions {
  /** The values that every plugin reads: they are changed in place. */
  readonly config: Config;
  readonly store: Store;
  readonly sealed: Seal;
  readonly clock: Clock;
  readonly log: Log;
  readonly notifier: Notifier;
}
/** Whether the values of a section are consistent. @throws ConfigError */
export type SectionCheck = (values: any) => void;

type Section = ReturnType<typeof readSection>;

/** The settings of this process. Changes are made one after another. */
export class LiveSettings {
  private stored: StoredValues = new Map();
  /** Why the stored value of a setting is not used. */
  private readonly unusable = new Map<string, string>();
  private readonly checks = new Map<string, SectionCheck>();
  private readonly listeners = new Map<string, Set<() => void>>();
  private readonly in_force = new Map<string, Setting>();
  private readonly changes_mutex = new Mutex();
  private readonly rules: SettingRules;

  constructor(private readonly options: LiveSettingsOptions) {
    this.rules = new SettingRules(options.config.sections);
    for (const setting of options.config.settings)
      this.in_force.set(`${setting.section}.${setting.key}`, setting);
  }

  /** Before the plugins are set up: all stored values take effect. */
  async load(checks: Iterable<readonly [string, SectionCheck]>): Promise<void> {
    for (const [section, check] of checks) this.checks.set(section, check);
    await this.read(this.options.store.db);
    // Values read before the database was open no longer count.
    const read = [...this.stored.keys(), ...this.unusable.keys()];
    for (const section of sectionsOf(read)) this.apply(section, true);
  }

  /** Another process has stored something: applies changes that take effect at once. */
  reload(): Promise<void> {
    return this.changes_mutex.run(async () => {
      const previous = this.stored;
      await this.read(this.options.store.db);
      for (const section of sectionsOf(changedKeys(previous, this.stored)))
        this.apply(section, false);
    });
  }

  /**
   * Stores values and puts them in force, all or none. `also` runs in the transaction, as does a
   * function that returns the changes. @throws HttpError 400 that names the setting
   */
  change(
    update: SettingChanges | SettingUpdate,
    also?: (tx: Db<any>) => Promise<void>,
  ): Promise<SettingState[]> {
    return this.changes_mutex.run(async () => {
      const { notifier, store } = this.options;
      let names: string[] = [];
      // Values stored by another process have to be consistent with these.
      this.stored = await store.inTransaction(async (tx) => {
        await this.read(tx);
        const changes =
          typeof update === "function" ? update((name) => this.stored.get(name)) : update;
        names = namesIn(changes);
        const new_stored = this.rules.storedWith(this.stored, changes);
        for (const section of sectionsOf(names)) this.requireFit(section, names, new_stored);
        for (const name of names) this.rules.requireForm(name, changes[name]);
        await this.write(tx, names, new_stored);
        notifier.publish(SettingsChanged, "", null);
        await also?.(tx);
        return new_stored;
      });
      store.truncateWal();
      for (const name of names) this.unusable.delete(name);
      for (const section of sectionsOf(names)) this.apply(section, false);
      return this.list().filter(({ setting }) => names.includes(setting));
    });
  }

  /**
   * The values of a section as they would be with these changes, which are neither stored nor put
   * in force. Changes of other sections are ignored. @throws HttpError 400 that names the setting
   */
  tried(section: string, changes: SettingChanges): Readonly<Record<string, unknown>> {
    const names = Object.keys(changes);
    const new_stored = this.rules.storedWith(this.stored, changes);
    this.requireFit(section, names, new_stored);
    for (const name of names) this.rules.requireForm(name, changes[name]);
    return this.sectionWith(section, new_stored).values;
  }

  /** The number of known sections. */
  get sections(): number {
    return this.options.config.sections.size;
  }

  /** Every setting that can be stored, and the values allowed for it. */
  forms(): SettingForm[] {
    return this.rules.forms();
  }

  /**
   * Adds the section of a plugin that is not loaded: its stored values apply from the next start
   * on. A known section stays as it is.
   */
  addSection(section: string, schema: TObject): void {
    const { sections, values } = this.options.config;
    if (sections.has(section)) return;
    (sections as Map<string, TObject>).set(section, schema);
    const read = this.sectionWith(section, new Map());
    (values as Record<string, unknown>)[section] = read.values;
    for (const setting of read.settings) this.in_force.set(`${section}.${setting.key}`, setting);
  }

  /** Every setting, in the order of definition. */
  list(): SettingState[] {
    return [...this.options.config.sections].flatMap(([section, schema]) => {
      const next_settings = this.sectionWith(section, this.stored).settings;
      return keysOf(schema).map((key) => {
        const name = `${section}.${key}`;
        return describe(name, propertyOf(schema, key), {
          changes: changesOf(schema, key),
          now: this.in_force.get(name),
          later: next_settings.find((setting) => setting.key === key),
          stored: this.stored.get(name),
          problem: this.unusable.get(name) ?? null,
        });
      });
    });
  }

  /** The value in force. */
  value(section: string, key: string): unknown {
    return this.options.config.values[section]?.[key];
  }

  /** The settings in force that have a value. */
  shown(): ShownSetting[] {
    const settings = [...this.options.config.sections].flatMap(([section, schema]) =>
      keysOf(schema).flatMap((key) => this.in_force.get(`${section}.${key}`) ?? []),
    );
    return shownSettings({ settings });
  }

  /** Calls `listener` after values of the section have changed. */
  onChange(section: string, listener: () => void): void {
    this.listeners.set(section, (this.listeners.get(section) ?? new Set()).add(listener));
  }

  /** Which settings the server started last takes from elsewhere, and from where. */
  originsOfServer(): Promise<rows.Origins> {
    return rows.readOrigins(this.options.store.db);
  }

  /** Records the same for this process, for commands started with another environment. */
  async noteOrigins(): Promise<void> {
    const { store, log } = this.options;
    const origins = new Map(
      this.shown()
        .filter(({ origin }) => origin !== "default" && origin !== stored_origin)
        .map(({ setting, origin, value }) => [setting, { origin, value }]),
    );
    try {
      if (changedKeys(await rows.readOrigins(store.db), origins).length === 0) return;
      await store.inTransaction((tx) => rows.writeOrigins(tx, origins));
    } catch (error) {
      // Commands then report less; the settings themselves are unaffected.
      log.warn("the sources of settings could not be recorded", errorFields(error));
    }
  }

  private async read(db: Db<any>): Promise<void> {
    const { sealed, log } = this.options;
    const stored = new Map<string, unknown>();
    this.unusable.clear();
    for (const row of await rows.readSettings(db)) {
      const definition = this.rules.find(row.setting);
      // The setting of a missing plugin, or of another version.
      if (definition === undefined || definition.changes === "outside") continue;
      try {
        const raw: unknown =
          row.sealed === 1 ? sealed.unseal(row.value, boundTo(row.setting)) : JSON.parse(row.value);
        const decoded = decode(raw, definition.schema);
        if ("problem" in decoded) throw new Error(`${row.setting} ${decoded.problem}`);
        stored.set(row.setting, raw);
      } catch (error) {
        this.refuse(row.setting, (error as Error).message, log);
      }
    }
    this.stored = stored;
  }

  private refuse(name: string, reason: string, log: Log): void {
    this.unusable.set(name, reason);
    log.warn("the stored value of a setting is invalid and not used", { setting: name, reason });
  }

  /**
   * Puts in force what may change, and calls the listeners. `at_start`: also what takes effect only
   * when the server starts.
   */
  private apply(section: string, at_start: boolean): void {
    const schema = this.options.config.sections.get(section);
    if (schema === undefined) return;
    let section_values = this.sectionWith(section, this.stored);
    try {
      this.requireConsistent(section, section_values);
    } catch (error) {
      const without_section = new Map(
        [...this.stored].filter(([name]) => sectionOf(name) !== section),
      );
      for (const name of this.stored.keys())
        if (!without_section.has(name))
          this.refuse(name, (error as Error).message, this.options.log);
      section_values = this.sectionWith(section, without_section);
    }
    const values = this.options.config.values[section] as Record<string, unknown>;
    let changed = false;
    for (const key of keysOf(schema)) {
      if (!at_start && changesOf(schema, key) !== "now") continue;
      const name = `${section}.${key}`;
      const setting = section_values.settings.find((setting) => setting.key === key);
      if (!isEqual(values[key], section_values.values[key])) changed = true;
      if (section_values.values[key] === undefined) delete values[key];
      else values[key] = section_values.values[key];
      if (setting === undefined) this.in_force.delete(name);
      else this.in_force.set(name, setting);
    }
    if (changed && !at_start) this.notifyListeners(section);
  }

  private notifyListeners(section: string): void {
    for (const listener of this.listeners.get(section) ?? [])
      try {
        listener();
      } catch (error) {
        this.options.log.error("a change of settings could not be applied", {
          section,
          ...errorFields(error),
        });
      }
  }

  private sectionWith(section: string, stored: StoredValues): Section {
    const { sections, sources } = this.options.config;
    return readSection(section, sections.get(section)!, { ...sources, stored });
  }

  /** @throws Error with what is inconsistent. */
  private requireConsistent(section: string, { problems, values }: Section): void {
    if (problems.length > 0) throw new ConfigError(problems);
    this.checks.get(section)?.(values);
  }

  /** @throws HttpError 400 naming the inconsistent setting, otherwise the first of `names`. */
  private requireFit(section: string, names: readonly string[], new_stored: StoredValues): void {
    try {
      const section_values = this.sectionWith(section, new_stored);
      this.requireConsistent(section, section_values);
      // A value that is overridden now has to fit when it no longer is.
      const setting_names = names.filter(
        (name) => sectionOf(name) === section && new_stored.has(name),
      );
      const values = Object.fromEntries(
        setting_names.map((name) => [keyOf(name), this.rules.decoded(name, new_stored.get(name))]),
      );
      this.requireConsistent(section, {
        ...section_values,
        values: { ...section_values.values, ...values },
      });
    } catch (error) {
      const problem = error instanceof ConfigError ? error.problems.join(" ") : String(error);
      // Problems begin with the name of their setting.
      const setting_name = problem.split(" ", 1)[0]!;
      const first_name = names.find((name) => sectionOf(name) === section);
      throw badRequest(
        problem,
        `/${this.rules.find(setting_name) || first_name === undefined ? setting_name : first_name}`,
      );
    }
  }

  private async write(
    tx: Db<any>,
    names: readonly string[],
    new_stored: StoredValues,
  ): Promise<void> {
    const { sealed, clock } = this.options;
    for (const name of names) {
      const raw = new_stored.get(name);
      if (raw === undefined) await rows.deleteSetting(tx, name);
      else {
        const is_secret = this.rules.find(name)!.schema.kind === "secret";
        await rows.writeSetting(tx, {
          setting: name,
          value: is_secret ? sealed.seal(raw as string, boundTo(name)) : JSON.stringify(raw),
          sealed: Number(is_secret),
          changed_at: clock.now_ms(),
        });
      }
    }
  }
}

/** The settings that are changed. @throws HttpError 400 when there are none. */
function namesIn(changes: SettingChanges): string[] {
  const names = Object.keys(changes);
  if (names.length === 0) throw badRequest("Specify at least one setting.");
  return names;
}
const sectionsOf = (names: Iterable<string>): string[] => [
  ...new Set([...names].map((name) => sectionOf(name))),
];
const boundTo = (name: string): string => `core_settings ${name}`;
const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const changedKeys = (
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => !isEqual(before.get(name), after.get(name)),
  );
