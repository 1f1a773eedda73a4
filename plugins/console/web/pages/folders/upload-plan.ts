/**
 * Maps a directory to folders: nested as deep as folders can be; files further down get their path
 * as part of their name, and hidden files are skipped.
 */

/** A file with the path it was found at; the last part is its name. */
export interface FileWithPath {
  readonly path: readonly string[];
  readonly file: File;
}
/** Where a file goes. */
export interface PlannedFile {
  /** Names of folders below the target. */
  readonly folders: readonly string[];
  /** The document's name. */
  readonly name: string;
  readonly file: File;
}
/** The result of mapping directories to folders. */
export interface Plan {
  readonly files: readonly PlannedFile[];
  /** The number of hidden files that were skipped. */
  readonly hidden: number;
}

/** Files that systems and programs create beside the user's own. */
const system_files = new RegExp(
  "^(" +
    String.raw`\..*|~\$.*|Thumbs\.db|ehthumbs\.db|desktop\.ini|__MACOSX|\$RECYCLE\.BIN|` +
    "System Volume Information)$",
  "i",
);
const name_max = 255;

/**
 * `levels`: how many levels of folders can be created below the target. A file that was chosen
 * individually is never skipped.
 */
export function planTree(files: readonly FileWithPath[], levels: number): Plan {
  const visible = files.filter(({ path }) => path.length === 1 || !path.some(isHidden));
  return {
    hidden: files.length - visible.length,
    files: visible.map(({ path, file }) => {
      const depth = Math.min(levels, path.length - 1);
      return {
        folders: path.slice(0, depth),
        name: shortened(path.slice(depth).join("/")),
        file,
      };
    }),
  };
}
const isHidden = (part: string): boolean => system_files.test(part);

/** The end of a long path is the most informative. */
const shortened = (name: string): string => {
  const points = [...name];
  return points.length <= name_max ? name : `…${points.slice(1 - name_max).join("")}`;
};
