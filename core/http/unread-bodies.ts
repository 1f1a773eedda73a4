/**
 * Limits how much memory all bodies take together that are not read yet. The runtime receives the
 * beginning of every body at once, before it is known who sends it.
 */
import { ByteBudget } from "../lib/byte-budget";
import { declaredLength } from "./body";

/** How much of a body the runtime receives before it waits for a reader. */
const received_bytes_max = 1.125 * 2 ** 20;

/** The bodies being received, by the subject that sends them. */
export class UnreadBodies {
  private readonly budget = new ByteBudget({
    bytes_max: 96 * 2 ** 20,
    per_owner_bytes_max: 48 * 2 ** 20,
    waiting_max: 0,
    per_owner_waiting_max: 0,
    wait_ms_max: 0,
  });

  /**
   * Returns a function to be called when the body has been read, or else when the request is
   * answered; null when it must be refused at once, because too much is being received, in total or
   * for this subject.
   */
  admit(subject: string, request: Request): (() => void) | null {
    const bytes = receivedBytes(request);
    return bytes === 0 ? () => undefined : this.budget.tryAcquire(subject, bytes);
  }
}

function receivedBytes(request: Request): number {
  const is_chunked = request.headers.has("transfer-encoding");
  return is_chunked
    ? received_bytes_max
    : Math.min(declaredLength(request) ?? 0, received_bytes_max);
}
