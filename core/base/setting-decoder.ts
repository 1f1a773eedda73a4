/** Decodes the values of settings, as written in the file, the environment or a flag. */
import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { SettingSchema } from "./settings";

type Decoded = { readonly value: unknown } | { readonly problem: string };

/** The decoded value of a setting, or what is wrong with it: `must be …`. */
export function decode(raw: unknown, schema: SettingSchema): Decoded {
  if (schema.kind === "duration")
    return measured(raw, durations_ms, "a duration such as 500ms, 30s, 5m, 2h or 30d");
  if (schema.kind === "size")
    return measured(raw, sizes_bytes, "a size such as 512KiB, 64MiB or 2GiB");
  if (schema.kind === "list") return decodeList(raw, schema);
  if (schema.kind === "secret")
    return typeof raw === "string" ? { value: raw } : { problem: "must be text" };
  const value = typeof raw === "string" ? fromText(raw, schema) : raw;
  // Lengths are counted in code points, as in the API document.
  const { maxLength, ...constraints } = schema;
  if (typeof value === "string" && maxLength !== undefined && [...value].length > maxLength)
    return { problem: `must be text of at most ${maxLength} characters` };
  const error = Value.Errors(constraints as SettingSchema, value).First();
  return error ? { problem: `must be ${expected(schema)}, not ${JSON.stringify(raw)}` } : { value };
}

function decodeList(raw: unknown, schema: SettingSchema): Decoded {
  const items =
    typeof raw === "string"
      ? raw
          .split(",")
          .map((item) => item.trim())
          .filter((item) => item !== "")
      : raw;
  if (!Array.isArray(items) || !items.every((item) => typeof item === "string"))
    return { problem: "must be a list of strings" };
  if (schema.of !== "duration") return { value: items };
  const decoded = items.map((item) =>
    measured(item, durations_ms, "a list of durations such as 5s,5m"),
  );
  return (
    decoded.find((item) => "problem" in item) ?? {
      value: decoded.map((item) => (item as { value: unknown }).value),
    }
  );
}

const fromText = (raw: string, schema: SettingSchema): unknown => {
  if (schema.type === "integer" || schema.type === "number")
    return /^-?\d+(\.\d+)?$/.test(raw) ? Number(raw) : raw;
  if (schema.type === "boolean") return raw === "true" ? true : raw === "false" ? false : raw;
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

function measured(raw: unknown, units: Record<string, number>, example: string): Decoded {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*$/.exec(
    typeof raw === "number" ? String(raw) : typeof raw === "string" ? raw : "",
  );
  const unit = match ? units[match[2]!] : undefined;
  if (!match || unit === undefined)
    return { problem: `must be ${example}, not ${JSON.stringify(raw)}` };
  const value = Math.round(Number(match[1]) * unit);
  return value <= Number.MAX_SAFE_INTEGER
    ? { value }
    : { problem: `is too large: ${JSON.stringify(raw)}` };
}

function expected(schema: SettingSchema): string {
  if (Array.isArray(schema.anyOf))
    return schema.anyOf
      .map((variant: TSchema) => JSON.stringify(variant.const ?? variant.type))
      .join(" or ");
  const range = [
    schema.minimum === undefined ? [] : `at least ${schema.minimum}`,
    schema.maximum === undefined ? [] : `at most ${schema.maximum}`,
  ]
    .flat()
    .join(" and ");
  const article = /^[aeiou]/.test(schema.type) ? "an" : "a";
  const pattern = schema.pattern ? ` that matches ${schema.pattern}` : "";
  return `${article} ${schema.type}${range && ` of ${range}`}${pattern}`;
}
