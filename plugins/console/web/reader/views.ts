/** The available views of a document. */
import { api_base } from "../api/client";
import type { Document } from "../api/types";

/** How a document can be shown. */
export type View = "pages" | "picture" | "recording" | "text";

/** Image types that every browser shows. For others, such as TIFF, only the text is shown. */
const pictures = new Set([
  "image/png",
  "image/jpeg",
  "image/webp",
  "image/gif",
  "image/bmp",
  "image/avif",
  "image/svg+xml",
]);

/** In order of preference. */
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

/** The address of the original file. The version is only a cache buster. */
export const fileUrl = ({ id, version }: Pick<Document, "id" | "version">): string =>
  `${api_base}/documents/${id}/file?v=${version}`;
