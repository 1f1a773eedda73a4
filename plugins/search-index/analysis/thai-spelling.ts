/**
 * Sara am (`ำ`) is one character, or two (`ํา`), as many PDF files write it; a tone mark stands
 * before both, or between them.
 */

const one = "\u0e33";
const nikhahit = "\u0e4d";
const sara_aa = "\u0e32";

/** With one character, as it is typed. */
export const plainThai = (text: string): string =>
  text.includes(nikhahit) ? text.replace(/\u0e4d([\u0e48-\u0e4b]?)\u0e32/g, `$1${one}`) : text;

/** The other beginnings of a term that contains it, of the same length. */
export function thaiSpellings(term: string): string[] {
  if (!term.includes(one)) return [];
  const apart = term.replaceAll(one, nikhahit + sara_aa);
  const tone_between = term.replace(/([\u0e48-\u0e4b])\u0e33/g, `${nikhahit}$1${sara_aa}`);
  return [apart, tone_between.replaceAll(one, nikhahit + sara_aa)].map((spelled) =>
    spelled.slice(0, term.length),
  );
}
