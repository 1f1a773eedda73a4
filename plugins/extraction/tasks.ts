/** What runs in a child process. */
import { task } from "../../core/sdk";
import { readOffice } from "./read-office";
import { readPdf } from "./read-pdf";
import { readText } from "./read-text";

export const tasks = { office: task(readOffice), pdf: task(readPdf), text: task(readText) };
