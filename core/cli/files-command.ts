/** `dossier files move`: copies original files to another place. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Command as Commander } from "commander";
import { systemClock } from "../base/clock";
import { moveFiles, type MoveProgress } from "../store/objects/file-move";
import { bootstrapBy, flagsOf, withData, type ProgramOptions } from "./command-options";
import type { Flags } from "./config-sources";
import { placeAt, placeOfSettings } from "./original-files";

const progress_every_ms = 2_000;
const named_max = 10;

export function addFilesCommand(program: Commander, options: ProgramOptions): void {
  const files = program.command("files").description("Original files.");
  withData(files.command("move"))
    .description(
      "Copy original files from where files.url says (or the data directory) to another place: " +
        "an address as files.url has it, or `data`. The source stays as it is; run it again to " +
        "go on, or for what came since. Then set files.url and restart.",
    )
    .argument("<to>")
    .action((to: string, given) => move(flagsOf(given), to, options));
}

async function move(flags: Flags, address: string, options: ProgramOptions): Promise<void> {
  const boot = await bootstrapBy(options, flags, "error");
  const from = placeOfSettings(boot, systemClock);
  const to = placeAt(address, boot, systemClock);
  if (from.words === to.words) throw new Error(`the original files are in ${to.words}`);
  const temporary = join(boot.located.data, "tmp");
  mkdirSync(temporary, { recursive: true });
  options.print(`copying original files from ${from.words} to ${to.words} …`);
  let printed_at = performance.now();
  const onProgress = (progress: MoveProgress): void => {
    if (performance.now() - printed_at < progress_every_ms) return;
    printed_at = performance.now();
    options.print(progressWords(progress));
  };
  const { copied, copied_bytes, skipped, damaged } = await moveFiles({
    from,
    to,
    temporary,
    onProgress,
  });
  options.print(
    `${copied} files (${mebibytes(copied_bytes)}) were copied, read again and compared by their ` +
      `hash; ${skipped} were there already. ${from.words} is as it was.`,
  );
  if (damaged.length === 0) return;
  for (const { sha256, why } of damaged.slice(0, named_max)) options.complain(`${sha256}: ${why}`);
  throw new Error(
    `${damaged.length} files of the source were not copied. \`dossier doctor\` says whose they are`,
  );
}

const progressWords = ({ done, total, done_bytes, total_bytes }: MoveProgress): string =>
  `${done} of ${total} files, ${mebibytes(done_bytes)} of ${mebibytes(total_bytes)}`;
const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
