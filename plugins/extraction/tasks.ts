/** What runs in a child process: the reader of each format. */
import { task } from "../../core/sdk";
import { readHtml } from "./html/reader";
import { readImage } from "./image/reader";
import { readLegacy } from "./legacy/reader";
import { readMail } from "./mail/reader";
import { readOffice } from "./office/reader";
import { readPdf } from "./pdf/reader";
import { readRtf } from "./rtf/reader";
import { readText } from "./text/reader";

export const tasks = {
  html: task(readHtml),
  image: task(readImage),
  legacy: task(readLegacy),
  mail: task(readMail),
  office: task(readOffice),
  pdf: task(readPdf),
  rtf: task(readRtf),
  text: task(readText),
};
