/** The checkpoint thread; see checkpointer.ts. */
import { Database } from "bun:sqlite";
import { messageOf } from "../lib/error-message";

declare const self: Worker;

/** Responds with null, or with the error. */
self.addEventListener("message", ({ data: path }: MessageEvent<string>) => {
  try {
    const database = new Database(path, { readwrite: true });
    try {
      database.run("pragma synchronous = FULL");
      database.run("pragma wal_checkpoint(PASSIVE)");
    } finally {
      // After each checkpoint, because a thread that ends would leave it open.
      database.close();
    }
    self.postMessage(null);
  } catch (error) {
    self.postMessage(messageOf(error));
  }
});
