/**
 * Small texts that were just stored, for the job that indexes them: reading one back takes longer
 * than the rest of that job. Whatever is not here is read from the database.
 */
import { piece_units } from "../../core/lib/text-pieces";
import type { PendingVersion } from "./text-store";

/** UTF-16 units of all of them; the oldest goes first. */
const units_max = 4 * 2 ** 20;

export class FreshTexts {
  private readonly versions = new Map<string, PendingVersion>();
  private units = 0;

  /** For the job that begins right after this. False for a text that is read where it is stored. */
  keep(version: PendingVersion): boolean {
    const { units, content } = version.text;
    // It would not be read back as it is here.
    if (units > piece_units || !content?.isWellFormed()) return false;
    this.versions.set(keyOf(version), version);
    this.units += units;
    for (const oldest of this.versions.values()) {
      if (this.units <= units_max) break;
      this.forget(oldest);
    }
    return true;
  }

  /** It is not here any more after that. */
  take(id: string, version: number): PendingVersion | undefined {
    const found = this.versions.get(keyOf({ id, version }));
    if (found) this.forget(found);
    return found;
  }

  private forget(version: PendingVersion): void {
    if (this.versions.delete(keyOf(version))) this.units -= version.text.units;
  }
}

const keyOf = ({ id, version }: Pick<PendingVersion, "id" | "version">): string =>
  `${id} ${version}`;
