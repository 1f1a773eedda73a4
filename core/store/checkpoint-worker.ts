/** The checkpoint thread; see checkpointer.ts. */
import { Database } from "bun:sqlite";

declare const self: Worker;

/** Responds with null, or with the error. */
self.addEventListener("message", ({ data: path }: MessageEvent<string>) => {
  try {
    const database = new Database(path, { readwrite: true });
    try {
      database.run("pragma synchronous = FULL");
      database.run("pragma wal_checkpoint(PASSIVE)");
    } finally {
      // Every time: a thread that ends would leave it open.
      database.close();
    }
    self.postMessage(null);
  } catch (error) {
    self.postMessage(error instanceof Error ? error.message : String(error));
  }
});
