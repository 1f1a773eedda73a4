/** What a command prints to standard error when something went wrong. */

/**
 * In the style of the API's problems, whoever put it into words: with a capital letter and a full
 * stop. Lines after the first are left as they are.
 */
export function complaintOf(message: string): string {
  const [first_line, ...others] = message.trimEnd().split("\n");
  return [`dossier: ${asSentence(first_line!)}`, ...others].join("\n");
}

/** Only an ordinary word gets the capital: a path, a flag or a setting is spelled as it is. */
function asSentence(text: string): string {
  const sentence = /^[a-z]+(?:'[a-z]+)?[ ,]/.test(text)
    ? text[0]!.toUpperCase() + text.slice(1)
    : text;
  return /[.!?…:]$/.test(sentence) ? sentence : `${sentence}.`;
}
