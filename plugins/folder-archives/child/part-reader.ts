/** The parts of an archive as its checks read them, and what they have in common. */
import { HttpError, name_length_max, trimmed, type Validator } from "../../../core/sdk";
import { badPart, shown, type Line } from "../archive";
import { kindOfPart, type Part, type PartKind } from "../layout";

export interface CheckLimits {
  /** One original. */
  readonly original_bytes_max: number;
  /** UTF-16 units of a text. */
  readonly text_units_max: number;
}
export interface PartReader {
  /** By name: those that belong to something. */
  readonly parts: ReadonlyMap<string, Part>;
  readonly limits: CheckLimits;
  /** @throws BadArchive, also at the end when they have another hash than the manifest says. */
  readonly bytes: (name: string) => AsyncGenerator<Uint8Array, void>;
  readonly lines: (name: string) => AsyncGenerator<Line, void>;
}

/** The parts of a kind in their order. */
export const namesOf = (parts: ReadonlyMap<string, Part>, kind: PartKind): readonly string[] =>
  [...parts.keys()].filter((name) => kindOfPart(name) === kind).sort();

/** @throws BadArchive that names the part, and the line when there is one. */
export function checkShape(part: string, shape: Validator, value: unknown, line?: Line): void {
  try {
    shape.validate(value);
  } catch (error) {
    const where = line === undefined ? "" : ` in line ${line.number}`;
    const why = error instanceof HttpError ? error.detail : String(error);
    throw badPart(part, `is not valid${where}: ${why.slice(0, 500).replace(/\.$/, "")}`);
  }
}

/** @throws BadArchive unless it is a name as this server would have stored it. */
export function checkName(part: string, name: string): void {
  const is_long = name.length > 2 * name_length_max || [...name].length > name_length_max;
  if (name === "" || is_long || !name.isWellFormed() || trimmed(name) !== name)
    throw badPart(part, `has a name that can't be one: ${shown(name)}`);
}
