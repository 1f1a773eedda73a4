/**
 * The analyzer: the terms of each script, their positions in the text, and that any text takes
 * linear time.
 */
import { heapStats } from "bun:jsc";
import { describe, expect, test } from "bun:test";
import { analyzer, hashOf } from "../../plugins/search-index/analysis/analyzer";
import { porter2 } from "../../plugins/search-index/analysis/porter2";
import { analysed } from "../../plugins/search-index/analysis/spelling";

function terms(text: string): string[] {
  const found: string[] = [];
  analyzer.tokenize(text, (_hash, start, end, term) => {
    found.push(term ?? text.slice(start, end));
  });
  return found;
}
function places(text: string): [string, string][] {
  const found: [string, string][] = [];
  analyzer.tokenize(text, (_hash, start, end, term) => {
    found.push([term ?? text.slice(start, end), text.slice(start, end)]);
  });
  return found;
}

describe("terms:", () => {
  const cases: [string, string, string][] = [
    ["English words are stemmed and lower case", "The Running Relations", "the run relat"],
    [
      "a long stem is cut, which roughly stems other languages too",
      "electromagnetism Universitäten",
      "electro univers",
    ],
    [
      "accents make no difference",
      "élève eleve Straße strasse Łódź lodz",
      "elev elev strass strass lodz lodz",
    ],
    ["a possessive ending is dropped", "Ada's Ada’s ADA'S", "ada ada ada"],
    ["an apostrophe separates words", "d'Espagne l’homme don't", "d espagn l homm don t"],
    [
      "a hyphenated word is found whole and by its parts",
      "e-mail well‑known",
      "email e mail wellkno well known",
    ],
    ["a version number is found whole and by its parts", "v1.2.3", "v123 v1 2 3"],
    ["thousands are one number", "3,000 and 3.5", "3000 3 000 and 35 3 5"],
    ["letters with full stops are one word", "U.S. D.C.", "us dc"],
    ["a word hyphenated at the end of a line is joined", "infor-\nmation", "inform infor mation"],
    ["a line-end hyphen before a capital stays a hyphen", "Anglo-\nSaxon", "anglo saxon"],
    [
      "soft hyphens and PDF readers' hyphen marks are dropped",
      "infor\u00admation infor\ufffe\nmation infor\u0002mation",
      "inform inform inform",
    ],
    ["ligatures and full-width forms are plain letters", "ﬁnance ＡＢＣ", "financ abc"],
    ["digits are kept whole, in every script", "2024 ٢٠٢٤ २०२४ ๒๐๒๔", "2024 2024 2024 2024"],
    ["letters and digits together are one word", "AB1234567 1990s", "ab1234567 1990s"],
    ["Chinese gives characters and pairs", "漢字文", "漢 漢字 字 字文 文"],
    ["Japanese gives them across its scripts", "お茶", "お お茶 茶"],
    ["half-width and decomposed kana are normalized", "ｶﾞ か\u3099", "ガ が"],
    ["characters of two UTF-16 units count as one", "𠮷野", "𠮷 𠮷野 野"],
    ["Korean gives syllables and pairs", "한국", "한 한국 국"],
    ["Thai gives trigrams", "ประเทศ", "ประ ระเ ะเท เทศ"],
    ["a Thai run of less than three stays whole", "กข", "กข"],
    ["Russian is cut to five letters, ё is е", "Университет ёлка", "униве елка"],
    ["Greek loses accents and the final sigma", "Λόγος", "λογοσ"],
    ["Arabic loses the article, conjunctions and marks", "الكِتاب والمدرسة", "كتاب مدرس"],
    ["Hebrew loses its points", "שָׁלוֹם", "שלום"],
    ["Devanagari keeps its vowel signs", "हिन्दी में", "हिन्दी में"],
    ["Turkish dotted and dotless i are one", "İstanbul ısı", "istanbu isi"],
    ["underscores connect", "snake_case", "snakeca snake case"],
    ["many hyphenated parts are not joined", "a-b-c-d-e-f-g", "a b c d e f g"],
    ["punctuation only gives nothing", "-- '' … ?!", ""],
    ["an empty text gives nothing", "", ""],
  ];
  for (const [why, text, expected] of cases)
    test(why, () => expect(terms(text).join(" ")).toBe(expected));
});

