/** What runs in a child process. */
import { task } from "../../core/sdk";
import { readImage } from "./image/read-image";
import { readHtml } from "./read-html";
import { readLegacy, readRtfFile } from "./read-legacy";
import { readMail } from "./read-mail";
import { readOffice } from "./read-office";
import { readPdf } from "./read-pdf";
import { readText } from "./read-text";

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
