/** Calls observers so that one that throws doesn't keep the others from being called. */
import { errorFields, type Log } from "./log";

/** Calls every observer, even if another one throws. */
export function notifyObservers<T extends { readonly request_id: string | null }>(
  observers: readonly ((subject: T) => void)[],
  of: T,
  log: Log,
): void {
  for (const observe of observers)
    try {
      observe(of);
    } catch (error) {
      const { request_id } = of;
      log.error("an observer failed", { ...(request_id && { request_id }), ...errorFields(error) });
    }
}
