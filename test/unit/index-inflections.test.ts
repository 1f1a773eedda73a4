/** Other forms of a word, by language: those that a query finds, and those that are other words. */
import { describe, expect, test } from "bun:test";
import { analyzer, analyzers } from "../../plugins/search-index/analysis/analyzer";
import { parseQuery } from "../../plugins/search-index/analysis/query";
import { indexedAs, queryHashes } from "../helpers/query-hashes";

const pairsOf = (list: string) =>
  list.split(", ").map((pair) => pair.split(" ") as [string, string]);

describe("forms of one word, which find each other:", () => {
  const cases: [why: string, language: string, pairs: string][] = [
    ["Turkish plurals", "tr", "bisiklet bisikletler, ev evlerimizde, oda odalarımızda"],
    ["Turkish cases", "tr", "okul okula, araba arabanın, kapı kapıyı, yol yoldan, göl gölde"],
    ["Turkish possessives", "tr", "fatura faturası, kitap kitabım, üye üyesi"],
    ["Turkish soft consonants", "tr", "çocuk çocuğun, kitap kitabı, dolap dolaba, ağaç ağacın"],
    ["Greek cases and plurals", "el", "πόλη πόλεις, νερό νερού, μήνας μήνες, πόρτα πόρτες"],
    ["Greek words without accents", "el", "ΟΔΟΣ οδού, ΠΟΛΗ πόλεις"],
    ["Hindi plurals", "hi", "किताब किताबें, महीना महीने, नौकरी नौकरियाँ, दवा दवाएँ"],
    ["Hindi oblique forms", "hi", "घर घरों, लड़का लड़कों, आदमी आदमियों, बहू बहुओं"],
    ["Hindi verbs and adjectives", "hi", "बदलना बदलने, अच्छा अच्छी"],
    ["Hindi forms in another spelling", "hi", "नौकरी नौकरियां, दवा दवाएं"],
    ["the Hebrew article and prepositions", "he", "בית הבית, עיר בעיר, רחוב לרחוב, חוזה שהחוזה"],
    ["Hebrew plurals", "he", "ספר ספרים, מורה המורים, דירה דירות, הילד ילדים"],
    ["Arabic plurals and possessives", "ar", "شركة شركات, مدينة مدينتها"],
    ["Russian nouns", "ru", "книга книги, дом домов, окно окна, соль соли, улица улицу"],
    ["Russian adjectives", "ru", "злой злого, новый нового"],
    ["Ukrainian nouns", "uk", "вода води, місто міста, школа школі, ключ ключі"],
    ["Polish nouns", "pl", "dom domu, książka książki, miasto miasta, szkoła szkole"],
    ["Czech nouns", "cs", "kniha knihy, voda vody, okno okna, klíč klíče"],
    ["German plurals with and without umlaut", "de", "Haus Häuser, Buch Bücher, Frau Frauen"],
    ["German cases", "de", "Kind Kindern, Tisch Tischen, Straße Straßen, Regel Regeln"],
    ["German participles", "de", "gewechselt wechseln, eingestellt einstellen, geöffnet öffnen"],
    ["German participles without ge", "de", "verwendet verwenden, installiert installieren"],
    ["German strong verbs", "de", "geladen lädt, gefahren fuhr, angegeben angeben, erhielt erhält"],
    ["English irregular verbs", "en", "swept sweep, swept sweeping, wrote written, ran runs"],
    ["English irregular plurals", "en", "mice mouse, feet foot, halves half, criteria criterion"],
    ["Dutch plurals", "nl", "boek boeken, huis huizen, boom bomen, brief brieven"],
    ["Swedish forms with an article", "sv", "hus huset, bil bilarna, flicka flickor"],
    ["Danish and Norwegian forms", "da", "hus huset, bil bilerne, pige pigerne"],
    ["French plurals", "fr", "cheval chevaux, bateau bateaux, travail travaux"],
    ["Spanish plurals", "es", "país países, papel papeles"],
    ["Italian plurals", "it", "libro libri, casa case, chiave chiavi, amica amiche"],
    ["Portuguese plurals", "pt", "avião aviões, animal animais, mês meses"],
    ["Romanian forms with an article", "ro", "casă case, chirie chiria, oraș orașul"],
    ["Finnish cases", "fi", "talo taloissa, kirja kirjan, kaupunki kaupungin, nainen naisen"],
    ["Hungarian cases", "hu", "ház házban, könyv könyvek, alma almát"],
  ];
  test.each(cases)("%s", (_why, language, pairs) => {
    for (const [one, other] of pairsOf(pairs)) {
      expect(queryHashes(one, [language]), `${one} finds ${other}`).toContain(indexedAs(other));
      expect(queryHashes(other, [language]), `${other} finds ${one}`).toContain(indexedAs(one));
    }
  });
});

