/** Limits that several parts share. */

/** Longest name of an item, UTF-16 units: more than a document or a folder may have. */
export const name_length_max = 1_000;
/** Longest address of an item, UTF-16 units. */
export const uri_length_max = 4_096;
/** Items of one run. */
export const items_max = 50_000;
/**
 * Longest source as JSON, UTF-16 units; and the part of it that lists of runs and schedules show.
 */
export const source_length_max = 1_000_000;
export const source_shown_max = 16 * 1024;
