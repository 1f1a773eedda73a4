/**
 * The child processes of servers and readers in tests: a variant of `core/main.ts __task` that
 * loads only the requested plugin, because loading the server takes most of a second of processor
 * time.
 */
import { isAbsolute } from "node:path";
import { runChild } from "../../core/isolate/child";
import type { Task } from "../../core/isolate/contract";

type Tasks = Readonly<Record<string, Task>>;

/**
 * The modules with the tasks of plugins. Other built-in plugins are found by loading all of them.
 */
const places: Readonly<Record<string, () => Promise<Tasks>>> = {
  backups: async () => (await import("../../plugins/backups/tasks")).tasks,
  doctor: async () => (await import("../../plugins/doctor/plugin")).default.tasks,
  extraction: async () => (await import("../../plugins/extraction/tasks")).tasks,
  "folder-archives": async () => (await import("../../plugins/folder-archives/tasks")).tasks,
  imports: async () => (await import("../../plugins/imports/child/tasks")).tasks,
  index: async () => (await import("../../plugins/search-index/plugin")).default.tasks,
  transcriptions: async () => (await import("../../plugins/transcriptions/child/tasks")).tasks,
};

/** A plugin file imports modules that are built into the executable. */
async function tasksOfFile(path: string): Promise<Tasks | undefined> {
  const { importPlugin, installModules } = await import("../../core/plugin/loader");
  installModules({
    dossier: await import("../../core/sdk"),
    "dossier/contracts": await import("../../plugins/contracts"),
    "@sinclair/typebox": await import("@sinclair/typebox"),
  });
  return (await importPlugin(path))?.tasks;
}

async function tasksOfBuiltIn(name: string): Promise<Tasks | undefined> {
  const { builtIn } = await import("../../plugins/built-in");
  return builtIn.find((plugin) => plugin.name === name)?.tasks;
}

/** The command that starts one. */
export const child_command = [process.execPath, import.meta.path];

if (import.meta.main)
  await runChild(async (plugin, task) => {
    const tasks = isAbsolute(plugin)
      ? await tasksOfFile(plugin)
      : await (places[plugin] ?? (() => tasksOfBuiltIn(plugin)))();
    return tasks?.[task];
  });
