/** The views that a document can be shown in. */
import { api_base } from "../api/client";
import type { Document } from "../api/types";

export type View = "pages" | "picture" | "recording" | "text";

/** Pictures that every browser shows. Of others, such as TIFF, only the text is shown. */
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

/** The address of the original file. The version only keeps a cached old one from being used. */
export const fileUrl = ({ id, version }: Pick<Document, "id" | "version">): string =>
  `${api_base}/documents/${id}/file?v=${version}`;
