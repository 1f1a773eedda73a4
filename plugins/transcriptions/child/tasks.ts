/** The tasks that run in a child process: reading a transcript, probing a recording. */
import { lazyTask } from "../../../core/sdk";

/** The tasks by name; each loads its code when it first runs. */
export const tasks = {
  probe: lazyTask(async () => (await import("./probe")).probe),
  read: lazyTask(async () => (await import("./transcript")).readTranscript),
};
