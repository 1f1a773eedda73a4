/** The stream of a user's changes. */
import {
  documented,
  event_stream_headers,
  lastEventId,
  named,
  route,
  ServerSentEvent,
  t,
  type HandlersOf,
  type TSchema,
} from "../../core/sdk";
import { pascalCase } from "../../core/lib/pascal-case";
import type { StreamedEvent } from "./contract";
import type { EventStreams } from "./streams";

/** Limits of a filter. */
const types_max = 50;
const folders_max = 200;

/** Comma-separated. */
const ListedId = documented(t.String({ minLength: 1 }), { pattern: "^[^,\\u0000]+$" });

const words = {
  ready: "The stream is open: changes from now on follow.",
  reset: "What came after the id that was given is not known any more: read your lists again.",
  closed: "The key or the session has ended. The stream ends with it.",
} as const;
const ownEvent = (event: keyof typeof words) =>
  named(
    `${pascalCase(event)}Event`,
    t.Object({ event: t.Literal(event) }, { description: words[event] }),
  );

/** The data of any event in the API document, including those of plugins. */
export const eventSchema = (streamed: readonly StreamedEvent[]): TSchema =>
  t.Union(
    [
      ...(["ready", "reset", "closed"] as const).map(ownEvent),
      ...streamed
        .flatMap(({ kinds }) => kinds)
        .map(({ type, schema, description }) =>
          named(`${pascalCase(type)}Event`, { description, ...schema }),
        ),
    ],
    {
      discriminator: { propertyName: "event" },
      description: "The `data` of one event of the stream, which repeats its name as `event`.",
    },
  );
/** The types that the stream can be filtered by. */
export const eventTypeSchema = (streamed: readonly StreamedEvent[]): TSchema =>
  t.Union(
    streamed.flatMap(({ kinds }) => kinds).map(({ type }) => t.Literal(type)),
    { description: "An event." },
  );

const EventType = named("StreamEventType", t.String());
const Event = ServerSentEvent("SentStreamEvent", {
  event: t.String({ description: "As in `data`." }),
  data: named("StreamEvent", t.Unsafe<object>({ type: "object" })),
});

const event_example = {
  id: "1c0f2a9b-42",
  event: "document.synced",
  data: JSON.stringify({
    event: "document.synced",
    document_id: "doc_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC",
    status: "synced",
    version: 1,
    folder_ids: ["fld_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC"],
  }),
};

const stream_description =
  "Server-sent events about what happens to the caller's folders, documents, imports, " +
  "transcriptions, chats and answers, in the order in which it happened. Each has an `id`, its " +
  "name as `event`, and JSON as `data`, which is what webhooks are sent where there is one of " +
  "that name.\n\n" +
  "First comes `ready`, or, with the id of an event that was received (`Last-Event-ID`), what " +
  "has happened since. Ids are good for as long as `events.keep` says, also after the server " +
  "was started again; what is older is answered by `reset`: read your lists again. An event " +
  "may come twice, never not at all. A silent stream sends a comment every 15 s. When the key " +
  "or session ends, `closed` is the last event.";

export const routes = {
  events: route.get("/events", {
    summary: "Watch for changes",
    tag: "Events",
    operation: "watchEvents",
    description: stream_description,
    query: t.Object({
      types: t.Optional(
        t.Array(EventType, {
          minItems: 1,
          maxItems: types_max,
          description: "Only these events, with commas between them.",
          examples: [["document.synced", "document.failed"]],
        }),
      ),
      folders: t.Optional(
        t.Array(ListedId, {
          minItems: 1,
          maxItems: folders_max,
          description:
            "Only what happens in these folders and their subfolders, by their ids, with commas " +
            "between them. Chats and answers are in none.",
          examples: [["fld_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC"]],
        }),
      ),
      last_event_id: t.Optional(
        t.String({
          description: "The same as the header, for clients that can't send it.",
          examples: ["1c0f2a9b-41"],
        }),
      ),
    }),
    request_headers: {
      "Last-Event-ID": "The id of the last event that was received: the stream goes on after it.",
    },
    answers: {
      200: {
        description: "The stream. Its schema is that of one event.",
        media_type: "text/event-stream",
        schema: Event,
        example: event_example,
      },
      431: { description: "The address and the headers are longer than 16 KiB together." },
    },
    errors: {
      404: "A folder that is named could not be found.",
      429: { too_many_streams: "The user has too many streams of events open." },
      503: { unavailable: "Too many streams are open, or the disk is full." },
    },
  }),
};

export const eventHandlers = (streams: EventStreams): HandlersOf<typeof routes> => ({
  events: async ({ caller, isAllowed, query, request, stopping }) => {
    const { types, folders, last_event_id } = query;
    const stream = await streams.open({
      owner_id: caller.owner_id,
      isAllowed,
      last_event_id: lastEventId(request, last_event_id),
      types,
      folder_ids: folders,
      signals: [request.signal, stopping],
    });
    return new Response(stream, { headers: event_stream_headers });
  },
});
