/** `dossier restore`: creates a data directory from a backup. Everything is verified on the way. */
import { counted } from "../../core/lib/counted";
import { existsSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, statfs } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { mebibytes } from "../../core/lib/byte-sizes";
import { namedVersion, type Tool, type ToolInput } from "../../core/sdk";
import {
  BadBackup,
  database_part,
  key_part,
  openBackup,
  originalPart,
  readOriginals,
  readPart,
  settings_part,
  type Backup,
  type Original,
} from "./archive";
import { requireSame } from "./child/rehearsal";
import { restoring_directory } from "./leftovers";

/** Names in a directory that counts as empty: locks, and files that the system keeps there. */
const is_nothing = /^(\..*|lost\+found|dossier\.lock.*)$/;
const spare_bytes = 64 * 2 ** 20;
const named_max = 5;

export const restoreTool: Tool = {
  name: "restore",
  changes: true,
  summary: "Restore a backup to a new or empty data directory.",
  args: ["file"],
  options: [
    {
      flags: "--originals <directory>",
      description:
        "the directory of the earlier backups that an incremental one needs (default: that " +
        "of the backup)",
    },
  ],
  async run(input) {
    const { args, options, data, print, about } = input;
    const backup = await openBackup(resolve(args[0]!));
    about(basename(backup.path));
    requireKnown(backup, input);
    await requireNothing(data);
    await mkdir(data, { recursive: true, mode: 0o700 });
    const unlock = input.lock();
    const work = join(data, restoring_directory);
    try {
      // A server may have been started here meanwhile.
      await requireNothing(data);
      await rm(work, { recursive: true, force: true });
      await mkdir(join(work, "files"), { recursive: true, mode: 0o700 });
      await requireFreeSpace(backup, data);
      print(`reading ${backup.path} …`);
      const directories = [dirname(backup.path)];
      if (typeof options.originals === "string") directories.unshift(resolve(options.originals));
      await takeParts(backup, work);
      await takeOriginals(backup, directories, work);
      print("checking the database …");
      requireSame(join(work, database_part), backup.manifest);
      await publish(work, data);
    } finally {
      await rm(work, { recursive: true, force: true });
      unlock();
    }
    report(backup, input);
  },
};

/** @throws Error when the tables are of a newer version. */
function requireKnown({ manifest, path }: Backup, { known_steps }: ToolInput): void {
  const newer = manifest.migrations.find((step) => {
    const plugin_steps = known_steps.get(step.slice(0, step.indexOf("/")));
    return plugin_steps !== undefined && !plugin_steps.includes(step.slice(step.indexOf("/") + 1));
  });
  if (newer !== undefined)
    throw new Error(
      `${basename(path)} was created by ${namedVersion(manifest.dossier)}, a newer version ` +
        `with tables that this one does not know (${newer}). Restore it with that version`,
    );
}

/** @throws Error when there is something in the directory. */
async function requireNothing(data: string): Promise<void> {
  if (!existsSync(data)) return;
  const names = await readdir(data).catch(() => {
    throw new Error(`the path ${data} is not a directory`);
  });
  const existing = names.find((name) => !is_nothing.test(name));
  if (existing !== undefined)
    throw new Error(
      `${data} is not empty: it contains ${existing}. Existing files are never overwritten. ` +
        "Specify a new directory with --data, or move this one aside",
    );
}

async function requireFreeSpace({ manifest }: Backup, data: string): Promise<void> {
  const { bavail, bsize } = await statfs(data);
  const { bytes: of_originals, stored_in } = manifest.originals;
  const needed = manifest.parts.reduce(
    (sum, { bytes }) => sum + bytes,
    stored_in === undefined ? of_originals : 0,
  );
  const missing = needed + spare_bytes - bavail * bsize;
  if (missing > 0)
    throw new Error(
      `the disk of ${data} has ${mebibytes(bavail * bsize)} free, and ${mebibytes(missing)} more ` +
        "are needed",
    );
}

async function takeParts(backup: Backup, work: string): Promise<void> {
  for (const part of backup.manifest.parts)
    if ([database_part, settings_part, key_part].includes(part.name))
      await write(readPart(backup, part), join(work, part.name));
}

/** @throws Error that names the missing backups with originals, before any is read. */
async function takeOriginals(
  backup: Backup,
  directories: readonly string[],
  work: string,
): Promise<void> {
  const holders = new Map<string, Backup>();
  const missing = new Map<string, number>();
  const originals: Original[] = [];
  for await (const original of readOriginals(backup)) {
    originals.push(original);
    const holder = original.in;
    if (holder === undefined || holders.has(holder)) continue;
    const holder_path = directories.map((directory) => join(directory, holder)).find(existsSync);
    if (holder_path === undefined) missing.set(holder, (missing.get(holder) ?? 0) + 1);
    else holders.set(holder, await openBackup(holder_path));
  }
  if (missing.size > 0) throw new Error(inWords(missing, directories));
  if (originals.length !== backup.manifest.originals.count)
    throw new BadBackup(`${basename(backup.path)} is damaged: it lists too few originals.`);
  if (backup.manifest.originals.stored_in !== undefined) return;
  for (const { sha256, bytes, in: holder } of originals) {
    const name = originalPart(sha256);
    const from = holder === undefined ? backup : holders.get(holder)!;
    await mkdir(join(work, dirname(name)), { recursive: true });
    await write(readPart(from, { name, bytes, sha256 }), join(work, name));
  }
}

function inWords(missing: ReadonlyMap<string, number>, directories: readonly string[]): string {
  const named = [...missing]
    .slice(0, named_max)
    .map(([name, count]) => `${name} (${counted(count, "original")})`);
  if (missing.size > named_max) named.push(`${missing.size - named_max} more`);
  return (
    `this backup is incremental and needs ${named.join(", ")}, which ` +
    `${missing.size === 1 ? "is" : "are"} not in ${directories.join(" or ")}. Specify the ` +
    "directory with --originals"
  );
}

/** On the disk when it returns. */
async function write(pieces: AsyncIterable<Buffer>, path: string): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  for await (const piece of pieces) await file.writeFile(piece);
  await file.sync();
}

/** The database comes last: without it, it is not a data directory. */
async function publish(work: string, data: string): Promise<void> {
  const names = (await readdir(work)).filter((name) => name !== database_part);
  for (const name of [...names, database_part]) await rename(join(work, name), join(data, name));
  await using directory = await open(data, "r");
  await directory.sync();
}

function report({ manifest, path, entries }: Backup, { data, print }: ToolInput): void {
  const rows = Object.values(manifest.counts).reduce((sum, count) => sum + count, 0);
  print(
    `Restored ${data} from ${basename(path)}, created ${manifest.made_at} by ` +
      `${namedVersion(manifest.dossier)}: ${counted(rows, "row")}, ` +
      `${counted(manifest.originals.count, "original")}.`,
  );
  if (manifest.originals.stored_in !== undefined)
    print(
      `The originals are not in the backup, but in ${manifest.originals.stored_in}. Set ` +
        "files.url, and run `dossier doctor` to check that all of them are there.",
    );
  if (!entries.has(key_part))
    print(
      "The backup contains no secrets. Copy secret.key from the old data directory to this " +
        "one. Without it, the secrets of webhooks can't be decrypted and must be rotated. " +
        "Secrets in dossier.toml were left out, too.",
    );
}
