/** The end of a request's body: it has been read, which the gateway is told, or nobody reads it. */

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

/**
 * Called with the response of a request: frees at once what was received of a body that nobody has
 * read. The runtime would keep it until the request itself is collected as garbage.
 */
export function dropUnreadBody(request: Request): void {
  if (!listeners.has(request) || request.bodyUsed) return;
  // Someone may still be reading: then it stays.
  void request.body?.cancel().catch(() => undefined);
}
