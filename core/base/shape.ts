/** Checks the shape of an object that was made elsewhere, and describes what is wrong with it. */

type Kind = "text" | "number" | "boolean" | "function" | "object";
/** `name: "text"`; an optional field ends with `?`: `purge: "function?"`. */
export type Shape<T> = { readonly [K in keyof T]?: Kind | `${Kind}?` };

const words: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  function: "a function",
  object: "an object",
};
const typeOf = { text: "string", number: "number", boolean: "boolean" } as const;

/** Checks a value against this shape: null, or what is wrong: "it has no function `recognises`". */
export const shaped =
  <T>(shape: Shape<T>) =>
  (value: unknown): string | null => {
    if (value === null || (typeof value !== "object" && typeof value !== "function"))
      return `it must be an object, not ${typeInWords(value)}`;
    for (const [key, kind_name] of Object.entries(shape) as [string, string][]) {
      const kind = kind_name.replace("?", "") as Kind;
      const type = kind in typeOf ? typeOf[kind as keyof typeof typeOf] : kind;
      const field: unknown = (value as Record<string, unknown>)[key];
      if (field === undefined) {
        if (kind_name.endsWith("?")) continue;
        return `it has no ${kind === "function" ? "function" : "field"} \`${key}\``;
      }
      if (typeof field !== type || field === null)
        return `its \`${key}\` must be ${words[type]}, not ${typeInWords(field)}`;
    }
    return null;
  };

/** The check of a slot whose values are functions. */
export const isFunction = (value: unknown): string | null =>
  typeof value === "function" ? null : `it must be a function, not ${typeInWords(value)}`;

const typeInWords = (value: unknown): string =>
  value === undefined || value === null
    ? String(value)
    : Array.isArray(value)
      ? "a list"
      : (words[typeof value] ?? `a ${typeof value}`);
