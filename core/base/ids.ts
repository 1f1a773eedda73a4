/**
 * Opaque ids: a prefix and a ULID, sortable by creation even within one millisecond. Every request
 * gets one.
 */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const time_digits = 10;
const random_digits = 16;

let last_ms = 0;
let last_time = digitsOf(last_ms);
const last_random = new Uint8Array(random_digits);
/** Drawn in advance: one call of the system's generator serves many ids. */
const drawn = new Uint8Array(256 * random_digits);
let drawn_used = drawn.length;

/**
 * 26 Crockford base-32 characters: 48 bits of time, 80 random bits; later ids of one process sort
 * after earlier ones.
 */
export function ulid(now_ms: number = Date.now()): string {
  if (now_ms > last_ms) {
    last_ms = now_ms;
    last_time = digitsOf(now_ms);
    drawRandom();
  } else increment(last_random);
  let id = last_time;
  for (const digit of last_random) id += alphabet[digit]!;
  return id;
}

function digitsOf(ms: number): string {
  let time = "";
  for (let rest = ms, i = 0; i < time_digits; i++, rest = Math.floor(rest / 32))
    time = alphabet[rest % 32]! + time;
  return time;
}

function drawRandom(): void {
  if (drawn_used === drawn.length) {
    crypto.getRandomValues(drawn);
    drawn_used = 0;
  }
  for (let i = 0; i < random_digits; i++) last_random[i] = drawn[drawn_used++]! & 31;
}

function increment(digits: Uint8Array): void {
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

/** A fresh random UUID, for ids that the API documents as UUIDs. */
export const newUuid = (): string => crypto.randomUUID();
