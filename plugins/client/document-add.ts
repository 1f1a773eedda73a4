/** `dossier document add`: uploads local files into a folder. */
import { counted } from "../../core/lib/counted";
import { existsSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { messageOf } from "../../core/lib/error-message";
import { RefusedRequest, type ServerClient } from "./server-client";

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
  readonly folder_id: string;
  readonly overwrite: boolean;
  /** Waits until each document is indexed or has failed. */
  readonly wait: boolean;
  readonly print: (line: string) => void;
}

const look_every_ms = 250;

const name_taken = "A document with the same name already exists; --overwrite replaces it.";

/** @throws Error naming the first path that is not a file. */
export function requireFiles(files: readonly string[]): void {
  for (const file of files) {
    if (!existsSync(file)) throw new Error(`${file} does not exist`);
    const kind = statSync(file);
    if (kind.isDirectory())
      throw new Error(`${file} is a directory. Name the files in it, such as ${join(file, "*")}`);
    if (!kind.isFile()) throw new Error(`${file} is not a file`);
  }
}

/** One at a time; a refused file does not stop the others. */
export async function addFiles(
  server: ServerClient,
  files: readonly string[],
  options: AddOptions,
): Promise<Added[]> {
  const added: Added[] = [];
  for (const [place, file] of files.entries()) {
    const count = files.length > 1 ? `(${place + 1} of ${files.length}) ` : "";
    added.push(await addFile(server, file, options, count));
  }
  if (!options.wait) return added;
  const settled: Added[] = [];
  for (const document of added)
    settled.push(
      document.id === null ? document : await waitFor(server, document, document.id, options.print),
    );
  return settled;
}

async function addFile(
  server: ServerClient,
  file: string,
  { folder_id, overwrite, print }: AddOptions,
  count: string,
): Promise<Added> {
  const form = new FormData();
  // A lazy reference: the file is read while it is sent.
  form.set("file", Bun.file(file), basename(file));
  const query = new URLSearchParams({ folder_id, overwrite: String(overwrite) });
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
      const reason = error?.message ?? "it could not be indexed";
      print(`${added.file}: failed. ${reason}`);
      return { ...added, status, error: reason };
    }
    const now = `${indexing.stage} ${Math.floor(indexing.progress * 10) * 10} %`;
    if (now !== last) print(`${added.file}: ${now}`);
    last = now;
    await Bun.sleep(look_every_ms);
  }
}
