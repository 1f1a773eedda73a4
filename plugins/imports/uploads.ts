/**
 * Files from the user's device as one run: they come with the request, and nobody is told of its
 * end.
 */
import { HttpError, type Db, type ReceivedPart } from "../../core/sdk";
import type { Documents } from "../documents/contract";
import type { Ending } from "./runs";
import { newRun } from "./service";
import * as itemStore from "./item-store";
import * as store from "./store";
import type { ImportsDb, ItemRow, RunRow } from "./store";

export interface DeviceParts {
  readonly db: ImportsDb;
  readonly inTransaction: <R>(work: (tx: Db<any>) => Promise<R>) => Promise<R>;
  readonly now_ms: () => number;
  readonly newId: (prefix: string) => string;
  readonly documents: Documents;
  readonly ending: Ending;
}
export interface DeviceImport {
  readonly folder_id: string;
  readonly overwrite: boolean;
}

const interrupted = {
  code: "interrupted",
  message: "The server stopped before this file was stored; send it again.",
};

export function createDevice({ db, inTransaction, now_ms, newId, documents, ending }: DeviceParts) {
  async function begin(
    owner_id: string,
    { folder_id, overwrite }: DeviceImport,
    parts: readonly ReceivedPart[],
  ): Promise<{ readonly run: RunRow; readonly items: readonly ItemRow[] }> {
    const now = now_ms();
    const run: RunRow = {
      ...newRun({
        id: newId("imp"),
        owner_id,
        folder_id,
        kind: "device",
        source: JSON.stringify({ type: "files" }),
        overwrite: overwrite ? 1 : 0,
        schedule_id: null,
        created_at: now,
      }),
      status: "running",
      started_at: now,
      listed: 1,
      total: parts.length,
    };
    // Two files of one name are two items: the second one clashes, or replaces the first.
    const uris = urisOf(parts);
    const items = parts.map(({ name }, ordinal): ItemRow => ({
      id: newId("itm"),
      run_id: run.id,
      ordinal,
      uri: uris[ordinal]!,
      name,
      subfolder: null,
      locator: null,
      host: "",
      status: "pending",
      attempts: 0,
      document_id: null,
      version: null,
      joined: 0,
      source_uri: null,
      error_code: null,
      error: null,
    }));
    await inTransaction(async (tx) => {
      await store.insertRun(tx, run);
      await itemStore.insertItems(tx, items);
    });
    return { run, items };
  }

  async function keep(
    run: RunRow,
    item: ItemRow,
    { name, declared_type, received }: ReceivedPart,
  ): Promise<void> {
    const origin = { kind: "upload", uri: null, run_id: run.id } as const;
    try {
      await received.keep();
      await inTransaction(async (tx) => {
        if (!(await store.findUnfinished(tx, run.id))) return;
        const { document_id, version } = await documents.ingest(tx, run.owner_id, {
          folder_id: run.folder_id,
          name,
          origin,
          file: received,
          declared_type,
          overwrite: run.overwrite === 1,
        });
        await itemStore.updatePending(tx, item.id, { document_id, version });
      });
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      await inTransaction((tx) =>
        ending.endItem(tx, item, {
          how: "failed",
          error: { code: error.code, message: error.detail },
        }),
      );
    } finally {
      documents.removeFiles([received.sha256]);
    }
  }

  return {
    /**
     * Makes documents of files that have arrived, one item each; the run ends when they are
     * indexed. Releases them.
     */
    async import(
      owner_id: string,
      given: DeviceImport,
      parts: readonly ReceivedPart[],
    ): Promise<RunRow> {
      try {
        const { run, items } = await begin(owner_id, given, parts);
        for (const [index, item] of items.entries()) await keep(run, item, parts[index]!);
        return (await store.findRun(db, run.id))!;
      } finally {
        for (const { received } of parts) await received.release();
      }
    },

    /** Before the first request: the files of requests that ended with the server are gone. */
    async endInterrupted(): Promise<void> {
      for (const run of await store.unfinishedDevice(db))
        await inTransaction((tx) => ending.failHost(tx, run.id, "", interrupted));
    },
  };
}
export type Device = ReturnType<typeof createDevice>;

/** The names of the files, no two alike: the second one of a name says so. */
function urisOf(parts: readonly ReceivedPart[]): string[] {
  const uris = new Set<string>();
  for (const { name } of parts) {
    let uri = name;
    for (let n = 2; uris.has(uri); n++) uri = `${name} (${n})`;
    uris.add(uri);
  }
  return [...uris];
}
