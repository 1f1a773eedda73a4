/** A ZIP archive on the web: each of its files. Their names are never used as paths. */
import { limitInWords } from "../../../core/lib/byte-sizes";
import { counted } from "../../../core/lib/counted";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { t } from "../../../core/sdk";
import type { ZipEntry } from "../../../core/lib/zip";
import { SourceFailure, type ImportSource, type SourceItem, type SourceTools } from "../contract";
import { items_max } from "../limits";
import { readInChild, type ChildContext } from "../child/tasks";
import { openListing } from "./entry-reader";
import { Address, requireAddress } from "./addresses";

/** Size of all unpacked files, as a multiple of the largest upload. */
const unpacked_files_max = 8;
/** How the names of unpacked files begin, so that leftovers are recognised. */
export const unpacked_prefix = "unpacked-";

/** The files of an archive as items, up to a total size. */
class ArchiveItems {
  private total_bytes = 0;

  constructor(
    private readonly url: string,
    private readonly total_max: number,
  ) {}

  next(entry: ZipEntry): SourceItem {
    const uri = `${this.url}#${encodeURI(entry.name.toWellFormed())}`;
    this.total_bytes += entry.bytes;
    if (this.total_bytes > this.total_max)
      return {
        uri,
        error: `Unpacked, the archive is larger than the limit of ${limitInWords(this.total_max)}.`,
      };
    return { uri, name: lastSegment(entry.name), locator: JSON.stringify(entry) };
  }
}

/** The source `zip`. */
export function zipSource(ctx: ChildContext): ImportSource<{ readonly url: string }> {
  const { isolate, newId } = ctx;
  return {
    type: "zip",
    description: "A ZIP archive: each of its files.",
    schema: t.Object({ url: Address("Where it lies.") }),

    check: async ({ url }) => requireAddress(url, "/source/url"),

    async *items({ url }, tools) {
      const file = await tools.fetchOnce(url);
      const { head, lines, release } = await openListing<ZipEntry, { readonly omitted: number }>(
        ctx,
        tools,
        "the archive",
        (output, limits) =>
          isolate("zip", { path: file.path, output, entries_max: items_max }, limits),
      );
      const items = new ArchiveItems(url, unpacked_files_max * tools.upload_bytes_max);
      try {
        for await (const entry of lines) if (!isHidden(entry.name)) yield items.next(entry);
        if (head.omitted > 0)
          yield {
            uri: `${url}#`,
            error:
              `The archive has ${counted(head.omitted, "file")} more than the limit of ` +
              `${items_max}.`,
          };
        else tools.listingComplete();
      } finally {
        await release();
      }
    },

    async read({ name, locator }, { url }, tools: SourceTools) {
      const file = await tools.fetchOnce(url);
      const entry = JSON.parse(locator!) as ZipEntry;
      if (entry.bytes > tools.upload_bytes_max)
        throw new SourceFailure(
          "Unpacked, this file in the archive is larger than the limit of " +
            `${limitInWords(tools.upload_bytes_max)}.`,
        );
      const output = join(tools.temporary, `${unpacked_prefix}${newId("zip")}`);
      const release = () => rm(output, { force: true });
      try {
        await readInChild(tools, "the archive", (limits) =>
          isolate(
            "unzip",
            { path: file.path, entry, output, bytes_max: tools.upload_bytes_max },
            limits,
          ),
        );
      } catch (error) {
        await release();
        throw error;
      }
      return {
        name: name ?? lastSegment(entry.name),
        media_type: null,
        bytes: Bun.file(output).stream(),
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
