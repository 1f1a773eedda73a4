/**
 * How a directory becomes folders: they nest as deep as folders can, what lies deeper has its path
 * in its name, and hidden files stay behind.
 */

/** A file with the path that it was found at; the last part is its name. */
export interface FoundFile {
  readonly path: readonly string[];
  readonly file: File;
}
export interface PlannedFile {
  /** Names of folders, below the one that everything goes into. */
  readonly folders: readonly string[];
  /** The document's name. */
  readonly name: string;
  readonly file: File;
}
export interface Plan {
  readonly files: readonly PlannedFile[];
  /** How many hidden files were left out. */
  readonly hidden: number;
}

/** What systems and programs put beside the files of people. */
const litter = new RegExp(
  "^(" +
    String.raw`\..*|~\$.*|Thumbs\.db|ehthumbs\.db|desktop\.ini|__MACOSX|\$RECYCLE\.BIN|` +
    "System Volume Information)$",
  "i",
);
const name_max = 255;

/** `levels`: so many of folders can be made below. A file that was chosen itself is taken. */
export function planTree(found: readonly FoundFile[], levels: number): Plan {
  const wanted = found.filter(({ path }) => path.length === 1 || !path.some(isHidden));
  return {
    hidden: found.length - wanted.length,
    files: wanted.map(({ path, file }) => {
      const depth = Math.min(levels, path.length - 1);
      return {
        folders: path.slice(0, depth),
        name: shortened(path.slice(depth).join("/")),
        file,
      };
    }),
  };
}
const isHidden = (part: string): boolean => litter.test(part);

/** The end of a long path says most. */
const shortened = (name: string): string => {
  const points = [...name];
  return points.length <= name_max ? name : `…${points.slice(1 - name_max).join("")}`;
};
