/** Size, hash and media type of content, before it is stored. */
import { nextTurn } from "../../../core/lib/chunked-work";
import { cutText } from "../../../core/lib/text-pieces";
import { byteParts } from "../../../core/lib/utf8-text";
import type { VersionRow } from "../store";

type Measure = Pick<VersionRow, "sha256" | "size_bytes">;

/** Size and hash of a text that is its own original. */
export async function measureText(content: string): Promise<Measure> {
  const encoder = new TextEncoder();
  const hasher = new Bun.CryptoHasher("sha256");
  let size_bytes = 0;
  let pieces = 0;
  for (const piece of cutText(content)) {
    const bytes = encoder.encode(piece);
    hasher.update(bytes);
    size_bytes += bytes.byteLength;
    if (++pieces % pieces_per_turn === 0) await nextTurn();
  }
  return { sha256: hasher.digest("hex"), size_bytes };
}
/** Pieces hashed before yielding to the event loop. */
const pieces_per_turn = 64;
/** The same for a long text. */
export async function measureBytes(utf8: Uint8Array): Promise<Measure> {
  const hasher = new Bun.CryptoHasher("sha256");
  for (const part of byteParts(utf8)) {
    hasher.update(part);
    await nextTurn();
  }
  return { sha256: hasher.digest("hex"), size_bytes: utf8.length };
}

/** The declared media type if it is well-formed: a hint until the bytes are read. */
export const mediaType = (declared: string | null): string =>
  declared !== null &&
  /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/i.test(declared)
    ? declared.toLowerCase()
    : "application/octet-stream";
