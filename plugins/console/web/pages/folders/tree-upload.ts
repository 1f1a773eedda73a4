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
import { planTree, type FoundFile } from "./upload-tree";
import { addUploads, all_folders } from "./uploads";

const strings = folder_strings.upload;
/** A root folder and a subfolder. */
const levels_max = 2;

/** The number of hidden files that were skipped, by the page they were dropped on. */
export const left_out = signal<ReadonlyMap<string, number>>(new Map());
export function forgetLeftOut(page: string): void {
  left_out.value = new Map([...left_out.value].filter(([directory]) => directory !== page));
}

/** `into`: null makes each directory a root folder. Never rejects. */
export async function uploadTree(
  into: Pick<Folder, "id" | "parentId"> | null,
  found: readonly FoundFile[],
): Promise<void> {
  const page = into?.id ?? all_folders;
  const levels = into === null ? levels_max : into.parentId === null ? 1 : 0;
  const { files, hidden } = planTree(found, levels);
  if (hidden > 0)
    left_out.value = new Map(left_out.value).set(page, (left_out.value.get(page) ?? 0) + hidden);
  const placed = files.filter(({ folders }) => into !== null || folders.length > 0);
  if (placed.length < files.length) toast({ text: strings.needs_folder });
  const created = new Map<string, Promise<string>>();
  const folderAt = (path: readonly string[]): Promise<string> => {
    const name = path.at(-1);
    if (name === undefined) return Promise.resolve(into!.id);
    const key = path.join("/");
    const known = created.get(key);
    if (known) return known;
    const making = (
      path.length === 1 ? Promise.resolve(into?.id ?? null) : folderAt(path.slice(0, -1))
    ).then((parent_id) => findOrMake(name, parent_id));
    created.set(key, making);
    return making;
  };
  try {
    const ready = [];
    for (const { folders, name, file } of placed)
      ready.push({ folder_id: await folderAt(folders), name, file });
    addUploads(page, ready);
  } catch (error) {
    toast({ text: strings.no_folders(problemOf(error).sentence), tone: "bad" });
  }
  if (created.size > 0) await refresh("folder");
}

/** An existing folder of that name is reused. */
async function findOrMake(name: string, parentId: string | null): Promise<string> {
  const known = queries
    .getQueryData<readonly Folder[]>(["folder"])
    ?.find((folder) => folder.name === name && folder.parentId === parentId);
  if (known) return known.id;
  const body = { name, description: null, parentId };
  return (await api<Folder>("/folders", { method: "POST", body })).id;
}
