/** The files that `dossier document add` is given, by themselves or with their directory. */
import { readdirSync, statSync, type Stats } from "node:fs";
import { basename, join } from "node:path";

/** A local file. */
export interface ChosenFile {
  readonly path: string;
  /** Its name, after those of the directories between the given one and the file. */
  readonly parts: readonly string[];
}
/** What was found at the given paths. */
export interface Chosen {
  readonly files: readonly ChosenFile[];
  /** The number of hidden files in directories, which are skipped. */
  readonly hidden: number;
}

/** Files that programs and systems create beside a person's own. */
const hidden_names = /^(?:\..*|~\$.*|thumbs\.db|desktop\.ini|__MACOSX)$/i;

/**
 * @throws Error naming the first path that is neither a file nor, with `recursive`, a directory;
 * also when there is no file.
 */
export function chooseFiles(paths: readonly string[], recursive: boolean): Chosen {
  const files: ChosenFile[] = [];
  let hidden = 0;
  for (const path of paths) {
    const kind = kindOf(path);
    if (!kind) throw new Error(`there is no file ${path}`);
    if (kind.isFile()) files.push({ path, parts: [basename(path)] });
    else if (!kind.isDirectory()) throw new Error(`the path ${path} is not a file`);
    else if (!recursive)
      throw new Error(`the path ${path} is a directory. Add its files with --recursive`);
    else
      for (const file of filesBelow(path))
        if (file.parts.some((part) => hidden_names.test(part))) hidden++;
        else files.push(file);
  }
  if (files.length === 0) throw new Error("there are no files to add");
  return { files, hidden };
}

/** Undefined when there is nothing, or a link to nothing or to itself. */
function kindOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ELOOP") return undefined;
    throw error;
  }
}

/** In alphabetical order. A link to a directory is not followed: it may lead back here. */
function filesBelow(directory: string, above: readonly string[] = []): ChosenFile[] {
  const entries = readdirSync(directory, { withFileTypes: true });
  return entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      const parts = [...above, entry.name];
      if (entry.isDirectory()) return filesBelow(path, parts);
      return kindOf(path)?.isFile() ? [{ path, parts }] : [];
    });
}
