/**
 * The job that gives published documents their vectors, some at a time, and changes over when all
 * have those of another model. Nothing waits for it.
 */
import {
  handle,
  job,
  t,
  type Db,
  type JobEffect,
  type JobHandler,
  type JobRun,
  type Log,
} from "../../core/sdk";
import type { Embedder } from "./contract";
import type { IndexDb, IndexTables, VectorSetRow } from "./store";
import * as store from "./vector-store";
import { embedded, packed } from "./vectors";

export const Embed = job("index.embed", t.Object({}));
/** Key and subject of the one job that does it. */
export const embedding_subject = "index.embed";

/** It never gives up; the pauses grow to five minutes. */
const attempts_max = 1_000_000_000,
  timeout_ms = 60 * 60_000;
/** One run embeds about so many calls' worth of texts. */
const calls_per_run = 4,
  segments_per_run_max = 200;
/** What failed so often no longer keeps the other documents from changing over to a new model. */
const tries_to_wait_for = 10;
const dropped_at_once = 200;

export interface EmbeddingParts {
  readonly db: Db<IndexTables>;
  readonly inTransaction: <R>(work: (tx: IndexDb) => Promise<R>) => Promise<R>;
  readonly afterCommit: (work: () => void) => void;
  readonly truncateWal: () => void;
  /** @throws HttpError 507 when the room that is left is for deletions. */
  readonly requireFreeSpace: () => void;
  readonly now_ms: () => number;
  readonly embedder: () => Embedder | undefined;
  /** The job, unless it waits already. */
  readonly enqueue: (tx: IndexDb) => Promise<void>;
  readonly cancel: (tx: IndexDb) => Promise<void>;
  readonly log: Log;
}
/** Segments that are embedded together, with the texts of their chunks. */
interface Group {
  readonly segments: readonly { readonly id: number; readonly texts: readonly string[] }[];
  readonly tries: number;
}
interface Made {
  readonly id: number;
  readonly vectors: Float32Array;
}

