/**
 * Small texts are indexed before they are stored, when that takes but a moment: one transaction
 * does then what would take two, with a job between them.
 */
import type { BegunJob } from "../../core/sdk";
import type { FreshTexts } from "./fresh-texts";
import type { PendingVersion } from "./text-store";

/** How long storing a text is put off for its index, milliseconds. */
const patience_ms = 25;
/** The same when no text was indexed in time lately: the thread that does it may have to start. */
const wary_patience_ms = 4;
const lately_ms = 1_000;

interface Parts {
  readonly fresh_texts: FreshTexts;
  /** As `DocumentContext.beginIndexing`. */
  readonly beginIndexing: (text: PendingVersion) => BegunJob | undefined;
}

export class EarlyIndexing {
  #in_time_at_ms = -Infinity;

  constructor(private readonly parts: Parts) {}

  /**
   * `store` stores the text in a transaction, which enqueues what it is given; without it, it
   * queues the indexing. Called again without it when the index can't be written with the text.
   * `text`: false for one that is not at hand.
   */
  async run<R>(
    text: PendingVersion | false,
    store: (indexing?: BegunJob) => Promise<R>,
  ): Promise<R> {
    const indexing = text ? this.#begin(text) : undefined;
    if (!indexing) return store();
    try {
      await this.#wait(indexing);
      return await store(indexing);
    } catch (error) {
      indexing.drop();
      if (!indexing.has_failed) throw error;
      return store();
    }
  }

  #begin(text: PendingVersion): BegunJob | undefined {
    const { beginIndexing, fresh_texts } = this.parts;
    // The job finds it there, or it would look for it where it is not yet.
    if (!fresh_texts.keep(text)) return undefined;
    const indexing = beginIndexing(text);
    if (!indexing) fresh_texts.take(text.id, text.version);
    return indexing;
  }

  async #wait(indexing: BegunJob): Promise<void> {
    const is_quick = performance.now() < this.#in_time_at_ms + lately_ms;
    if (await indexing.settles(is_quick ? patience_ms : wary_patience_ms))
      this.#in_time_at_ms = performance.now();
  }
}
