/**
 * Kinds of settings beyond plain JSON: a duration, a size, a list and a secret, written as people
 * write them.
 */
import { Type, type TUnsafe } from "@sinclair/typebox";

/**
 * When a change takes effect that is made while the server runs: `now`; `at start`, the next one;
 * or `outside`: it is not changed from within at all, but only by whoever starts the server: it
 * decides what the server may reach or how it is reached. Default: `at start`.
 */
export type Changes = "now" | "at start" | "outside";

/** What may be stored of a setting while the server runs, beyond its kind. */
export interface StoredLimits {
  /** In the API's document, where several settings have these limits: `Endpoint`. */
  readonly name?: string;
  /** Of a duration; 0 or 1, and the longest. */
  readonly least_ms?: 0 | 1;
  readonly most_ms?: number;
  /** Of a list: what each item looks like, a regular expression from ^ to $, and how many. */
  readonly item?: string;
  readonly items_least?: number;
  readonly items_most?: number;
  /** Further keywords of JSON Schema. */
  readonly json?: Readonly<Record<string, unknown>>;
  /** The same for the API's document alone, where more is taken than it says. */
  readonly shown?: Readonly<Record<string, unknown>>;
  /** What it must be, for whoever sends something else: `be a code such as en`. */
  readonly must?: string;
}

interface Words {
  readonly description?: string;
  readonly default?: string;
  readonly changes?: Changes;
  /** Values of the setting `provider` beside it with which it is of use; absent: with any. */
  readonly providers?: readonly string[];
  readonly stored?: StoredLimits;
}

/** `500ms`, `30s`, `5m`, `2h`, `30d`; read as milliseconds. */
export const Duration = (words: Words = {}): TUnsafe<number> =>
  Type.Unsafe<number>({ type: "string", kind: "duration", ...words });
/** `512`, `64KiB`, `512MiB`, `2GiB`; read as bytes. */
export const Size = (words: Words = {}): TUnsafe<number> =>
  Type.Unsafe<number>({ type: "string", kind: "size", ...words });
/** A TOML array of strings, or comma-separated in the environment; every item is one of `of`. */
export const List = <T = string>(
  of: "string" | "duration" = "string",
  words: Words = {},
): TUnsafe<readonly T[]> =>
  Type.Unsafe<readonly T[]>({ type: "array", kind: "list", of, ...words });
/** Never printed; may come from a file named by `<NAME>_FILE`. */
export const Secret = (words: Words = {}): TUnsafe<string> =>
  Type.Unsafe<string>({ type: "string", kind: "secret", ...words });
