/**
 * Splits a configured command line into words, at white space outside of quotes. No shell is
 * involved.
 */

/**
 * Inside `'…'` every character is literal; inside `"…"` and outside of quotes a backslash escapes
 * the next character. Undefined when a quote is not closed.
 */
export function splitCommandLine(command: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
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

/** Values of the placeholders. */
export interface PlaceholderValues {
  readonly input: string;
  readonly output: string;
  readonly language: string;
}

/** Replaces `{input}`, `{output}` and `{language}` in a word; other braces are literal. */
export const fillPlaceholders = (word: string, values: PlaceholderValues): string =>
  word.replace(
    /\{(input|output|language)\}/g,
    (_whole, name: keyof PlaceholderValues) => values[name],
  );
