/**
 * Runs in the child: the languages for text recognition: English, which is built in, and those in a
 * directory.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import eng_gz from "@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz" with { type: "file" };

/** Training data of one language. */
export interface Language {
  /** The name of its file without the extension: `deu`. */
  readonly name: string;
  /** Changes whenever the file does. */
  readonly version: string;
  readonly read: () => Promise<Uint8Array>;
}

const english: Language = {
  name: "eng",
  version: "built in",
  read: async () => Bun.gunzipSync(await Bun.file(eng_gz).bytes()),
};
const file_name = /^([A-Za-z0-9_]+)\.traineddata$/;
/** Built-in English, and models for page orientation and formulas, which are not languages. */
const ignored = [english.name, "osd", "equ"];

/** English first, then the others by name. */
export function languagesIn(directory: string): Language[] {
  const files = list(directory)
    .sort()
    .flatMap((entry): Language[] => {
      const name = file_name.exec(entry)?.[1];
      if (name === undefined || ignored.includes(name)) return [];
      const path = join(directory, entry);
      const { size, mtimeMs } = statSync(path);
      return [{ name, version: `${size} ${mtimeMs}`, read: async () => readFileSync(path) }];
    });
  return [english, ...files];
}

/** The directory may be missing. */
function list(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
