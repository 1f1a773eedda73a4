/** The state that all processes share, in the memory of the test. */
import { LocalShared } from "../../core/shared/shared";
import { LocalState } from "../../core/store/shared-state";

/** The view of one process. */
export interface TestShared extends LocalShared {
  readonly state: LocalState;
}
/** Of a process that is alone. */
export const localShared = (now_ms: () => number = Date.now): TestShared =>
  new LocalShared(new LocalState(now_ms)) as TestShared;