describe("the position of terms:", () => {
  const cases: [string, string, [string, string][]][] = [
    [
      "a word has its own position",
      "One  two.",
      [
        ["one", "One"],
        ["two", "two"],
      ],
    ],
    [
      "a joined word spans all its parts",
      "x e-mail.",
      [
        ["x", "x"],
        ["email", "e-mail"],
        ["e", "e"],
        ["mail", "mail"],
      ],
    ],
    [
      "a pair spans both characters",
      "漢字",
      [
        ["漢", "漢"],
        ["漢字", "漢字"],
        ["字", "字"],
      ],
    ],
    ["an astral character doesn't shift what follows", "🗂 word", [["word", "word"]]],
    [
      "a soft hyphen at the end isn't part of a word",
      "word\u00ad next",
      [
        ["word", "word"],
        ["next", "next"],
      ],
    ],
  ];
  for (const [why, text, expected] of cases)
    test(why, () => expect(places(text)).toEqual(expected));

  test("positions are in order, and each hash is that of its term", () => {
    const text =
      "The U.S. e-mail of 東京タワー’s Straße: infor-\nmation ประเทศไทย вёл ｶﾞ 𠮷野 v1.2.3!";
    let last = 0;
    analyzer.tokenize(text, (hash, start, end, term) => {
      expect(hash).toBe(hashOf(term ?? text.slice(start, end)));
      expect(start).toBeGreaterThanOrEqual(last);
      expect(end).toBeGreaterThan(start);
      last = start;
    });
  });
});

describe("stems:", () => {
  const cases: [string, string][] = [
    ["caresses", "caress"],
    ["ponies", "poni"],
    ["ties", "tie"],
    ["cats", "cat"],
    ["gas", "gas"],
    ["agreed", "agre"],
    ["plastered", "plaster"],
    ["motoring", "motor"],
    ["sing", "sing"],
    ["conflated", "conflat"],
    ["hopping", "hop"],
    ["falling", "fall"],
    ["filing", "file"],
    ["happy", "happi"],
    ["sky", "sky"],
    ["dying", "die"],
    ["generously", "generous"],
    ["relational", "relat"],
    ["conditional", "condit"],
    ["rationally", "ration"],
    ["vietnamization", "vietnam"],
    ["operator", "oper"],
    ["formality", "formal"],
    ["hopefulness", "hope"],
    ["electricity", "electr"],
    ["goodness", "good"],
    ["adjustment", "adjust"],
    ["adoption", "adopt"],
    ["controlling", "control"],
    ["rate", "rate"],
    ["cease", "ceas"],
    ["yes", "yes"],
    ["proceed", "proceed"],
    ["succeeding", "succeed"],
    ["communication", "communic"],
    ["arsenal", "arsenal"],
    ["by", "by"],
    ["be", "be"],
  ];
  for (const [word, stem] of cases)
    test(`${word} → ${stem}`, () => expect(porter2(word)).toBe(stem));
});

test("degenerate text takes linear time", () => {
  const shapes = [
    "a".repeat(1_000_000),
    "a-".repeat(1_000_000),
    "\n".repeat(1_000_000),
    "a\u00ad".repeat(1_000_000),
    "é".repeat(500_000),
    `a-${" ".repeat(500_000)}`,
    "漢".repeat(1_000_000),
    "a\u0002 ".repeat(1_000_000),
    "'s".repeat(1_000_000),
  ];
  for (const shape of shapes) {
    let count = 0;
    analyzer.tokenize(shape, () => {
      count++;
    });
    expect(count).toBeLessThanOrEqual(2 * shape.length);
  }
});

test("a full cache is cleared and gives the same terms again", () => {
  const words = Array.from(
    { length: 130_000 },
    (_, i) => `w${i.toString(36).replace(/[0-9]/g, (digit) => "ghijklmnop"[Number(digit)]!)}x`,
  );
  const before = terms(words[0]!);
  for (const word of words) terms(word);
  expect(terms(words[0]!)).toEqual(before);
});

test("remembered words keep no more in memory than themselves", () => {
  const usedBytes = (): number => {
    Bun.gc(true);
    const { heapSize, extraMemorySize } = heapStats();
    return heapSize + extraMemorySize;
  };
  const before_bytes = usedBytes();
  for (let n = 0; n < 6_000; n++) {
    const letters = n.toString(26).replace(/[0-9]/g, (digit) => "qrstuvwxyz"[Number(digit)]!);
    analysed(`${letters.repeat(4_000)} is a word.`, analyzer);
  }
  expect(usedBytes() - before_bytes).toBeLessThan(20 * 2 ** 20);
});
