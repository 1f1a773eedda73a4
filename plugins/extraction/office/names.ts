/** The names of the formats in formats.ts: all that the server needs of them. */
export const openxml_names = "Word, Excel and PowerPoint";
export const format_names = `${openxml_names} since 2007, OpenDocument, EPUB`;
