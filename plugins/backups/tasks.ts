/** The tasks of backups for child processes. */
import { lazyTask } from "../../core/sdk";
import type { CopyInput, PackInput } from "./child/archive-maker";
import type { RehearseInput } from "./child/rehearsal";
import type { FreeSpaceInput } from "./child/free-space";
import { throttled, type Progress } from "./progress";

export const tasks = {
  requireFreeSpace: lazyTask(async () => {
    const { requireFreeSpace } = await import("./child/free-space");
    return async (input: FreeSpaceInput) => {
      await requireFreeSpace(input);
      return null;
    };
  }),
  writeKnown: lazyTask(async () => (await import("./child/lookup")).writeKnown),
  takeCopy: lazyTask(async () => {
    const { takeCopy } = await import("./child/archive-maker");
    return (input: CopyInput, send: (progress: Progress) => void) =>
      takeCopy(input, throttled(send));
  }),
  pack: lazyTask(async () => {
    const { pack } = await import("./child/archive-maker");
    return (input: PackInput, send: (progress: Progress) => void) => pack(input, throttled(send));
  }),
  rehearse: lazyTask(async () => {
    const { rehearse } = await import("./child/rehearsal");
    return (input: RehearseInput, send: (progress: Progress) => void) =>
      rehearse(input, throttled(send));
  }),
  discard: lazyTask(async () => (await import("./child/discard")).discard),
  findNeeded: lazyTask(async () => (await import("./child/lookup")).findNeeded),
  describe: lazyTask(async () => (await import("./child/lookup")).describe),
};
export type BackupTasks = typeof tasks;
