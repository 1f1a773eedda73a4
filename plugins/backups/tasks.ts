/** What the plugin does in child processes. */
import { task } from "../../core/sdk";
import { discard } from "./child/discard";
import { describe, writeKnown, type KnownInput } from "./child/lookup";
import { pack, takeCopy, type CopyInput, type PackInput } from "./child/make";
import { rehearse, type RehearseInput } from "./child/rehearse";
import { requireRoom, type RoomInput } from "./child/room";
import { sparingly, type Progress } from "./progress";

export const tasks = {
  requireRoom: task(async (input: RoomInput) => {
    await requireRoom(input);
    return null;
  }),
  writeKnown: task((input: KnownInput) => writeKnown(input)),
  takeCopy: task((input: CopyInput, send: (progress: Progress) => void) =>
    takeCopy(input, sparingly(send)),
  ),
  pack: task((input: PackInput, send: (progress: Progress) => void) =>
    pack(input, sparingly(send)),
  ),
  rehearse: task((input: RehearseInput, send: (progress: Progress) => void) =>
    rehearse(input, sparingly(send)),
  ),
  discard: task((path: string) => discard(path)),
  describe: task((paths: readonly string[]) => describe(paths)),
};
export type BackupTasks = typeof tasks;
