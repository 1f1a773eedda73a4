/**
 * Coarse file types for people, derived from the media type. Stored with the contents of folders:
 * when they change, a migration step recomputes them.
 */

export const file_types = [
  "pdf",
  "word",
  "spreadsheet",
  "presentation",
  "web",
  "mail",
  "text",
  "picture",
  "recording",
  "other",
] as const;
export type FileType = (typeof file_types)[number];

/** The first match wins. */
const patterns: readonly (readonly [FileType, RegExp])[] = [
  ["pdf", /^application\/(x-)?pdf$/],
  ["spreadsheet", /spreadsheet|excel|^text\/(csv|tab-separated-values)$/],
  ["presentation", /presentation|powerpoint/],
  ["word", /wordprocessing|msword|opendocument\.text|^(application|text)\/rtf$|epub/],
  ["web", /^(text\/html|application\/xhtml\+xml)$/],
  ["mail", /^message\/|vnd\.ms-outlook|mbox/],
  ["picture", /^image\//],
  ["recording", /^(audio|video)\/|^text\/vtt$|subrip/],
  ["text", /^text\/|^application\/(json|xml|yaml|toml|javascript|x-ndjson)$|\+(json|xml)$/],
];

/** The last answer: most documents of a list have the same media type. */
let last_result: { readonly media_type: string; readonly kind: FileType } | undefined;

/** `other` when the media type is unknown. */
export function fileType(media_type: string): FileType {
  if (last_result?.media_type !== media_type)
    last_result = { media_type, kind: kindOf(media_type) };
  return last_result.kind;
}

function kindOf(media_type: string): FileType {
  const [type = ""] = media_type.toLowerCase().split(";", 1);
  return patterns.find(([, pattern]) => pattern.test(type.trim()))?.[0] ?? "other";
}