describe("different words:", () => {
  const cases: [why: string, language: string, pairs: string][] = [
    ["of Turkish", "tr", "kar kart, bal balık, kal kale, at atom, can cam, masa masal"],
    ["of Greek", "el", "πόλη πόλεμος, μέρα μέρος, ώρα ωραία, χώρος χορός"],
    ["of Hindi", "hi", "कम काम, दिन दीन, घर घोड़ा, रात राजा"],
    ["of Hebrew", "he", "ספר ספק, שם שמן, דג דגל"],
    ["of Arabic", "ar", "كتاب كتف, عين عنب, بحر بحث"],
    ["of Russian", "ru", "вода водка, рука ручка, стол столб, кот кит"],
    ["of Polish", "pl", "kot kat, las laska, rok rokita"],
    ["of German", "de", "Haus Hase, Buch Bucht, Kind Kindheit, Rat Ratte"],
    [
      "of English",
      "en",
      "left leave, saw see, rose rise, led lead, index indicate, thesis these, leaf leave",
    ],
    ["of Spanish", "es", "casa caso, puerto puerta, plato plata"],
    ["of Italian", "it", "casa caso, porto porta, collo colla"],
    ["of Finnish", "fi", "talo talvi, kukka kulku"],
    ["forms of another language", "en", "libro libri, Haus Häuser, ev evler"],
    ["words with digits", "de", "a4 a4en, k9 k9s"],
  ];
  test.each(cases)("%s", (_why, language, pairs) => {
    for (const [one, other] of pairsOf(pairs))
      expect(queryHashes(one, [language]), `${one} and ${other}`).not.toContain(indexedAs(other));
  });
});

describe("the language of a query", () => {
  const cases: [why: string, query: string, languages: string[], form: string, found: boolean][] = [
    ["is that of its stopwords", "wo sind die Bücher", ["en"], "Buch", true],
    ["is that of its letters, if it has none", "kapının", ["en"], "kapı", true],
    ["is that of the texts, if it has neither", "Bücher", ["de"], "Buch", true],
    ["may be each of several", "Bücher", ["fr", "de"], "Buch", true],
    ["is none, if nothing tells it", "Bücher", [], "Buch", false],
    ["is told by an alphabet alone", "книги", [], "книга", true],
  ];
  test.each(cases)("%s", (_why, query, languages, form, found) => {
    expect(queryHashes(query, languages).includes(indexedAs(form))).toBe(found);
  });
});

describe("Thai words with sara am", () => {
  const cases: [why: string, text: string][] = [
    ["as one character", "น้ำ"],
    ["as two, after the tone mark", "น้ํา"],
    ["as two, around the tone mark", "นํ้า"],
    ["without a tone mark", "ทํางาน"],
  ];
  test.each(cases)("are found %s", (_why, text) => {
    const query = text.replace(/\u0e4d([\u0e48-\u0e4b]?)\u0e32/, "$1\u0e33");
    const { hashes, terms } = parseQuery(query, undefined, analyzers, analyzer.version);
    const indexed = new Set<number>();
    analyzer.tokenize(text, (hash) => indexed.add(hash));
    const found = hashes.get(analyzer.version)!.filter(({ hash }) => indexed.has(hash));
    expect(new Set(found.map(({ at }) => at)).size).toBe(terms.length);
  });
});

describe("the word for a quantity is found by a question:", () => {
  const cases: [why: string, question: string, word: string, found: boolean][] = [
    ["how heavy", "How heavy is it?", "weight", true],
    ["how heavy: not the height", "How heavy is it?", "height", false],
    ["a verb", "How much does it weigh?", "weight", true],
    ["the adjective alone asks for nothing", "Is the heavy lid closed?", "weight", false],
    ["the verb alone neither", "Weigh it again", "weight", false],
    ["how far behind other words", "What is it, and how far does it reach?", "distance", true],
    ["German", "Wie schwer ist das Gerät?", "Gewicht", true],
    ["a German verb", "Wie viel wiegt das Gerät?", "Gewicht", true],
    ["French", "Combien pèse cet appareil ?", "poids", true],
    ["Spanish", "¿Cuánto pesa el aparato?", "peso", true],
    ["Italian", "Quanto dura la garanzia?", "durata", true],
    ["Dutch", "Hoe zwaar is het apparaat?", "gewicht", true],
  ];
  test.each(cases)("%s", (_why, question, word, found) =>
    expect(queryHashes(question, ["en"]).includes(indexedAs(word))).toBe(found),
  );
});

describe("of a question with a number, only what is counted is looked up:", () => {
  const cases: [why: string, question: string][] = [
    ["how many", "How many towers?"],
    ["how much", "How much towers?"],
  ];
  test.each(cases)("%s", (_why, question) => {
    const { terms } = parseQuery(question, undefined, analyzers, analyzer.version, ["en"]);
    expect(terms.map(({ forms }) => forms[0])).toEqual(["towers"]);
  });
});

test("a long query is looked up in few forms", () => {
  const words = Array.from(
    { length: 200 },
    (_, i) => `слово${String.fromCharCode(1072 + (i % 30))}`,
  );
  const text = words.map((word, i) => word + "абвгдежз"[i % 8]).join(" ");
  expect(queryHashes(`дом стол ${text}`).length).toBeLessThan(400);
});
