/** The stored headings of a text, of which there may be tens of thousands, some at a time. */
import { TextGone } from "../../../core/lib/text-reader";
import { preparedFirst, sql, type Db } from "../../../core/sdk";
import type { HeadingSpan } from "../../extraction/contract";
import type { DocumentsDb } from "../store";

/** The stored headings of one version. */
export interface StoredHeadings {
  readonly document_id: string;
  readonly version: number;
  /** It changes when they are extracted again. */
  readonly text_id: number | null;
}

/** `length` characters of the headings as JSON; null when there are none. @throws TextGone */
async function findHeadingsPart(
  db: DocumentsDb,
  { document_id, version, text_id }: StoredHeadings,
  from: number,
  length: number,
): Promise<string | null> {
  const row = await headingsPart(db, { document_id, version, first: from + 1, length });
  if (row === undefined || row.text_id !== text_id) throw new TextGone();
  return row.headings;
}
const headingsPart = preparedFirst(
  (
    db: DocumentsDb,
    {
      document_id,
      version,
      first,
      length,
    }: Omit<StoredHeadings, "text_id"> & { readonly first: number; readonly length: number },
  ) =>
    db
      .selectFrom("documents_versions as v")
      .where("v.document_id", "=", document_id)
      .where("v.version", "=", version)
      .select([
        "v.text_id",
        sql<
          string | null
        >`substr(v.headings, cast(${first} as integer), cast(${length} as integer))`.as("headings"),
      ]),
);

/**
 * Headings in the order of the text. `part_chars`: how much of their JSON is read at a time.
 * @throws TextGone
 */
export async function* headingsInParts(
  db: Db,
  stored: StoredHeadings,
  part_chars: number,
): AsyncGenerator<HeadingSpan[], void> {
  for (let from = 0; ;) {
    const json = await findHeadingsPart(db, stored, from, part_chars);
    // The part ends within a heading, or with the array.
    const length = (json?.lastIndexOf("}") ?? -1) + 1;
    if (length === 0) return;
    yield JSON.parse(`[${json!.slice(json!.indexOf("{"), length)}]`);
    if (json!.length < part_chars) return;
    from += length;
  }
}
