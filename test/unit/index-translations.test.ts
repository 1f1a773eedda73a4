/** The glossary, what the words of a query are translated into, and their synonyms. */
import { describe, expect, test } from "bun:test";
import glossary from "../../plugins/search-index/analysis/glossary.tsv" with { type: "text" };
import { indexedAs, queryHashes } from "../helpers/query-hashes";

describe("a query finds in texts of another language:", () => {
  const cases: [why: string, query: string, language: string, words: string][] = [
    ["a noun", "Wo ist die Brücke?", "en", "bridge bridges"],
    ["a plural with umlaut", "Wie heißen die Brücken und Länder?", "en", "bridge country"],
    ["a verb in another form", "Wann wurde die Stadt gebaut?", "en", "built city"],
    ["a participle with ge", "Was wird hier gedruckt?", "en", "print"],
    ["a strong verb", "Wer hat das Buch geschrieben?", "en", "wrote book"],
    ["a separated verb", "Wie schaltet man das Gerät ab?", "en", "disable deactivate"],
    ["the parts of a compound", "Wie ist die Druckertemperatur?", "en", "printer temperature"],
    ["the parts of a joined compound", "Wo ist der Versicherungsbrief?", "en", "insurance letter"],
    ["French, with accents", "Quelle est la température de la maison ?", "en", "temperature house"],
    ["French verbs", "Comment imprimer les pages ?", "de", "drucken"],
    ["Spanish", "¿Cuál es la temperatura de la casa?", "en", "temperature house"],
    ["Spanish in German", "¿Dónde está la ciudad?", "de", "stadt"],
    ["English in German, in its cases", "Where is the house?", "de", "haus häuser"],
    ["English plurals", "What are the bridges made of?", "fr", "pont"],
  ];
  test.each(cases)("%s", (_why, query, language, words) => {
    const hashes = queryHashes(query, [language]);
    for (const word of words.split(" ")) expect(hashes, word).toContain(indexedAs(word));
  });
});

describe("a query finds synonyms in texts of its language:", () => {
  const cases: [why: string, query: string, language: string, words: string][] = [
    ["English", "How do I disable this?", "en", "deactivate deactivated"],
    ["English, of another form", "Who begins?", "en", "start started"],
    ["German", "Wann kommt das Medikament?", "de", "arzneimittel"],
    ["German, of a separated verb", "Wie schaltet man das Gerät ab?", "de", "deaktivieren"],
    ["French", "Où est le panneau ?", "fr", "volet"],
    ["Spanish", "¿Dónde está el ordenador?", "es", "computadora"],
  ];
  test.each(cases)("%s", (_why, query, language, words) => {
    const hashes = queryHashes(query, [language]);
    for (const word of words.split(" ")) expect(hashes, word).toContain(indexedAs(word));
  });
});

test("a word with a hyphen is looked up as a whole", () => {
  const hashes = queryHashes("Wo ist das Zusatzmodul?", ["en"]);
  expect(hashes).toContain(indexedAs("addon"));
  expect(hashes).not.toContain(indexedAs("on"));
});

test("the parts of a compound are not its synonyms", () => {
  const hashes = queryHashes("Wie ist die Druckertemperatur?", ["de"]);
  expect(hashes).not.toContain(indexedAs("temperatur"));
});

describe("nothing is added to", () => {
  const cases: [why: string, query: string, languages: readonly string[]][] = [
    ["a query in the language of the texts, without synonyms", "Wo ist die Brücke?", ["de"]],
    ["a query in a language without glossary", "Dov'è il ponte della città?", ["en"]],
    ["texts in a language without glossary", "Wo ist die Brücke?", ["ru"]],
    ["a word longer than a compound", `Wo ist Druckertemperatur${"n".repeat(60)}?`, ["en"]],
    ["words that are none of the glossary", "Wo ist der Xylbrk?", ["en"]],
    ["stopwords", "Wie ist das mit der und die?", ["en"]],
  ];
  test.each(cases)("%s", (_why, query, languages) => {
    expect(queryHashes(query, languages)).toEqual(queryHashes(query));
  });
});

test("words with accents are not taken for those without", () => {
  const hashes = queryHashes("Wie drucke ich das?", ["en"]);
  expect(hashes).toContain(indexedAs("print"));
  expect(hashes).not.toContain(indexedAs("push"));
});

test("every line of the glossary has single words of four languages", () => {
  const lines = glossary.trimEnd().split("\n");
  const cell = /^[^\s,]+(?:, [^\s,]+)*$/u;
  const wrong = lines.filter((line) => {
    const cells = line.split("\t");
    return cells.length !== 4 || !cells.every((one) => cell.test(one) && one === one.toLowerCase());
  });
  expect(wrong).toEqual([]);
  expect(new Set(lines).size).toBe(lines.length);
});
