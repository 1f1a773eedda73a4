/**
 * Runs in the child: writes the entries of a list or an archive to a file, one per line. The server
 * reads them a few at a time, and truncates long ones.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { name_length_max, uri_length_max } from "../limits";
import { readFeed, readSitemap, type ListInput } from "./address-lists";
import { listZip, type ZipListInput } from "./zip";

interface Output {
  /** Path of the file to write. */
  readonly output: string;
}
/** The number of entries beyond those that were written. */
interface Left {
  readonly left: number;
}
/** A line of a sitemap. */
export type SitemapLine = { readonly page: string } | { readonly sitemap: string };

/** @throws with code `unfit` */
export async function writeSitemap({ output, ...input }: ListInput & Output): Promise<Left> {
  const { pages, sitemaps, left } = await readSitemap(input);
  const lines = function* (): Generator<SitemapLine> {
    for (const page of pages) yield { page: shortUri(page) };
    for (const sitemap of sitemaps) yield { sitemap: shortUri(sitemap) };
  };
  writeLines(output, lines());
  return { left };
}

/** Each line is a `Listed`. @throws with code `unfit` */
export async function writeFeed({
  output,
  ...input
}: ListInput & Output): Promise<Left & { readonly base: string | null }> {
  const { entries, base, left } = await readFeed(input);
  const lines = entries.values().map(({ url, title }) => ({
    url: url === null ? null : shortUri(url),
    title: title === null ? null : beyond(title, name_length_max),
  }));
  writeLines(output, lines);
  return { left, base: base === null ? null : shortUri(base) };
}

/** Each line is a `ZipEntry`. @throws with code `unfit` */
export async function writeZip({ output, ...input }: ZipListInput & Output): Promise<Left> {
  const { entries, left } = await listZip(input);
  const lines = entries.values().map((entry) => ({ ...entry, name: shortUri(entry.name) }));
  writeLines(output, lines);
  return { left };
}

/** One more character than is kept shows that it was longer. */
const beyond = (text: string, length_max: number): string => text.slice(0, length_max + 1);
const shortUri = (text: string): string => beyond(text, uri_length_max);

const written_length = 64 * 1024;
function writeLines(path: string, lines: Iterable<object>): void {
  const file = openSync(path, "w", 0o600);
  try {
    let waiting = "";
    for (const line of lines) {
      waiting += `${JSON.stringify(line)}\n`;
      if (waiting.length < written_length) continue;
      writeSync(file, waiting);
      waiting = "";
    }
    writeSync(file, waiting);
  } finally {
    closeSync(file);
  }
}
