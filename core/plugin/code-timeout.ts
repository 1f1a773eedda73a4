/**
 * Time limits for the code of dropped-in plugins. They don't count time in which the machine gave
 * this process no processor, so that no plugin is left out because the machine is busy.
 */
import { ProcessClock, type RunClock } from "../isolate/run-clock";

/** How long a dropped-in plugin may take for its set-up and for its start. */
export const setup_ms_max = 3_000;

/** The result of `work`. @throws Error naming `what` when it takes longer; it is not stopped. */
export async function withCodeTimeout<T>(
  work: Promise<T>,
  limit_ms: number,
  subject: string,
  clock: RunClock = new ProcessClock(process.pid),
): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const clear = clock.after(limit_ms, () =>
    reject(new Error(`${subject} took longer than ${limit_ms / 1_000} s`)),
  );
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clear();
  }
}
