/** The built-in encoder as an embedder for the index. */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../../core/lib/error-message";
import { freeSpace } from "../../core/lib/disk-usage";
import { startThread, type Context } from "../../core/sdk";
import type { Embedder, EmbedOptions } from "../search-index/contract";
import { EncoderPool } from "./pool";
import { missing, unpackShared } from "./model-files";
import type { KnownModel } from "./models";

/** Disk space that must remain free after the model was unpacked. */
const free_bytes_min = 256 * 2 ** 20;
/** Workers are stopped after this long without work, so an idle server has none. */
const idle_ms = 30_000;
/** Texts of one call, per worker: a few seconds of work, so that a crash loses little. */
const texts_per_thread = 8;
const worker_path = "plugins/embeddings-builtin/encoder-worker.ts";

/** What it needs besides `Context`. */
export interface BuiltinEmbedderContext extends Pick<Context, "log"> {
  readonly model: KnownModel;
  readonly threads: number;
  /**
   * Works in a child process: reading a file embedded in the executable keeps its pages in memory.
   */
  readonly unpackModel: (from: string, to: string) => Promise<void>;
}

/** Embeds with a pool of workers. */
export class BuiltinEmbedder implements Embedder {
  /** The hash is part of the name, because another file of the same name yields other vectors. */
  readonly model: string;
  readonly dimensions = null;
  readonly has_tokens = true;
  readonly texts_max: number;
  private readonly pool: EncoderPool;

  constructor(private readonly ctx: BuiltinEmbedderContext) {
    const { log, model, threads } = ctx;
    this.model = `builtin/${model.name}@${model.sha256.slice(0, 12)}`;
    this.texts_max = texts_per_thread * threads;
    const repairModel = (problem: string) => this.repairModel(problem);
    this.pool = new EncoderPool({ threads, model, repairModel, idle_ms, log, startWorker });
  }

  embed(
    texts: readonly string[],
    { kind, model, owner_id = "", signal, urgent = false, onVectors }: EmbedOptions,
  ): Promise<(readonly Float32Array[])[]> {
    if (model !== this.model)
      return Promise.reject(new Error(`the built-in encoder does not have the model ${model}`));
    return this.pool.embed(texts, {
      kind: kind === "document" && urgent ? "sentence" : kind,
      owner: owner_id,
      signal,
      onVectors,
    });
  }

  /** Whether query vectors can be compared with the vectors of this model. */
  has(model: string): boolean {
    return model === this.model;
  }

  /** Stops the workers. */
  stop(): void {
    this.pool.stop();
  }

  private async repairModel(problem: string): Promise<SharedArrayBuffer | null> {
    const { log, model, unpackModel } = this.ctx;
    const { path, source } = model;
    if (source === null || source === path) throw new Error(`The model ${path} ${problem}.`);
    if (problem !== missing) log.warn(`the model ${path} ${problem}; it is unpacked again`);
    try {
      await requireFreeSpace(dirname(path), model.bytes);
      await unpackModel(source, path);
      return null;
    } catch (error) {
      const reason = messageOf(error);
      log.warn("the model can't be saved in the data directory; it is kept in memory", {
        path,
        reason,
      });
      return unpackShared(source, model.bytes);
    }
  }
}

/**
 * On a small disk, the remaining space is left for documents: the model works from memory as well.
 */
async function requireFreeSpace(directory: string, bytes: number): Promise<void> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const { free_bytes } = await freeSpace(directory);
  if (free_bytes < bytes + free_bytes_min) throw new Error("the disk has no room for it");
}

// In the executable, workers are located relative to the root it was built from.
const startWorker = (): Worker =>
  startThread(
    () =>
      new Worker(
        Bun.isStandaloneExecutable
          ? `./${worker_path}`
          : new URL("./encoder-worker.ts", import.meta.url).href,
      ),
  );
