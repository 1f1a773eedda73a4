/**
 * What runs bring: documents of imports and transcriptions, taken in inside the transaction that
 * ends their item.
 */
import type { Db } from "../../core/sdk";
import type { Incoming, ReadyText, TakenIn } from "./contract";
import * as links from "./links";
import { broughtName, nameKey } from "./names";
import type { DocumentParts } from "./parts";
import { storedSpans } from "./spans";
import * as store from "./store";
import type { DocumentRow } from "./store";
import {
  mediaType,
  nameTaken,
  unread,
  type NewVersion,
  type Source,
  type Writing,
} from "./writing";

export interface IntakeParts extends DocumentParts {
  readonly writing: Writing;
}

export const createIntake =
  ({ afterCommit, truncateWal, files, folders, writing: { insert, replace } }: IntakeParts) =>
  /** As in the contract. */
  async (
    tx: Db,
    owner_id: string,
    { folder_id, name: given, origin, file, declared_type, text, overwrite = false }: Incoming,
  ): Promise<TakenIn> => {
    await folders.require(tx, owner_id, folder_id);
    files.requireRoom();
    const name = broughtName(given);
    const version = versionOf(file, declared_type, text);
    const source: Source = {
      source_kind: origin.kind,
      source_uri: origin.uri,
      source_run_id: origin.run_id,
    };
    const known = await findKnown(tx, folder_id, name, origin);
    if (known && origin.kind === "upload" && !overwrite) throw nameTaken();
    if (known && origin.kind === "import" && !overwrite && (await says(tx, known, version)))
      return { document_id: known.id, version: known.version, outcome: "unchanged" };
    const { row } = known
      ? await replace(tx, known, version, source)
      : await insert(tx, { owner_id, folder_id, name, ...source }, version);
    // The version in work may have been a text that nobody will see any more.
    if (known) afterCommit(truncateWal);
    return { document_id: row.id, version: row.version, outcome: known ? "replaced" : "created" };
  };

/** The document that the new version belongs to. */
async function findKnown(
  tx: Db,
  folder_id: string,
  name: string,
  { kind, uri }: Incoming["origin"],
): Promise<DocumentRow | undefined> {
  if (kind === "upload") return links.findNamesake(tx, folder_id, nameKey(name));
  return kind === "import" && uri !== null ? links.findImported(tx, folder_id, uri) : undefined;
}

/**
 * Whether the document answers with this already: the same text where the text is ready, else the
 * same bytes.
 */
async function says(
  tx: Db,
  known: DocumentRow,
  { text_ready, content, sha256 }: NewVersion,
): Promise<boolean> {
  if (known.status !== "synced") return false;
  return text_ready === 1
    ? (await store.findWithContent(tx, known.id))?.content === content
    : known.sha256 === sha256;
}

function versionOf(
  file: Incoming["file"],
  declared_type: string | null,
  text: ReadyText | undefined,
): NewVersion {
  if (text === undefined) {
    if (file === null) throw new Error("a document needs a file or a text");
    return {
      ...unread,
      sha256: file.sha256,
      size_bytes: file.size_bytes,
      media_type: mediaType(declared_type),
      in_files: 1,
    };
  }
  // Neither repair moves an offset.
  const content = text.content.toWellFormed().replaceAll("\0", " ");
  const ready = { ...storedSpans({ pages: [], ...text }), text_ready: 1, content } as const;
  if (file !== null)
    return {
      ...ready,
      sha256: file.sha256,
      size_bytes: file.size_bytes,
      media_type: mediaType(declared_type ?? text.media_type),
      in_files: 1,
    };
  const bytes = new TextEncoder().encode(content);
  return {
    ...ready,
    sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
    size_bytes: bytes.byteLength,
    media_type: text.media_type,
    in_files: 0,
  };
}
