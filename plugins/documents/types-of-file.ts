/**
 * What people call the type of a file: some few kinds, told by the media type. Lists are filtered
 * and sorted by them.
 */
import { named, t, type Static } from "../../core/sdk";

const kinds = [
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

export const FileType = named(
  "FileType",
  t.Union(
    kinds.map((kind) => t.Literal(kind)),
    { description: "Told by the media type; `text` is text of every kind, Markdown and code too." },
  ),
);
export type FileType = Static<typeof FileType>;

/** The first that fits decides. */
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

export const fileType = (media_type: string): FileType => {
  const [bare = ""] = media_type.toLowerCase().split(";", 1);
  return patterns.find(([, pattern]) => pattern.test(bare.trim()))?.[0] ?? "other";
};