export function createEmbedding({
  db,
  inTransaction,
  afterCommit,
  truncateWal,
  requireFreeSpace,
  now_ms,
  embedder,
  enqueue,
  cancel,
  log,
}: EmbeddingParts) {
  /**
   * The set that is kept complete, and the one that answers: the same, but for the time after a
   * change of the model. Null without an embedder.
   */
  let wanted: VectorSetRow | null = null,
    serving: VectorSetRow | null = null;
  let failure: string | null = null;

  async function run(_payload: unknown, { signal }: JobRun): Promise<JobEffect | void> {
    const by = embedder();
    if (by === undefined || wanted === null) return;
    // Nothing is asked (and paid for) that could not be kept.
    requireFreeSpace();
    const set = wanted,
      group = await nextGroup(by);
    if (group === null || (group.tries >= tries_to_wait_for && (await isUnfinished())))
      return (tx) => finish(tx, set);
    try {
      const made = await vectorsOf(by, set, group, signal);
      failure = null;
      return (tx) => keep(tx, set, made.segments, made.dimensions);
    } catch (error) {
      signal.throwIfAborted();
      failure = error instanceof Error ? error.message : String(error);
      await store.countTry(
        db,
        group.segments.map((segment) => segment.id),
      );
      throw error;
    }
  }

  /** Several documents together; one segment alone when that has failed before. */
  async function nextGroup({ texts_max }: Embedder): Promise<Group | null> {
    const waiting = await store.nextWaiting(db, segments_per_run_max),
      tries = waiting[0]?.tries ?? 0;
    const segments: { id: number; texts: string[] }[] = [];
    let texts = 0;
    for (const { segment_id, title, tries: own_tries } of waiting) {
      if (segments.length > 0 && (tries > 0 || own_tries > 0 || texts >= texts_max * calls_per_run))
        break;
      const chunks = await store.chunksOfSegment(db, segment_id);
      segments.push({
        id: segment_id,
        texts: chunks.map(({ heading, text }) =>
          [title, heading, text.trimEnd()]
            .filter((part) => part !== null && part !== "")
            .join("\n"),
        ),
      });
      texts += chunks.length;
    }
    return segments.length === 0 ? null : { segments, tries };
  }

  /**
   * Fewer texts in a call each time that it failed: the embedder may be slow, or stumble over one
   * of them.
   */
  async function vectorsOf(
    by: Embedder,
    set: VectorSetRow,
    { segments, tries }: Group,
    signal: AbortSignal,
  ): Promise<{ readonly segments: readonly Made[]; readonly dimensions: number }> {
    const texts = segments.flatMap((segment) => segment.texts),
      size = Math.max(1, by.texts_max >> Math.min(tries, 16)),
      vectors: (Float32Array | null)[] = [];
    let { dimensions } = set;
    for (let at = 0; at < texts.length; at += size) {
      vectors.push(
        ...(await embedded(
          by,
          texts.slice(at, at + size),
          { kind: "document", model: set.model, dimensions: set.asked_dimensions || null, signal },
          dimensions,
        )),
      );
      dimensions ||= vectors.find((vector) => vector !== null)?.length ?? 0;
    }
    let at = 0;
    return {
      dimensions,
      segments: segments.map(({ id, texts }) => ({
        id,
        vectors: packed(vectors.slice(at, (at += texts.length)), dimensions),
      })),
    };
  }

  async function keep(
    tx: Db,
    set: VectorSetRow,
    made: readonly Made[],
    dimensions: number,
  ): Promise<void> {
    for (const { id, vectors } of made) await store.insertVectors(tx, set.id, id, vectors);
    if (set.dimensions !== dimensions) {
      await store.setDimensions(tx, set.id, dimensions);
      afterCommit(() => {
        wanted = { ...set, dimensions };
        if (serving?.id === set.id) serving = wanted;
      });
    }
    await enqueue(tx);
  }

  const isUnfinished = async (): Promise<boolean> =>
    wanted?.id !== serving?.id || (await store.vectorSets(db)).length > 1;

  /**
   * Every document has its vectors: they answer from now on, and those of other models go, some at
   * a time.
   */
  async function finish(tx: Db, set: VectorSetRow): Promise<void> {
    const [next] = await store.nextWaiting(tx, 1);
    if (next !== undefined && next.tries < tries_to_wait_for) return enqueue(tx);
    if (serving?.id !== set.id) {
      await store.serveVectorSet(tx, set.id);
      afterCommit(() => {
        serving = wanted;
        log.info("the vectors of another model answer from now on", { model: set.model });
      });
      return enqueue(tx);
    }
    const others = (await store.vectorSets(tx)).filter(({ id }) => id !== set.id);
    if (others.length > 0 && (await store.deleteSomeVectors(tx, others[0]!.id, dropped_at_once)))
      afterCommit(truncateWal);
    if (others.length > 0 || next !== undefined) await enqueue(tx);
  }

  return {
    handler: handle(Embed, run, { attempts_max, timeout_ms }) as JobHandler,
    run,
    /** Inside the transaction that publishes it, an edition is put down for vectors. */
    async published(tx: IndexDb, edition: number): Promise<void> {
      if (wanted === null) return;
      await store.insertWaiting(tx, edition);
      await enqueue(tx);
    },
    /** The set that answers; null when there is no embedder, or no vector yet. */
    serving: (): VectorSetRow | null =>
      serving === null || serving.dimensions === 0 ? null : serving,

    /** Before the first request: what the settings want is compared with what is there. */
    async start(): Promise<void> {
      const by = embedder();
      if (by === undefined) return;
      await inTransaction(async (tx) => {
        const sets = await store.vectorSets(tx),
          asked_dimensions = by.dimensions ?? 0;
        serving = sets.find((set) => set.serving === 1) ?? null;
        wanted =
          sets.find((set) => set.model === by.model && set.asked_dimensions === asked_dimensions) ??
          null;
        if (wanted === null) {
          wanted = {
            id: Math.max(now_ms(), (sets.at(-1)?.id ?? 0) + 1),
            model: by.model,
            asked_dimensions,
            dimensions: 0,
            serving: 0,
          };
          await store.insertVectorSet(tx, wanted);
        }
        // Where nothing answers yet, some vectors are better than none.
        if (serving === null || serving.dimensions === 0)
          await store.serveVectorSet(tx, (serving = wanted).id);
        await store.refillWaiting(tx, wanted.id);
        // It may wait for an embedder that the settings no longer name.
        await cancel(tx);
        await enqueue(tx);
      });
    },

    /** What keeps documents from getting their vectors, in a sentence; null when nothing does. */
    async failing(): Promise<string | null> {
      const waiting = wanted === null || failure === null ? 0 : await store.countWaiting(db);
      return waiting === 0
        ? null
        : `${waiting === 1 ? "1 document waits for its vectors" : `${waiting} documents wait for their vectors`}: ${failure}. Until then words find them.`;
    },
  };
}
