/** Reads the entries of a list or an archive that a child process has written, line by line. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { decodeLines } from "../../../core/lib/json-lines";
import type { Context } from "../../../core/sdk";
import { readInChild, type TaskLimits } from "../child/tasks";
import type { SourceTools } from "../contract";

/** How the names of these files begin, so that leftovers are recognised. */
export const listing_prefix = "listing-";

/** A list that was written by a child process: its first line, and the others. */
export interface Listing<Line, Head> {
  readonly head: Head;
  readonly lines: AsyncIterable<Line>;
  /** Deletes the file of the lines. */
  release(): Promise<void>;
}

/** `write` makes the child write lines to `output`. @throws SourceFailure, as `readInChild` */
export async function openListing<Line, Head>(
  { newId }: Pick<Context, "newId">,
  tools: Pick<SourceTools, "signal" | "temporary">,
  noun: string,
  write: (output: string, limits: TaskLimits) => Promise<Head>,
): Promise<Listing<Line, Head>> {
  const output = join(tools.temporary, `${listing_prefix}${newId("lst")}`);
  const release = () => rm(output, { force: true });
  try {
    const head = await readInChild(tools, noun, (limits) => write(output, limits));
    const bytes = Bun.file(output).stream();
    return { head, lines: decodeLines<Line>(bytes), release };
  } catch (error) {
    await release();
    throw error;
  }
}
