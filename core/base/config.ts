/**
 * The configuration: one schema, filled from dossier.toml, the environment and flags; later ones
 * win.
 */
import type { TObject, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { isObject } from "../lib/json-values";
import { editDistance, nearestWord } from "./nearest-word";
import type { Changes, StoredLimits } from "./settings";

/** Every problem found, as sentences. A configuration with problems is not used. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is not valid:\n  ${problems.join("\n  ")}`);
  }
}

export interface Setting {
  readonly section: string;
  readonly key: string;
  readonly value: unknown;
  readonly origin: string;
  readonly secret: boolean;
}
export interface Config {
  /** Decoded values by section: durations in ms, sizes in bytes. */
  readonly values: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly settings: readonly Setting[];
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
export const shownSettings = ({ settings }: Pick<Config, "settings">): ShownSetting[] =>
  settings.map(({ section, key, value, origin, secret }) => ({
    setting: `${section}.${key}`,
    value: secret ? hidden : value,
    origin,
  }));
/** Shown in place of a secret. */
export const hidden = "[secret]";

export type Sections = ReadonlyMap<string, TObject>;

export interface ConfigSources {
  /** The parsed file, section → key → value; empty when there is no file. */
  readonly file: Readonly<Record<string, unknown>>;
  readonly file_name: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `server.port` → text, as given on the command line. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly readSecretFile: (path: string) => string;
  /** `section.key` → a value stored while the server ran; it overrides only the default. */
  readonly stored?: StoredValues;
}
export type StoredValues = ReadonlyMap<string, unknown>;
/** The origin of a stored value. */
export const stored_origin = "stored";

/** One setting, as its plugin defines it. */
export type SettingSchema = TSchema & {
  readonly kind?: "duration" | "size" | "list" | "secret";
  readonly of?: "string" | "duration";
  readonly changes?: Changes;
  readonly providers?: readonly string[];
  readonly stored?: StoredLimits;
  /** Its default when another setting of the section is set. */
  readonly default_with?: Readonly<Record<string, unknown>>;
};
/** These settings of the section `server` have environment variables without the section's name. */
const unsectioned = new Set(["data", "host", "port", "secret_key"]);

export const envName = (section: string, key: string): string =>
  (section === "server" && unsectioned.has(key)
    ? `DOSSIER_${key}`
    : `DOSSIER_${section}_${key}`
  ).toUpperCase();

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
    ...(lenient ? [] : unknown.slips),
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
  const warnings = [...(lenient ? unknown.slips : []), ...unknown.sections, ...unknown.foreign];
  return { values, settings, warnings, sections, sources };
}

