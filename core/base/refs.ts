/**
 * Typed names. A ref carries a type and an id but no value, so it can be imported from anywhere
 * without coupling.
 */
/** Names something that one plugin provides and others need. `T` exists only at compile time. */
export interface ServiceRef<T> {
  readonly kind: "service";
  readonly id: string;
  readonly T?: T;
}
/** Names a list that any plugin may add to and one plugin reads. */
export interface SlotRef<T> extends SlotOptions<T> {
  readonly kind: "slot";
  readonly id: string;
  readonly T?: T;
}
/** How a slot treats the values that plugins add to it. */
export interface SlotOptions<T> {
  /**
   * `one`: a single plugin fills it, and another one only when it `replaces` that plugin. Default:
   * `many`.
   */
  readonly arity?: "one" | "many";
  /**
   * What is wrong with a value, in words; null when it is valid. The plugin of an invalid value is
   * left out.
   */
  readonly check?: (value: unknown) => string | null;
  /** What two values must not share: `the page "news"`. Called for values that pass `check`. */
  readonly key?: (value: T) => string;
  /**
   * The fallback when a value of a dropped-in plugin throws: for a function its replacement, for an
   * object that of each method. A method without a fallback throws.
   */
  readonly otherwise?: Otherwise<T>;
  /** Its values are only data here: functions in them run elsewhere, such as in a browser. */
  readonly is_data?: boolean;
}
/** The type of a slot's fallback: a replacement function, or some methods of an object. */
export type Otherwise<T> = T extends (...args: infer A) => infer R
  ? (...args: A) => R
  : {
      readonly [K in keyof T]?: NonNullable<T[K]> extends (...args: infer A) => infer R
        ? (...args: A) => R
        : never;
    };
/** Defines the ref of a service. `id` must be unique. */
export const service = <T>(id: string): ServiceRef<T> => ({ kind: "service", id });
/** Defines the ref of a slot. `id` must be unique. */
export const slot = <T>(id: string, options: SlotOptions<T> = {}): SlotRef<T> => ({
  ...options,
  kind: "slot",
  id,
});
/** The services for an object of refs, under the same keys. */
export type ServicesOf<M> = {
  readonly [K in keyof M]: M[K] extends ServiceRef<infer T> ? T : never;
};
/** The functions that read the slots for an object of refs, under the same keys. */
export type SlotsOf<M> = {
  readonly [K in keyof M]: M[K] extends SlotRef<infer T> ? () => readonly T[] : never;
};

/** Adds one value to a slot, or one that changes with the settings. */
export interface Fill {
  readonly slot: SlotRef<any>;
  readonly value: unknown;
  /** `value` is a function that returns the current value; null for none. */
  readonly varies?: boolean;
}
/** Adds a value to a slot, for as long as the server runs. */
export const fill = <T>(slot: SlotRef<T>, value: NoInfer<T>): Fill => ({ slot, value });
/** A value that depends on the settings: `read` is called whenever the slot is read. */
export const fillWith = <T>(slot: SlotRef<T>, read: () => NoInfer<T> | null): Fill => ({
  slot,
  value: read,
  varies: true,
});
