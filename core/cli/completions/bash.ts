/** The completion script for bash, 3.2 and later; it needs no other package. */
import walking from "./walk.bash" with { type: "text" };
import { flattened, type CompletedCommand, type Value } from "./tree";

/** A script that defines the completion when it is sourced. */
export function bashScript(root: CompletedCommand): string {
  const commands = flattened(root);
  const below = commands.filter((one) => one.commands.length > 0);
  return [
    `# bash completion for ${root.name}: source <(${root.name} completions bash)`,
    "",
    "_dossier_below() {",
    "  words=()",
    '  case "$1" in',
    ...below.map(({ path, commands: of }) => set(path, "words", namesOf(of))),
    "  esac",
    "}",
    "_dossier_flags() {",
    "  words=()",
    '  case "$1" in',
    ...commands.map(({ path, options }) =>
      set(
        path,
        "words",
        options.flatMap(({ flags }) => flags),
      ),
    ),
    "  esac",
    "}",
    "# What may stand for the value of an option, or for an argument by its number.",
    "_dossier_value() {",
    "  kind='' words=()",
    '  case "$1" in',
    ...commands.flatMap((one) => [...valuesOf(one)]),
    "  esac",
    "}",
    walking,
  ].join("\n");
}

function* valuesOf({ path, options, args, is_variadic }: CompletedCommand): Generator<string> {
  for (const { flags, value } of options)
    if (value) yield given(flags.map((flag) => quoted(`${path} ${flag}`)).join("|"), value);
  for (const [at, value] of args.entries()) {
    const many = is_variadic && at === args.length - 1;
    yield given(many ? `${quoted(`${path} `)}[0-9]*` : quoted(`${path} ${at}`), value);
  }
}

const given = (pattern: string, value: Value): string =>
  `    ${pattern}) kind=${value.kind}${value.kind === "choices" ? ` words=(${list(value.choices)})` : ""} ;;`;
const set = (path: string, name: string, words: readonly string[]): string =>
  `    ${quoted(path)}) ${name}=(${list(words)}) ;;`;
const list = (words: readonly string[]): string => words.map(quoted).join(" ");
const namesOf = (commands: readonly CompletedCommand[]) => commands.map(({ name }) => name);
/** A word that bash takes as it is. */
const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
