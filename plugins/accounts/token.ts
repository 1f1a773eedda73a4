/** The format of keys and other tokens. Pure except for randomness. */
import { timingSafeEqual } from "node:crypto";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const public_id_length = 12;
const secret_length = 32;
const checksum_length = 6;
const key_shape = /^dsk_[0-9A-Za-z]{50}$/;

/**
 * A new API key: `dsk_`, 12 characters that identify it, 32 secret ones (190 bits) and a checksum
 * of 6. Only letters and digits, so that a double click selects all of it.
 */
export function newKeyToken(): { readonly token: string; readonly public_id: string } {
  const public_id = randomText(public_id_length);
  const start = keyPrefix(public_id) + randomText(secret_length);
  return { token: start + checksum(start), public_id };
}

/** The part of a key that identifies it, as shown in lists. */
export const keyPrefix = (public_id: string): string => `dsk_${public_id}`;

/**
 * The public id in a key; null when it is not a key, or mistyped: its checksum tells without a
 * query.
 */
export function publicIdOf(token: string): string | null {
  if (!key_shape.test(token)) return null;
  if (checksum(token.slice(0, -checksum_length)) !== token.slice(-checksum_length)) return null;
  return token.slice("dsk_".length, "dsk_".length + public_id_length);
}

/**
 * A new token of 32 secret characters: `dst_` for a one-time set-up link, `dsi_` for an invitation
 * or a link to set a password, `dss_` for a session.
 */
export const newToken = (kind: "dst" | "dsi" | "dss"): string =>
  `${kind}_${randomText(secret_length)}`;

/** Lower-case hex. A fast hash is fine here: with 190 random bits there is nothing to guess. */
export const sha256 = (token: string): string => Bun.SHA256.hash(token, "hex");

/** Compares two SHA-256 digests in hex in constant time. */
export const sameDigest = (a: string, b: string): boolean =>
  timingSafeEqual(Buffer.from(a, "hex"), Buffer.from(b, "hex"));

function checksum(text: string): string {
  let digits = "";
  for (
    let remainder = Bun.hash.crc32(text);
    digits.length < checksum_length;
    remainder = Math.floor(remainder / 62)
  )
    digits = alphabet[remainder % 62]! + digits;
  return digits;
}

/** Random characters of the alphabet, all equally likely: biased bytes are rejected. */
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
