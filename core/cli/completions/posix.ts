/** Shared by the scripts for bash and zsh: tables as shell functions. */
import type { CompletedCommand, Value } from "./tree";

/** A word quoted for the shell. */
export const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** How a shell declares its list of words, and how it matches a number. */
export interface Dialect {
  readonly list: string;
  readonly number: string;
}

/** A shell function that sets the list according to the path it is given. */
export const listing = (
  name: string,
  { list }: Dialect,
  rows: readonly (readonly [path: string, words: readonly string[]])[],
): string[] => [
  `${name}() {`,
  `  ${list}=()`,
  '  case "$1" in',
  ...rows.map(
    ([path, words]) => `    ${quoted(path)}) ${list}=(${words.map(quoted).join(" ")}) ;;`,
  ),
  "  esac",
  "}",
];

/** A shell function that sets `kind`, and the list, for the value of an option or an argument. */
export const valuing = (dialect: Dialect, commands: readonly CompletedCommand[]): string[] => [
  "# What may stand for the value of an option, or for an argument by its number.",
  "_dossier_value() {",
  `  kind='' ${dialect.list}=()`,
  '  case "$1" in',
  ...commands.flatMap((child) => [...valuesOf(child, dialect)]),
  "  esac",
  "}",
];

function* valuesOf(
  { path, options, args, is_variadic }: CompletedCommand,
  dialect: Dialect,
): Generator<string> {
  for (const { flags, value } of options)
    if (value)
      yield caseLine(flags.map((flag) => quoted(`${path} ${flag}`)).join("|"), value, dialect);
  for (const [position, value] of args.entries()) {
    const is_repeated = is_variadic && position === args.length - 1;
    const pattern = is_repeated
      ? `${quoted(`${path} `)}${dialect.number}`
      : quoted(`${path} ${position}`);
    yield caseLine(pattern, value, dialect);
  }
}

function caseLine(pattern: string, value: Value, { list }: Dialect): string {
  const words = value.kind === "choices" ? ` ${list}=(${value.choices.map(quoted).join(" ")})` : "";
  return `    ${pattern}) kind=${value.kind}${words} ;;`;
}
