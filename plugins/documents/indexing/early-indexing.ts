/**
 * Indexes small texts before they are stored, when that takes only a moment: a single transaction
 * then replaces two with a job between them.
 */
import type { BegunJob } from "../../../core/sdk";
import type { FreshTexts } from "../creation/fresh-texts";
import type { Insertion } from "../creation/new-versions";
import type { PendingVersion } from "../texts/text-store";

/** How long to delay storing a text for its index, milliseconds. */
const patience_ms = 25;
/**
 * The same when no text was indexed in time recently: the indexing thread may have to start first.
 */
const wary_patience_ms = 4;
const lately_ms = 1_000;

interface EarlyIndexingOptions {
  readonly fresh_texts: FreshTexts;
  /** See `DocumentContext.beginIndexing`. */
  readonly beginIndexing: (text: PendingVersion) => BegunJob<Insertion> | undefined;
}

/** Waits longer for the index while the last texts were indexed in time. */
export class EarlyIndexing {
  private in_time_at_ms = -Infinity;

  constructor(private readonly options: EarlyIndexingOptions) {}

  /**
   * `store` stores the text in a transaction, in which it enqueues the given job; without one, it
   * queues the indexing. It is called again without a job when the index can't be written together
   * with the text. `text`: false for one that is not in memory.
   */
  async run<R>(
    text: PendingVersion | false,
    store: (indexing?: BegunJob<Insertion>) => Promise<R>,
  ): Promise<R> {
    const indexing = text ? this.begin(text) : undefined;
    if (!indexing) return store();
    try {
      await this.wait(indexing);
      return await store(indexing);
    } catch (error) {
      indexing.drop();
      if (!indexing.has_failed) throw error;
      return store();
    }
  }

  private begin(text: PendingVersion): BegunJob<Insertion> | undefined {
    const { beginIndexing, fresh_texts } = this.options;
    // The job reads it from there, because it is not in the database yet.
    if (!fresh_texts.keep(text)) return undefined;
    const indexing = beginIndexing(text);
    if (!indexing) fresh_texts.take(text.id, text.version);
    return indexing;
  }

  private async wait(indexing: BegunJob<Insertion>): Promise<void> {
    const is_quick = performance.now() < this.in_time_at_ms + lately_ms;
    if (await indexing.settles(is_quick ? patience_ms : wary_patience_ms))
      this.in_time_at_ms = performance.now();
  }
}
