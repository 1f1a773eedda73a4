/**
 * A list of messages that is fetched in parts. Unchanged messages stay identical objects: a chat
 * may have hundreds of answers, and only changed ones are rendered again.
 */
interface Listed {
  readonly requestId: string;
}
/** Newest first, without a gap. */
export interface FetchedMessages<M extends Listed> {
  readonly messages: readonly M[];
  /** Of the whole chat. */
  readonly total: number;
}
interface Part<M> {
  readonly data: readonly M[];
  readonly pagination: { readonly total: number; readonly next_page: number | null };
}
/** Reuses the previous value, or those of its parts that are still equal. */
type Keep = <T>(before: T, now: T) => T;

/**
 * Merges a page with the newest messages; if it does not overlap the known ones, more have come
 * since.
 */
export function withNewest<M extends Listed>(
  { messages }: FetchedMessages<M>,
  { data, pagination }: Part<M>,
  keep: Keep,
): FetchedMessages<M> {
  const fetched = reuseUnchanged(messages, data, keep);
  const ids = new Set(fetched.map(({ requestId }) => requestId));
  const last_overlap = messages.findLastIndex(({ requestId }) => ids.has(requestId));
  const older =
    last_overlap < 0 || pagination.next_page === null ? [] : messages.slice(last_overlap + 1);
  return { messages: [...fetched, ...older], total: pagination.total };
}

/** Merges a page of older messages, which may repeat known ones. */
export function withOlder<M extends Listed>(
  { messages }: FetchedMessages<M>,
  { data, pagination }: Part<M>,
  keep: Keep,
): FetchedMessages<M> {
  const fetched = new Map(
    reuseUnchanged(messages, data, keep).map((message) => [message.requestId, message]),
  );
  const ids = new Set(messages.map(({ requestId }) => requestId));
  return {
    messages: [
      ...messages.map((message) => fetched.get(message.requestId) ?? message),
      ...[...fetched.values()].filter(({ requestId }) => !ids.has(requestId)),
    ],
    total: pagination.total,
  };
}

function reuseUnchanged<M extends Listed>(
  previous: readonly M[],
  fetched: readonly M[],
  keep: Keep,
): readonly M[] {
  const by_id = new Map(previous.map((message) => [message.requestId, message]));
  return fetched.map((message) => keep(by_id.get(message.requestId) ?? message, message));
}
