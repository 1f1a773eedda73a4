/**
 * Gathers the pieces of an answer that is being made, so that they are written a few times a second
 * and not one by one.
 */
import { isHighSurrogate } from "./events";

export interface Feed {
  readonly emit: (event: { readonly kind: "delta"; readonly text: string }) => void;
  /**
   * Nothing is written any more once it answers; what was not written until now comes with the
   * whole answer.
   */
  readonly stop: () => Promise<void>;
}

/** Text that was emitted waits at most so long until it is written. */
const gather_ms = 60;
/** An answer that is longer is shown from here on when it is whole. */
const shown_chars_max = 200_000;

/** `write` answers false when nobody wants more of it. */
export function createFeed(write: (text: string) => Promise<boolean>): Feed {
  let pending = "";
  let taken = 0;
  let stopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing: Promise<void> | undefined;

  /** How much of what waits can be written: half a character waits for its other half. */
  const whole = (): number => pending.length - Number(isHighSurrogate(pending, pending.length - 1));

  function gather(): void {
    if (!stopped && !writing && whole() > 0) timer ??= setTimeout(begin, gather_ms);
  }
  function begin(): void {
    timer = undefined;
    writing = flush().finally(() => {
      writing = undefined;
      gather();
    });
  }
  async function flush(): Promise<void> {
    const end = whole();
    const text = pending.slice(0, end);
    pending = pending.slice(end);
    if (!(await write(text))) stopped = true;
  }

  return {
    emit({ text }) {
      if (stopped || taken >= shown_chars_max) return;
      const some = text.slice(0, shown_chars_max - taken);
      taken += some.length;
      pending += some;
      gather();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await writing;
    },
  };
}
