/** The files of a data directory apart from the database, and copying them to another one. */
import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { chmod, cp, mkdir, open, readdir, rename, stat } from "node:fs/promises";
import { join } from "node:path";

/** Besides the originals. Settings are not among them: they name the database. */
const other_names = ["secret.key", "plugins", "tessdata", "models"];
const unfinished_suffix = ".unfinished";
const is_original = /^[0-9a-f]{64}$/;

/** How many originals there are, and their size. */
export interface Originals {
  readonly count: number;
  readonly bytes: number;
}

/** The originals in a data directory. */
export async function originalsIn(data: string): Promise<Originals> {
  let count = 0;
  let bytes = 0;
  for await (const path of originalPaths(data)) {
    count += 1;
    bytes += (await stat(join(data, path))).size;
  }
  return { count, bytes };
}

/**
 * Copies originals, verifying each against its SHA-256, and the other files of the directory.
 * Existing files stay. @throws Error that names an original whose content doesn't match its name
 */
export async function copyFiles(
  from: string,
  to: string,
  onDone: (bytes: number) => void,
): Promise<void> {
  for (const name of other_names)
    if (existsSync(join(from, name)))
      await cp(join(from, name), join(to, name), { recursive: true, preserveTimestamps: true });
  if (existsSync(join(to, "secret.key"))) await chmod(join(to, "secret.key"), 0o600);
  for await (const path of originalPaths(from)) {
    const { size } = await stat(join(from, path));
    if (!existsSync(join(to, path))) await copyOriginal(join(from, path), join(to, path));
    onDone(size);
  }
}

async function* originalPaths(data: string): AsyncGenerator<string> {
  const files = join(data, "files");
  for (const folder of (await readdir(files).catch(() => [])).sort())
    for (const name of (await readdir(join(files, folder)).catch(() => [])).sort())
      if (is_original.test(name)) yield join("files", folder, name);
}

async function copyOriginal(from: string, to: string): Promise<void> {
  await mkdir(join(to, ".."), { recursive: true });
  const hash = createHash("sha256");
  const unfinished = `${to}${unfinished_suffix}`;
  {
    await using file = await open(unfinished, "w", 0o600);
    for await (const piece of createReadStream(from, { highWaterMark: 2 ** 20 })) {
      hash.update(piece as Buffer);
      await file.writeFile(piece as Buffer);
    }
    await file.sync();
  }
  if (!to.endsWith(hash.digest("hex")))
    throw new Error(
      `${from} is damaged: it does not match its SHA-256. Run \`dossier doctor --deep\` to see ` +
        "which document it belongs to. Restore the file from a backup, or delete that " +
        "document, then run this again",
    );
  await rename(unfinished, to);
}
