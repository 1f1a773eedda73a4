/** Events without polling: a stream of changes to a user's records, at GET /events. */
import {
  definePlugin,
  DocumentParts,
  Duration,
  EventWriters,
  every,
  fill,
  handle,
  job,
  newUuid,
  t,
} from "../../core/sdk";
import { purgeOfUser } from "../accounts/contract";
import { Folders } from "../folders/contract";
import { StreamedEvents } from "./contract";
import { EventLog } from "./log";
import { migrations } from "./migrations";
import { eventHandlers, eventSchema, eventTypeSchema, routes } from "./routes";
import { EventStreams } from "./streams";
import { recordEvents } from "./record-events";

/** Drops events that are too old. */
const Prune = job("events.prune", t.Object({}));

export default definePlugin({
  name: "events",
  version: "1.0.0",
  config: t.Object({
    keep: Duration({
      default: "24h",
      changes: "now",
      description:
        "How long events are kept, so that a stream can be resumed; for users who have " +
        "listened within this time.",
    }),
    streams_max: t.Integer({
      default: 128,
      minimum: 1,
      changes: "now",
      description: "How many event streams a user may have open.",
    }),
  }),
  needs: { folders: Folders },
  slots: { streamed: StreamedEvents },
  tables: ["events_readers", "events_log"],
  migrations,
  routes,
  setup: (ctx) => {
    const { config, services, slots } = ctx;
    const log = new EventLog({
      ...ctx,
      folders: services.folders,
      streamed: slots.streamed,
      keep_ms: () => config.keep,
      newRunId: () => newUuid().slice(0, 8),
    });
    const streams = new EventStreams({
      ...ctx,
      folders: services.folders,
      log,
      streamed: slots.streamed,
      streams_max: () => config.streams_max,
    });
    return {
      routes: eventHandlers(streams),
      fills: [
        fill(EventWriters, log),
        fill(DocumentParts, {
          schemas: [
            { name: "StreamEvent", read: () => eventSchema(slots.streamed()) },
            { name: "StreamEventType", read: () => eventTypeSchema(slots.streamed()) },
          ],
        }),
        ...recordEvents.map((event) => fill(StreamedEvents, event)),
      ],
      jobs: [
        handle(Prune, (_payload, { signal }) => log.prune(signal), {
          attempts_max: 3,
          timeout_ms: 5 * 60_000,
          uses_reserve: true,
        }),
        purgeOfUser((user_id, signal) => log.forget(user_id, signal)),
      ],
      schedules: [every("41 * * * *", Prune, {})],
      start: () => log.load(),
    };
  },
});
