/**
 * Generated text for benchmarks, the same at every run: invented words with the frequencies of a
 * natural language.
 */

/** Pseudo-random numbers from 0 to 1 (mulberry32), reproducible by seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const syllables = [
  "ba",
  "cor",
  "del",
  "en",
  "fi",
  "gra",
  "ho",
  "in",
  "ja",
  "kel",
  "lo",
  "mar",
  "ni",
  "or",
  "pe",
  "qua",
  "ri",
  "sta",
  "tu",
  "ver",
  "wen",
  "xi",
  "yo",
  "zen",
];
const endings = ["", "", "", "s", "ed", "ing", "er", "ation", "ly"];
const vocabulary_size = 30_000;

/** The word of this rank; frequent words are short. */
function word(rank: number): string {
  let rest = rank + 1;
  let text = "";
  while (rest > 0) {
    text += syllables[rest % syllables.length]!;
    rest = Math.floor(rest / syllables.length);
  }
  return text + endings[rank % endings.length]!;
}

const vocabulary = Array.from({ length: vocabulary_size }, (_, rank) => word(rank));

/** A rank by Zipf's law with exponent 1. */
const zipfRank = (random: () => number): number =>
  Math.min(vocabulary_size - 1, Math.floor(Math.exp(random() * Math.log(vocabulary_size))) - 1);

/**
 * About `length` characters of sentences in paragraphs, with a topic: a few rarer words that recur.
 */
export function makeText(seed: number, length: number): string {
  const random = seededRandom(seed);
  const topic = Array.from(
    { length: 12 },
    () => vocabulary[200 + Math.floor(random() * (vocabulary_size - 200))]!,
  );
  const paragraphs: string[] = [];
  let characters = 0;
  while (characters < length) {
    const sentences = Array.from({ length: 4 }, () => sentence(random, topic));
    const paragraph = sentences.join(" ");
    paragraphs.push(paragraph);
    characters += paragraph.length + 2;
  }
  return paragraphs.join("\n\n");
}

function sentence(random: () => number, topic: readonly string[]): string {
  const words = Array.from({ length: 8 + Math.floor(random() * 14) }, () =>
    random() < 0.15 ? topic[Math.floor(random() * topic.length)]! : vocabulary[zipfRank(random)]!,
  );
  const text = words.join(" ");
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

/**
 * Texts of 1 to `passages_max` passages of about 770 characters; lengths are uniformly distributed.
 */
export const makeTexts = (count: number, seed = 1, passages_max = 20): string[] =>
  Array.from({ length: count }, (_, index) =>
    makeText(
      seed * 1_000_003 + index,
      770 * (1 + Math.floor(passages_max * seededRandom(seed * 7919 + index)())),
    ),
  );

/** Five words from the middle of a text: a query that has a match. */
export function makeQuery(text: string, seed: number): string {
  const words = text
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length > 3);
  const random = seededRandom(seed);
  return Array.from({ length: 5 }, () => words[Math.floor(random() * words.length)]!).join(" ");
}
