/** A scripted worker: answers, in parts or at once, fails, dies, or never answers. */
import { unavailable } from "../../core/base/errors";
import { serveWorker } from "../../plugins/search-index/workers/worker-server";

/** What a request tells the worker to do. */
export type Order =
  | "answer"
  | "parts"
  /** A hundred, yielding whenever it is due. */
  | "many parts"
  | "fail"
  | "be away"
  /** Throws an error of the disk. */
  | "be unreadable"
  | "die"
  | "die once"
  | "die late"
  | "hang"
  | "count"
  /** Yields repeatedly: twenty times, or until nobody waits for it. */
  | "long"
  | "endless"
  /** Works for two milliseconds, and says whether it should yield by then. */
  | "two milliseconds"
  /** The maximum number of concurrent requests. */
  | "most at once";
/** The messages between the pool and the worker. */
export interface FragileProtocol {
  readonly setting: { readonly marker: string; readonly broken?: boolean };
  readonly request: { readonly order: Order; readonly file?: string };
  readonly part: number;
  readonly response: string;
}

let request_count = 0;
let at_once = 0;
let most_at_once = 0;
serveWorker<FragileProtocol>(({ marker, broken }) => {
  if (broken) throw new Error("it can't be opened");
  return async ({ order, file }, run) => {
    request_count++;
    if (order === "parts")
      for (const part of [1, 2, 3]) {
        run.sendPart(part);
        // Dies after sending half of the answer.
        if (part === 2 && file && !require("node:fs").existsSync(file)) {
          require("node:fs").writeFileSync(file, "died");
          Bun.sleepSync(100);
          process.exit(1);
        }
      }
    if (order === "many parts")
      for (let part = 1; part <= 100; part++) {
        run.sendPart(part);
        if (run.due) await run.pause();
      }
    if (order === "fail") throw new Error("it failed");
    if (order === "be unreadable")
      throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_READ" });
    if (order === "be away") throw unavailable("It is away.", 5);
    if (order === "die" || (order === "die once" && !require("node:fs").existsSync(file!))) {
      if (file) require("node:fs").writeFileSync(file, "died");
      process.exit(1);
    }
    if (order === "die late") {
      Bun.sleepSync(150);
      process.exit(1);
    }
    if (order === "hang") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    if (order === "long" || order === "endless") {
      most_at_once = Math.max(most_at_once, ++at_once);
      for (let i = 0; i < 20 || order === "endless"; i++) await run.pause();
      at_once--;
    }
    if (order === "two milliseconds") {
      Bun.sleepSync(2);
      return run.due ? "it should yield" : "it may continue";
    }
    if (order === "most at once") return String(most_at_once);
    return order === "count" ? String(request_count) : marker;
  };
});
