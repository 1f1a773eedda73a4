/**
 * Kinds of settings beyond plain JSON: a duration, a size, a list and a secret, written as people
 * write them.
 */
import { Type, type TUnsafe } from "@sinclair/typebox";

interface Words {
  readonly description?: string;
  readonly default?: string;
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
