/** The thread in which large bodies become JSON. One at a time; see json-thread.ts. */
import { HttpError } from "../base/errors";
import { parseJson, type Parsed } from "./json";

declare const self: Worker;

const answer = (parsed: Parsed): void => self.postMessage(parsed);

self.addEventListener("message", ({ data }: MessageEvent<Uint8Array>) => {
  try {
    answer({ value: parseJson(data) });
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const { status, code, detail, errors } = error;
    answer({ problem: { status, code, detail, errors } });
  } finally {
    // Gives the memory back at once, while nobody waits for it: there may be 80 MB of one body.
    (data.buffer as ArrayBuffer).transfer(0);
    setTimeout(() => Bun.gc(true));
  }
});
