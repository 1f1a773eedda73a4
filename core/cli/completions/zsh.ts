/** The completion script for zsh: sourced after `compinit`, or as a file `_dossier` in `fpath`. */
import { listing, valuing, type Dialect } from "./posix";
import { flattened, type CompletedCommand } from "./tree";
import walk from "./walk.zsh" with { type: "text" };

const dialect: Dialect = { list: "offers", number: "<->" };

/** A script that defines the completion, with descriptions of commands and options. */
export function zshScript(root: CompletedCommand): string {
  const commands = flattened(root);
  return [
    `#compdef ${root.name}`,
    `# zsh completion for ${root.name}: source <(${root.name} completions zsh)`,
    "",
    ...listing(
      "_dossier_below",
      dialect,
      commands.map(({ path, commands: below }) => [
        path,
        below.map(({ name, description }) => described(name, description)),
      ]),
    ),
    ...listing(
      "_dossier_flags",
      dialect,
      commands.map(({ path, options }) => [
        path,
        options.flatMap(({ flags, description }) =>
          flags.map((flag) => described(flag, description)),
        ),
      ]),
    ),
    ...valuing(dialect, commands),
    walk,
  ].join("\n");
}

const described = (name: string, description: string): string =>
  `${name.replaceAll(":", String.raw`\:`)}:${description}`;
