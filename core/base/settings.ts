/**
 * Kinds of settings beyond plain JSON: a duration, a size, a list and a secret, in the notation
 * that people use.
 */
import { Type, type TSchema, type TUnsafe } from "@sinclair/typebox";

/**
 * When a change made while the server runs takes effect: `now`; `at start`, the next one; or
 * `outside`: it can't be changed from within, only by whoever starts the server, because it decides
 * what the server may reach or how it is reached. Default: `at start`.
 */
export type Changes = "now" | "at start" | "outside";

/** Constraints on a value stored while the server runs, beyond those of its kind. */
export interface StoredLimits {
  /** Its name in the API document, when several settings share these limits: `Endpoint`. */
  readonly name?: string;
  /** The shortest duration, 0 or 1, and the longest. */
  readonly least_ms?: 0 | 1;
  readonly most_ms?: number;
  /** For lists: a regular expression (from ^ to $) for each item, and their number. */
  readonly item?: string;
  readonly items_least?: number;
  readonly items_most?: number;
  /** Further keywords of JSON Schema. */
  readonly json?: Readonly<Record<string, unknown>>;
  /** The same for the API document alone, where the server accepts more than is documented. */
  readonly shown?: Readonly<Record<string, unknown>>;
  /** What the value must be, for the error message: `be a code such as en`. */
  readonly must?: string;
}

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

interface SettingOptions {
  readonly description?: string;
  readonly default?: string;
  readonly changes?: Changes;
  /** Values of the sibling setting `provider` for which it is used; absent: any. */
  readonly providers?: readonly string[];
  readonly stored?: StoredLimits;
}

/** `500ms`, `30s`, `5m`, `2h`, `30d`; read as milliseconds. */
export const Duration = (options: SettingOptions = {}): TUnsafe<number> =>
  Type.Unsafe<number>({ type: "string", kind: "duration", ...options });
/** `512`, `64KiB`, `512MiB`, `2GiB`; read as bytes. */
export const Size = (options: SettingOptions = {}): TUnsafe<number> =>
  Type.Unsafe<number>({ type: "string", kind: "size", ...options });
/** A TOML array of strings, or comma-separated in the environment; every item is one of `of`. */
export const List = <T = string>(
  of: "string" | "duration" = "string",
  options: SettingOptions = {},
): TUnsafe<readonly T[]> =>
  Type.Unsafe<readonly T[]>({ type: "array", kind: "list", of, ...options });
/** Never printed; may come from a file named by `<NAME>_FILE`. */
export const Secret = (options: SettingOptions = {}): TUnsafe<string> =>
  Type.Unsafe<string>({ type: "string", kind: "secret", ...options });
