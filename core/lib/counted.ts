/** Numbers before their nouns, in texts that people read. */

/** `1 row`, `2 rows`. `plural` is needed only where it is not the singular with an s. */
export const counted = (count: number, singular: string, plural = `${singular}s`): string =>
  `${count} ${count === 1 ? singular : plural}`;
