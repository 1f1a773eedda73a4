/** A document as JSON Lines: written by the exporting server, read by the importing one. */
import { batchesOf } from "../../core/lib/batch";
import { StepPauses } from "../../core/lib/chunked-work";
import type { DocumentCopy } from "../documents/contract";
import type { PublishedCopy } from "../search-index/contract";
import { spans_in_line, vector_bytes_in_line, type DocumentLines } from "./layout";

/** The lines of a document. @throws PublishedGone */
export async function* documentLines(
  { pages, headings, times, ...document }: DocumentCopy,
  text: DocumentLines["document"]["text"],
  index: PublishedCopy | undefined,
): AsyncGenerator<unknown, void> {
  yield { kind: "document", ...document, text };
  for (const [of, all] of Object.entries({ pages, headings, times }))
    for (const spans of batchesOf<object>(all, spans_in_line)) yield { kind: "spans", of, spans };
  if (index === undefined) return;
  const { title, encoding, chunks, segments, vectors } = index;
  yield { kind: "index", title, encoding, chunks, segments, vectors };
  for await (const segment of index.readSegments()) {
    yield { kind: "segment", passages: segment.chunks, data: base64(segment.data) };
    for (let at = 0; at < (segment.vectors?.length ?? 0); at += vector_bytes_in_line)
      yield {
        kind: "vectors",
        data: base64(segment.vectors!.subarray(at, at + vector_bytes_in_line)),
      };
  }
}

/** Lines are compressed together up to about this length, UTF-16 units. */
const piece_units = 16_384;
/** One object per line, UTF-8. */
export async function* linesOf(
  objects: Iterable<unknown> | AsyncIterable<unknown>,
): AsyncGenerator<Uint8Array, void> {
  const pauses = new StepPauses();
  let piece = "";
  for await (const object of objects) {
    piece += `${JSON.stringify(object)}\n`;
    if (piece.length < piece_units) continue;
    yield Buffer.from(piece);
    piece = "";
    await pauses.pause();
  }
  if (piece !== "") yield Buffer.from(piece);
}

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
