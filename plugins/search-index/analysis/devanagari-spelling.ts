/**
 * Words of Hindi with several spellings, which are treated as the same word: a nukta is often left
 * out (`फ़ाइल`, `फाइल`), a chandrabindu is often written as an anusvara (`पाँच`, `पांच`), as is a
 * nasal before a consonant (`हिन्दी`, `हिंदी`), and some endings with or without य (`गये`, `गए`).
 */

const is_devanagari = /^[\u0900-\u097f\u200c\u200d]+$/;
const nukta = "\u093c";
export const anusvara = "\u0902";
export const chandrabindu = "\u0901";
/** Letters that are different with a nukta. */
const dotted = /[कखगजडढफ]/g;
/** In a word with more of these letters, either each has a nukta or none. */
const dotted_max = 3;
/** The nasal of each class of consonants, and the consonants. */
const nasals: readonly (readonly [string, string])[] = [
  ["ङ", "कखगघ"],
  ["ञ", "चछजझ"],
  ["ण", "टठडढ"],
  ["न", "तथदध"],
  ["म", "पफबभ"],
];
const virama = "\u094d";
const written_nasals = new RegExp(
  nasals.map(([nasal, consonants]) => `${nasal}${virama}(?=[${consonants}])`).join("|"),
  "g",
);
/** In a word with more of these, either each is an anusvara or none. */
const nasals_max = 2;
/** With and without य. */
const endings: readonly (readonly [string, string])[] = [
  ["ये", "ए"],
  ["यी", "ई"],
  [`यें`, `एं`],
  [`यीं`, `ईं`],
];

/** The shortest spelling; undefined for a word of another script. */
export function plainSpelling(word: string): string | undefined {
  if (!is_devanagari.test(word)) return undefined;
  const plain = word
    .normalize("NFKC")
    .replace(/[\u093c\u200c\u200d]/g, "")
    .replaceAll(chandrabindu, anusvara)
    .replace(written_nasals, anusvara);
  const ending = endings.find(([long]) => plain.length > long.length && plain.endsWith(long));
  return ending === undefined ? plain : plain.slice(0, -ending[0].length) + ending[1];
}

/** All spellings of a word in its plain spelling. */
export function spellingsOf(plain: string): Set<string> {
  const ending = endings.find(([, short]) => plain.endsWith(short));
  const forms = ending ? [plain, plain.slice(0, -ending[1].length) + ending[0]] : [plain];
  return new Set(
    forms
      .flatMap(withNasals)
      .flatMap(withNuktas)
      .flatMap((spelling) => [spelling, spelling.replaceAll(anusvara, chandrabindu)]),
  );
}

/** With each anusvara before a consonant as it is, and as the nasal of that consonant. */
function withNasals(word: string): string[] {
  const places = [...word.matchAll(/\u0902(?=(.))/gu)].flatMap(({ index, 1: consonant }) => {
    const nasal = nasals.find(([, consonants]) => consonants.includes(consonant!))?.[0];
    return nasal === undefined ? [] : [{ index, nasal }];
  });
  const withNasal = (spelling: string, { index, nasal }: (typeof places)[number]): string =>
    spelling.slice(0, index) + nasal + virama + spelling.slice(index + 1);
  if (places.length > nasals_max) return [word, places.reduceRight(withNasal, word)];
  return places.reduceRight(
    (spelled, index) => [...spelled, ...spelled.map((spelling) => withNasal(spelling, index))],
    [word],
  );
}

function withNuktas(word: string): string[] {
  const places = [...word.matchAll(dotted)].map(({ index }) => index + 1);
  if (places.length > dotted_max) return [word, word.replace(dotted, `$&${nukta}`)];
  return places.reduceRight(
    (spelled, at) => [
      ...spelled,
      ...spelled.map((spelling) => spelling.slice(0, at) + nukta + spelling.slice(at)),
    ],
    [word],
  );
}
