/** The inside of a worker: answers questions one after the other. */
import type { FromWorker, ToWorker } from "./worker-client";

declare const self: Worker;

/**
 * Answers one question; `tell` gives a part of the answer ahead of its end, and hands over what is
 * in `transfer`.
 */
export type Answering<Q, P, A> = (
  question: Q,
  tell: (part: P, transfer?: ArrayBuffer[]) => void,
) => A;

/**
 * `open` gets the setting, and gives the function that answers. An error becomes a message: it
 * never ends the worker.
 */
export function serve<S, Q, P, A>(open: (setting: S) => Answering<Q, P, A>): void {
  let answer: Answering<Q, P, A> | null = null;
  const say = (message: FromWorker<P, A>, transfer: ArrayBuffer[] = []): void =>
    self.postMessage(message, { transfer });
  self.addEventListener("message", ({ data }: MessageEvent<ToWorker<S, Q>>) => {
    // Opened at the first question, so that a failure is the answer to it.
    if ("setting" in data) {
      answer = (question, tell) => (answer = open(data.setting))(question, tell);
      return;
    }
    const { id, question } = data;
    let at = 0;
    try {
      const result = answer!(question, (part, transfer) => say({ id, part, at: at++ }, transfer));
      say({ id, answer: result });
    } catch (error) {
      say({ id, error: error instanceof Error ? error.message : String(error) });
    }
  });
}
