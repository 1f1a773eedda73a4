/**
 * Wraps what a dropped-in plugin passes to the host, so that a fault in it is attributed and the
 * rest continues: each function is marked while it runs, errors are recorded, and where the slot
 * has a fallback, that replaces the result.
 */
import type { SlotRef } from "../base/refs";
import type { CodeLabel, RunningCode } from "./running-code";
import { isFault, type PluginFaults } from "./faults";

type AnyFunction = (this: unknown, ...args: any[]) => any;
interface Handling {
  /** Replaces the result of a call that throws. */
  readonly otherwise?: AnyFunction | undefined;
  /** Whether an error is the plugin's own fault. Default: see `isFault`. */
  readonly isFault?: (error: unknown) => boolean;
}

/** Wraps functions and slot values of all dropped-in plugins. */
export class Guard {
  /** Values that come and go are wrapped once: their readers may compare them. */
  private readonly guarded = new WeakMap<object, object>();

  constructor(
    readonly code: RunningCode,
    readonly faults: PluginFaults,
  ) {}

  /** The wrapped function. `label.what` is shown to people: "its http.request_observer". */
  function<F extends AnyFunction>(label: CodeLabel, work: F, handling: Handling = {}): F {
    const marked = this.code.marked(label);
    const { otherwise, isFault: isOwnFault = isFault } = handling;
    const handleFailure = (error: unknown, self: unknown, args: unknown[]): unknown => {
      const is_fault = isOwnFault(error);
      if (is_fault) this.faults.note(label, error);
      if (is_fault && otherwise) return otherwise.apply(self, args);
      throw error;
    };
    return function guarded(this: unknown, ...args: unknown[]) {
      try {
        const result: unknown = marked(() => work.apply(this, args));
        if (result instanceof Promise)
          return result.catch((error: unknown) => handleFailure(error, this, args));
        return isAsyncIterable(result)
          ? iterated(result, marked, (error) => handleFailure(error, this, args))
          : result;
      } catch (error) {
        return handleFailure(error, this, args);
      }
    } as F;
  }

  /** A value of a slot: a function, or an object with methods. */
  value<T>(plugin: string, slot: SlotRef<T>, value: T): T {
    if (slot.is_data || value === null) return value;
    if (typeof value !== "function" && typeof value !== "object") return value;
    const guarded_value = this.guarded.get(value);
    if (guarded_value) return guarded_value as T;
    const what = `its ${slot.id}`;
    const guarded =
      typeof value === "function"
        ? this.function({ plugin, what }, value, {
            otherwise: slot.otherwise as AnyFunction | undefined,
          })
        : this.object(plugin, what, value, slot.otherwise as Readonly<Record<string, AnyFunction>>);
    this.guarded.set(value, guarded);
    return guarded as T;
  }

  /** Behaves like the original object; its fields are read on demand. */
  private object(
    plugin: string,
    what: string,
    target: object,
    otherwise: Readonly<Record<string, AnyFunction>> = {},
  ): object {
    const wrapper = Object.create(Object.getPrototypeOf(target) as object | null) as object;
    const fields = target as Record<PropertyKey, unknown>;
    for (const [key, { enumerable = false }] of fieldsOf(target)) {
      const field = fields[key];
      Object.defineProperty(wrapper, key, {
        enumerable,
        configurable: true,
        ...(typeof field === "function"
          ? {
              value: this.function(
                { plugin, what: `${what}.${String(key)}` },
                (field as AnyFunction).bind(target),
                { otherwise: otherwise[String(key)] },
              ),
            }
          : { get: () => fields[key] }),
      });
    }
    return wrapper;
  }
}

/** Its own fields and those of its classes, except those of every object. */
export function fieldsOf(target: object): Map<PropertyKey, PropertyDescriptor> {
  const fields = new Map<PropertyKey, PropertyDescriptor>();
  for (
    let prototype: object | null = target;
    prototype !== null && prototype !== Object.prototype;
    prototype = Object.getPrototypeOf(prototype) as object | null
  )
    for (const key of Reflect.ownKeys(prototype))
      if (key !== "constructor" && !fields.has(key))
        fields.set(key, Object.getOwnPropertyDescriptor(prototype, key)!);
  return fields;
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" &&
  value !== null &&
  !(value instanceof ReadableStream) &&
  typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === "function";

/** The items of an iterator, each step guarded like the call itself. */
async function* iterated(
  iterable: AsyncIterable<unknown>,
  marked: <R>(work: () => R) => R,
  failed: (error: unknown) => unknown,
): AsyncGenerator<unknown, void> {
  const iterator = iterable[Symbol.asyncIterator]();
  let done = false;
  try {
    for (;;) {
      const step = await marked(() => iterator.next());
      done = step.done ?? false;
      if (done) return;
      yield step.value;
    }
  } catch (error) {
    done = true;
    failed(error);
  } finally {
    if (!done) await marked(async () => iterator.return?.());
  }
}
