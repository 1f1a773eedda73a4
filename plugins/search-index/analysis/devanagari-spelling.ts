/**
 * Words of Hindi with several spellings, which are treated as the same word: a nukta is often left
 * out (`फ़ाइल`, `फाइल`), a chandrabindu is often written as an anusvara (`पाँच`, `पांच`), and some
 * endings with or without य (`गये`, `गए`).
 */

const is_devanagari = /^[\u0900-\u097f\u200c\u200d]+$/;
const nukta = "\u093c";
const anusvara = "\u0902";
const chandrabindu = "\u0901";
/** Letters that are different with a nukta. */
const dotted = /[कखगजडढफ]/g;
/** In a word with more of these letters, either each has a nukta or none. */
const dotted_max = 3;
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
    .replaceAll(chandrabindu, anusvara);
  const ending = endings.find(([long]) => plain.length > long.length && plain.endsWith(long));
  return ending === undefined ? plain : plain.slice(0, -ending[0].length) + ending[1];
}

/** All spellings of a word in its plain spelling. */
export function spellingsOf(plain: string): Set<string> {
  const ending = endings.find(([, short]) => plain.endsWith(short));
  const forms = ending ? [plain, plain.slice(0, -ending[1].length) + ending[0]] : [plain];
  return new Set(
    forms.flatMap(withNuktas).flatMap((one) => [one, one.replaceAll(anusvara, chandrabindu)]),
  );
}

function withNuktas(word: string): string[] {
  const places = [...word.matchAll(dotted)].map(({ index }) => index + 1);
  if (places.length > dotted_max) return [word, word.replace(dotted, `$&${nukta}`)];
  return places.reduceRight(
    (spelled, at) => [
      ...spelled,
      ...spelled.map((one) => one.slice(0, at) + nukta + one.slice(at)),
    ],
    [word],
  );
}
