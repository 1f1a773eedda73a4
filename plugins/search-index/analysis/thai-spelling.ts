/**
 * Sara am (`ำ`) is one character, or two (`ํา`), as many PDF files write it; a tone mark stands
 * before both, or between them.
 */

const sara_am = "\u0e33";
const nikhahit = "\u0e4d";
const sara_aa = "\u0e32";

/** With one character, as it is typed. */
export const plainThai = (text: string): string =>
  text.includes(nikhahit) ? text.replace(/\u0e4d([\u0e48-\u0e4b]?)\u0e32/g, `$1${sara_am}`) : text;

/** The other beginnings of a term that contains it, of the same length. */
export function thaiSpellings(term: string): string[] {
  if (!term.includes(sara_am)) return [];
  const apart = term.replaceAll(sara_am, nikhahit + sara_aa);
  const tone_between = term.replace(/([\u0e48-\u0e4b])\u0e33/g, `${nikhahit}$1${sara_aa}`);
  return [apart, tone_between.replaceAll(sara_am, nikhahit + sara_aa)].map((spelled) =>
    spelled.slice(0, term.length),
  );
}
