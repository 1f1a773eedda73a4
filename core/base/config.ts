/**
 * The configuration: one schema, filled from dossier.toml, the environment and flags; later ones
 * win.
 */
import type { TObject } from "@sinclair/typebox";
import { isObject } from "../lib/json-values";
import { editDistance, nearestHint, nearestWord } from "./nearest-word";
import { decode } from "./setting-decoder";
import type { SettingSchema } from "./settings";

/** Every problem found, as sentences. A configuration with problems is not used. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is not valid:\n  ${problems.join("\n  ")}`);
  }
}

/** A setting with a value, also when that is its default. */
export interface Setting {
  readonly section: string;
  readonly key: string;
  /** As it was written: `"30s"`, not 30000. */
  readonly value: unknown;
  /**
   * Where the value comes from: a flag, an environment variable, the file, `stored` or `default`.
   */
  readonly origin: string;
  /** Its value must not be shown. */
  readonly secret: boolean;
}
/** A valid configuration. */
export interface Config {
  /** Decoded values by section: durations in ms, sizes in bytes. */
  readonly values: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly settings: readonly Setting[];
  /** Sentences about settings that have no effect. */
  readonly warnings: readonly string[];
  /** The sections it was read with, to read it again together with stored values. */
  readonly sections: Sections;
  readonly sources: ConfigSources;
}
/** A setting in the form in which it may be shown. */
export interface ShownSetting {
  readonly setting: string;
  readonly value: unknown;
  readonly origin: string;
}
/** All settings in this form, secrets replaced by `hidden`. */
export const shownSettings = ({ settings }: Pick<Config, "settings">): ShownSetting[] =>
  settings.map(({ section, key, value, origin, secret }) => ({
    setting: `${section}.${key}`,
    value: secret ? hidden : value,
    origin,
  }));
/** Shown in place of a secret. */
export const hidden = "[secret]";

/** The schema of each section of settings, by the name of the section. */
export type Sections = ReadonlyMap<string, TObject>;

/**
 * Where values are read from. The first that has a value wins: flags, environment, file, stored.
 */
export interface ConfigSources {
  /** The parsed file, section → key → value; empty when there is no file. */
  readonly file: Readonly<Record<string, unknown>>;
  /** The name of the file in messages. */
  readonly file_name: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `server.port` → text, as given on the command line. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  /** The text of a file named by `<NAME>_FILE`. @throws Error when it can't be read */
  readonly readSecretFile: (path: string) => string;
  /** `section.key` → a value stored while the server ran; it overrides only the default. */
  readonly stored?: StoredValues;
}
/** Undecoded values by `section.key`. */
export type StoredValues = ReadonlyMap<string, unknown>;
/** The origin of a stored value. */
export const stored_origin = "stored";

/** These settings of the section `server` have environment variables without the section's name. */
const unsectioned = new Set(["data", "host", "port", "secret_key"]);

/** The environment variable of a setting: `DOSSIER_LIMITS_UPLOAD` for `limits.upload`. */
export const envName = (section: string, key: string): string =>
  section === "server" && unsectioned.has(key)
    ? `DOSSIER_${key.toUpperCase()}`
    : sectionedName(section, key);

const sectionedName = (section: string, key: string): string =>
  `DOSSIER_${section}_${key}`.toUpperCase();

/** How strictly a configuration is checked. */
export interface ReadOptions {
  /**
   * Warn instead of failing for a misspelt section: it may belong to a plugin that was not loaded.
   */
  readonly lenient?: boolean;
  /** Sections of plugins that are left out: their problems are reported with the plugin. */
  readonly left_out?: ReadonlySet<string>;
}

/**
 * An unknown section only causes a warning, because it may belong to a plugin that was removed; one
 * that looks like a misspelt known section is an error. @throws ConfigError naming every problem.
 */
