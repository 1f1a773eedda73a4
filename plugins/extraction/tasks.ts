/** What runs in a child process. */
import { task } from "../../core/sdk";
import { readImage } from "./image/reader";
import { readHtml } from "./html/reader";
import { readLegacy, readRtfFile } from "./legacy/reader";
import { readMail } from "./mail/reader";
import { readOffice } from "./office/reader";
import { readPdf } from "./pdf/reader";
import { readText } from "./text/reader";

export const tasks = {
  html: task(readHtml),
  image: task(readImage),
  legacy: task(readLegacy),
  mail: task(readMail),
  office: task(readOffice),
  pdf: task(readPdf),
  rtf: task(readRtfFile),
  text: task(readText),
};
