/** Texts kept in memory as UTF-8, which takes half of what a string may take. */
import { nextTurn } from "./chunked-work";
import type { LongText } from "./text-pieces";

const part_bytes = 256 * 1024;

/** Yields to the event loop between its parts. */
export const longTextOf = (bytes: Uint8Array): LongText => ({
  units_max: bytes.length,
  parts: partsOf(bytes),
});

async function* partsOf(bytes: Uint8Array): AsyncGenerator<string, void> {
  const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  for (const part of byteParts(bytes)) {
    yield utf8.decode(part, { stream: true });
    await nextTurn();
  }
}

/** Views of the same memory, 256 KiB each, in order. */
export function* byteParts(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += part_bytes) yield bytes.subarray(at, at + part_bytes);
}
