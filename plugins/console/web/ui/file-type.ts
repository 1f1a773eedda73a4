/** What the type of a file is called, everywhere: the media type is for programs. */
import type { Document } from "../api/types";

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
