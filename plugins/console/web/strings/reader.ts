/** Strings of the source viewer. */
const range = (first: number, last: number | null): string =>
  last === null || last === first ? String(first) : `${first}–${last}`;
const many = (first: number, last: number | null): boolean => last !== null && last !== first;

export const reader_strings = {
  short_pages: (first: number, last: number | null) => `p. ${range(first, last)}`,
  pages: (first: number, last: number | null) =>
    `${many(first, last) ? "Pages" : "Page"} ${range(first, last)}`,
  at_time: (time: string) => `At ${time}`,
  opening: (name: string) => `Opening ${name}`,
  pages_of: (name: string) => `Pages of ${name}`,
  text_of: (name: string) => `Text of ${name}`,
  page: (number: number) => `Page ${number}`,
  page_broken: (number: number) =>
    `Page ${number} can’t be drawn. Its text may still be readable under “Text”.`,
  page_tools: "Pages and zoom",
  previous_page: "Previous page",
  next_page: "Next page",
  page_number: (count: number) => `Page, 1 to ${count}`,
  of_pages: (count: number) => `of ${count}`,
  zoom_in: "Zoom in",
  zoom_out: "Zoom out",
  fit_width: (percent: number) => `Fit the width, now ${percent} %`,
  views: "Ways to look at this document",
  view: { pages: "Pages", picture: "Picture", recording: "Transcript", text: "Text" },
  picture_tools: "Zoom",
  picture_of: (name: string) => `Picture ${name}`,
  locked: "This PDF asks for a password, so it can’t be shown here.",
  broken: "This PDF can’t be opened here.",
  broken_next: "Its text may still be readable under “Text”, and you can download the file.",
  download_next: "You can download the file.",
  picture_broken: "This picture can’t be shown here.",
  download: "Download the original",
  no_text_yet: "The text is still being read. It appears here as soon as it is there.",
  failed: "This document could not be read.",
  empty: "This document has no text.",
  not_marked: {
    pages: "The passage can’t be marked on this page: the page may be a picture.",
    picture: "This passage was read from the picture.",
    recording: "The passage could not be found in the transcript as it is now.",
    text: "The passage could not be found in the text as it is now.",
  },
  show_text: "Show it in the text",
  player: (name: string) => `Recording ${name}`,
  lines: "Lines of the transcript",
  line_at: (time: string) => `Play from ${time}`,
  no_recording: "The recording itself is not kept, only its transcript.",
} as const;
