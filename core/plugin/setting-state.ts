/**
 * One setting as administrators see it: its value, the origin of that, and other values that are
 * set.
 */
import type { TObject, TSchema } from "@sinclair/typebox";
import { hidden, stored_origin, type Setting } from "../base/config";
import type { Changes, SettingSchema } from "../base/settings";

/** What a form needs to know about the values of a setting. */
export type SettingKind =
  | "text"
  | "integer"
  | "number"
  | "boolean"
  | "choice"
  | "duration"
  | "size"
  | "list"
  | "secret";

/** Values are in the notation of people; secrets are hidden. */
export interface SettingState {
  /** `section.key` */
  readonly setting: string;
  readonly description: string;
  readonly kind: SettingKind;
  /** The possible values of a choice. */
  readonly choices: readonly string[] | null;
  readonly minimum: number | null;
  readonly maximum: number | null;
  /** In force; null when there is none. */
  readonly value: unknown;
  /**
   * The origin of the value in force: `default`, `stored`, `dossier.toml`, a variable or an option.
   */
  readonly origin: string;
  readonly default: unknown;
  /** Null when nothing is stored. */
  readonly stored: unknown;
  readonly changes: Changes;
  /** Values of `provider` in the same section for which it is used; null: any. */
  readonly providers: readonly string[] | null;
  /** The next start will use a value other than the one in force. */
  readonly restart_needed: boolean;
  /** Why the stored value is not used. */
  readonly problem: string | null;
}

/** What is known of the values of a setting. */
export interface KnownOfSetting {
  readonly changes: Changes;
  readonly now: Setting | undefined;
  /** At the next start. */
  readonly later: Setting | undefined;
  readonly stored: unknown;
  readonly problem: string | null;
}

/** The state of this setting, with its secret hidden. */
export function describe(
  setting: string,
  schema: SettingSchema,
  { changes, now, later, stored, problem }: KnownOfSetting,
): SettingState {
  const kind = kindOf(schema);
  const shown = (value: unknown): unknown =>
    value === undefined ? null : kind === "secret" ? hidden : value;
  return {
    setting,
    description: schema.description ?? "",
    kind,
    choices: kind === "choice" ? choicesOf(schema) : null,
    minimum: schema.minimum ?? null,
    maximum: schema.maximum ?? null,
    value: shown(now?.value),
    origin: now?.origin ?? "default",
    default: shown(schema.default),
    stored: shown(stored),
    changes,
    providers: schema.providers ?? null,
    restart_needed:
      changes === "at start" && JSON.stringify(now?.value) !== JSON.stringify(later?.value),
    problem,
  };
}

/** Whether another origin overrides the stored value. */
export const isOverruled = ({ origin, stored, restart_needed }: SettingState): boolean =>
  stored !== null && origin !== stored_origin && !restart_needed;

function kindOf(schema: SettingSchema): SettingKind {
  if (schema.kind !== undefined) return schema.kind;
  if (Array.isArray(schema.anyOf)) return "choice";
  return schema.type === "integer" || schema.type === "number" || schema.type === "boolean"
    ? schema.type
    : "text";
}
const choicesOf = (schema: SettingSchema): string[] =>
  (schema.anyOf as TSchema[]).map((literal) => String(literal.const));

/** The names of the settings of a section, without the section. */
export const keysOf = (schema: TObject): string[] => Object.keys(schema.properties);
/** The definition of a setting, which must exist. */
export const propertyOf = (schema: TObject, key: string): SettingSchema =>
  schema.properties[key] as SettingSchema;
/** As declared by the setting, otherwise by its section. */
export const changesOf = (schema: TObject, key: string): Changes =>
  propertyOf(schema, key).changes ?? (schema.changes as Changes | undefined) ?? "at start";
