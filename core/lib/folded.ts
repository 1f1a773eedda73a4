/** A word without what differs between its spellings. */

/** Lower case, without accents. */
export const folded = (word: string): string =>
  word.toLowerCase().replaceAll("ß", "ss").normalize("NFD").replace(/\p{M}/gu, "");
