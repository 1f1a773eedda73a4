/** The completion script for zsh: sourced after `compinit`, or as the file `_dossier` of `fpath`. */
import walking from "./walk.zsh" with { type: "text" };
import { flattened, type CompletedCommand, type Value } from "./tree";

/** A script that defines the completion, with what each command and option is for. */
export function zshScript(root: CompletedCommand): string {
  const commands = flattened(root);
  return [
    `#compdef ${root.name}`,
    `# zsh completion for ${root.name}: source <(${root.name} completions zsh)`,
    "",
    "_dossier_below() {",
    "  offers=()",
    '  case "$1" in',
    ...commands
      .filter((one) => one.commands.length > 0)
      .map(({ path, commands: of }) =>
        set(
          path,
          of.map(({ name, description }) => described(name, description)),
        ),
      ),
    "  esac",
    "}",
    "_dossier_flags() {",
    "  offers=()",
    '  case "$1" in',
    ...commands.map(({ path, options }) =>
      set(
        path,
        options.flatMap(({ flags, description }) =>
          flags.map((flag) => described(flag, description)),
        ),
      ),
    ),
    "  esac",
    "}",
    "# What may stand for the value of an option, or for an argument by its number.",
    "_dossier_value() {",
    "  kind='' offers=()",
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
    yield given(many ? `${quoted(`${path} `)}<->` : quoted(`${path} ${at}`), value);
  }
}

const given = (pattern: string, value: Value): string =>
  `    ${pattern}) kind=${value.kind}${value.kind === "choices" ? ` offers=(${value.choices.map(quoted).join(" ")})` : ""} ;;`;
const set = (path: string, offers: readonly string[]): string =>
  `    ${quoted(path)}) offers=(${offers.map(quoted).join(" ")}) ;;`;
const described = (name: string, description: string): string =>
  `${name.replaceAll(":", String.raw`\:`)}:${description}`;
const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
