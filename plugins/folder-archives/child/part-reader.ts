/** Access to the parts of an archive, shared by its checks. */
import { HttpError, name_length_max, trimmed, type Validator } from "../../../core/sdk";
import { badPart, quotedText, type Line } from "../archive";
import { kindOfPart, type Part, type PartKind } from "../layout";

/** Limits that the settings of this server impose. */
export interface CheckLimits {
  /** Size of one original. */
  readonly original_bytes_max: number;
  /** Length of a text in UTF-16 units. */
  readonly text_units_max: number;
}
/** Reads parts by name, while their hashes are compared. */
export interface PartReader {
  /** Parts that some record refers to, by name. */
  readonly parts: ReadonlyMap<string, Part>;
  readonly limits: CheckLimits;
  /** @throws BadArchive, also at the end if the hash differs from the manifest. */
  readonly bytes: (name: string) => AsyncGenerator<Uint8Array, void>;
  readonly lines: (name: string) => AsyncGenerator<Line, void>;
}

/** The parts of a kind, in order. */
export const namesOf = (parts: ReadonlyMap<string, Part>, kind: PartKind): readonly string[] =>
  [...parts.keys()].filter((name) => kindOfPart(name) === kind).sort();

/** @throws BadArchive that names the part, and the line if there is one. */
export function checkShape(part: string, shape: Validator, value: unknown, line?: Line): void {
  try {
    shape.validate(value);
  } catch (error) {
    const where = line === undefined ? "" : ` in line ${line.number}`;
    const reason = error instanceof HttpError ? error.detail : String(error);
    throw badPart(part, `is not valid${where}: ${reason.slice(0, 500).replace(/\.$/, "")}`);
  }
}

/** @throws BadArchive unless the name is valid as this server would store it. */
export function checkName(part: string, name: string): void {
  const is_long = name.length > 2 * name_length_max || [...name].length > name_length_max;
  if (name === "" || is_long || !name.isWellFormed() || trimmed(name) !== name)
    throw badPart(part, `has an invalid name: ${quotedText(name)}`);
}
