/**
 * Which values of a setting may be stored while the server runs, as a JSON Schema: exactly what the
 * API accepts. dossier.toml and the environment allow more, such as surrounding spaces.
 */
import { integers } from "../lib/number-pattern";
import type { SettingSchema } from "./settings";
import { duration, size } from "./measure-patterns";

/** The maximum length of a text in code points; also of a list written as one text. */
export const text_length_max = 8_192;
const items_max = 500;
const item_length_max = 255;
/** Fifteen digits, as in query parameters. */
const number_max = 999_999_999_999_999;

/** The schema shared by all settings of a kind, and the keywords that this one adds. */
export interface StoredForm {
  readonly kind: "Text" | "Flag" | "Integer" | "Number" | "Duration" | "Size" | "List";
  /** Keywords of JSON Schema; each applies to values of one type. */
  readonly limits: Readonly<Record<string, unknown>>;
}

/** The schema shared by all settings of one kind. Null removes the stored value. */
export const kinds: Readonly<Record<StoredForm["kind"], Readonly<Record<string, unknown>>>> = {
  Text: { type: ["string", "null"], minLength: 1, maxLength: text_length_max },
  Flag: {
    anyOf: [{ type: "boolean" }, { type: "string", enum: ["true", "false"] }, { type: "null" }],
  },
  Integer: {
    description: "A number, or the same as a text.",
    anyOf: [{ type: "integer" }, { type: "string", pattern: "^-?[0-9]+$" }, { type: "null" }],
  },
  Number: {
    description: "A number, or the same as a text.",
    anyOf: [
      { type: "number" },
      { type: "string", pattern: "^-?[0-9]{1,15}(?:\\.[0-9]{1,15})?$" },
      { type: "null" },
    ],
  },
  Duration: {
    description: "`500ms`, `30s`, `5m`, `2h` or `30d`.",
    type: ["string", "null"],
    pattern: duration(),
  },
  Size: {
    description: "`512KiB`, `64MiB` or `2GiB`; a number is bytes.",
    anyOf: [
      { type: "string", pattern: size() },
      { type: "integer", minimum: 0, maximum: number_max },
      { type: "null" },
    ],
  },
  List: {
    description: "A list of texts, or one text with commas between them.",
    anyOf: [
      {
        type: "array",
        items: { type: "string", maxLength: item_length_max },
        maxItems: items_max,
      },
      { type: "string", maxLength: text_length_max },
      { type: "null" },
    ],
  },
};

/** The form that values of a setting must have in order to be stored. */
export function storedForm(schema: SettingSchema): StoredForm {
  const { stored } = schema;
  if (schema.kind === "duration")
    return { kind: "Duration", limits: stored ? { pattern: duration(stored) } : {} };
  if (schema.kind === "size") return { kind: "Size", limits: {} };
  if (schema.kind === "list") return { kind: "List", limits: listLimits(schema) };
  if (Array.isArray(schema.anyOf))
    return {
      kind: "Text",
      limits: { enum: [...schema.anyOf.map((variant) => variant.const), null] },
    };
  if (schema.type === "boolean") return { kind: "Flag", limits: {} };
  if (schema.type === "integer") {
    const minimum: number = schema.minimum ?? -number_max;
    const maximum: number = schema.maximum ?? number_max;
    const pattern = `^${integers(minimum, maximum)}$`;
    return { kind: "Integer", limits: { minimum, maximum, pattern } };
  }
  const { minimum, maximum, minLength, maxLength, pattern } = schema;
  const limits = { minimum, maximum, minLength, maxLength, pattern, ...stored?.json };
  return {
    kind: schema.type === "number" ? "Number" : "Text",
    limits: Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined)),
  };
}

/** Limits for items apply both in a list and in one text with commas between them. */
function listLimits({ of, stored }: SettingSchema): Record<string, unknown> {
  const pattern = of === "duration" ? duration() : stored?.item;
  if (pattern === undefined) return { ...stored?.json };
  const { items_least = 0, items_most } = stored ?? {};
  const list = ` *${pattern.slice(1, -1)} *`;
  const further =
    items_most === undefined ? "*" : `{${Math.max(0, items_least - 1)},${items_most - 1}}`;
  const text = `${list}(?:,${list})${further}`;
  return {
    items: { type: "string", pattern },
    ...(items_least > 0 && { minItems: items_least }),
    ...(items_most !== undefined && { maxItems: items_most }),
    // Of a list written as one text.
    pattern: items_least > 0 ? `^${text}$` : `^(?:${text})?$`,
    ...stored?.json,
  };
}

/** What the value must be, as it follows `must`. */
export function formWords(schema: SettingSchema): string {
  const { kind, limits } = storedForm(schema);
  if (kind === "Duration") return "be a duration such as 500ms, 30s, 5m, 2h or 30d";
  if (kind === "Size") return "be a size such as 512KiB, 64MiB or 2GiB";
  if (kind === "Flag") return "be true or false";
  if (kind === "List")
    return `be a list of at most ${items_max} entries of up to ${item_length_max} characters each`;
  if (kind === "Integer")
    return `be a whole number from ${limits.minimum} to ${limits.maximum}, without leading zeros`;
  return kind === "Number"
    ? "be a number"
    : `be text of at most ${limits.maxLength ?? text_length_max} characters`;
}

/** Whether a value has this form. */
export function hasForm(value: unknown, { kind, limits }: StoredForm): boolean {
  const { anyOf, ...common } = kinds[kind] as { readonly anyOf?: readonly Json[] } & Json;
  return (
    fits(value, common) &&
    (!anyOf || anyOf.some((variant) => fits(value, variant))) &&
    fits(value, limits)
  );
}

type Json = Readonly<Record<string, unknown>>;

/** The supported keywords. A keyword for another type does not constrain the value. */
const keywords: Readonly<Record<string, (value: any, limit: any) => boolean>> = {
  type: (value, types: string | readonly string[]) =>
    [types].flat().includes(typeOf(value, [types].flat())),
  enum: (value, allowed_values: readonly unknown[]) => allowed_values.includes(value),
  minimum: (value, minimum: number) => typeof value !== "number" || value >= minimum,
  maximum: (value, maximum: number) => typeof value !== "number" || value <= maximum,
  minLength: (value, minimum: number) => typeof value !== "string" || lengthOf(value) >= minimum,
  maxLength: (value, maximum: number) => typeof value !== "string" || lengthOf(value) <= maximum,
  pattern: (value, text: string) => typeof value !== "string" || new RegExp(text, "u").test(value),
  items: (value, item_schema: Json) =>
    !Array.isArray(value) || value.every((item) => fits(item, item_schema)),
  minItems: (value, minimum: number) => !Array.isArray(value) || value.length >= minimum,
  maxItems: (value, maximum: number) => !Array.isArray(value) || value.length <= maximum,
  contains: (value, item_schema: Json) =>
    !Array.isArray(value) || value.some((item) => fits(item, item_schema)),
};

const fits = (value: unknown, schema: Json): boolean =>
  Object.entries(schema).every(([keyword, limit]) => keywords[keyword]?.(value, limit) ?? true);

function typeOf(value: unknown, types: readonly string[]): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) && types.includes("integer") ? "integer" : typeof value;
}

/** In code points, as `maxLength` of JSON Schema counts. */
const lengthOf = (text: string): number => [...text].length;
