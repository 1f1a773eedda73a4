/** Tells the gateway that the body of a request has been received, and read to its end. */

const listeners = new WeakMap<Request, () => void>();

/** `listener` is called at most once; never for a body that nobody reads. */
export function onBodyEnd(request: Request, listener: () => void): void {
  listeners.set(request, listener);
}

/** Called by whoever has read the body to its end. */
export function noteBodyEnd(request: Request): void {
  const listener = listeners.get(request);
  listeners.delete(request);
  listener?.();
}
