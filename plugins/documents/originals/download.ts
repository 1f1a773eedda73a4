/**
 * Sends an original, whole or one range of it, in a way that no browser renders it in our origin.
 */
import { attachment, HttpError, pullStream, t } from "../../../core/sdk";
import type { Original } from "../queries";

const bytes = t.String({ format: "binary" });
/** For the API document; the actual type is that of the document. */
export const original_bytes = {
  media_type: "application/octet-stream",
  schema: bytes,
  others: { "*/*": { schema: bytes } },
};

/**
 * The response to a request for the original; supports a single `Range`. @throws HttpError 416 when
 * it lies outside.
 */
export function originalResponse(request: Request, original: Original): Response {
  const etag = `"${original.sha256}"`;
  const headers: Record<string, string> = {
    "content-type": original.media_type,
    "content-disposition": attachment(original.name),
    etag,
    "accept-ranges": "bytes",
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox",
    "cache-control": "private, no-cache",
  };
  if (matchesEtag(request.headers.get("if-none-match"), etag))
    return new Response(null, {
      status: 304,
      headers: { etag, "cache-control": headers["cache-control"]! },
    });
  const condition = request.headers.get("if-range");
  const range =
    condition === null || condition === etag
      ? parseRange(request.headers.get("range"), original.size_bytes)
      : undefined;
  if (range === "unsatisfiable") throw unsatisfiable(original.size_bytes);
  if (!range)
    return new Response(wholeOf(original), {
      headers: { ...headers, "content-length": String(original.size_bytes) },
    });
  return new Response(bodyOf(original.bytes, range.start, range.end), {
    status: 206,
    headers: {
      ...headers,
      "content-length": String(range.end - range.start),
      "content-range": `bytes ${range.start}-${range.end - 1}/${original.size_bytes}`,
    },
  });
}

const wholeOf = ({ bytes, size_bytes }: Original): Blob | ReadableStream =>
  bytes instanceof Blob ? bytes : bodyOf(bytes, 0, size_bytes);

function bodyOf(bytes: Original["bytes"], start: number, end: number): Blob | ReadableStream {
  const part = bytes.slice(start, end);
  if (part instanceof Blob || part instanceof ReadableStream) return part;
  const pieces = part.pieces();
  const next = async (): Promise<Uint8Array | null> => (await pieces.next()).value ?? null;
  return pullStream(next, () => void pieces.return());
}

/**
 * The bytes from `start` to `end`, end exclusive. Undefined to send the whole: when the header asks
 * for that or for several ranges, or is malformed.
 */
function parseRange(
  header: string | null,
  size_bytes: number,
): { readonly start: number; readonly end: number } | "unsatisfiable" | undefined {
  const match = header === null ? null : /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim());
  if (!match || (match[1] === "" && match[2] === "")) return undefined;
  const first = match[1]!;
  const last = match[2]!;
  if (first === "") {
    const length = Math.min(Number(last), size_bytes);
    return length === 0 ? "unsatisfiable" : { start: size_bytes - length, end: size_bytes };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return undefined;
  return start >= size_bytes
    ? "unsatisfiable"
    : { start, end: last === "" ? size_bytes : Math.min(Number(last) + 1, size_bytes) };
}

const matchesEtag = (header: string | null, etag: string): boolean =>
  header !== null &&
  header.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);

const unsatisfiable = (size_bytes: number): HttpError =>
  new HttpError(
    416,
    "range_not_satisfiable",
    `The range is outside of the original, which has ${size_bytes} bytes.`,
    { headers: { "content-range": `bytes */${size_bytes}` } },
  );
