/** Stops the child of a run while others have their turn. */
import type { Pausable } from "../lib/limiter";
import type { ChildProcess } from "./child-process";
import type { ProcessClock } from "./run-clock";

/** One run, whichever child it is in. */
export class PausableRun implements Pausable {
  private current: { readonly child: ChildProcess; readonly clock: ProcessClock } | undefined;

  /** The child has been given the task. */
  begin(child: ChildProcess, clock: ProcessClock): void {
    this.current = { child, clock };
  }

  /** It may have written its result just before it was paused; others will use the child. */
  end(): void {
    this.resume();
    this.current = undefined;
  }

  /** See `Pausable`. */
  pause(): boolean {
    if (!this.current?.child.pause()) return false;
    this.current.clock.pause();
    return true;
  }

  resume(): void {
    this.current?.child.resume();
    this.current?.clock.resume();
  }
}
