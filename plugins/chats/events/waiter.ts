/** Waits for a change of a message or a session. */
import { loop_turns } from "../../../core/lib/loop-turns";
import { topic, type Notifier, type Topic } from "../../../core/sdk";

/** A message has another status, or a session was deleted; the key is the id of either. */
export const StatusChanged = topic<null>("chats.status_changed");
/** Messages from another process may get lost: how often a waiter polls. */
export const poll_interval_ms = 5_000;
/** More of an answer can be shown; the key is the id of the message or of the session. */
export const AnswerGrew = topic<null>("chats.answer_grew");

type Publisher = { readonly notifier: Notifier };

/** Wakes the polls and streams of this message, or of all messages of this session. */
export function publishStatus({ notifier }: Publisher, id: string): void {
  notifier.publish(StatusChanged, id, null);
  notifier.publish(AnswerGrew, id, null);
}
/** Wakes only streams: a poll waits for another status, not for every piece of text. */
export const publishGrowth = ({ notifier }: Publisher, message_id: string): void =>
  notifier.publish(AnswerGrew, message_id, null);

/**
 * Waits for changes of these records, from its construction until `close`. When many are woken at
 * once, owners take turns.
 */
export class Waiter {
  private readonly unsubscribers: readonly (() => void)[];
  private changed = false;
  private wake = (): void => {};

  constructor(
    notifier: Notifier,
    about: Topic<null>,
    ids: readonly string[],
    private readonly owner_id: string,
  ) {
    const onChange = (): void => {
      this.changed = true;
      this.wake();
    };
    this.unsubscribers = [notifier.subscribe(about, ids, onChange), notifier.onMissed(onChange)];
  }

  /**
   * Resolves at the first change since the previous call, at the time limit or when a signal fires,
   * whichever comes first: true when there was a change. One `next` at a time.
   */
  async next(timeout_ms: number, signals: readonly AbortSignal[]): Promise<boolean> {
    const changed = await this.change(timeout_ms, signals);
    await loop_turns.enter(this.owner_id);
    return changed;
  }

  private change(timeout_ms: number, signals: readonly AbortSignal[]): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        for (const signal of signals) signal.removeEventListener("abort", end);
        this.wake = () => {};
        resolve(this.changed);
        this.changed = false;
      };
      const timer = setTimeout(end, timeout_ms);
      this.wake = end;
      for (const signal of signals) signal.addEventListener("abort", end);
      if (this.changed || signals.some((signal) => signal.aborted)) end();
    });
  }

  /** Ends the subscriptions; whoever waits continues. */
  close(): void {
    for (const end of this.unsubscribers) end();
    this.wake();
  }
}
