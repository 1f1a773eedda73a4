/**
 * Keeps small texts that were just stored for the job that indexes them: reading one back takes
 * longer than the rest of that job. A text that is not here is read from the database.
 */
import { piece_units } from "../../../core/lib/text-pieces";
import type { PendingVersion } from "../texts/text-store";

/** UTF-16 units of all texts; the oldest is dropped first. */
const units_max = 4 * 2 ** 20;

/** A cache of limited size; the oldest text gives way. */
export class FreshTexts {
  private readonly versions = new Map<string, PendingVersion>();
  private units = 0;

  /**
   * Keeps a text for the job that follows at once. False for one that has to be read from the
   * database.
   */
  keep(version: PendingVersion): boolean {
    const { units, content } = version.text;
    // The database would return a different text.
    if (units > piece_units || !content?.isWellFormed()) return false;
    this.versions.set(keyOf(version), version);
    this.units += units;
    for (const oldest of this.versions.values()) {
      if (this.units <= units_max) break;
      this.forget(oldest);
    }
    return true;
  }

  /** Removes and returns it. */
  take(id: string, version: number): PendingVersion | undefined {
    const version_found = this.versions.get(keyOf({ id, version }));
    if (version_found) this.forget(version_found);
    return version_found;
  }

  private forget(version: PendingVersion): void {
    if (this.versions.delete(keyOf(version))) this.units -= version.text.units;
  }
}

const keyOf = ({ id, version }: Pick<PendingVersion, "id" | "version">): string =>
  `${id} ${version}`;
