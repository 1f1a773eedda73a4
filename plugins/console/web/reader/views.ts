/** Which ways there are to look at a document. */
import type { Document } from "../api/types";

export type View = "pages" | "picture" | "recording" | "text";

/** Pictures that every browser shows. Others, TIFF above all, are read as text only. */
const pictures = new Set([
  "image/png",
  "image/jpeg",
  "image/webp",
  "image/gif",
  "image/bmp",
  "image/avif",
  "image/svg+xml",
]);

/** The best way first. */
export function viewsOf({
  media_type,
  source,
  status,
}: Pick<Document, "media_type" | "source" | "status">): readonly View[] {
  const kind = media_type.split(";", 1)[0]!.trim().toLowerCase();
  if (source.kind === "transcription") return ["recording", "text"];
  if (kind === "application/pdf") return ["pages", "text"];
  if (pictures.has(kind)) return ["picture", "text"];
  if (kind.startsWith("image/") && status === "sync_failed") return ["text"];
  return ["text"];
}

/**
 * Where the bytes that were uploaded are. The version is only there so that a new one is not
 * mistaken for an old one.
 */
export const fileUrl = ({ id, version }: Pick<Document, "id" | "version">): string =>
  `/console/api/v1/documents/${id}/file?v=${version}`;
