/**
 * Lists the originals with their sizes, for operators who copy them by other means, and finds which
 * of such a list are missing. For databases that are backed up elsewhere.
 */
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import { isWhole, Validator, type Context, type StoredBytes } from "../../core/sdk";
import { Original } from "./archive";

const shape = new Validator(Original);
/** The number of originals that are named. */
const named_max = 20;

/** One line per original, as in `originals.jsonl` of a backup, sorted by name. */
export async function* listOriginals({ files }: Pick<Context, "files">): AsyncGenerator<string> {
  for await (const batch of files.list())
    for (const { sha256, size_bytes } of batch) yield JSON.stringify({ sha256, bytes: size_bytes });
}

/** Writes the list into a file, atomically. */
export async function writeOriginals(ctx: Pick<Context, "files">, path: string): Promise<number> {
  await using file = await open(path, "wx", 0o600);
  let count = 0;
  for await (const line of listOriginals(ctx)) {
    await file.writeFile(`${line}\n`);
    count += 1;
  }
  await file.sync();
  return count;
}

/** The result of a comparison: how many are listed, and how many are missing or differ. */
export interface Compared {
  readonly count: number;
  readonly wrong: number;
  /** What is wrong with the first of them, in words. */
  readonly problems: readonly string[];
}

/** Reads every original of a list completely. @throws Error when the file is not such a list */
export async function compareOriginals(
  { files }: Pick<Context, "files">,
  path: string,
): Promise<Compared> {
  let count = 0;
  let wrong = 0;
  const problems: string[] = [];
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (line.trim() === "") continue;
    count += 1;
    const { sha256, bytes } = readLine(line, path, count);
    const problem = await problemOf(await files.open(sha256), sha256, bytes);
    if (problem === null) continue;
    wrong += 1;
    if (problems.length < named_max) problems.push(`${sha256} ${problem}`);
  }
  return { count, wrong, problems };
}

function readLine(line: string, path: string, number: number): Original {
  try {
    const value: unknown = JSON.parse(line);
    shape.validate(value);
    return value as Original;
  } catch {
    // Reported below.
  }
  throw new Error(`the file ${path} is not a list of originals: line ${number} is not valid`);
}

async function problemOf(
  stored: StoredBytes | undefined,
  sha256: string,
  bytes: number,
): Promise<string | null> {
  if (stored === undefined) return "is missing";
  if (stored.size !== bytes) return `has ${stored.size} bytes, not ${bytes}`;
  return (await isWhole(stored, sha256)) ? null : "does not match its SHA-256";
}
