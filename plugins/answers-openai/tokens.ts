/**
 * How many tokens a text will be to a model: a guess that is rather too high, because every model
 * counts in its own way.
 */

const bytes_per_token = 3.2;
/** Scripts whose characters are about a token each. */
const dense =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;

export function tokensOf(text: string): number {
  const one_each = text.match(dense)?.length ?? 0;
  return Math.ceil(one_each + Buffer.byteLength(text.replace(dense, "")) / bytes_per_token);
}
