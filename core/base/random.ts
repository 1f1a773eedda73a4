/**
 * Random numbers from the system's generator, for pauses that should not coincide. Secrets and ids
 * have functions of their own.
 */

/** A whole number below 2^53; practically unique. */
export function randomInteger(): number {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2)) as Uint32Array & [number, number];
  return (high % 2 ** 21) * 2 ** 32 + low;
}

/** `value` plus or minus up to `share` of it (0.2 is a fifth), as a whole number. */
export const jitter = (value: number, share: number): number =>
  Math.round(
    value * (1 - share + (2 * share * crypto.getRandomValues(new Uint32Array(1))[0]!) / 2 ** 32),
  );
