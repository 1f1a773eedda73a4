/** Office Open XML from the outside: parts, and which part relates to which. */
import { ExtractionFailure } from "../contract";
import type { Block } from "../child/block-builder";
import type { Archive } from "./archive";
import { decodeXml, scanOfficeXml } from "./xml";

export interface Relation {
  readonly id: string;
  /** The last word of its type, the same in every version of the standard: `header`, `slide`. */
  readonly type: string;
  /** The name of a part; null when it lies outside the file. */
  readonly target: string | null;
}
export interface Parts {
  readonly archive: Archive;
  /** The text of a part; null when it is missing or damaged. */
  readonly xml: (name: string) => string | null;
  readonly relations: (part: string) => readonly Relation[];
  /** The parts that this one relates to in this way. */
  readonly related: (part: string, type: string) => readonly string[];
  readonly target: (part: string, id: string | undefined) => string | null;
  /** The content type of a part as the file declares it. */
  readonly typeOf: (part: string) => string | undefined;
  /**
   * Counts what is written more than once, such as a text that many cells share. @throws
   * ExtractionFailure `too_large` when it grows too long
   */
  readonly spend: (characters: number) => void;
  /** The text of a document that is a part of this one; none when it can't be read. */
  readonly embedded: (part: string | null) => readonly Block[];
}

/** `readEmbedded` is given the name of a part. */
export function openParts(
  archive: Archive,
  characters_max: number,
  readEmbedded: (part: string) => readonly Block[],
): Parts {
  let characters_left = characters_max;
  const xml: Parts["xml"] = (name) => {
    const bytes = archive.read(name);
    return bytes === null ? null : decodeXml(bytes);
  };
  const known = new Map<string, readonly Relation[]>();
  const relations: Parts["relations"] = (part) => {
    const before = known.get(part);
    if (before !== undefined) return before;
    const found = relationsOf(part, xml(relationsName(part)) ?? "");
    known.set(part, found);
    return found;
  };
  let types: ReadonlyMap<string, string> | undefined;
  return {
    archive,
    xml,
    relations,
    related: (part, type) => [
      ...new Set(
        relations(part).flatMap((one) =>
          one.type === type && one.target !== null ? [one.target] : [],
        ),
      ),
    ],
    target: (part, id) => relations(part).find((one) => one.id === id)?.target ?? null,
    typeOf: (part) => (types ??= typesOf(xml("[Content_Types].xml") ?? "")).get(part.toLowerCase()),
    spend: (characters) => {
      characters_left -= characters;
      if (characters_left < 0)
        throw new ExtractionFailure(
          "too_large",
          `The text of this file is longer than ${characters_max} characters.`,
        );
    },
    embedded: (part) => (part === null ? [] : readEmbedded(part)),
  };
}

const folderOf = (part: string): string => part.slice(0, part.lastIndexOf("/") + 1);
const relationsName = (part: string): string =>
  `${folderOf(part)}_rels/${part.slice(folderOf(part).length)}.rels`;

function relationsOf(part: string, xml: string): Relation[] {
  const found: Relation[] = [];
  scanOfficeXml(xml, {
    open: (tag) => {
      if (tag.name !== "Relationship") return;
      const target = tag.get("Target") ?? "";
      found.push({
        id: tag.get("Id") ?? "",
        type: (tag.get("Type") ?? "").split("/").at(-1)!,
        target:
          tag.get("TargetMode") === "External" || target === ""
            ? null
            : resolvePath(folderOf(part), target),
      });
    },
    close: () => {},
    text: () => {},
  });
  return found;
}

function typesOf(xml: string): Map<string, string> {
  const types = new Map<string, string>();
  scanOfficeXml(xml, {
    open: (tag) => {
      const part = tag.get("PartName");
      if (tag.name === "Override" && part !== undefined)
        types.set(part.replace(/^\/+/, "").toLowerCase(), tag.get("ContentType") ?? "");
    },
    close: () => {},
    text: () => {},
  });
  return types;
}

/**
 * The name of an entry, from a path relative to a folder (`word/`) or to the archive
 * (`/word/media`).
 */
export function resolvePath(folder: string, path: string): string {
  const steps: string[] = [];
  for (const step of `${path.startsWith("/") ? "" : folder}${path}`
    .replaceAll("\\", "/")
    .split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "." && step !== "") steps.push(step);
  }
  return steps.join("/");
}
