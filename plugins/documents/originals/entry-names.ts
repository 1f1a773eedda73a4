/**
 * Names of archive entries that people unpack: valid on every system, with an extension that
 * programs know, and unique.
 */
import { nameFolded } from "../creation/names";

/** For names without an extension, such as those of texts. */
const extensions: Readonly<Record<string, string>> = {
  "application/pdf": ".pdf",
  "application/json": ".json",
  "text/csv": ".csv",
  "text/html": ".html",
  "text/markdown": ".md",
  "text/plain": ".txt",
  "text/vtt": ".vtt",
  "image/jpeg": ".jpg",
  "image/png": ".png",
};
/** Windows forbids these characters in names. */
const forbidden = /[<>:"|?*\\\p{Cc}]/gu;
/** Windows reserves these names for devices. */
const device_name = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
const segment_bytes_max = 200;

/** Gives each document of an archive its name there. */
export class EntryNames {
  /** Folded, because names that differ only in case are one file on many systems. */
  private readonly used_names = new Set<string>();
  /** By name: the last number given to a namesake. */
  private readonly numbers = new Map<string, number>();

  /** The entry name for a document of this name. */
  add(name: string, media_type: string): string {
    const segments = name.split("/").map(safe).filter(Boolean);
    const path = (segments.length > 0 ? segments : ["_"]).join("/");
    const [, stem, original_ending] = /^(.*?)(\.[A-Za-z0-9]{1,8})?$/su.exec(path)!;
    const [type = ""] = media_type.split(";", 1);
    const extension = original_ending ?? extensions[type.trim()] ?? "";
    for (let number = this.numbers.get(nameFolded(stem! + extension)) ?? 1; ; number++) {
      const candidate = number === 1 ? stem! + extension : `${stem!} (${number})${extension}`;
      if (this.used_names.has(nameFolded(candidate))) continue;
      this.used_names.add(nameFolded(candidate));
      this.numbers.set(nameFolded(stem! + extension), number + 1);
      return candidate;
    }
  }
}

/** One segment of a path; empty for one that leads nowhere or out of the archive. */
function safe(segment: string): string {
  const clean = segment
    .replaceAll(forbidden, "_")
    .replace(/[. ]+$/u, "")
    .trimStart();
  const usable = device_name.test(clean) ? `_${clean}` : clean;
  return shortened(usable);
}

/** File systems allow 255 bytes; a number may be added. The extension stays. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= segment_bytes_max) return name;
  const [, stem, extension = ""] = /^(.*?)(\.[A-Za-z0-9]{1,8})?$/su.exec(name)!;
  let points = [...stem!];
  while (Buffer.byteLength(points.join("")) > segment_bytes_max - extension.length)
    points = points.slice(0, -8);
  return points.join("") + extension;
}
