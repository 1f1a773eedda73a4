/**
 * The string formats used in schemas. The validator would reject every value of an unknown format,
 * so unknown ones are registered as notes to the reader.
 */
import { FormatRegistry, type TSchema } from "@sinclair/typebox";

const checks: Readonly<Record<string, (text: string) => boolean>> = {
  "date-time": (text) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(text) &&
    !Number.isNaN(Date.parse(text)),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text) => URL.canParse(text),
  uuid: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
};

/** Call before the schema is compiled. */
export function registerFormats(schema: TSchema): void {
  for (const format of formatsIn(schema, new Set()))
    if (!FormatRegistry.Has(format)) FormatRegistry.Set(format, checks[format] ?? (() => true));
}

function formatsIn(schema: unknown, seen: Set<unknown>): string[] {
  if (typeof schema !== "object" || schema === null || seen.has(schema)) return [];
  seen.add(schema);
  const { format, type } = schema as { format?: unknown; type?: unknown };
  const formats = type === "string" && typeof format === "string" ? [format] : [];
  return [...formats, ...Object.values(schema).flatMap((part) => formatsIn(part, seen))];
}
