/** Estimates how many tokens a text has for a language model. */

const bytes_per_token = 3.2;
const dense_scripts = ["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar"];
/** Characters that take about a token each. */
const dense = new RegExp(
  `[${dense_scripts.map((script) => `\\p{Script=${script}}`).join("")}]`,
  "gu",
);

/** A rather high estimate of a text's tokens: every model counts differently. */
export function tokensOf(text: string): number {
  const dense_count = text.match(dense)?.length ?? 0;
  return Math.ceil(dense_count + Buffer.byteLength(text.replace(dense, "")) / bytes_per_token);
}
