/**
 * `dossier completions bash|zsh|fish`: prints a script that makes a shell complete this program.
 */
import { Argument, type Command as Commander } from "commander";
import { withData, type ProgramOptions } from "../command-options";
import { bashScript } from "./bash";
import { fishScript } from "./fish";
import { completed, type CompletedCommand } from "./tree";
import { zshScript } from "./zsh";

const scripts: Readonly<Record<string, (root: CompletedCommand) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Generated from the commands that are registered when it runs, those of plugins included. */
export function addCompletionsCommand(program: Commander, { print }: ProgramOptions): void {
  withData(program.command("completions"))
    .description(
      "Print a shell completion script. bash: source <(dossier completions bash); zsh: " +
        "source <(dossier completions zsh); fish: dossier completions fish | source.",
    )
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(scripts)))
    .action((shell: string) => print(scripts[shell]!(completed(program)).trimEnd()));
}
