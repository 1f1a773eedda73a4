/** What the workers of the index know of its contract. */

/** Of the layout of vectors that `vector-block.ts` describes. */
export const vector_layout = {
  layout: 1,
  header_bytes: 16,
  alignment: 16,
  /** Vectors of one text. */
  of_text_max: 16,
  /** Of the chunks of a segment. */
  rows_max: 16 * 256,
} as const;
