/** The values that plugins have filled into slots. */
import type { Fill, SlotRef } from "../base/refs";
import {
  DocumentParts,
  Authenticator,
  HealthFields,
  Protocols,
  RateLimiter,
  ReadinessChecks,
  RequestObserver,
  StartNotice,
  Surface,
} from "../http/slots";
import { EventWriters, JobObserver } from "../jobs/contract";
import { CommandObserver } from "./command";

/** The slots that the host reads itself. */
export const own_slots: readonly SlotRef<any>[] = [
  Authenticator,
  CommandObserver,
  DocumentParts,
  EventWriters,
  HealthFields,
  JobObserver,
  Protocols,
  RateLimiter,
  ReadinessChecks,
  RequestObserver,
  StartNotice,
  Surface,
];
interface Added {
  readonly plugin: string;
  readonly fill: Fill;
}

/** A value of a slot, and the plugin that provides it. */
export interface Filled<T> {
  readonly plugin: string;
  readonly value: T;
}

/** The values of all slots. Add them while plugins are set up, then call `complete`. */
export class SlotRegistry {
  private readonly fills = new Map<string, Added[]>();
  /** For slots whose values never change. */
  private readonly values = new Map<string, readonly unknown[]>();
  private is_complete = false;

  /** Adds a value that was checked before. */
  add(plugin: string, fill: Fill): void {
    const { id } = fill.slot;
    this.fills.set(id, [...(this.fills.get(id) ?? []), { plugin, fill }]);
  }

  /** The plugin that fills a slot of arity `one`, or the one whose value has this key. */
  fillerOf({ id, key }: SlotRef<any>, value?: unknown): string | undefined {
    const filled = this.fills.get(id) ?? [];
    if (value === undefined) return filled[0]?.plugin;
    const key_of_value = key?.(value);
    return key_of_value === undefined
      ? undefined
      : filled.find(({ fill }) => !fill.varies && key!(fill.value) === key_of_value)?.plugin;
  }

  /** Every plugin is set up: from now on slots may be read. */
  complete(): void {
    this.is_complete = true;
    for (const [id, filled] of this.fills)
      if (!filled.some(({ fill }) => fill.varies))
        this.values.set(
          id,
          filled.map(({ fill }) => fill.value),
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

  /** The same, each with the plugin that provides it. */
  readFilled<T>({ id }: SlotRef<T>): readonly Filled<T>[] {
    return (this.fills.get(id) ?? []).flatMap((fill) =>
      valuesNow([fill]).map((value) => ({ plugin: fill.plugin, value: value as T })),
    );
  }
}

const valuesNow = (filled: readonly Added[]): unknown[] =>
  filled
    .map(({ fill: { value, varies } }) => (varies ? (value as () => unknown)() : value))
    .filter((value) => value !== null);
