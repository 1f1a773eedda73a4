/** The completion script for fish. */
import walking from "./walk.fish" with { type: "text" };
import { flattened, type CompletedCommand, type CompletedOption, type Value } from "./tree";

/** A script that defines the completion, with descriptions of commands and options. */
export function fishScript(root: CompletedCommand): string {
  const commands = flattened(root);
  return [
    `# fish completion for ${root.name}: ${root.name} completions fish | source`,
    "",
    `set -g __dossier_paths ${commands.map(({ path }) => quoted(path)).join(" ")}`,
    `set -g __dossier_valued ${commands.flatMap(valuedOf).map(quoted).join(" ")}`,
    walking,
    `complete -c ${root.name} -e`,
    `complete -c ${root.name} -f`,
    ...commands.flatMap((child) => [...linesOf(child, root.name)]),
    "",
  ].join("\n");
}

const valuedOf = ({ path, options }: CompletedCommand): string[] =>
  options
    .filter(({ value }) => value !== null)
    .flatMap(({ flags }) => flags.map((flag) => `${path} ${flag}`));

function* linesOf(
  { path, commands, options, args, is_variadic }: CompletedCommand,
  program: string,
): Generator<string> {
  const line = (condition: string, completion: string): string =>
    `complete -c ${program} -n ${quoted(condition)} ${completion}`;
  for (const { name, description } of commands)
    yield line(`__dossier_at ${quoted(path)} 0`, `-a ${quoted(name)} -d ${quoted(description)}`);
  for (const option of options)
    yield line(
      `__dossier_at ${quoted(path)}`,
      `${flagsOf(option)} -d ${quoted(option.description)}`,
    );
  for (const [position, value] of args.entries()) {
    const is_repeated = is_variadic && position === args.length - 1;
    const argument = is_repeated ? `${position} more` : String(position);
    const completion = completionOf(value);
    if (completion !== "") yield line(`__dossier_at ${quoted(path)} ${argument}`, completion);
  }
}

function flagsOf({ flags, value }: CompletedOption): string {
  const flag_options = flags.map((flag) =>
    flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
  );
  if (value === null) return flag_options.join(" ");
  return [...flag_options, value.kind === "text" ? "-x" : "-r", completionOf(value)]
    .filter((word) => word !== "")
    .join(" ");
}

function completionOf(value: Value): string {
  switch (value.kind) {
    case "choices":
      return `-f -a ${quoted(value.choices.map(quoted).join(" "))}`;
    case "directory":
      return `-f -a ${quoted("(__fish_complete_directories (commandline -ct))")}`;
    case "file":
      return "-F";
    case "text":
      return "";
  }
}

const quoted = (word: string): string =>
  `'${word.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
