/**
 * What a source may do while it lists or reads its items: fetch within the rules of imports, and
 * keep one file while its run lasts.
 */
import type { Db, Files, ReceivedFile } from "../../core/sdk";
import { SourceFailure, type FetchedFile, type SourceTools } from "./contract";
import type { Fetching } from "./fetcher";
import type { RobotsOfRun } from "./robots";
import * as store from "./store";
import type { ImportsDb } from "./store";

export interface ToolsParts {
  readonly db: ImportsDb;
  readonly inTransaction: <R>(work: (tx: Db<any>) => Promise<R>) => Promise<R>;
  readonly fetching: Fetching;
  readonly files: Files;
  readonly temporary: string;
  readonly upload_bytes_max: number;
  readonly removeFiles: (sha256s: readonly string[]) => void;
}
export interface ToolsOfRun extends SourceTools {
  /** Deletes what was fetched and is not kept. */
  close(): Promise<void>;
}

/** `run_id` null: nothing is kept beyond `close`, as when somebody only looks. */
export function createTools(
  { db, inTransaction, fetching, files, temporary, upload_bytes_max, removeFiles }: ToolsParts,
  run_id: string | null,
  robots: RobotsOfRun,
  signal: AbortSignal,
): ToolsOfRun {
  const held = new Set<ReceivedFile>();
  const closed = Promise.withResolvers<void>();
  /** Uses of stored files, each until `close`. */
  const in_use: Promise<void>[] = [];

  const fetch: SourceTools["fetch"] = async (url, options = {}) => {
    const got = await fetching.get(url, {
      bytes_max: options.bytes_max ?? upload_bytes_max,
      robots: options.robots === false ? null : robots,
      signal,
    });
    held.add(got.received);
    const release = async (): Promise<void> => {
      if (held.delete(got.received)) await got.received.release();
    };
    return fileAt(got.received.path, got.received.size_bytes, {
      url: got.url,
      media_type: got.media_type,
      release,
    });
  };

  async function fetchKept(run: string, url: string): Promise<FetchedFile> {
    const before = await store.findUnfinished(db, run);
    const known =
      before?.kept_url === url && before.kept_sha256 !== null ? before.kept_sha256 : null;
    if (known !== null) return stored(known, url, null);
    const { received, media_type } = await fetching.get(url, {
      bytes_max: upload_bytes_max,
      robots,
      signal,
    });
    try {
      await received.keep();
      const kept = await inTransaction(async (tx) => {
        const now = await store.findUnfinished(tx, run);
        if (now?.kept_sha256) removeFiles([now.kept_sha256]);
        return now
          ? store.updateRun(tx, run, { kept_url: url, kept_sha256: received.sha256 })
          : undefined;
      });
      if (!kept) throw new SourceFailure("The import has ended.");
    } finally {
      removeFiles([received.sha256]);
      await received.release();
    }
    return stored(received.sha256, url, media_type);
  }

  /** A stored file, which stays readable until `close`. */
  function stored(sha256: string, url: string, media_type: string | null): Promise<FetchedFile> {
    return new Promise((resolve, reject) => {
      const use = files.withLocalFile(sha256, async (path) => {
        const { size } = await Bun.file(path).stat();
        resolve(fileAt(path, size, { url, media_type, release: async () => undefined }));
        await closed.promise;
      });
      in_use.push(use.catch(reject));
    });
  }

  return {
    signal,
    temporary,
    upload_bytes_max,
    fetch,
    fetchOnce: (url) => (run_id === null ? fetch(url) : fetchKept(run_id, url)),
    async close() {
      closed.resolve();
      await Promise.all(in_use);
      for (const received of held) await received.release();
      held.clear();
    },
  };
}

const fileAt = (
  path: string,
  size_bytes: number,
  rest: Pick<FetchedFile, "url" | "media_type" | "release">,
): FetchedFile => ({ path, size_bytes, text: () => Bun.file(path).text(), ...rest });
