/** Tells the server what a command has stored: by a job in the same transaction. */
import { handle, type Context, type JobHandler } from "../../core/sdk";
import { ReloadSettings } from "./contract";

/** Takes no slot, so no long job delays it. */
export const settingJobs = ({ operations }: Pick<Context, "operations">): readonly JobHandler[] => [
  handle(ReloadSettings, () => operations.reloadSettings(), {
    attempts_max: 10,
    timeout_ms: 60_000,
    io_bound: true,
    uses_reserve: true,
  }),
];
