/**
 * A command line as settings give it, to words: white space parts them, quotes keep them together.
 * No shell has a say. Pure.
 */

/**
 * Inside `'…'` everything is itself; inside `"…"` and outside of quotes a backslash makes the next
 * character itself.
 * Undefined when a quote is not closed.
 */
export function wordsOf(command: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined, quote: string | undefined;
  for (let at = 0; at < command.length; at++) {
    const character = command[at]!;
    if (character === "\\" && quote !== "'") word = (word ?? "") + (command[++at] ?? "\\");
    else if (character === quote) quote = undefined;
    else if (quote === undefined && (character === "'" || character === '"')) {
      quote = character;
      word ??= "";
    } else if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  if (quote !== undefined) return undefined;
  return word === undefined ? words : [...words, word];
}

export interface Places {
  readonly input: string;
  readonly output: string;
  readonly language: string;
}

/** `{input}`, `{output}` and `{language}` in a word; other braces are themselves. */
export const filled = (word: string, places: Places): string =>
  word.replace(/\{(input|output|language)\}/g, (_whole, name: keyof Places) => places[name]);
