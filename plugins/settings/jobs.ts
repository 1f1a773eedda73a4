/** How the server learns of what a command has stored: by a job in the same transaction. */
import { handle, type Context, type JobHandler } from "../../core/sdk";
import { ReloadSettings } from "./contract";

/** It takes no slot, so that no long job holds it up. */
export const settingJobs = ({ operations }: Pick<Context, "operations">): readonly JobHandler[] => [
  handle(ReloadSettings, () => operations.reloadSettings(), {
    attempts_max: 10,
    timeout_ms: 60_000,
    io_bound: true,
    uses_reserve: true,
  }),
];
