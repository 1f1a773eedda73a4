/** The API of this server, as the handlers here ask it in the name of their caller. */
import type { Call, LocalRequest } from "../../core/sdk";

export type Asked = Pick<Call, "api" | "request">;

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

/** What the API answers. @throws HttpError */
export async function ask<R>(
  { api, request }: Asked,
  method: LocalRequest["method"],
  path: string,
  json?: unknown,
): Promise<R> {
  const answer = await api({ method, path, json, signal: request.signal });
  return (answer.status === 204 ? undefined : await answer.json()) as R;
}

/** The caller's folders, newest first, `folders_max` at most. */
export async function listFolders(call: Asked, folders_max: number): Promise<FolderRecord[]> {
  const folders: FolderRecord[] = [];
  for (let page: number | null = 1; page !== null && folders.length < folders_max;) {
    const found: Page<FolderRecord> = await ask(
      call,
      "GET",
      `/folders?per_page=${page_size}&page=${page}`,
    );
    folders.push(...found.data);
    page = found.pagination.next_page;
  }
  return folders.slice(0, folders_max);
}

/** @throws HttpError 404, 403 */
export const getFolder = (call: Asked, id: string): Promise<FolderRecord> =>
  ask(call, "GET", `/folders/${encodeURIComponent(id)}`);
export const getDocument = (call: Asked, id: string): Promise<DocumentRecord> =>
  ask(call, "GET", `/documents/${encodeURIComponent(id)}?content=false`);

export const epoch_s = (time: string | number): number =>
  Math.floor((typeof time === "number" ? time : Date.parse(time)) / 1_000);
