/** What plugins have filled into each other's slots. */
import type { Fill, SlotRef } from "../base/refs";

export class SlotRegistry {
  private readonly values = new Map<string, unknown[]>();
  private is_complete = false;

  add({ slot, value }: Fill): void {
    this.values.set(slot.id, [...(this.values.get(slot.id) ?? []), value]);
  }

  /** Every plugin is set up: from now on slots may be read. */
  complete(): void {
    this.is_complete = true;
  }

  /** @throws Error before `complete`. */
  read<T>({ id }: SlotRef<T>): readonly T[] {
    if (!this.is_complete)
      throw new Error(
        `the slot ${id} was read before every plugin was set up; read it inside a handler`,
      );
    return (this.values.get(id) ?? []) as readonly T[];
  }
}
