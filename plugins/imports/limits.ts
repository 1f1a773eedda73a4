/** Limits shared by several files. */

/** Maximum length of an item's name, UTF-16 units: more than a document or a folder may have. */
export const name_length_max = 1_000;
/** Maximum length of an item's address, UTF-16 units. */
export const uri_length_max = 4_096;
/** Maximum number of items in a run. */
export const items_max = 50_000;
/**
 * Maximum length of a source as JSON, UTF-16 units; and the part shown in lists of runs and
 * schedules.
 */
export const source_length_max = 1_000_000;
/** A source that is longer than this, as JSON in UTF-16 units, is shown shortened. */
export const source_shown_max = 16 * 1024;
