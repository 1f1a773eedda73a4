/**
 * A list of the originals with their sizes, for those who copy them by their own means, and what of
 * such a list is not there any more. For databases that are backed up elsewhere.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { Validator, type Context } from "../../core/sdk";
import { Original } from "./archive";

const shape = new Validator(Original);
/** Originals that are named. */
const named_max = 20;

type Parts = Pick<Context, "files">;

/** One line for each original, as in `originals.jsonl` of a backup, sorted. */
export async function* listOriginals({ files }: Parts): AsyncGenerator<string> {
  const all: string[] = [];
  for await (const names of files.names()) all.push(...names);
  for (const sha256 of all.sort()) {
    const bytes = await files.withLocalFile(sha256, sizeOf);
    // One that was deleted meanwhile belongs to nobody.
    if (bytes !== null) yield JSON.stringify({ sha256, bytes });
  }
}

/** Writes the list into a file, which is there as a whole or not at all. */
export async function writeOriginals(parts: Parts, path: string): Promise<number> {
  await using file = await open(path, "wx", 0o600);
  let count = 0;
  for await (const line of listOriginals(parts)) {
    await file.writeFile(`${line}\n`);
    count += 1;
  }
  await file.sync();
  return count;
}

export interface Compared {
  readonly count: number;
  readonly wrong: number;
  /** What is wrong with the first of them, in words. */
  readonly said: readonly string[];
}

/** Reads every original of a list to its end. @throws Error when the file is no such list */
export async function compareOriginals({ files }: Parts, path: string): Promise<Compared> {
  let [count, wrong] = [0, 0];
  const said: string[] = [];
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (line.trim() === "") continue;
    count += 1;
    const { sha256, bytes } = readLine(line, path, count);
    const problem = await files.withLocalFile(sha256, (file) => problemOf(file, sha256, bytes));
    if (problem === null) continue;
    wrong += 1;
    if (said.length < named_max) said.push(`${sha256} ${problem}`);
  }
  return { count, wrong, said };
}

function readLine(line: string, path: string, number: number): Original {
  try {
    const value: unknown = JSON.parse(line);
    shape.validate(value);
    return value as Original;
  } catch {
    // Said below.
  }
  throw new Error(`${path} is no list of originals: line ${number} is none of one`);
}

async function problemOf(path: string, sha256: string, bytes: number): Promise<string | null> {
  const size = await sizeOf(path);
  if (size === null) return "is missing";
  if (size !== bytes) return `has ${size} bytes, not ${bytes}`;
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path, { highWaterMark: 2 ** 20 }))
    hash.update(piece as Buffer);
  return hash.digest("hex") === sha256 ? null : "has other bytes than its name says";
}

const sizeOf = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ size }) => size,
    () => null,
  );
