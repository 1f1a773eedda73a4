/**
 * The job that brings documents of an earlier analyzer or chunker up to date, a few at a time,
 * while their old rows answer.
 */
import {
  handle,
  job,
  t,
  type Db,
  type JobEffect,
  type JobHandler,
  type JobRun,
} from "../../core/sdk";
import { analyzer } from "./analyzer";
import { chunker_version } from "./chunker";
import type { Prepared, SearchIndex } from "./contract";
import { inputOf } from "./index-versions";
import * as store from "./store";
import type { DocumentRow, IndexTables } from "./store";

export const Reencode = job("index.reencode", t.Object({ step: t.Integer() }));

const documents_max = 50,
  chunks_max = 2_000,
  attempts_max = 5,
  timeout_ms = 10 * 60_000;

export interface ReencodingParts {
  readonly db: Db<IndexTables>;
  readonly index: SearchIndex;
  readonly drop: (tx: Db, prepared: Prepared) => Promise<void>;
  readonly enqueue: (db: Db<IndexTables>, step: number) => Promise<void>;
  /** The version that is wanted. */
  readonly analyzer_version?: number;
}

export function createReencoding({
  db,
  index,
  drop,
  enqueue,
  analyzer_version = analyzer.version,
}: ReencodingParts) {
  async function run(
    { step }: { readonly step: number },
    { signal }: JobRun,
  ): Promise<JobEffect | void> {
    const documents = someOf(
      await store.outdatedDocuments(db, analyzer_version, chunker_version, documents_max),
    );
    if (documents.length === 0) return;
    const prepared: { readonly document: DocumentRow; readonly prepared: Prepared }[] = [];
    for (const document of documents) {
      const input = inputOf(document, await store.chunksOfEdition(db, document.edition));
      prepared.push({
        document,
        prepared: await index.prepare(
          { document_id: document.document_id, version: document.version, ...input },
          signal,
        ),
      });
    }
    return async (tx) => {
      for (const one of prepared) await replace(tx, one.document, one.prepared);
      await enqueue(tx, step + 1);
    };
  }

  /**
   * Only what is still published: a document that was overwritten or deleted meanwhile is left
   * alone.
   */
  async function replace(tx: Db, document: DocumentRow, prepared: Prepared): Promise<void> {
    const now = await store.findDocument(tx, document.document_id);
    if (now?.edition === document.edition)
      await index.publish(tx, prepared, await store.foldersOf(tx, document.edition));
    else await drop(tx, prepared);
  }

  return {
    handler: handle(Reencode, run, { attempts_max, timeout_ms }) as JobHandler,
    run,
    async start(): Promise<void> {
      if ((await store.countOutdated(db, analyzer_version, chunker_version)) > 0)
        await enqueue(db, 0);
    },
  };
}

/** The first documents, up to about so many chunks: a large one comes alone. */
function someOf(documents: readonly DocumentRow[]): DocumentRow[] {
  let chunks = 0;
  return documents.filter((document, at) => (chunks += document.chunks) <= chunks_max || at === 0);
}
