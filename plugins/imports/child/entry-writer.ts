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
interface Omitted {
  readonly omitted: number;
}
/** A line of a sitemap. */
export type SitemapLine = { readonly page: string } | { readonly sitemap: string };

/** @throws with code `unfit` */
export async function writeSitemap({ output, ...input }: ListInput & Output): Promise<Omitted> {
  const { pages, sitemaps, omitted } = await readSitemap(input);
  const lines = function* (): Generator<SitemapLine> {
    for (const page of pages) yield { page: shortUri(page) };
    for (const sitemap of sitemaps) yield { sitemap: shortUri(sitemap) };
  };
  writeLines(output, lines());
  return { omitted };
}

/** Each line is a `Listed`. @throws with code `unfit` */
export async function writeFeed({
  output,
  ...input
}: ListInput & Output): Promise<Omitted & { readonly base: string | null }> {
  const { entries, base, omitted } = await readFeed(input);
  const lines = entries.values().map(({ url, title }) => ({
    url: url === null ? null : shortUri(url),
    title: title === null ? null : beyond(title, name_length_max),
  }));
  writeLines(output, lines);
  return { omitted, base: base === null ? null : shortUri(base) };
}

/** Each line is a `ZipEntry`. @throws with code `unfit` */
export async function writeZip({ output, ...input }: ZipListInput & Output): Promise<Omitted> {
  const { entries, omitted } = await listZip(input);
  const lines = entries.values().map((entry) => ({ ...entry, name: shortUri(entry.name) }));
  writeLines(output, lines);
  return { omitted };
}

/** One more character than is kept shows that it was longer. */
const beyond = (text: string, length_max: number): string => text.slice(0, length_max + 1);
const shortUri = (text: string): string => beyond(text, uri_length_max);

const write_length = 64 * 1024;
function writeLines(path: string, lines: Iterable<object>): void {
  const file = openSync(path, "w", 0o600);
  try {
    let buffered = "";
    for (const line of lines) {
      buffered += `${JSON.stringify(line)}\n`;
      if (buffered.length < write_length) continue;
      writeSync(file, buffered);
      buffered = "";
    }
    writeSync(file, buffered);
  } finally {
    closeSync(file);
  }
}
