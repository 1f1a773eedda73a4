/**
 * A service as other plugins see it: only its own plugin can change it. Methods run on the original
 * object, which may change its own fields.
 */
import { fieldsOf } from "./guard";

export function frozenService<T>(service: T): T {
  if (typeof service === "function") return Object.freeze(service);
  if (typeof service !== "object" || service === null) return service;
  const seen = Object.create(Object.getPrototypeOf(service) as object | null) as object;
  for (const [key, found] of fieldsOf(service)) {
    const is_method = typeof found.value === "function";
    const read = (): unknown => (service as Record<PropertyKey, unknown>)[key];
    Object.defineProperty(seen, key, {
      enumerable: found.enumerable ?? false,
      ...(is_method ? { value: (found.value as () => unknown).bind(service) } : { get: read }),
    });
  }
  return Object.freeze(seen) as T;
}
