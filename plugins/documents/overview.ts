/** An overview of folders: documents with their main headings. */
import { StepPauses } from "../../core/lib/chunked-work";
import { toNumber, type Db } from "../../core/sdk";
import { pageAt, type HeadingSpan } from "../extraction/contract";
import type { Overview, OutlinedDocument, OutlinedHeading, OverviewLimits } from "./contract";
import { currentLinks } from "./links/link-store";
import { findNames, fromStoredPages, type DocumentsDb } from "./store";
import { headingsInParts, type StoredHeadings } from "./texts/heading-parts";
import * as textStore from "./texts/text-store";

/** The number of links examined: no overview needs more. */
const links_max = 1_000;
/** A longer one is a paragraph that looks like a heading. UTF-16 units. */
const heading_units_max = 200;

/** See `Documents.overview`. @throws TextGone */
export async function overviewOf(
  db: Db,
  folder_ids: readonly string[],
  limits: OverviewLimits,
): Promise<Overview> {
  const links = await currentLinks(db, folder_ids, links_max);
  const unique_links = [...new Map(links.map((link) => [link.document_id, link])).values()];
  const newest = unique_links
    .toSorted(
      (a, b) =>
        toNumber(b.document_created_at) - toNumber(a.document_created_at) ||
        (a.document_id < b.document_id ? 1 : -1),
    )
    .slice(0, limits.documents);
  const ids = newest.map(({ document_id }) => document_id);
  const names = new Map((await findNames(db, ids)).map((document) => [document.id, document]));
  const languages = await languagesOf(db, ids);
  const documents: OutlinedDocument[] = [];
  const pauses = new StepPauses();
  for (const { document_id, folder_id } of newest) {
    await pauses.pause();
    const document = names.get(document_id);
    if (document === undefined) continue;
    const { id, name, current_version } = document;
    const language = languages.get(id) ?? null;
    const headings = await headingsOf(db, document_id, limits);
    documents.push({ id, name, current_version, folder_id, language, headings });
  }
  return { documents, count: unique_links.length, all_counted: links.length < links_max };
}

async function languagesOf(
  db: DocumentsDb,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("documents")
    .select(["id", "language"])
    .where("id", "in", ids)
    .execute();
  return new Map(rows.map(({ id, language }) => [id, language]));
}

async function headingsOf(
  db: DocumentsDb,
  document_id: string,
  { headings: limit, or_lines = false }: OverviewLimits,
): Promise<OutlinedHeading[]> {
  const current = await textStore.findPagedText(db, document_id);
  if (current === undefined) return [];
  const pages = fromStoredPages(current);
  const headings = await firstHeadings(db, { document_id, ...current });
  const text_reader = textStore.openReader(db, current.text);
  const outlined: OutlinedHeading[] = [];
  const spans =
    headings.length === 0 && or_lines
      ? lineHeadings(await text_reader.units(0, Math.min(current.text.units, line_units_max)))
      : mainHeadings(headings);
  for (const { start, end } of spans.slice(0, limit)) {
    const text = await text_reader.units(start, end);
    const from = start + text.length - text.trimStart().length;
    const to = start + text.trimEnd().length;
    if (from >= to) continue;
    outlined.push({
      text: text.trim(),
      start: await text_reader.places.pointAt(from),
      end: await text_reader.places.pointAt(to),
      page: pageAt(pages, from)?.page ?? null,
      page_label: pageAt(pages, from)?.label ?? null,
    });
  }
  return outlined;
}

/** How much of the stored headings is read, characters: some hundreds of tens of thousands. */
const headings_chars = 32 * 1024;
/** The first headings: an overview shows a few. */
async function firstHeadings(db: Db, stored: StoredHeadings): Promise<HeadingSpan[]> {
  for await (const headings of headingsInParts(db, stored, headings_chars)) return headings;
  return [];
}

/** Headings of the highest level; of the level below the title when the title is the only one. */
export function mainHeadings(headings: readonly HeadingSpan[]): HeadingSpan[] {
  const short = headings.filter(({ start, end }) => end - start <= heading_units_max);
  const levels = [...new Set(short.map(({ level }) => level))].sort((a, b) => a - b);
  const ofLevel = (level: number | undefined) => short.filter((heading) => heading.level === level);
  const highest = ofLevel(levels[0]);
  return highest.length === 1 && levels.length > 1 ? ofLevel(levels[1]) : highest;
}

/** How much of a text without headings is searched for lines that look like one, UTF-16 units. */
const line_units_max = 40_000;
const line_units = { max: 80, below: 80 } as const;
const numbered = /^\d{1,2}(?:\.\d{1,2})*[.)]?\s+\p{Lu}/u;

/**
 * Lines that stand alone above a paragraph, begin like a heading and don't end like a sentence; of
 * these only numbered ones, if there are several. Repeated lines are page headers.
 */
export function lineHeadings(text: string): { start: number; end: number }[] {
  const blocks = [...text.matchAll(/[^\n]+(?:\n(?!\s*\n)[^\n]+)*/g)].map(({ 0: block, index }) => ({
    start: index,
    end: index + block.length,
    line: block.trim(),
  }));
  const count = Map.groupBy(blocks, ({ line }) => line);
  const isolated_lines = blocks.filter(
    ({ line }, at) =>
      !line.includes("\n") &&
      line.length <= line_units.max &&
      /^(?:[\d.)]+\s+)?\p{Lu}/u.test(line) &&
      !/[.,;:!]$/.test(line) &&
      (blocks[at + 1]?.line.length ?? 0) >= line_units.below &&
      count.get(line)!.length === 1,
  );
  const numbered_lines = isolated_lines.filter(({ line }) => numbered.test(line));
  return numbered_lines.length > 1 ? numbered_lines : isolated_lines;
}
