/** The tasks that run in a child process: the reader of each format. */
import { lazyTask } from "../../core/sdk";

/** The tasks by name; each loads its code when it first runs. */
export const tasks = {
  html: lazyTask(async () => (await import("./html/reader")).readHtml),
  image: lazyTask(async () => (await import("./image/reader")).readImage),
  legacy: lazyTask(async () => (await import("./legacy/reader")).readLegacy),
  mail: lazyTask(async () => (await import("./mail/reader")).readMail),
  office: lazyTask(async () => (await import("./office/reader")).readOffice),
  pdf: lazyTask(async () => (await import("./pdf/reader")).readPdf),
  rtf: lazyTask(async () => (await import("./rtf/reader")).readRtf),
  text: lazyTask(async () => (await import("./text/reader")).readText),
};
