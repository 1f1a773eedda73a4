/** The tasks of backups for child processes. */
import { lazyTask } from "../../core/sdk";
import type { CopyInput, PackInput } from "./child/make";
import type { RehearseInput } from "./child/rehearse";
import type { RoomInput } from "./child/room";
import { sparingly, type Progress } from "./progress";

export const tasks = {
  requireRoom: lazyTask(async () => {
    const { requireRoom } = await import("./child/room");
    return async (input: RoomInput) => {
      await requireRoom(input);
      return null;
    };
  }),
  writeKnown: lazyTask(async () => (await import("./child/lookup")).writeKnown),
  takeCopy: lazyTask(async () => {
    const { takeCopy } = await import("./child/make");
    return (input: CopyInput, send: (progress: Progress) => void) =>
      takeCopy(input, sparingly(send));
  }),
  pack: lazyTask(async () => {
    const { pack } = await import("./child/make");
    return (input: PackInput, send: (progress: Progress) => void) => pack(input, sparingly(send));
  }),
  rehearse: lazyTask(async () => {
    const { rehearse } = await import("./child/rehearse");
    return (input: RehearseInput, send: (progress: Progress) => void) =>
      rehearse(input, sparingly(send));
  }),
  discard: lazyTask(async () => (await import("./child/discard")).discard),
  findNeeded: lazyTask(async () => (await import("./child/lookup")).findNeeded),
  describe: lazyTask(async () => (await import("./child/lookup")).describe),
};
export type BackupTasks = typeof tasks;
