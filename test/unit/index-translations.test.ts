/** The glossary, what the words of a query are translated into, and their synonyms. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { glossary_files } from "../../plugins/search-index/analysis/glossary-files";
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
    ["English in Russian, in its cases", "Where is the bridge?", "ru", "мост моста"],
    ["English in Chinese", "Where is the airport?", "zh", "机场"],
    ["Italian verbs", "Come si sostituisce la batteria?", "en", "replace battery"],
    ["Portuguese plurals", "Quando são as eleições?", "en", "election"],
    ["Russian cases", "Сколько дней отпуска у работников?", "en", "holiday employee"],
    ["Russian adjectives", "Где южная граница?", "en", "southern border"],
    ["Greek, of the past", "Ποιος κατασκεύασε τη γέφυρα;", "en", "build bridge"],
    ["Turkish, passive", "Bu ürün nerede satılıyor?", "en", "sell product"],
    ["Hindi plurals", "कर्मचारियों को कितने दिन की छुट्टी मिलती है?", "en", "employee holiday"],
    ["Czech cases", "Kolik dní dovolené mají zaměstnanci?", "en", "holiday staff"],
    ["Romanian articles", "Unde se află aeroportul orașului?", "en", "airport city"],
    ["Swedish plurals", "Vem byggde broarna?", "en", "build bridge"],
    ["Thai, in text without spaces", "วิธีเปลี่ยนแบตเตอรี่ของเครื่องพิมพ์คืออะไร", "en", "replace printer"],
    ["English in Thai, the end", "Where is the printer?", "th", "มพ์"],
    ["Ukrainian cases", "Скільки днів відпустки мають працівники?", "en", "holiday employee"],
    ["Arabic, with article", "متى بُني الجسر؟ كيف يتم تنظيف المياه؟", "en", "bridge water"],
    ["Dutch vowels", "Waar staan de grote bruggen?", "en", "large bridge"],
    ["Polish cases", "Ile urlopu przysługuje pracownikom?", "en", "holiday employee"],
    ["Vietnamese, words of two syllables", "Làm thế nào để thay máy in?", "en", "replace printer"],
    [
      "Japanese, words of three characters",
      "プリンターの電池を交換する方法は？",
      "en",
      "printer battery",
    ],
    ["Korean, before a particle", "직원의 휴가는 며칠입니까?", "en", "employee holiday"],
    ["English in Korean, the second pair", "Where is the printer?", "ko", "린터"],
    ["Chinese, in text without spaces", "如何更换打印机的电池？", "en", "replace printer battery"],
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
    ["Russian", "Где здесь аэропорт?", "ru", "аэродром"],
    ["Chinese", "如何学习英语？", "zh", "英文"],
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
    ["a query in a language without glossary", "Hvor er broen over floden?", ["en"]],
    ["texts in a language without glossary", "Wo ist die Brücke?", ["da"]],
    ["Chinese characters that are part of no word", "的了呢", ["en"]],
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

describe("every language of the glossary", () => {
  const linesOf = (path: string): string[] =>
    readFileSync(path, "utf8").replace(/\n$/, "").split("\n");
  const concepts = linesOf(glossary_files.en).length;
  const single_words = /^[^\s,]+(?:, [^\s,]+)*$/u;
  const words_of_syllables = /^[^\s,]+(?: [^\s,]+)*(?:, [^\s,]+(?: [^\s,]+)*)*$/u;
  test.each(Object.entries(glossary_files))("%s", (language, path) => {
    const lines = linesOf(path);
    expect(lines).toHaveLength(concepts);
    const cell = language === "vi" ? words_of_syllables : single_words;
    const wrong = lines.filter(
      (line) =>
        (line !== "" && !cell.test(line)) ||
        line !== line.toLowerCase() ||
        line !== line.normalize("NFC"),
    );
    expect(wrong).toEqual([]);
    expect(lines.filter((line) => line === "").length / concepts).toBeLessThan(0.05);
  });
});
