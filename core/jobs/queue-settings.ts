/** The settings of the job queue: read at each use, so that a change takes effect at once. */
import type { Config } from "../base/config";
import type { JobQueueOptions } from "./queue";

/** Reads the section `jobs` at each call, so that a change takes effect at once. */
export function queueSettings({
  values,
}: Config): Pick<JobQueueOptions, "intakePaused" | "retention"> {
  const jobs = values.jobs as {
    readonly keep_done: number;
    readonly keep_failed: number;
    readonly pause_intake: boolean;
  };
  return {
    intakePaused: () => jobs.pause_intake,
    retention: () => ({ done_ms: jobs.keep_done, failed_ms: jobs.keep_failed }),
  };
}
