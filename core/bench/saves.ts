/** Which files of a plugin are saved, as it happens. */
import { watch } from "node:fs";

/** An editor writes a file in several steps, and several files at once. */
const settle_ms = 60;

/** What a server would not see: tests, what is hidden, what packages bring. */
const others = /(^|[/\\])(\.|node_modules([/\\]|$))|\.test\.tsx?$|~$/;

/** Paths below the directory, one for each round of saves, until the signal. */
export async function* savesBelow(
  directory: string,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  let saved: string | undefined;
  let wake = Promise.withResolvers<void>();
  const watcher = watch(directory, { recursive: true }, (_, path) => {
    if (path === null || others.test(path)) return;
    saved = path;
    wake.resolve();
  });
  signal.addEventListener("abort", () => wake.resolve());
  try {
    for (;;) {
      await wake.promise;
      if (signal.aborted) return;
      await Bun.sleep(settle_ms);
      const path = saved;
      saved = undefined;
      wake = Promise.withResolvers<void>();
      if (signal.aborted) return;
      if (path !== undefined) yield path;
    }
  } finally {
    watcher.close();
  }
}
