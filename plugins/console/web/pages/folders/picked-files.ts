/** The files that were dropped or chosen, including those inside directories, with their paths. */
import type { FileWithPath } from "./upload-plan";

/** Reads the files of a drop, those in directories too. */
export async function droppedFiles(transfer: DataTransfer): Promise<readonly FileWithPath[]> {
  // The entries must be read before the first await: afterwards the browser has emptied the list.
  const entries = [...transfer.items]
    .map((item) => item.webkitGetAsEntry())
    .filter((entry) => entry !== null);
  return entries.length === 0
    ? chosenFiles(transfer.files)
    : (await Promise.all(entries.map((entry) => filesBelow(entry, [])))).flat();
}

/** From the browser's chooser, for files or for a directory. */
export const chosenFiles = (files: Iterable<File>): readonly FileWithPath[] =>
  [...files].map((file) => ({
    path: file.webkitRelativePath ? file.webkitRelativePath.split("/") : [file.name],
    file,
  }));

async function filesBelow(
  entry: FileSystemEntry,
  parents: readonly string[],
): Promise<readonly FileWithPath[]> {
  const path = [...parents, entry.name];
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return [{ path, file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: FileWithPath[] = [];
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (batch.length === 0) return files;
    files.push(...(await Promise.all(batch.map((entry) => filesBelow(entry, path)))).flat());
  }
}
