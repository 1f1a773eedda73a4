/**
 * Syllables of Vietnamese that are written with `i` or with `y`, and treated as the same: `bác sĩ`
 * and `bác sỹ`, `quí` and `quý`. Without a tone mark they may be of another language.
 */

const syllable = /^(?:h|k|l|m|qu|s|t|v)[íìỉĩịýỳỷỹỵ]$/;
const with_i = "íìỉĩị";
const with_y = "ýỳỷỹỵ";

/** Both spellings of a word in lower case, first the one with `i`; undefined when it has one. */
export function syllableSpellings(word: string): readonly [string, string] | undefined {
  const composed = word.normalize("NFC");
  if (!syllable.test(composed)) return undefined;
  const vowel = composed.at(-1)!;
  const at = Math.max(with_i.indexOf(vowel), with_y.indexOf(vowel));
  const start = composed.slice(0, -1);
  return [start + with_i[at]!, start + with_y[at]!];
}
