/**
 * Shared by plugins that offer another protocol: the API of this server, called in this process on
 * behalf of their caller, and lookup of folders by name.
 */
import { FairLimiter } from "../../core/lib/limiter";
import { HttpError, type Call, type LocalRequest } from "../../core/sdk";

/** The call that another protocol received: the API acts for its caller, until it is aborted. */
export interface Asked extends Pick<Call, "api" | "caller"> {
  readonly request: Pick<Call["request"], "signal">;
}

/** A folder as the API returns it. */
export interface FolderRecord {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly parentId: string | null;
  readonly document_count: number;
  readonly status_counts: {
    readonly syncing: number;
    readonly synced: number;
    readonly sync_failed: number;
  };
  readonly created_at: string;
  readonly updated_at: string;
}
/** A document as the API returns it, as far as these plugins need it. */
export interface DocumentRecord {
  readonly id: string;
  readonly name: string;
  readonly status: "syncing" | "synced" | "sync_failed";
  readonly folder_ids: readonly string[];
  readonly size_bytes: number;
  readonly error: { readonly message: string } | null;
  readonly created_at: string;
}
interface Page<R> {
  readonly data: readonly R[];
  readonly pagination: { readonly next_page: number | null };
}

const page_size = 200;

/** The response of the API. @throws HttpError */
export async function ask<R>(
  { api, request }: Asked,
  method: LocalRequest["method"],
  path: string,
  json?: unknown,
): Promise<R> {
  const answer = await api({ method, path, json, signal: request.signal });
  return (answer.status === 204 ? undefined : await answer.json()) as R;
}

/** All folders of an owner may take much memory: one list per owner at a time. */
const lists = new FairLimiter({ concurrency: 2 });

/** The caller's folders, newest first, `folders_max` at most. */
export const listFolders = (call: Asked, folders_max: number): Promise<FolderRecord[]> =>
  lists.run(call.caller.owner_id, call.request.signal, () => readFolders(call, folders_max));

async function readFolders(call: Asked, folders_max: number): Promise<FolderRecord[]> {
  const folders: FolderRecord[] = [];
  for (let page: number | null = 1; page !== null && folders.length < folders_max;) {
    const folder_page: Page<FolderRecord> = await ask(
      call,
      "GET",
      `/folders?per_page=${page_size}&page=${page}`,
    );
    folders.push(...folder_page.data);
    page = folder_page.pagination.next_page;
  }
  return folders.slice(0, folders_max);
}

/** @throws HttpError 404, 403 */
export const getFolder = (call: Asked, id: string): Promise<FolderRecord> =>
  ask(call, "GET", `/folders/${encodeURIComponent(id)}`);
/** A document without its text. @throws HttpError as the API responds. */
export const getDocument = (call: Asked, id: string): Promise<DocumentRecord> =>
  ask(call, "GET", `/documents/${encodeURIComponent(id)}?content=false`);

/** Seconds since 1970, of epoch ms or of a time in RFC 3339. */
export const epoch_s = (time: string | number): number =>
  Math.floor((typeof time === "number" ? time : Date.parse(time)) / 1_000);

/** The folders in which a name is looked up. */
const named_max = 20_000;

/**
 * `parent/name`, or the name of a root folder; `names` holds the names of the known folders, by id.
 */
export const folderPath = (
  { parentId, name }: Pick<FolderRecord, "name" | "parentId">,
  names: ReadonlyMap<string, string>,
): string => {
  const parent = parentId === null ? undefined : names.get(parentId);
  return parent === undefined ? name : `${parent}/${name}`;
};

/**
 * The caller's folders with this id, or with this name or path, ignoring case. @throws HttpError
 * other than 403 and 404
 */
export async function findFolders(call: Asked, named: string): Promise<FolderRecord[]> {
  if (/^fld_\w+$/.test(named))
    try {
      return [await getFolder(call, named)];
    } catch (error) {
      if (!(error instanceof HttpError) || (error.status !== 403 && error.status !== 404))
        throw error;
    }
  const folders = await listFolders(call, named_max);
  const names = new Map(folders.map(({ id, name }) => [id, name]));
  const lower = named.toLowerCase();
  return folders.filter(
    (folder) =>
      folder.name.toLowerCase() === lower || folderPath(folder, names).toLowerCase() === lower,
  );
}
