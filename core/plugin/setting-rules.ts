/** Validates what may be stored for each single setting, and describes what is refused. */
import type { Sections, StoredValues } from "../base/config";
import { decode } from "../base/setting-decoder";
import { badRequest } from "../base/errors";
import { nearestHint } from "../base/nearest-word";
import type { Changes, SettingSchema } from "../base/settings";
import {
  formWords,
  hasForm,
  storedForm,
  text_length_max,
  type StoredForm,
} from "../base/stored-form";
import { changesOf, keysOf, propertyOf } from "./setting-state";

/** `section.key` → the new value in the notation of people; null restores the default. */
export type SettingChanges = Readonly<Record<string, unknown>>;
/**
 * Changes computed from the stored values, which another process may have just changed: `stored`
 * returns a setting's value by name, undefined when none is stored.
 */
export type SettingUpdate = (stored: (name: string) => unknown) => SettingChanges;
/** A setting, its definition, and the values that may be stored for it. */
export interface SettingForm {
  readonly setting: string;
  readonly schema: SettingSchema;
  readonly form: StoredForm;
}

/** The rules of all known settings. */
export class SettingRules {
  constructor(private readonly sections: Sections) {}

  /** Every setting that can be stored, and the values allowed for it. */
  forms(): SettingForm[] {
    return [...this.sections].flatMap(([section, schema]) =>
      keysOf(schema)
        .filter((key) => changesOf(schema, key) !== "outside")
        .map((key) => {
          const definition = propertyOf(schema, key);
          return { setting: `${section}.${key}`, schema: definition, form: storedForm(definition) };
        }),
    );
  }

  /** The resulting stored values. @throws HttpError 400 */
  storedWith(stored: StoredValues, changes: SettingChanges): Map<string, unknown> {
    const next = new Map(stored);
    for (const [name, value] of Object.entries(changes)) {
      const raw = this.checked(name, value);
      if (raw === null) next.delete(name);
      else next.set(name, raw);
    }
    return next;
  }

  /** The value to store; null removes the stored value. @throws HttpError 400 */
  private checked(name: string, raw: unknown): unknown {
    const setting = this.find(name);
    const refuse = (problem: string): never => {
      throw badRequest(`${name} ${problem}.`, `/${name}`);
    };
    if (setting === undefined) {
      const setting_names = [...this.sections].flatMap(([section, schema]) =>
        keysOf(schema).map((key) => `${section}.${key}`),
      );
      throw badRequest(
        `There is no setting ${name}${nearestHint(name, setting_names)}.`,
        `/${name}`,
      );
    }
    if (setting.changes === "outside")
      return refuse(
        "can't be stored, because it controls what the server can reach or how it is " +
          "reached. Set it in dossier.toml, in the environment or on the command line, and " +
          "restart the server",
      );
    if (raw === null) return null;
    if (raw === "" && setting.schema.kind !== "list")
      return refuse("must not be empty. To go back to the default, unset it");
    if (
      typeof raw === "string" &&
      raw.length > text_length_max &&
      [...raw].length > text_length_max
    )
      return refuse(`must be at most ${text_length_max} characters`);
    const decoded = decode(raw, setting.schema);
    if ("problem" in decoded) return refuse(decoded.problem);
    // Durations and sizes are stored in their notation, also in lists.
    const { kind, of: items } = setting.schema;
    return kind === "duration" || kind === "size" || items === "duration" ? raw : decoded.value;
  }

  /** The last check, because the others have better messages. @throws HttpError 400 */
  requireForm(name: string, raw: unknown): void {
    const { schema } = this.find(name)!;
    if (!hasForm(raw, storedForm(schema)))
      throw badRequest(`${name} must ${schema.stored?.must ?? formWords(schema)}.`, `/${name}`);
  }

  /** The decoded value: durations in ms, sizes in bytes. Undefined when it is invalid. */
  decoded(name: string, raw: unknown): unknown {
    const decoded = decode(raw, this.find(name)!.schema);
    return "value" in decoded ? decoded.value : undefined;
  }

  /** The definition of a setting; undefined when there is none. */
  find(name: string): { readonly schema: SettingSchema; readonly changes: Changes } | undefined {
    const schema = this.sections.get(sectionOf(name));
    const key = keyOf(name);
    if (schema === undefined || !Object.hasOwn(schema.properties, key)) return undefined;
    return { schema: propertyOf(schema, key), changes: changesOf(schema, key) };
  }
}

/** `jobs` for `jobs.keep_done`. */
export const sectionOf = (name: string): string => name.slice(0, Math.max(0, name.indexOf(".")));
/** `keep_done` for `jobs.keep_done`. */
export const keyOf = (name: string): string => name.slice(name.indexOf(".") + 1);
