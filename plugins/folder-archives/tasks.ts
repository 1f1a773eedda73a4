/** The tasks of the plugin that run in a child process. */
import { task } from "../../core/sdk";
import { checkArchive, type CheckInput } from "./child/check";

/** The tasks by name. */
export const tasks = { check: task((input: CheckInput) => checkArchive(input)) };
export type ArchiveTasks = typeof tasks;
