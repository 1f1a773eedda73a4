/**
 * A service as other plugins see it: only its own plugin can change it. Methods run on the original
 * object, which may change its own fields.
 */
import { fieldsOf } from "./guard";

/** The same service, without write access. */
export function frozenService<T>(service: T): T {
  if (typeof service === "function") return Object.freeze(service);
  if (typeof service !== "object" || service === null) return service;
  const frozen = Object.create(Object.getPrototypeOf(service) as object | null) as object;
  for (const [key, descriptor] of fieldsOf(service)) {
    const is_method = typeof descriptor.value === "function";
    const read = (): unknown => (service as Record<PropertyKey, unknown>)[key];
    Object.defineProperty(frozen, key, {
      enumerable: descriptor.enumerable ?? false,
      ...(is_method ? { value: (descriptor.value as () => unknown).bind(service) } : { get: read }),
    });
  }
  return Object.freeze(frozen) as T;
}
