/** The completion script for bash 3.2 and later; needs no other package. */
import { listing, valuing, type Dialect } from "./posix";
import { flattened, type CompletedCommand } from "./tree";
import walk from "./walk.bash" with { type: "text" };

const dialect: Dialect = { list: "words", number: "[0-9]*" };

/** A script that defines the completion when it is sourced. */
export function bashScript(root: CompletedCommand): string {
  const commands = flattened(root);
  return [
    `# bash completion for ${root.name}: source <(${root.name} completions bash)`,
    "",
    ...listing(
      "_dossier_below",
      dialect,
      commands.map(({ path, commands: below }) => [path, below.map(({ name }) => name)]),
    ),
    ...listing(
      "_dossier_flags",
      dialect,
      commands.map(({ path, options }) => [path, options.flatMap(({ flags }) => flags)]),
    ),
    ...valuing(dialect, commands),
    walk,
  ].join("\n");
}
