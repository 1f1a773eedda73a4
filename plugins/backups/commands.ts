/** The commands that make, list and rehearse backups. */
import { counted } from "../../core/lib/counted";
import { basename, resolve } from "node:path";
import { mebibytes } from "../../core/lib/byte-sizes";
import { rfc3339OrNull, type Command, type CommandHandler, type Context } from "../../core/sdk";
import { compareOriginals, listOriginals, writeOriginals } from "./originals";
import { stage_words, type Progress } from "./progress";
import type { BackupService } from "./service";

export const commands = {
  backup: {
    name: "backup",
    changes: true,
    summary:
      "Create a backup of the data directory and rehearse it, whether or not the server is " +
      "running.",
    options: [
      { flags: "--to <directory>", description: "where to store it (default: backups.directory)" },
      {
        flags: "--incremental-to <path>",
        description:
          "leave out originals that are in this backup, or in the backups of this directory",
      },
      {
        flags: "--with-secrets",
        description: "with secret.key and the secrets of dossier.toml",
      },
    ],
  },
  backupList: {
    name: "backup list",
    summary: "List the backups in backups.directory, newest first.",
    options: [{ flags: "--json", description: "print one JSON array" }],
  },
  backupDelete: {
    name: "backup delete",
    changes: true,
    summary: "Delete a backup in backups.directory, unless a newer one needs it.",
    args: ["name"],
  },
  backupRehearse: {
    name: "backup rehearse",
    changes: true,
    summary: "Test a backup: read all of it, open its database, and check that nothing is missing.",
    args: ["file"],
  },
  backupOriginals: {
    name: "backup originals",
    summary:
      "List the originals with their sizes and SHA-256, to keep with a copy of them; or " +
      "check the originals against such a list.",
    options: [
      { flags: "--to <file>", description: "the new file to write the list to" },
      { flags: "--check <file>", description: "check the originals against this list" },
    ],
  },
} satisfies Record<string, Command>;

export const commandHandlers = (
  backups: BackupService,
  ctx: Pick<Context, "files">,
): { readonly [N in keyof typeof commands]: CommandHandler } => ({
  async backup({ options, print, about }) {
    const { path, bytes, manifest } = await backups.make(
      {
        directory: text(options.to),
        incremental_to: text(options.incrementalTo),
        with_secrets: options.withSecrets === true,
      },
      { onProgress: printStages(print) },
    );
    about(basename(path));
    const { count, elsewhere, stored_in } = manifest.originals;
    print(
      `${path} (${mebibytes(bytes)}, ${counted(count, "original")}` +
        (elsewhere > 0 ? `, ${elsewhere} of them in earlier backups` : "") +
        (stored_in === undefined ? "" : `, which stay in ${stored_in}`) +
        ") was created and rehearsed.",
    );
  },
  async backupList({ options, print }) {
    const { backups: listed } = await backups.list();
    const rows = listed.map(({ name, path, bytes, summary, problem, ...state }) => ({
      name,
      path,
      bytes,
      made_at: summary?.at ?? null,
      originals: summary?.originals ?? null,
      incremental: summary === null ? null : summary.elsewhere > 0,
      rehearsed_at: rfc3339OrNull(state.rehearsed_at),
      problem: problem ?? state.failure,
    }));
    if (options.json) return print(JSON.stringify(rows));
    if (rows.length === 0) print(`There are no backups in ${backups.settings.directory}.`);
    for (const { name, bytes, originals, problem } of rows)
      print(`${name}  ${mebibytes(bytes)}  ${problem ?? counted(originals ?? 0, "original")}`);
  },
  async backupDelete({ args, print, about }) {
    const name = basename(args[0]!);
    about(name);
    await backups.remove(name);
    print(`Deleted ${name}.`);
  },
  async backupRehearse({ args, print, about }) {
    const path = resolve(args[0]!);
    about(basename(path));
    await backups.rehearseAt(path, { onProgress: printStages(print) });
    print(`${path} is complete and usable.`);
  },
  async backupOriginals({ options, print }) {
    if (typeof options.check === "string") {
      const path = resolve(options.check);
      const { count, wrong, problems } = await compareOriginals(ctx, path);
      for (const line of problems) print(line);
      if (wrong > 0)
        throw new Error(
          `${wrong} of ${counted(count, "original")} ${wrong === 1 ? "does" : "do"} not match ` +
            `${path}. Copy them again from the source`,
        );
      print(`${counted(count, "original")} compared with ${path}: no differences.`);
    } else if (typeof options.to === "string") {
      const path = resolve(options.to);
      print(`${path} lists ${counted(await writeOriginals(ctx, path), "original")}.`);
    } else for await (const line of listOriginals(ctx)) print(line);
  },
});

const text = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;

/** Prints a line at the beginning of each stage. */
function printStages(print: (line: string) => void): (progress: Progress) => void {
  let last: string | undefined;
  return ({ stage }) => {
    if (stage !== last) print(`${stage_words[stage]} …`);
    last = stage;
  };
}
