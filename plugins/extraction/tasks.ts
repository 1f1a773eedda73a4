/** What runs in a child process. */
import { task } from "../../core/sdk";
import { readPdf } from "./read-pdf";
import { readText } from "./read-text";

export const tasks = { pdf: task(readPdf), text: task(readText) };
