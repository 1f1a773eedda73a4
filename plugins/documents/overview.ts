/** What folders hold, at a glance: documents with their main headings. */
import { toNumber, type Db } from "../../core/sdk";
import type { HeadingSpan, PageSpan } from "../extraction/contract";
import type { Documents, Overview, OutlinedDocument, OutlinedHeading } from "./contract";
import { answeringLinks } from "./link-store";
import { findNames, fromStoredSpans, type DocumentsDb } from "./store";
import * as textStore from "./text-store";

/** Links that are looked at: no overview needs more. */
const links_max = 1_000;
/** A longer one is a paragraph that looks like a heading. UTF-16 units. */
const heading_units_max = 200;

/** As `Documents.overview`. @throws TextGone */
export async function overviewOf(
  db: Db,
  folder_ids: readonly string[],
  limits: Parameters<Documents["overview"]>[2],
): Promise<Overview> {
  const links = await answeringLinks(db, folder_ids, links_max);
  const once = [...new Map(links.map((link) => [link.document_id, link])).values()];
  const newest = once
    .toSorted(
      (one, other) =>
        toNumber(other.document_created_at) - toNumber(one.document_created_at) ||
        (one.document_id < other.document_id ? 1 : -1),
    )
    .slice(0, limits.documents);
  const ids = newest.map(({ document_id }) => document_id),
    names = new Map((await findNames(db, ids)).map((document) => [document.id, document])),
    languages = await languagesOf(db, ids);
  const documents: OutlinedDocument[] = [];
  for (const { document_id, folder_id } of newest) {
    const document = names.get(document_id);
    if (document === undefined) continue;
    const { id, name, current_version } = document,
      language = languages.get(id) ?? null,
      headings = await headingsOf(db, document_id, limits.headings);
    documents.push({ id, name, current_version, folder_id, language, headings });
  }
  return { documents, count: once.length, all_counted: links.length < links_max };
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
  limit: number,
): Promise<OutlinedHeading[]> {
  const found = await textStore.findCurrentText(db, document_id);
  if (found === undefined) return [];
  const { pages, headings = [] } = fromStoredSpans(found),
    places = textStore.placesIn(db, found.text),
    outlined: OutlinedHeading[] = [];
  for (const { start, end } of mainHeadings(headings).slice(0, limit)) {
    const text = await textStore.unitsOf(db, found.text, start, end);
    const from = start + text.length - text.trimStart().length,
      to = start + text.trimEnd().length;
    if (from >= to) continue;
    outlined.push({
      text: text.trim(),
      start: await places.pointAt(from),
      end: await places.pointAt(to),
      page: pageAt(pages, from),
    });
  }
  return outlined;
}

/** Those of the highest level; below the title when only that has it. */
export function mainHeadings(headings: readonly HeadingSpan[]): HeadingSpan[] {
  const short = headings.filter(({ start, end }) => end - start <= heading_units_max);
  const levels = [...new Set(short.map(({ level }) => level))].sort((a, b) => a - b);
  const ofLevel = (level: number | undefined) => short.filter((one) => one.level === level);
  const highest = ofLevel(levels[0]);
  return highest.length === 1 && levels.length > 1 ? ofLevel(levels[1]) : highest;
}

const pageAt = (pages: readonly PageSpan[], at: number): number | null =>
  pages.findLast((span) => span.start <= at)?.page ?? null;
