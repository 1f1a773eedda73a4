/** Watches the files of a plugin for changes. */
import { watch } from "node:fs";

/** An editor writes a file in several steps, and several files at once. */
const settle_ms = 60;

/** Files that don't affect a server: tests, logs (possibly its own), hidden files, packages. */
const ignored_paths = /(^|[/\\])(\.|node_modules([/\\]|$))|\.test\.tsx?$|\.log$|~$/;

/** Paths below the directory, one per batch of saves from now on, until the signal fires. */
export function savesBelow(directory: string, signal: AbortSignal): AsyncIterable<string> {
  const saves = new Saves();
  // Watch now rather than at the first read: a file may be saved before that.
  const watcher = watch(directory, { recursive: true }, (_, path) => {
    if (path !== null && !ignored_paths.test(path)) saves.note(path);
  });
  signal.addEventListener("abort", () => saves.end());
  return saves.rounds(() => watcher.close());
}

class Saves {
  private saved: string | undefined;
  private ended = false;
  private wake = Promise.withResolvers<void>();

  note(path: string): void {
    this.saved = path;
    this.wake.resolve();
  }

  end(): void {
    this.ended = true;
    this.wake.resolve();
  }

  async *rounds(close: () => void): AsyncGenerator<string, void> {
    try {
      for (;;) {
        await this.wake.promise;
        if (!this.ended) await Bun.sleep(settle_ms);
        const path = this.saved;
        this.saved = undefined;
        this.wake = Promise.withResolvers<void>();
        if (this.ended) return;
        if (path !== undefined) yield path;
      }
    } finally {
      close();
    }
  }
}