export function readConfig(
  sections: Sections,
  sources: ConfigSources,
  { lenient = false, left_out = new Set() }: ReadOptions = {},
): Config {
  const unknown = findUnknown(sections, sources);
  const problems = [
    ...unknown.keys.filter(({ section }) => !left_out.has(section)).map(({ problem }) => problem),
    ...(lenient ? [] : unknown.typos),
  ];
  const values: Record<string, Record<string, unknown>> = {};
  const settings: Setting[] = [];
  for (const [section, schema] of sections) {
    const read = readSection(section, schema, sources);
    values[section] = read.values;
    settings.push(...read.settings);
    problems.push(...read.problems);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const warnings = [...(lenient ? unknown.typos : []), ...unknown.sections, ...unknown.foreign];
  return { values, settings, warnings, sections, sources };
}

/** The values of one section, its settings, and a sentence for each problem. */
export function readSection(
  section: string,
  schema: TObject,
  sources: ConfigSources,
): { values: Record<string, unknown>; settings: Setting[]; problems: string[] } {
  const values: Record<string, unknown> = {};
  const settings: Setting[] = [];
  const problems: string[] = [];
  for (const [key, definition] of Object.entries(
    schema.properties as Record<string, SettingSchema>,
  )) {
    const setting =
      findSet(section, key, definition, sources, problems) ??
      findDefault(section, key, schema, sources);
    if (setting === undefined) {
      if (definition.kind === "list" && definition.default === undefined) values[key] = [];
      else if (schema.required?.includes(key))
        problems.push(`${section}.${key} is required (${envName(section, key)}).`);
      continue;
    }
    const decoded = decode(setting.raw, definition);
    if ("problem" in decoded) {
      problems.push(`${section}.${key} ${decoded.problem} (from ${setting.origin}).`);
      continue;
    }
    values[key] = decoded.value;
    settings.push({
      section,
      key,
      value: setting.raw,
      origin: setting.origin,
      secret: definition.kind === "secret",
    });
  }
  return { values, settings, problems };
}

function findDefault(
  section: string,
  key: string,
  schema: TObject,
  sources: ConfigSources,
): Found | undefined {
  const properties = schema.properties as Record<string, SettingSchema>;
  const definition = properties[key]!;
  for (const [sibling, raw] of Object.entries(definition.default_with ?? {}))
    if (findSet(section, sibling, properties[sibling]!, sources, []) !== undefined)
      return { raw, origin: "default" };
  return definition.default === undefined
    ? undefined
    : { raw: definition.default, origin: "default" };
}

interface Found {
  readonly raw: unknown;
  readonly origin: string;
}
/** The value as it was set, and where; undefined when it was not. */
function findSet(
  section: string,
  key: string,
  definition: SettingSchema,
  sources: ConfigSources,
  problems: string[],
): Found | undefined {
  const flag = sources.flags[`${section}.${key}`];
  if (flag !== undefined) return { raw: flag, origin: `--${key.replaceAll("_", "-")}` };
  const name = envName(section, key);
  const env = sources.env[name];
  if (env !== undefined && env !== "") return { raw: env, origin: name };
  if (definition.kind === "secret") {
    const path = sources.env[`${name}_FILE`];
    if (path) {
      try {
        return { raw: sources.readSecretFile(path).trim(), origin: `${name}_FILE` };
      } catch {
        problems.push(`${section}.${key}: the file ${path} named by ${name}_FILE can't be read.`);
        return undefined;
      }
    }
  }
  const table = sources.file[section];
  const inFile = isObject(table) ? table[key] : undefined;
  if (inFile !== undefined) return { raw: inFile, origin: sources.file_name };
  const stored = sources.stored?.get(`${section}.${key}`);
  return stored === undefined ? undefined : { raw: stored, origin: stored_origin };
}

/** An unknown variable within this edit distance of a known one counts as a typo. */
const typo_edits_max = 2;
const short_name_max = 5;

interface Unknown {
  /** Each with the section it would belong to. */
  readonly keys: { readonly section: string; readonly problem: string }[];
  readonly sections: string[];
  /** Sections whose names look like misspellings of known ones. */
  readonly typos: string[];
  readonly foreign: string[];
}

/** The settings of an unknown section, as `readConfig` reports them. */
export const unknownKeys = (
  section: string,
  sections: Sections,
  sources: ConfigSources,
): string[] =>
  findUnknown(sections, sources)
    .keys.filter((key) => key.section === section)
    .map(({ problem }) => problem);

/**
 * Sections and keys that no schema has, each with the nearest one that exists. Other programs and
 * versions share the environment: `foreign` are variables that don't look like ours.
 */
function findUnknown(sections: Sections, { file, file_name, env }: ConfigSources): Unknown {
  const unknown: Unknown = { keys: [], sections: [], typos: [], foreign: [] };
  for (const [section, table] of Object.entries(file)) {
    const schema = sections.get(section);
    if (!isObject(table)) {
      unknown.keys.push({
        section,
        problem:
          `${file_name}: ${section} is outside of any section. Put it below the header of ` +
          "its section, such as [server].",
      });
      continue;
    }
    if (!schema) {
      const section_names = [...sections.keys()];
      const nearest = nearestWord(section, section_names);
      const hint = nearestHint(section, section_names, (name) => `[${name}]`);
      const is_typo =
        nearest !== undefined && editDistance(section, nearest) <= typoEditsMax(section);
      (is_typo ? unknown.typos : unknown.sections).push(
        `${file_name}: there is no section [${section}]${hint}.`,
      );
      continue;
    }
    for (const key of Object.keys(table)) {
      if (key in schema.properties) continue;
      const hint = nearestHint(key, Object.keys(schema.properties), (k) => `${section}.${k}`);
      const problem = `${file_name}: there is no setting ${section}.${key}${hint}.`;
      unknown.keys.push({ section, problem });
    }
  }
  addUnknownVariables(sections, env, unknown);
  return unknown;
}

function addUnknownVariables(
  sections: Sections,
  env: ConfigSources["env"],
  { keys, foreign }: Unknown,
): void {
  const names = [...sections].flatMap(([section, schema]) =>
    Object.entries(schema.properties as Record<string, SettingSchema>).flatMap(
      ([key, definition]) =>
        definition.kind === "secret"
          ? [envName(section, key), `${envName(section, key)}_FILE`]
          : [envName(section, key)],
    ),
  );
  const expected = new Map(
    [...unsectioned].map((key) => [sectionedName("server", key), envName("server", key)]),
  );
  for (const name of Object.keys(env)) {
    if (!name.startsWith("DOSSIER_") || names.includes(name)) continue;
    const nearest = nearestWord(name, names);
    // Of `web` and `web_push`, prefer the longer.
    const [section] = [...sections.keys()]
      .filter((section) => name.startsWith(`DOSSIER_${section.toUpperCase()}_`))
      .sort((a, b) => b.length - a.length);
    // A name that has its section although it should not is told which one to use.
    const hint = nearestHint(
      name,
      [...names, ...expected.keys()],
      (known) => expected.get(known) ?? known,
    );
    const problem = `environment: there is no setting ${name}${hint}.`;
    if (section !== undefined) keys.push({ section, problem });
    else if (nearest !== undefined && editDistance(name, nearest) <= typo_edits_max)
      keys.push({ section: "", problem });
    else foreign.push(problem);
  }
}

/** Short names allow fewer edits, because they soon resemble another. */
const typoEditsMax = (name: string): number => (name.length <= short_name_max ? 1 : typo_edits_max);
