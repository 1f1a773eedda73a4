/** Limits that several parts share. */

/** Items of one run. */
export const items_max = 50_000;
/**
 * Longest source as JSON, UTF-16 units; and the part of it that lists of runs and schedules show.
 */
export const source_length_max = 1_000_000;
export const source_shown_max = 16 * 1024;
