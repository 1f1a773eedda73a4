/**
 * Random numbers from the system's generator: for pauses that should not coincide. Secrets and ids
 * have functions of their own.
 */

/** `value` give or take up to `share` of it (0.2 is a fifth), as a whole number. */
export const jitter = (value: number, share: number): number =>
  Math.round(
    value * (1 - share + (2 * share * crypto.getRandomValues(new Uint32Array(1))[0]!) / 2 ** 32),
  );
