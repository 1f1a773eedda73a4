/** Open streams of events: each reads its owner's log as fast as its client can receive. */
import { loop_turns } from "../../core/lib/loop-turns";
import {
  badRequest,
  eventStream,
  RecordChanged,
  sentEvent,
  StreamLimit,
  type Context,
  type EventStreamOptions,
  type Feed,
} from "../../core/sdk";
import type { Folders } from "../folders/contract";
import type { StreamedEvent } from "./contract";
import { EventsGrew, type EventLog, type LoggedEvent, type Mark, type Place } from "./log";

/** Who listens, from which event on, and to what. */
export interface Listening extends Pick<EventStreamOptions, "isAllowed" | "owner_id" | "signals"> {
  readonly last_event_id: string | null;
  /** Only these types; all if undefined. */
  readonly types: readonly string[] | undefined;
  /** Only events in these folders and their subfolders. */
  readonly folder_ids: readonly string[] | undefined;
}
interface EventStreamsContext extends Pick<Context, "db" | "notifier" | "shared"> {
  readonly folders: Folders;
  readonly log: EventLog;
  readonly streamed: () => readonly StreamedEvent[];
  /** Streams per owner. */
  readonly streams_max: () => number;
  readonly heartbeat_ms?: number;
}

/** Events within this time are sent together. */
const gather_ms = 50;

/** Opens streams of an owner's events, within a limit. */
export class EventStreams {
  private readonly limit: StreamLimit;

  constructor(private readonly ctx: EventStreamsContext) {
    const words = { what: "events", advice: "Close one of them, or try again later." };
    this.limit = new StreamLimit(words, ctx.shared.openLimit("events.streams", ctx.streams_max));
  }

  /**
   * The owner's events from now on, or after `last_event_id`. @throws HttpError 400 for an unknown
   * type, 403 and 404 for the folders, 429 and 503 when too many streams are open
   */
  async open({ types, folder_ids, ...listening }: Listening): Promise<ReadableStream<Uint8Array>> {
    const { db, folders, log, heartbeat_ms } = this.ctx;
    const { owner_id, last_event_id } = listening;
    this.requireKnown(types);
    if (folder_ids) await folders.requireAll(db, owner_id, folder_ids, "?folders");
    const release = await this.limit.acquire(owner_id);
    let place: Place;
    try {
      place = await log.open(owner_id, last_event_id);
    } catch (error) {
      release();
      throw error;
    }
    return eventStream({
      ...listening,
      ...(heartbeat_ms !== undefined && { heartbeat_ms }),
      gather_ms,
      feed: new LogFeed(log, this.ctx, owner_id, place, {
        types: types && new Set(types),
        within: folder_ids && new Set(folder_ids),
      }),
      onClose: () => {
        log.close(owner_id);
        release();
      },
    });
  }

  private requireKnown(types: readonly string[] = []): void {
    const known_types = this.ctx.streamed().flatMap(({ kinds }) => kinds.map(({ type }) => type));
    const unknown = types.find((type) => !known_types.includes(type));
    if (unknown !== undefined)
      throw badRequest(
        `There is no event ${JSON.stringify(unknown)}. The query field \`types\` can ` +
          `contain ${known_types.toSorted().join(", ")}.`,
        "?types",
      );
  }
}

interface Filter {
  readonly types: ReadonlySet<string> | undefined;
  readonly within: ReadonlySet<string> | undefined;
}

/** The state of one stream. */
class LogFeed implements Feed {
  readonly polls: boolean;
  private greeting: string;
  /** The last event that was read, and the last one the client knows of. */
  private cursor: Mark;
  private reported: Mark;

  constructor(
    private readonly log: EventLog,
    private readonly ctx: Pick<Context, "notifier" | "shared">,
    private readonly owner_id: string,
    { how, ...place }: Place,
    private readonly filter: Filter,
  ) {
    this.cursor = place;
    this.reported = place;
    this.polls = ctx.shared.is_distributed;
    this.greeting = how === "resumed" ? "" : this.word(how === "new" ? "ready" : "reset");
  }

  subscribe(wake: () => void): () => void {
    const {
      ctx: { notifier },
      owner_id,
    } = this;
    const ends = [
      notifier.subscribe(EventsGrew, [owner_id], wake),
      notifier.onMissed(wake),
      // When a key or session ends, its streams end at once.
      notifier.subscribe(RecordChanged, [owner_id], ({ kind }) => {
        if (kind === "key" || kind === "session") wake();
      }),
    ];
    return () => ends.forEach((end) => end());
  }

  async read(): Promise<string> {
    if (this.greeting !== "") {
      const { greeting } = this;
      this.greeting = "";
      return greeting;
    }
    for (;;) {
      const events = await this.log.after(this.owner_id, this.cursor);
      if (events === null) {
        this.cursor = await this.log.newest(this.owner_id);
        this.reported = this.cursor;
        return this.word("reset");
      }
      if (events.length === 0) return "";
      const { seq: last, id: last_id } = events.at(-1)!;
      this.cursor = { seq: last, id: last_id };
      const text = events
        .filter((event) => this.passes(event))
        .map(({ id, type, body }) => sentEvent(id, type, body))
        .join("");
      // Thousands may be left out.
      if (text === "") {
        await loop_turns.enter(this.owner_id);
        continue;
      }
      this.reported = this.cursor;
      return text;
    }
  }

  /** If only events of other types came, the client still resumes after those. */
  async idle(): Promise<string> {
    await this.log.renew(this.owner_id);
    if (this.reported === this.cursor) return ":\n\n";
    this.reported = this.cursor;
    return `id: ${this.cursor.id}\n\n`;
  }

  refusal(): string {
    return this.word("closed");
  }

  private passes({ type, folder_ids }: LoggedEvent): boolean {
    const { types, within } = this.filter;
    if (types && !types.has(type)) return false;
    return !within || (JSON.parse(folder_ids) as string[]).some((id) => within.has(id));
  }

  private word(event: "ready" | "reset" | "closed"): string {
    return sentEvent(this.cursor.id, event, JSON.stringify({ event }));
  }
}
