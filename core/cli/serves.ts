/** Whether the executable was started as a server. */

/** `words`: the arguments. Without any it is a server, too. */
export const serves = (words: readonly string[]): boolean =>
  words.length === 0 || words.includes("serve");
