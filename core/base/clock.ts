/** The clock: the only source of time, so that a test can replace it. */
export interface Clock {
  /** Unix epoch, milliseconds. */
  now_ms(): number;
}
export const systemClock: Clock = { now_ms: () => Date.now() };

/** RFC 3339 in UTC: the format of every time in the API. */
export const rfc3339 = (at_ms: number): string => new Date(at_ms).toISOString();
/** The same for a time that may be absent. */
export const rfc3339OrNull = (at_ms: number | null): string | null =>
  at_ms === null ? null : rfc3339(at_ms);
