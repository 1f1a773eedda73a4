/** Display names of file types; media types are for programs. */
import type { Document } from "../api/types";

/** Display names by the API's file types. */
export const file_type_names: Readonly<Record<Document["file_type"], string>> = {
  pdf: "PDF",
  word: "Text document",
  spreadsheet: "Spreadsheet",
  presentation: "Slides",
  web: "Web page",
  mail: "Mail",
  text: "Plain text",
  picture: "Picture",
  recording: "Recording",
  other: "Other",
};

/** E-books count as texts in filters, but have their own name. */
export const fileTypeOf = ({
  file_type,
  media_type,
}: Pick<Document, "file_type" | "media_type">): string =>
  media_type === "application/epub+zip" ? "E-book" : file_type_names[file_type];
