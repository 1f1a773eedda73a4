/** Numbers before their nouns, in texts that people read. */

/** `1 row`, `2 rows`. `many`: the plural, unless it is `one` with an s. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
