/** Limits that several parts share. */

/** Items of one run. */
export const items_max = 50_000;
/** Addresses that a caller may list. */
export const urls_max = 10_000;
/** Longest address of an item, UTF-16 units. */
export const uri_length_max = 4_096;
