/** Distinguishes crashes caused by a file from a broken installation. */
import { messageOf } from "../../../core/lib/error-message";
import { TaskFailure, type Isolate } from "../../../core/sdk";
import type { tasks } from "../tasks";

/**
 * This many consecutive runs whose process ended unexpectedly, or could not be started, are not the
 * fault of the files.
 */
const crashes_max = 3;

/** Counts crashes in a row, whatever the file. */
export class CrashMonitor {
  private crashes = 0;
  private last_error = "";

  constructor(private readonly run: Isolate<typeof tasks>) {}

  /** Runs a task, and counts consecutive crashes. */
  readonly isolate: Isolate<typeof tasks> = async (name, input, options) => {
    try {
      const output = await this.run(name, input, options);
      this.crashes = 0;
      return output;
    } catch (error) {
      const crashed = !(error instanceof TaskFailure) || error.reason === "crashed";
      this.crashes = crashed ? this.crashes + 1 : 0;
      this.last_error = messageOf(error);
      throw error;
    }
  };

  /** For the health of the plugin; null while all is well. */
  failing(): { failing: string } | null {
    if (this.crashes < crashes_max) return null;
    return {
      failing:
        `Files can't be read: the last ${this.crashes} reader processes ended ` +
        `unexpectedly. ${this.last_error}`,
    };
  }
}
