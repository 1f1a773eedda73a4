/** Folders as a tree of two levels. */
import type { Folder } from "../../api/types";

/** A root folder and its subfolders. */
export interface Branch {
  readonly folder: Folder;
  readonly subfolders: readonly Folder[];
}

/** Root folders with their subfolders, in the given order. */
export function treeOf(folders: readonly Folder[]): readonly Branch[] {
  const by_parent = Map.groupBy(folders, ({ parentId }) => parentId ?? "");
  return (by_parent.get("") ?? []).map((folder) => ({
    folder,
    subfolders: by_parent.get(folder.id) ?? [],
  }));
}

/**
 * What is deleted along with a folder. `documents` counts links, so one in two folders counts
 * twice.
 */
export function subtreeOf(
  folder: Folder,
  folders: readonly Folder[],
): { readonly subfolders: readonly Folder[]; readonly documents: number } {
  const subfolders = folders.filter(({ parentId }) => parentId === folder.id);
  return {
    subfolders,
    documents: [folder, ...subfolders].reduce((sum, { document_count }) => sum + document_count, 0),
  };
}

/** Such as `Contracts / 2026`. */
export function pathOf(folder: Folder, folders: readonly Folder[]): string {
  const parent = folders.find(({ id }) => id === folder.parentId);
  return parent ? `${parent.name} / ${folder.name}` : folder.name;
}

/** Options for a folder select: each root, followed by its subfolders. */
export const folderOptions = (
  folders: readonly Folder[],
): readonly { readonly value: string; readonly label: string }[] =>
  treeOf(folders).flatMap(({ folder, subfolders }) =>
    [folder, ...subfolders].map((folder) => ({ value: folder.id, label: pathOf(folder, folders) })),
  );

/** Branches in which the folder or a subfolder has a matching name. */
export function matching(tree: readonly Branch[], query: string): readonly Branch[] {
  const term = query.trim().toLocaleLowerCase();
  if (term === "") return tree;
  const matches = ({ name }: Folder) => name.toLocaleLowerCase().includes(term);
  return tree.flatMap(({ folder, subfolders }) => {
    if (matches(folder)) return [{ folder, subfolders }];
    const matching_subfolders = subfolders.filter(matches);
    return matching_subfolders.length > 0 ? [{ folder, subfolders: matching_subfolders }] : [];
  });
}
