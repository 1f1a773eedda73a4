/**
 * Finished messages for streams. An answer can be megabytes long, with many watchers: few of them
 * have it in memory at the same time, and the final event, which contains all of it again, is
 * assembled from the stored pieces.
 */
import { Limiter } from "../../../core/lib/limiter";
import { withFreshCitations, type Message } from "../citations/citation-updates";
import type { ChatContext } from "../context";
import type { AnswerResult } from "../contract";
import { readEvents, readState, type NumberedEvent } from "./event-store";
import { long_answer_chars, replayedEvents } from "./answer-events";
import * as messageStore from "../message-store";

/** A message with fewer events has no long answer, because each event has a limited piece of it. */
const events_of_long = 32;

export type FinishedContext = Pick<ChatContext, "db" | "documents" | "public_url" | "reads">;

/** Reads finished messages, long ones one after the other. */
export class FinishedMessages {
  /** One at a time: while a long answer is parsed, it is in memory several times. */
  private readonly long_reads = new Limiter({ concurrency: 1 });
  /** Reads that have not started. */
  private readonly waiting = new Map<string, Promise<Message>>();

  constructor(private readonly ctx: FinishedContext) {}

  /** With its current citations. `event_seq`: the number of any of its events. */
  read(id: string, event_seq: number): Promise<Message> {
    if (event_seq < events_of_long) return this.readNow(id);
    const waiting = this.waiting.get(id);
    if (waiting) return waiting;
    const reading = this.long_reads.run(() => {
      this.waiting.delete(id);
      return this.readNow(id);
    });
    this.waiting.set(id, reading);
    return reading;
  }

  private async readNow(id: string): Promise<Message> {
    const { ctx } = this;
    const [message] = await withFreshCitations(ctx, [(await messageStore.findById(ctx.db, id))!]);
    return message!;
  }

  /** The outcome of a message whose events were deleted, numbered after those. */
  async replay(id: string, last_event: number): Promise<NumberedEvent[]> {
    const message = await this.read(id, last_event);
    return replayedEvents(message.result).map((event, at) => ({
      ...event,
      seq: message.last_event + 1 + at,
    }));
  }

  /**
   * The final event of a long answer, in pieces; breaks off when its session is deleted. Does not
   * keep the answer itself in memory.
   */
  longEnd(
    id: string,
    seq: number,
    { answer, ...other_fields }: AnswerResult,
  ): AsyncGenerator<string, void> {
    return this.piecesOfEnd(id, seq, answer.length, other_fields);
  }

  private async *piecesOfEnd(
    id: string,
    seq: number,
    length: number,
    other_fields: Omit<AnswerResult, "answer">,
  ): AsyncGenerator<string, void> {
    yield `id: ${seq}\nevent: done\ndata: {"answer":"`;
    for (let at = 0, after = 0; at < length;) {
      const state = await readState(this.ctx.reads, id);
      if (!state || state.deleted_at !== null) return;
      const events = await readEvents(this.ctx.reads, id, after);
      after = events.at(-1)?.seq ?? after;
      // They may have been deleted, just now or long ago.
      const text =
        events.length > 0 ? textOf(events) : await this.textFrom(id, seq, at, long_answer_chars);
      at += text.length;
      // Half a surrogate pair is escaped; together with the other half after it, it is complete.
      if (text !== "") yield JSON.stringify(text).slice(1, -1);
    }
    yield `",${JSON.stringify(other_fields).slice(1)}\n\n`;
  }

  private async textFrom(id: string, seq: number, at: number, chars: number): Promise<string> {
    const { result } = await this.read(id, seq);
    return result!.answer.slice(at, at + chars);
  }
}

/** Of a finished message, only valid text is stored. */
const textOf = (events: readonly NumberedEvent[]): string =>
  events.map(({ kind, data }) => (kind === "delta" ? data : "")).join("");
