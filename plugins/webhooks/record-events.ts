/** The events about documents and answers that webhooks can be registered for. */
import {
  answerCompleted,
  documentDeleted,
  documentFailed,
  documentSynced,
  type RecordEvent,
} from "./contract";

export const record_events: readonly RecordEvent[] = [
  documentSynced,
  documentFailed,
  documentDeleted,
  answerCompleted,
];