/** One section and its problems. */
export function readSection(
  section: string,
  schema: TObject,
  sources: ConfigSources,
): { values: Record<string, unknown>; settings: Setting[]; problems: string[] } {
  const values: Record<string, unknown> = {};
  const settings: Setting[] = [];
  const problems: string[] = [];
  for (const [key, of] of Object.entries(schema.properties as Record<string, SettingSchema>)) {
    const found =
      findSet(section, key, of, sources, problems) ?? findDefault(section, key, schema, sources);
    if (found === undefined) {
      if (of.kind === "list" && of.default === undefined) values[key] = [];
      else if (schema.required?.includes(key))
        problems.push(`${section}.${key} is required (${envName(section, key)}).`);
      continue;
    }
    const decoded = decode(found.raw, of);
    if ("problem" in decoded) {
      problems.push(`${section}.${key} ${decoded.problem} (from ${found.origin}).`);
      continue;
    }
    values[key] = decoded.value;
    settings.push({
      section,
      key,
      value: found.raw,
      origin: found.origin,
      secret: of.kind === "secret",
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
  const of = properties[key]!;
  for (const [other, raw] of Object.entries(of.default_with ?? {}))
    if (findSet(section, other, properties[other]!, sources, []) !== undefined)
      return { raw, origin: "default" };
  return of.default === undefined ? undefined : { raw: of.default, origin: "default" };
}

interface Found {
  readonly raw: unknown;
  readonly origin: string;
}
/** Where a value was set. */
function findSet(
  section: string,
  key: string,
  of: SettingSchema,
  sources: ConfigSources,
  problems: string[],
): Found | undefined {
  const flag = sources.flags[`${section}.${key}`];
  if (flag !== undefined) return { raw: flag, origin: `--${key.replaceAll("_", "-")}` };
  const name = envName(section, key);
  const env = sources.env[name];
  if (env !== undefined && env !== "") return { raw: env, origin: name };
  if (of.kind === "secret") {
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

type Decoded = { readonly value: unknown } | { readonly problem: string };

/** The decoded value of a setting, or what is wrong with it: `must be …`. */
export function decode(raw: unknown, of: SettingSchema): Decoded {
  if (of.kind === "duration")
    return measured(raw, durations_ms, "a duration such as 500ms, 30s, 5m, 2h or 30d");
  if (of.kind === "size") return measured(raw, sizes_bytes, "a size such as 512KiB, 64MiB or 2GiB");
  if (of.kind === "list") return decodeList(raw, of);
  if (of.kind === "secret")
    return typeof raw === "string" ? { value: raw } : { problem: "must be text" };
  const value = typeof raw === "string" ? fromText(raw, of) : raw;
  // Lengths are counted in code points, as in the API document.
  const { maxLength, ...others } = of;
  if (typeof value === "string" && maxLength !== undefined && [...value].length > maxLength)
    return { problem: `must be text of at most ${maxLength} characters` };
  const wrong = Value.Errors(others as SettingSchema, value).First();
  return wrong ? { problem: `must be ${expected(of)}, not ${JSON.stringify(raw)}` } : { value };
}

function decodeList(raw: unknown, of: SettingSchema): Decoded {
  const items =
    typeof raw === "string"
      ? raw
          .split(",")
          .map((item) => item.trim())
          .filter((item) => item !== "")
      : raw;
  if (!Array.isArray(items) || !items.every((item) => typeof item === "string"))
    return { problem: "must be a list of strings" };
  if (of.of !== "duration") return { value: items };
  const decoded = items.map((item) =>
    measured(item, durations_ms, "a list of durations such as 5s,5m"),
  );
  return (
    decoded.find((item) => "problem" in item) ?? {
      value: decoded.map((item) => (item as { value: unknown }).value),
    }
  );
}

const fromText = (raw: string, of: SettingSchema): unknown => {
  if (of.type === "integer" || of.type === "number")
    return /^-?\d+(\.\d+)?$/.test(raw) ? Number(raw) : raw;
  if (of.type === "boolean") return raw === "true" ? true : raw === "false" ? false : raw;
  return raw;
};

const durations_ms: Record<string, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const sizes_bytes: Record<string, number> = {
  "": 1,
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

function measured(raw: unknown, units: Record<string, number>, words: string): Decoded {
  const parts = /^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*$/.exec(
    typeof raw === "number" ? String(raw) : typeof raw === "string" ? raw : "",
  );
  const unit = parts ? units[parts[2]!] : undefined;
  if (!parts || unit === undefined)
    return { problem: `must be ${words}, not ${JSON.stringify(raw)}` };
  const value = Math.round(Number(parts[1]) * unit);
  return value <= Number.MAX_SAFE_INTEGER
    ? { value }
    : { problem: `is too large: ${JSON.stringify(raw)}` };
}

function expected(of: SettingSchema): string {
  if (Array.isArray(of.anyOf))
    return of.anyOf
      .map((variant: TSchema) => JSON.stringify(variant.const ?? variant.type))
      .join(" or ");
  const range = [
    of.minimum === undefined ? [] : `at least ${of.minimum}`,
    of.maximum === undefined ? [] : `at most ${of.maximum}`,
  ]
    .flat()
    .join(" and ");
  const article = /^[aeiou]/.test(of.type) ? "an" : "a";
  const pattern = of.pattern ? ` that matches ${of.pattern}` : "";
  return `${article} ${of.type}${range && ` of ${range}`}${pattern}`;
}

/** An unknown variable within this edit distance of a known one counts as a typo. */
const slip_edits_max = 2;
const short_name_max = 5;

interface Unknown {
  /** Each with the section it would belong to. */
  readonly keys: { readonly section: string; readonly problem: string }[];
  readonly sections: string[];
  /** Sections whose names look like misspellings of known ones. */
  readonly slips: string[];
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
  const unknown: Unknown = { keys: [], sections: [], slips: [], foreign: [] };
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
      const known = [...sections.keys()];
      const near = nearestWord(section, known);
      const is_slip = near !== undefined && editDistance(section, near) <= slipsIn(section);
      (is_slip ? unknown.slips : unknown.sections).push(
        `${file_name}: there is no section [${section}]${meant(section, known, (s) => `[${s}]`)}`,
      );
      continue;
    }
    for (const key of Object.keys(table)) {
      if (key in schema.properties) continue;
      const hint = meant(key, Object.keys(schema.properties), (k) => `${section}.${k}`);
      const problem = `${file_name}: there is no setting ${section}.${key}${hint}`;
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
    Object.entries(schema.properties as Record<string, SettingSchema>).flatMap(([key, of]) =>
      of.kind === "secret"
        ? [envName(section, key), `${envName(section, key)}_FILE`]
        : [envName(section, key)],
    ),
  );
  for (const name of Object.keys(env)) {
    if (!name.startsWith("DOSSIER_") || names.includes(name)) continue;
    const near = nearestWord(name, names);
    // Of `web` and `web_push`, prefer the longer.
    const [section] = [...sections.keys()]
      .filter((section) => name.startsWith(`DOSSIER_${section.toUpperCase()}_`))
      .sort((a, b) => b.length - a.length);
    const hint = meant(name, names, (known) => known);
    const problem = `environment: there is no setting ${name}${hint}`;
    if (section !== undefined) keys.push({ section, problem });
    else if (near !== undefined && editDistance(name, near) <= slip_edits_max)
      keys.push({ section: "", problem });
    else foreign.push(problem);
  }
}

/** Short names allow fewer edits, because they soon resemble another. */
const slipsIn = (name: string): number => (name.length <= short_name_max ? 1 : slip_edits_max);

const meant = (wrong: string, known: readonly string[], show: (name: string) => string): string => {
  const near = nearestWord(wrong, known);
  return near === undefined ? "." : `; the nearest is ${show(near)}.`;
};
