/** Who hears of changes of records. */
import type { Change } from "../base/notifier";
import { slot } from "../base/refs";

/** Hears of every change after it is on disk: must be quick, and must not throw. */
export const ChangeObserver = slot<(change: Change) => void>("core.change_observer");
