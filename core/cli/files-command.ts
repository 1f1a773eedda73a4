/** `dossier files move`: copies original files to another place. */
import { counted } from "../lib/counted";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Command as Commander } from "commander";
import { mebibytes } from "../lib/byte-sizes";
import { systemClock } from "../base/clock";
import { moveFiles, type MoveProgress } from "../store/objects/file-move";
import { bootstrapBy, flagsOf, withData, type ProgramOptions } from "./command-options";
import type { Flags } from "./config-sources";
import { placeAt, placeOfSettings } from "./original-files";

const progress_every_ms = 2_000;
const damaged_shown_max = 10;

/** Adds `dossier files move`. */
export function addFilesCommand(program: Commander, options: ProgramOptions): void {
  const files = program.command("files").description("Manage original files.");
  withData(files.command("move"))
    .description(
      "Copy original files from files.url (or the data directory) to another place: an " +
        "address like that of files.url, or `data` for the data directory. The source is not " +
        "changed. To continue, or to copy newer files, run it again. Then set files.url and " +
        "restart.",
    )
    .argument("<to>")
    .action((to: string, parsed) => move(flagsOf(parsed), to, options));
}

async function move(flags: Flags, address: string, options: ProgramOptions): Promise<void> {
  const boot = await bootstrapBy(options, flags, "error");
  const from = placeOfSettings(boot, systemClock);
  const to = placeAt(address, boot, systemClock);
  if (from.display_name === to.display_name)
    throw new Error(`the original files are already in ${to.display_name}`);
  const temporary = join(boot.located.data, "tmp");
  mkdirSync(temporary, { recursive: true });
  options.print(`copying original files from ${from.display_name} to ${to.display_name} …`);
  let printed_ms = performance.now();
  const onProgress = (progress: MoveProgress): void => {
    if (performance.now() - printed_ms < progress_every_ms) return;
    printed_ms = performance.now();
    options.print(progressWords(progress));
  };
  const { copied, copied_bytes, skipped, damaged } = await moveFiles({
    from,
    to,
    temporary,
    onProgress,
  });
  options.print(
    `${counted(copied, "file was", "files were")} copied and verified by hash ` +
      `(${mebibytes(copied_bytes)}); ${counted(skipped, "was", "were")} already there. ` +
      `${from.display_name} was not changed.`,
  );
  if (damaged.length === 0) return;
  for (const { sha256, reason } of damaged.slice(0, damaged_shown_max))
    options.complain(`${sha256}: ${reason}`);
  throw new Error(
    `${counted(damaged.length, "file was", "files were")} not copied. Run ` +
      "`dossier doctor --deep` to see which documents are affected",
  );
}

const progressWords = ({ done, total, done_bytes, total_bytes }: MoveProgress): string =>
  `${done} of ${counted(total, "file")}, ${mebibytes(done_bytes)} of ${mebibytes(total_bytes)}`;
