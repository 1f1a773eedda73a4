/** What runs in a child process. */
import { task } from "../../core/sdk";
import { readLegacy } from "./read-legacy";
import { readOffice } from "./read-office";
import { readPdf } from "./read-pdf";
import { readText } from "./read-text";

export const tasks = { legacy: task(readLegacy), office: task(readOffice), pdf: task(readPdf), text: task(readText) };
