/** What plugins have filled into each other's slots. */
import type { Fill, SlotRef } from "../base/refs";

/** A value of a slot, and the plugin that it came from. */
export interface Filled<T> {
  readonly plugin: string;
  readonly value: T;
}

export class SlotRegistry {
  private readonly fills = new Map<string, Fill[]>();
  private readonly pluginOf = new Map<Fill, string>();
  /** Of slots whose values never change. */
  private readonly values = new Map<string, readonly unknown[]>();
  private is_complete = false;

  add(one: Fill, plugin: string): void {
    this.pluginOf.set(one, plugin);
    this.fills.set(one.slot.id, [...(this.fills.get(one.slot.id) ?? []), one]);
  }

  /** Every plugin is set up: from now on slots may be read. */
  complete(): void {
    this.is_complete = true;
    for (const [id, fills] of this.fills)
      if (!fills.some(({ varies }) => varies))
        this.values.set(
          id,
          fills.map(({ value }) => value),
        );
  }

  /** @throws Error before `complete`. */
  read<T>({ id }: SlotRef<T>): readonly T[] {
    if (!this.is_complete)
      throw new Error(
        `the slot ${id} was read before every plugin was set up; read it inside a handler`,
      );
    return (this.values.get(id) ?? valuesNow(this.fills.get(id) ?? [])) as readonly T[];
  }

  /** The same, each with the plugin that fills it. */
  readFilled<T>({ id }: SlotRef<T>): readonly Filled<T>[] {
    return (this.fills.get(id) ?? []).flatMap((one) =>
      valuesNow([one]).map((value) => ({
        plugin: this.pluginOf.get(one) ?? "",
        value: value as T,
      })),
    );
  }
}

const valuesNow = (fills: readonly Fill[]): unknown[] =>
  fills
    .map(({ value, varies }) => (varies ? (value as () => unknown)() : value))
    .filter((value) => value !== null);
