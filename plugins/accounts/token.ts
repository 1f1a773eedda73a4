/** What keys and other tokens look like. Pure but for the randomness. */
import { timingSafeEqual } from "node:crypto";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const public_id_length = 12;
const secret_length = 32;
const checksum_length = 6;
const key_shape = /^dsk_[0-9A-Za-z]{50}$/;

/**
 * A new API key: `dsk_`, 12 characters that name it, 32 secret ones (190 bits) and 6 that check the
 * rest. Letters and digits only, so that a double click selects all of it.
 */
export function newKeyToken(): { readonly token: string; readonly public_id: string } {
  const public_id = randomText(public_id_length);
  const start = keyPrefix(public_id) + randomText(secret_length);
  return { token: start + checksum(start), public_id };
}

/** The part of a key that names it, as people see it in a list. */
export const keyPrefix = (public_id: string): string => `dsk_${public_id}`;

/**
 * The public id in a key; null when it is not a key, or was mistyped: its checksum tells without a
 * look at the database.
 */
export function publicIdOf(token: string): string | null {
  if (!key_shape.test(token)) return null;
  if (checksum(token.slice(0, -checksum_length)) !== token.slice(-checksum_length)) return null;
  return token.slice("dsk_".length, "dsk_".length + public_id_length);
}

/**
 * A new token of 32 secret characters: `dst_` of a one-time set-up link, `dsi_` of an invitation or
 * a link to a new password, `dss_` of a session.
 */
export const newToken = (kind: "dst" | "dsi" | "dss"): string =>
  `${kind}_${randomText(secret_length)}`;

/** Lowercase hex. A fast hash is right here: with 190 random bits there is nothing to guess. */
export const sha256 = (token: string): string => Bun.SHA256.hash(token, "hex");

/** Compares two SHA-256 digests in hex in a time that does not depend on where they differ. */
export const sameDigest = (a: string, b: string): boolean =>
  timingSafeEqual(Buffer.from(a, "hex"), Buffer.from(b, "hex"));

function checksum(text: string): string {
  let digits = "";
  for (
    let rest = Bun.hash.crc32(text);
    digits.length < checksum_length;
    rest = Math.floor(rest / 62)
  )
    digits = alphabet[rest % 62]! + digits;
  return digits;
}

/**
 * Characters of the alphabet, each equally likely: bytes that would favour the first ones are
 * thrown away.
 */
function randomText(length: number): string {
  const fair_max = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < fair_max && text.length < length) text += alphabet[byte % alphabet.length]!;
    }
  }
  return text;
}
