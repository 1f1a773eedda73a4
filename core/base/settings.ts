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

interface Words {
  readonly description?: string;
  readonly default?: string;
  readonly changes?: Changes;
  /** Values of the setting `provider` beside it with which it is of use; absent: with any. */
  readonly providers?: readonly string[];
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
