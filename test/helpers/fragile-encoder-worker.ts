/**
 * Replaces an encoder worker: encodes, dies of some texts, and answers others only on command. A
 * vector is the number of texts that the worker was sent.
 */
import { existsSync, writeFileSync } from "node:fs";
import type {
  FromEncoderWorker,
  ToEncoderWorker,
} from "../../plugins/embeddings-builtin/worker-protocol";

declare const self: Worker;
const answer = (message: FromEncoderWorker): void => self.postMessage(message, {});

let received_count = 0;
let held_id = 0;
/** `file`: of the model; its first line is the problem to report. */
function open(file: string): void {
  const state = existsSync(file) ? "fine" : "is missing";
  if (file.endsWith("fatal")) answer({ failed: "it is no model" });
  else if (file.endsWith("dies")) process.exit(1);
  else answer(state === "fine" ? { opened: true } : { problem: state });
}

function encode(id: number, text: string): void {
  received_count++;
  const [order, file] = text.split(" ");
  if (order === "die" || (order === "die-once" && !existsSync(file!))) {
    if (file !== undefined) writeFileSync(file, "died");
    process.exit(1);
  }
  // Until it is cancelled, or `release` arrives.
  if (order === "hold") held_id = id;
  else if (order === "fail") answer({ id, error: "it failed" });
  else {
    answer({ id, vectors: [Float32Array.of(received_count)] });
    if (order === "release" && held_id !== 0)
      answer({ id: held_id, vectors: [Float32Array.of(received_count)] });
  }
}

self.addEventListener("message", ({ data }: MessageEvent<ToEncoderWorker>) => {
  if ("open" in data) open(data.open.path);
  else if ("cancel" in data) answer({ id: data.cancel, error: "given up" });
  else encode(data.id, data.text);
});
