/**
 * Opaque ids: a prefix and a ULID, sortable by creation even within one millisecond. Every request
 * gets one.
 */
const alphabet = Buffer.from("0123456789ABCDEFGHJKMNPQRSTVWXYZ");
const time_digits = 10;
const random_digits = 16;

let last_ms = 0;
/** The last id. */
const last = Buffer.alloc(time_digits + random_digits, alphabet[0]);
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
    writeTime(now_ms);
    drawRandom();
  } else incrementRandom();
  return last.toString("latin1");
}

function writeTime(ms: number): void {
  for (
    let remainder = ms, at = time_digits - 1;
    at >= 0;
    at--, remainder = Math.floor(remainder / 32)
  )
    last[at] = alphabet[remainder % 32]!;
}

function drawRandom(): void {
  if (drawn_used === drawn.length) {
    crypto.getRandomValues(drawn);
    drawn_used = 0;
  }
  for (let at = time_digits; at < last.length; at++)
    last[at] = alphabet[drawn[drawn_used++]! & 31]!;
}

function incrementRandom(): void {
  for (let at = last.length - 1; at >= time_digits; at--) {
    const digit = alphabet.indexOf(last[at]!) + 1;
    last[at] = alphabet[digit % alphabet.length]!;
    if (digit < alphabet.length) return;
  }
}

/** `newId("fld")` → `fld_01J9…`. */
export const newId = (prefix: string): string => `${prefix}_${ulid()}`;

/** A fresh random UUID, for ids that the API documents as UUIDs. */
export const newUuid = (): string => crypto.randomUUID();
