/**
 * Typed names. A ref carries a type and an id but no value, so it can be imported from anywhere
 * without coupling.
 */
import type { Static, TSchema } from "@sinclair/typebox";

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
/**
 * Something that happened. Emitting it writes one job per subscriber, in the emitter's transaction.
 */
export interface EventRef<S extends TSchema = TSchema> {
  readonly kind: "event";
  readonly id: string;
  readonly payload: S;
}
/**
 * Something to do later. `payload` is checked when the job is enqueued and again when it is run.
 */
export interface JobRef<S extends TSchema = TSchema> {
  readonly kind: "job";
  readonly id: string;
  readonly payload: S;
}

export const service = <T>(id: string): ServiceRef<T> => ({ kind: "service", id });
export const slot = <T>(id: string): SlotRef<T> => ({ kind: "slot", id });
export const event = <S extends TSchema>(id: string, payload: S): EventRef<S> => ({
  kind: "event",
  id,
  payload,
});
export const job = <S extends TSchema>(id: string, payload: S): JobRef<S> => ({
  kind: "job",
  id,
  payload,
});

export type PayloadOf<R> = R extends { payload: infer S extends TSchema } ? Static<S> : never;
export type ServicesOf<M> = {
  readonly [K in keyof M]: M[K] extends ServiceRef<infer T> ? T : never;
};
export type SlotsOf<M> = {
  readonly [K in keyof M]: M[K] extends SlotRef<infer T> ? () => readonly T[] : never;
};
