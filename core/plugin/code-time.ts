/**
 * Limits of time for the code of dropped-in plugins, which leave out the time in which the machine
 * gave this process no processor: no plugin is left out because others keep the machine busy.
 */
import { ProcessClock, type RunClock } from "../isolate/run-clock";

/** The longest that a plugin of the plugins directory may take to set itself up, and to start. */
export const setup_ms_max = 3_000;

/** What `work` gives. @throws Error naming `what`, when it takes longer: it is left to itself. */
export async function inCodeTime<T>(
  work: Promise<T>,
  limit_ms: number,
  what: string,
  clock: RunClock = new ProcessClock(process.pid),
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const clear = clock.after(limit_ms, () =>
    reject(new Error(`${what} took longer than ${limit_ms / 1_000} s`)),
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    clear();
  }
}
