/**
 * A service as other plugins see it: nobody but its own plugin can change it. Its methods work as
 * they do on the object itself, which may go on changing its own fields.
 */

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

/** Its own and those of its classes; what every object has aside. */
function fieldsOf(service: object): Map<PropertyKey, PropertyDescriptor> {
  const fields = new Map<PropertyKey, PropertyDescriptor>();
  for (
    let from: object | null = service;
    from !== null && from !== Object.prototype;
    from = Object.getPrototypeOf(from) as object | null
  )
    for (const key of Reflect.ownKeys(from))
      if (key !== "constructor" && !fields.has(key))
        fields.set(key, Object.getOwnPropertyDescriptor(from, key)!);
  return fields;
}
