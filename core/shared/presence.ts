/**
 * Tracks which process holds what. A process that is not seen for a while counts as dead, and what
 * it held is free; if it was only frozen, it claims its holdings again.
 */
import type { Notifier } from "../base/notifier";

/** How this process knows of the others. */
export interface PresenceOptions {
  /** The id of this process. */
  readonly id: string;
  /** Ids of the live processes. */
  readonly alive: () => Promise<ReadonlySet<string>>;
  readonly notifier: Pick<Notifier, "onMissed">;
  /** Calls `listener` when others have taken this process for dead. */
  readonly onMistaken?: (listener: () => void) => void;
}

const check_every_ms = 5_000;
/** Shorter than the time after which others take a process for dead. */
const frozen_ms = 12_000;

/** This process among those that hold something in shared entries. */
export class Presence {
  private readonly listeners = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;
  private checked_at_ms = 0;

  constructor(private readonly options: PresenceOptions) {}

  get id(): string {
    return this.options.id;
  }

  /** Ids of the live processes. */
  alive(): Promise<ReadonlySet<string>> {
    return this.options.alive();
  }

  /** Calls `listener` whenever others may have taken this process for dead. */
  onDoubt(listener: () => void): void {
    this.listeners.add(listener);
    if (this.timer !== undefined) return;
    this.checked_at_ms = performance.now();
    this.timer = setInterval(() => this.check(), check_every_ms).unref();
    this.options.notifier.onMissed(() => this.notifyDoubt());
    this.options.onMistaken?.(() => this.notifyDoubt());
  }

  private check(): void {
    const now_ms = performance.now();
    const was_frozen = now_ms - this.checked_at_ms > frozen_ms;
    this.checked_at_ms = now_ms;
    if (was_frozen) this.notifyDoubt();
  }

  private notifyDoubt(): void {
    for (const listener of this.listeners) listener();
  }
}
