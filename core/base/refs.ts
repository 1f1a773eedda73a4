/**
 * Typed names. A ref carries a type and an id but no value, so it can be imported from anywhere
 * without coupling.
 */
/** A name for something one plugin provides and others need. `T` exists only for the compiler. */
export interface ServiceRef<T> {
  readonly kind: "service";
  readonly id: string;
  readonly T?: T;
}
/** A name for a list that any plugin may add to and one plugin reads. */
export interface SlotRef<T> {
  readonly kind: "slot";
  readonly id: string;
  readonly T?: T;
}
export const service = <T>(id: string): ServiceRef<T> => ({ kind: "service", id });
export const slot = <T>(id: string): SlotRef<T> => ({ kind: "slot", id });
export type ServicesOf<M> = {
  readonly [K in keyof M]: M[K] extends ServiceRef<infer T> ? T : never;
};
export type SlotsOf<M> = {
  readonly [K in keyof M]: M[K] extends SlotRef<infer T> ? () => readonly T[] : never;
};

/** Adds one value to a slot, or one that changes. */
export interface Fill {
  readonly slot: SlotRef<any>;
  readonly value: unknown;
  /** `value` is a function that says which value it is now; null for none. */
  readonly varies?: boolean;
}
export const fill = <T>(slot: SlotRef<T>, value: NoInfer<T>): Fill => ({ slot, value });
/** A value that comes and goes with the settings: `read` is asked whenever the slot is read. */
export const fillWith = <T>(slot: SlotRef<T>, read: () => NoInfer<T> | null): Fill => ({
  slot,
  value: read,
  varies: true,
});
