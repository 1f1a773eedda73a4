/**
 * Uploads of dropped or chosen files and directories: creates the folders first, then uploads the
 * files into them.
 */
import { signal } from "@preact/signals";
import { api, problemOf } from "../../api/client";
import { queries, refresh } from "../../api/queries";
import type { Folder } from "../../api/types";
import { toast } from "../../ui/toast";
import { folder_strings } from "../../strings/folders";
import { planTree, type FileWithPath } from "./upload-plan";
import { addUploads, all_folders } from "./uploads";

const strings = folder_strings.upload;
/** A root folder and a subfolder. */
const levels_max = 2;

/** The number of hidden files that were skipped, by the page they were dropped on. */
export const hidden_counts = signal<ReadonlyMap<string, number>>(new Map());
/** Dismisses the note about hidden files on this page. */
export function forgetHidden(page: string): void {
  hidden_counts.value = new Map(
    [...hidden_counts.value].filter(([directory]) => directory !== page),
  );
}

/** `target`: null makes each directory a root folder. Never rejects. */
export async function uploadTree(
  target: Pick<Folder, "id" | "parentId"> | null,
  dropped: readonly FileWithPath[],
): Promise<void> {
  const page = target?.id ?? all_folders;
  const levels = target === null ? levels_max : target.parentId === null ? 1 : 0;
  const { files, hidden } = planTree(dropped, levels);
  if (hidden > 0)
    hidden_counts.value = new Map(hidden_counts.value).set(
      page,
      (hidden_counts.value.get(page) ?? 0) + hidden,
    );
  const placed = files.filter(({ folders }) => target !== null || folders.length > 0);
  if (placed.length < files.length) toast({ text: strings.needs_folder });
  const created = new Map<string, Promise<string>>();
  const folderAt = (path: readonly string[]): Promise<string> => {
    const name = path.at(-1);
    if (name === undefined) return Promise.resolve(target!.id);
    const key = path.join("/");
    const pending = created.get(key);
    if (pending) return pending;
    const folder_id = (
      path.length === 1 ? Promise.resolve(target?.id ?? null) : folderAt(path.slice(0, -1))
    ).then((parent_id) => findOrCreate(name, parent_id));
    created.set(key, folder_id);
    return folder_id;
  };
  try {
    const uploads = [];
    for (const { folders, name, file } of placed)
      uploads.push({ folder_id: await folderAt(folders), name, file });
    addUploads(page, uploads);
  } catch (error) {
    toast({ text: strings.no_folders(problemOf(error).sentence), tone: "bad" });
  }
  if (created.size > 0) await refresh("folder");
}

/** An existing folder of that name is reused. */
async function findOrCreate(name: string, parentId: string | null): Promise<string> {
  const existing = queries
    .getQueryData<readonly Folder[]>(["folder"])
    ?.find((folder) => folder.name === name && folder.parentId === parentId);
  if (existing) return existing.id;
  const body = { name, description: null, parentId };
  return (await api<Folder>("/folders", { method: "POST", body })).id;
}
