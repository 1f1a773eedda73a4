/** The inside of a worker: answers questions one after the other. */
import type { FromWorker, ToWorker } from "./worker-client";

declare const self: Worker;

/** `open` gets the setting, and gives the function that answers. An error becomes a message: it never ends the worker. */
export function serve<S, Q, A>(open: (setting: S) => (question: Q) => { readonly answer: A; readonly transfer?: ArrayBuffer[] }): void {
  let answer: ((question: Q) => { readonly answer: A; readonly transfer?: ArrayBuffer[] }) | null = null;
  const say = (message: FromWorker<A>, transfer: ArrayBuffer[] = []): void => self.postMessage(message, { transfer });
  self.addEventListener("message", ({ data }: MessageEvent<ToWorker<S, Q>>) => {
    // Opened at the first question, so that a failure is the answer to it.
    if ("setting" in data) { answer = (question) => (answer = open(data.setting))(question); return; }
    const { id, question } = data;
    try {
      const { answer: result, transfer } = answer!(question);
      say({ id, answer: result }, transfer);
    } catch (error) { say({ id, error: error instanceof Error ? error.message : String(error) }); }
  });
}
