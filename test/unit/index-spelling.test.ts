/** British, American, Hindi and Vietnamese spelling: words that are equivalent, and words that are not. */
import { describe, expect, test } from "bun:test";
import { analyzer, hashOf } from "../../plugins/search-index/analysis/analyzer";
import { commonTerm } from "../../plugins/search-index/analysis/spelling";
import { indexedAs, queryHashes } from "../helpers/query-hashes";

function termsOf(text: string): string[] {
  const terms: string[] = [];
  analyzer.tokenize(text, (_hash, start, end, term) => {
    const written = text.slice(start, end);
    terms.push(commonTerm(written, analyzer) ?? term ?? written);
  });
  return terms;
}
describe("equivalent spellings:", () => {
  const cases: [why: string, pairs: string][] = [
    ["-our, -or", "colour color, neighbourhood neighborhood, favourites favorites"],
    ["-ise, -ize, whatever follows", "organised organized, initialisation initialization"],
    ["-yse, -yze", "analysing analyzing, paralyse paralyze"],
    ["-re, -er", "centre center, kilometres kilometers, centred centered, metring metering"],
    ["-ence, -ense", "licence license, licences licensed, defence defense"],
    ["a noun and a verb", "practising practicing, practise practice"],
    ["-ogue, -og", "dialogue dialog, catalogues catalogs"],
    ["one l or two", "travelled traveled, modelling modeling, fulfil fulfill, skilful skillful"],
    ["a dropped e", "judgement judgment, ageing aging"],
    ["ae and oe", "haemoglobin hemoglobin, anaemia anemia, oestrogen estrogen, foetal fetal"],
    ["individual words", "grey gray, aluminium aluminum, artefacts artifacts, sulphuric sulfuric"],
    ["several rules in one word", "colourised colorized, colourised colourized"],
    ["regardless of case", "Colour color, ORGANISE organize"],
    ["a nukta", "फ़ाइल फाइल, ग़ज़ल गजल, ग़ज़ल ग़जल, पढ़ना पढना"],
    ["chandrabindu and anusvara", "पाँच पांच, यहाँ यहां, ज़ुबाँ जुबां"],
    ["a nasal and anusvara", "हिन्दी हिंदी, सम्बन्ध संबंध, सम्बन्ध संबन्ध, ठण्डा ठंडा, अङ्क अंक"],
    ["a nasal, chandrabindu and nukta in one word", "पञ्चमी पंचमी, ज़िन्दगी जिंदगी"],
    ["an ending with or without य", "नये नए, गयी गई, रुपये रुपए, चाहिये चाहिए"],
    ["i and y of Vietnamese", "quí quý, sĩ sỹ, kĩ kỹ, tỉ tỷ, LÍ lý"],
  ];
  for (const [why, pairs] of cases)
    test(why, () => {
      for (const pair of pairs.split(", ")) {
        const [british, american] = pair.split(" ") as [string, string];
        expect(termsOf(british)).toEqual(termsOf(american));
        expect(queryHashes(british), `${british} finds ${american}`).toContain(indexedAs(american));
        expect(queryHashes(american), `${american} finds ${british}`).toContain(indexedAs(british));
      }
    });
});

describe("different words:", () => {
  const cases: [why: string, pairs: string][] = [
    ["different letters before the ending", "prize prise, size sise, wise wize"],
    ["words with separate meanings", "tire tyre, check cheque, story storey"],
    ["similar letters inside a word", "number numbre, science sciense, four for"],
    ["a digit in the word", "colour2 color2, centre3 center3"],
    ["other vowels and letters of Hindi", "दिन दीन, बाल भाल, काम कम"],
    ["a nasal before a letter of another class", "अन्य अंय, जन्म जंम"],
    ["i and y of other words", "ai ay, túi túy, my mi, si sy"],
  ];
  for (const [why, pairs] of cases)
    test(why, () => {
      for (const pair of pairs.split(", ")) {
        const [one, other] = pair.split(" ") as [string, string];
        expect(termsOf(one)).not.toEqual(termsOf(other));
        expect(queryHashes(one)).not.toContain(indexedAs(other));
      }
    });
  test("a noun keeps the stem it shares with its verb", () => {
    for (const pair of ["precise precision", "revised revision", "advertise advertisement"]) {
      const [one, other] = pair.split(" ") as [string, string];
      expect(termsOf(one)).toEqual(termsOf(other));
    }
  });
});

test("a word with only one spelling is looked up once", () =>
  expect(queryHashes("manual")).toEqual([hashOf("manual")]));
