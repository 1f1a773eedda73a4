/**
 * Runs in the child: a document as a package of related parts, as in Office Open XML. OpenDocument
 * files and e-books have parts without relations.
 */
import type { Block } from "../child/blocks";
import { ExtractionFailure } from "../contract";
import type { Archive } from "./archive";
import { decodeXml, scanTags } from "./xml";

/** Reports the progress of reading, 0 to 1. */
export type Progress = (share: number) => void;

/** A relation of a part to another one. */
export interface Relation {
  readonly id: string;
  /**
   * The last segment of its type, which is the same in all versions of the standard: `header`,
   * `slide`.
   */
  readonly type: string;
  /** The name of a part; null if it is outside the file. */
  readonly target: string | null;
}

const large_part_bytes = 8 * 1024 * 1024;

/** Parts with their types and relations. */
export class OfficePackage {
  private readonly known_relations = new Map<string, readonly Relation[]>();
  /** By part and id: a document may have many relations, and refer to each. */
  private readonly known_targets = new Map<string, ReadonlyMap<string, string | null>>();
  private content_types: ReadonlyMap<string, string> | undefined;
  private characters_left: number;

  /** `readEmbedded` reads a part that is a document of its own. */
  constructor(
    readonly archive: Archive,
    private readonly characters_max: number,
    private readonly readEmbedded: (part: string) => readonly Block[],
  ) {
    this.characters_left = characters_max;
  }

  /** The text of a part; null if it is missing or damaged. */
  xml(name: string): string | null {
    const bytes = this.archive.read(name);
    if (bytes === null) return null;
    const xml = decodeXml(bytes);
    // The bytes, and what earlier parts left, would count towards the memory limit.
    if (bytes.length > large_part_bytes) Bun.gc(true);
    return xml;
  }

  /** The relations of a part; read once. */
  relations(part: string): readonly Relation[] {
    const cached = this.known_relations.get(part);
    if (cached !== undefined) return cached;
    const relations = parseRelations(part, this.xml(relationsPart(part)) ?? "");
    this.known_relations.set(part, relations);
    return relations;
  }

  /** The parts that this one relates to by this type, without duplicates. */
  related(part: string, type: string): readonly string[] {
    const targets = this.relations(part).flatMap((relation) =>
      relation.type === type && relation.target !== null ? [relation.target] : [],
    );
    return [...new Set(targets)];
  }

  /** The part that a relation leads to, by its id. */
  target(part: string, id: string | undefined): string | null {
    if (id === undefined) return null;
    let targets = this.known_targets.get(part);
    if (targets === undefined) {
      // Of several with the same id, the first one counts.
      targets = new Map(
        this.relations(part)
          .map(({ id, target }) => [id, target] as const)
          .reverse(),
      );
      this.known_targets.set(part, targets);
    }
    return targets.get(id) ?? null;
  }

  /** The content type of a part as the file declares it. */
  contentType(part: string): string | undefined {
    this.content_types ??= parseContentTypes(this.xml("[Content_Types].xml") ?? "");
    return this.content_types.get(part.toLowerCase());
  }

  /** The text of a part that is a document of its own; nothing if it can't be read. */
  embedded(part: string | null): readonly Block[] {
    return part === null ? [] : this.readEmbedded(part);
  }

  /**
   * Counts text that the file repeats by reference, such as shared strings of cells.
   * @throws ExtractionFailure `too_large`
   */
  readonly spend = (characters: number): void => {
    this.characters_left -= characters;
    if (this.characters_left < 0)
      throw new ExtractionFailure(
        "too_large",
        `The text of this file is longer than ${this.characters_max} characters.`,
      );
  };
}

const folderOf = (part: string): string => part.slice(0, part.lastIndexOf("/") + 1);
const relationsPart = (part: string): string =>
  `${folderOf(part)}_rels/${part.slice(folderOf(part).length)}.rels`;

function parseRelations(part: string, xml: string): Relation[] {
  const relations: Relation[] = [];
  scanTags(xml, (tag) => {
    if (tag.name !== "Relationship") return;
    const target = tag.get("Target") ?? "";
    const external = tag.get("TargetMode") === "External" || target === "";
    relations.push({
      id: tag.get("Id") ?? "",
      type: (tag.get("Type") ?? "").split("/").at(-1)!,
      target: external ? null : resolvePath(folderOf(part), target),
    });
  });
  return relations;
}

/** By the lower-case name of the part. */
function parseContentTypes(xml: string): Map<string, string> {
  const types = new Map<string, string>();
  scanTags(xml, (tag) => {
    const part = tag.get("PartName");
    if (tag.name === "Override" && part !== undefined)
      types.set(part.replace(/^\/+/, "").toLowerCase(), tag.get("ContentType") ?? "");
  });
  return types;
}

/** The name of a part, from a path relative to a folder (`word/`) or to the archive (`/word/x`). */
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
