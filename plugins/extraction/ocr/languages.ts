/**
 * The languages that text is recognised in: English, which is inside, and what lies in the
 * directory for more.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import english_path from "@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz" with { type: "file" };

export interface Language {
  /** As its file is called, without the ending: `deu`. */
  readonly name: string;
  /** Changes with its file. */
  readonly version: string;
  readonly read: () => Promise<Uint8Array>;
}

const english: Language = {
  name: "eng",
  version: "inside",
  read: async () => Bun.gunzipSync(await Bun.file(english_path).bytes()),
};
const file_name = /^([A-Za-z0-9_]+)\.traineddata$/;
/** English is inside. The others are no languages: they know how a page is turned, and formulas. */
const left_out = [english.name, "osd", "equ"];

/** English first, then the others by name. */
export function languagesIn(directory: string): Language[] {
  const found = list(directory)
    .sort()
    .flatMap((entry): Language[] => {
      const name = file_name.exec(entry)?.[1];
      if (name === undefined || left_out.includes(name)) return [];
      const path = join(directory, entry);
      const { size, mtimeMs } = statSync(path);
      return [{ name, version: `${size} ${mtimeMs}`, read: async () => readFileSync(path) }];
    });
  return [english, ...found];
}

/** The directory need not be there. */
function list(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
