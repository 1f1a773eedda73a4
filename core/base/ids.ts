/** Opaque ids: a prefix and a ULID, sortable by creation even within one millisecond. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const random_digits = 16;

let last_ms = 0;
let last_random: number[] = [];

/**
 * 26 Crockford base-32 characters: 48 bits of time, 80 random bits; later ids of one process sort
 * after earlier ones.
 */
export function ulid(now_ms: number = Date.now()): string {
  if (now_ms > last_ms) {
    last_ms = now_ms;
    last_random = [...crypto.getRandomValues(new Uint8Array(random_digits))].map(
      (byte) => byte & 31,
    );
  } else increment(last_random);
  let time = "";
  for (let rest = last_ms, i = 0; i < 10; i++, rest = Math.floor(rest / 32))
    time = alphabet[rest % 32]! + time;
  return time + last_random.map((digit) => alphabet[digit]!).join("");
}

function increment(digits: number[]): void {
  for (let i = digits.length - 1; i >= 0; i--) {
    if (digits[i] !== 31) {
      digits[i]!++;
      return;
    }
    digits[i] = 0;
  }
}

/** `newId("fld")` → `fld_01J9…`. */
export const newId = (prefix: string): string => `${prefix}_${ulid()}`;

/** A fresh random UUID, for ids that the API promises as such. */
export const newUuid = (): string => crypto.randomUUID();
