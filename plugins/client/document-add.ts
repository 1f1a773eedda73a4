/** `dossier document add`: uploads local files into a folder. */
import { counted } from "../../core/lib/counted";
import { basename } from "node:path";
import { messageOf } from "../../core/lib/error-message";
import type { ChosenFile } from "./chosen-files";
import { RefusedRequest, type NamedFolder, type ServerClient } from "./server-client";

interface DocumentState {
  readonly id: string;
  readonly status: "syncing" | "synced" | "sync_failed";
  readonly page_count: number | null;
  readonly indexing: { readonly stage: string; readonly progress: number };
  readonly error: { readonly message: string } | null;
}
/** What became of one file; `refused` if the server did not take it. */
export interface Added {
  readonly file: string;
  readonly id: string | null;
  readonly status: DocumentState["status"] | "refused";
  readonly error: string | null;
}
/** Where files go, and how their progress is printed. */
export interface AddOptions {
  readonly folder: NamedFolder;
  readonly overwrite: boolean;
  /** Waits until each document is indexed or has failed. */
  readonly wait: boolean;
  readonly print: (line: string) => void;
}

const look_every_ms = 250;

const name_taken = "A document with the same name already exists; --overwrite replaces it.";

/** One at a time; a refused file does not stop the others. */
export async function addFiles(
  server: ServerClient,
  files: readonly ChosenFile[],
  options: AddOptions,
): Promise<Added[]> {
  const placed = files.map((file) => placedIn(options.folder, file));
  const folder_ids = await folderIds(server, placed, options.folder);
  const added: Added[] = [];
  for (const [place, file] of placed.entries()) {
    const count = files.length > 1 ? `(${place + 1} of ${files.length}) ` : "";
    added.push(await addFile(server, file, folder_ids.get(file.subfolder)!, options, count));
  }
  if (!options.wait) return added;
  const settled: Added[] = [];
  for (const document of added)
    settled.push(
      document.id === null ? document : await waitFor(server, document, document.id, options.print),
    );
  return settled;
}

/** A file, and the document that it becomes. */
interface PlacedFile {
  readonly path: string;
  /** Of the document. */
  readonly name: string;
  /** The name of the subfolder; null for the folder itself. */
  readonly subfolder: string | null;
}

/**
 * The first directory becomes a subfolder, where there can be one: folders have two levels. Names
 * of other directories become part of the document's name.
 */
function placedIn({ parentId }: NamedFolder, { path, parts }: ChosenFile): PlacedFile {
  const [directory, ...others] = parts;
  return parentId === null && others.length > 0
    ? { path, name: others.join("/"), subfolder: directory! }
    : { path, name: parts.join("/"), subfolder: null };
}

/** Of the folder and its subfolders, which are created when they are missing. */
async function folderIds(
  server: ServerClient,
  files: readonly PlacedFile[],
  folder: NamedFolder,
): Promise<ReadonlyMap<string | null, string>> {
  const ids = new Map<string | null, string>([[null, folder.id]]);
  const named = new Set(files.flatMap(({ subfolder }) => subfolder ?? []));
  if (named.size === 0) return ids;
  for await (const { id, name, parentId } of server.folders())
    if (parentId === folder.id && named.has(name)) ids.set(name, id);
  for (const name of named)
    if (!ids.has(name))
      ids.set(name, (await server.createFolder({ name, parentId: folder.id })).id);
  return ids;
}

async function addFile(
  server: ServerClient,
  { path: file, name }: PlacedFile,
  folder_id: string,
  { overwrite, print }: AddOptions,
  count: string,
): Promise<Added> {
  const form = new FormData();
  // A lazy reference: the file is read while it is sent.
  form.set("file", Bun.file(file), basename(file));
  const query = new URLSearchParams({ folder_id, name, overwrite: String(overwrite) });
  try {
    const { id, status } = await server.call<DocumentState>(
      "POST",
      `/documents/file?${query.toString()}`,
      { form },
    );
    print(`${count}${file}: uploaded, ${id}`);
    return { file, id, status, error: null };
  } catch (error) {
    const is_taken = error instanceof RefusedRequest && error.status === 409;
    const reason = is_taken ? name_taken : messageOf(error);
    print(`${count}${file}: rejected. ${reason}`);
    return { file, id: null, status: "refused", error: reason };
  }
}

async function waitFor(
  server: ServerClient,
  added: Added,
  id: string,
  print: (line: string) => void,
): Promise<Added> {
  for (let last = ""; ;) {
    const { status, indexing, error, page_count } = await server.call<DocumentState>(
      "GET",
      `/documents/${id}?content=false`,
    );
    if (status === "synced") {
      const pages = page_count === null ? "" : `, ${counted(page_count, "page")}`;
      print(`${added.file}: ready${pages}`);
      return { ...added, status };
    }
    if (status === "sync_failed") {
      const reason = error?.message ?? "It could not be indexed.";
      print(`${added.file}: failed. ${reason}`);
      return { ...added, status, error: reason };
    }
    const now = `${indexing.stage} ${Math.floor(indexing.progress * 10) * 10} %`;
    if (now !== last) print(`${added.file}: ${now}`);
    last = now;
    await Bun.sleep(look_every_ms);
  }
}
