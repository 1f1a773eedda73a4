/** What runs in a child process. */
import { task } from "../../../core/sdk";
import { probe } from "./probe";
import { readTranscript } from "./read";

export const tasks = { probe: task(probe), read: task(readTranscript) };
