/** A ZIP archive on the web: each of its files. Their names are never used as paths. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { t } from "../../../core/sdk";
import type { ZipEntry } from "../../../core/lib/zip";
import { SourceFailure, type ImportSource, type SourceTools } from "../contract";
import { items_max } from "../limits";
import { readInChild, type ChildParts } from "../child/tasks";
import { Address, requireAddress } from "./addresses";

export interface ZipParts extends ChildParts {
  readonly newId: (prefix: string) => string;
}
/** Size of all unpacked files, as a multiple of the largest upload. */
const unpacked_files_max = 8;
export const unpacked_prefix = "unpacked-";

export function zipSource({ isolate, newId }: ZipParts): ImportSource<{ readonly url: string }> {
  return {
    type: "zip",
    description: "A ZIP archive: each of its files.",
    schema: t.Object({ url: Address("Where it lies.") }),

    check: async ({ url }) => requireAddress(url, "/source/url"),

    async *items({ url }, tools) {
      const file = await tools.fetchOnce(url);
      const { entries, left } = await readInChild(tools, "the archive", (within) =>
        isolate("zip", { path: file.path, entries_max: items_max }, within),
      );
      const total_max = unpacked_files_max * tools.upload_bytes_max;
      let total_bytes = 0;
      for (const entry of entries) {
        if (isHidden(entry.name)) continue;
        const uri = `${url}#${encodeURI(entry.name.toWellFormed())}`;
        total_bytes += entry.bytes;
        if (total_bytes > total_max)
          yield {
            uri,
            error:
              `Unpacked, the archive is larger than ${total_max} bytes, ` +
              "the most that is accepted.",
          };
        else yield { uri, name: lastSegment(entry.name), locator: JSON.stringify(entry) };
      }
      if (left > 0)
        yield {
          uri: `${url}#`,
          error: `The archive has ${left} files more than the ${items_max} that are read.`,
        };
      else tools.listingComplete();
    },

    async read({ name, locator }, { url }, tools: SourceTools) {
      const file = await tools.fetchOnce(url);
      const entry = JSON.parse(locator!) as ZipEntry;
      if (entry.bytes > tools.upload_bytes_max)
        throw new SourceFailure(
          "Unpacked, this file of the archive is larger than " +
            `${tools.upload_bytes_max} bytes, the most that is accepted.`,
        );
      const output = join(tools.temporary, `${unpacked_prefix}${newId("zip")}`);
      const release = () => rm(output, { force: true });
      try {
        await readInChild(tools, "the archive", (within) =>
          isolate(
            "unzip",
            { path: file.path, entry, output, bytes_max: tools.upload_bytes_max },
            within,
          ),
        );
      } catch (error) {
        await release();
        throw error;
      }
      return {
        name: name ?? lastSegment(entry.name),
        media_type: null,
        bytes: Bun.file(output).stream() as unknown as AsyncIterable<Uint8Array>,
        release,
      };
    },
  };
}

const segments = (path: string): string[] =>
  path.split(/[/\\]/).filter((segment) => segment !== "");
const lastSegment = (path: string): string => segments(path).at(-1) ?? "file";
/** Metadata of file managers, and hidden files. */
const isHidden = (path: string): boolean =>
  segments(path).some(
    (segment, index) =>
      (index === 0 && segment === "__MACOSX") ||
      (segment.startsWith(".") && segment !== "." && segment !== ".."),
  );
