/** The language of a text, detected from its alphabet and its function words. */
import { describe, expect, test } from "bun:test";
import {
  areLanguagesDifferent,
  languageOf,
  stopwordsOf,
} from "../../plugins/search-index/analysis/languages";

const cases: [string, string, string | null][] = [
  [
    "units and codes, which are French words, in an English table",
    "Article,Description,Unit\nA-100,Hard oil,1 l\nA-210,Teak oil,1 l\nM-300,Edge of wood,5 m\n" +
      "M-310,Delivery within a week,2 l\nA-320,Wax,1 l",
    "en",
  ],
  [
    "English",
    "The tower was built in the year of the fair, and it is still the tallest of them all.",
    "en",
  ],
  [
    "German",
    "Der Turm wurde in diesem Jahr gebaut, und er ist noch immer der höchste von allen.",
    "de",
  ],
  [
    "French",
    "La tour a été construite dans cette année et elle est encore la plus haute de toutes.",
    "fr",
  ],
  [
    "Spanish",
    "La torre fue construida en ese año y todavía es la más alta de todas las que hay.",
    "es",
  ],
  [
    "Italian",
    "La torre è stata costruita in quell'anno ed è ancora la più alta di tutte quelle che ci sono.",
    "it",
  ],
  [
    "Portuguese",
    "A torre foi construída nesse ano e ainda é a mais alta de todas as que há.",
    "pt",
  ],
  [
    "Dutch",
    "De toren werd in dat jaar gebouwd en het is nog altijd de hoogste van allemaal.",
    "nl",
  ],
  [
    "Polish",
    "Wieża została zbudowana w tym roku i jest nadal najwyższa ze wszystkich, które są.",
    "pl",
  ],
  [
    "Turkish",
    "Bu kule o yıl için yapıldı ve daha sonra da en yüksek olan kule oldu, çünkü çok iyi.",
    "tr",
  ],
  [
    "Russian",
    "Эта башня была построена в том году, и она до сих пор выше, чем все, что есть.",
    "ru",
  ],
  ["Ukrainian", "Ця вежа була збудована в тому році, і вона є вище, ніж усі, що там є.", "uk"],
  ["Arabic", "تم بناء هذا البرج في تلك السنة وهو من أعلى ما كان في المدينة على النهر", "ar"],
  ["Greek, from its letters", "Ο πύργος χτίστηκε", "el"],
  ["Japanese, even when mostly kanji", "東京塔は同年に建設された", "ja"],
  ["Chinese", "这座塔建于同一年", "zh"],
  ["Korean", "이 탑은 그 해에 지어졌다", "ko"],
  ["Thai", "หอคอยนี้สร้างขึ้นในปีนั้น", "th"],
  [
    "English with a name in Japanese",
    `The tower of ${"東京"} was built in the year of the fair and is still the tallest of them.`,
    "en",
  ],
  ["no function words: unknown", "alpha beta gamma delta", null],
  ["numbers only: unknown", "1 2 3 4,5", null],
  ["an empty text: unknown", "", null],
];
for (const [why, text, expected] of cases) test(why, () => expect(languageOf(text)).toBe(expected));

const short_questions: [string, string, string | null][] = [
  ["two stopwords", "When was it built?", "en"],
  ["a Turkish letter and no stopword", "Marquand'ın mesleği?", "tr"],
  ["a Vietnamese letter and no stopword", "Giờ khởi hành?", "vi"],
  ["the same, decomposed", "Giờ khởi hành?".normalize("NFD"), "vi"],
  ["words that are French stopwords, but Turkish letters", "Fırını en son Ayla mı onardı?", "tr"],
  ["a Turkish name in an English question", "When was Erdoğan born?", "en"],
  ["neither", "Marquand?", null],
];
describe("the language of a question with", () => {
  test.each(short_questions)("%s", (_why, question, expected) =>
    expect(languageOf(question, { is_question: true })).toBe(expected),
  );
});

/** Hardly a stopword, as usual in Turkish. */
const turkish =
  "Tambur yedi kilogram çamaşır alır. Tüy filtresi iki ayda bir temizlenmelidir; önce kalan suyu " +
  "yayvan bir kaba boşaltın. Kireç, altmış derecede boş yıkamada sitrik asitle giderilir.";
const pairs: [string, string, string, boolean][] = [
  ["the same language", "When are tickets sold?", "The tickets are sold from ten to six.", false],
  ["different languages", "Wann werden Karten verkauft?", "Tickets are sold from ten.", true],
  ["a text of few stopwords", "Bisiklet lastiği nasıl değiştirilir?", turkish, false],
  ["a question in another language on it", "How is a tyre replaced?", turkish, true],
  ["a shared word, and no stopwords", "Filtre?", "Filtre, tambur, kapak.", false],
  [
    "a Turkish question with a name that the text has, and no stopwords",
    "Marquand'ın babasının mesleği?",
    "Marquand was the daughter of a pharmacist, and she drew what she saw in the shop.",
    true,
  ],
  ["no shared words, and no stopwords", "Reifen?", "Filtre, tambur, kapak.", true],
  [
    "a question of kanji alone and a Japanese text",
    "東京都渋谷区人口",
    "渋谷区の人口は二十三万人である。",
    false,
  ],
  [
    "the same with little kana",
    "東京都渋谷区現在人口の推移",
    "渋谷区の人口は二十三万人である。",
    false,
  ],
  [
    "a Chinese question and a Japanese text",
    "涩谷区有多少人吗",
    "渋谷区の人口は二十三万人である。",
    true,
  ],
  ["a question of Han alone and a Chinese text", "涩谷区人口", "涩谷区的人口是二十三万人。", false],
  [
    "a question of Han alone and an English text",
    "東京人口",
    "The people are in the town and they are many of them.",
    true,
  ],
];
describe("whether a question and a text are in different languages:", () => {
  test.each(pairs)("%s", (_why, question, text, expected) =>
    expect(areLanguagesDifferent(question, text)).toBe(expected),
  );
});

const questions: [string, string, string][] = [
  [
    "verbs that only help another one, in German",
    "Was muss ich tun, bevor die Pumpe läuft?",
    "Pumpe läuft",
  ],
  ["in French", "Que faut-il faire avant de vider le tambour ?", "vider tambour"],
  ["a compound of such words", "Le tambour est-il vide ?", "tambour vide"],
  ["in Spanish", "¿Cómo puedo vaciar mi tambor?", "vaciar tambor"],
  ["in Italian", "Come posso svuotare il mio tamburo?", "svuotare tamburo"],
  ["in Portuguese", "Como devo esvaziar o meu tambor?", "esvaziar tambor"],
  ["in Dutch", "Wat moet ik doen voordat mijn pomp draait?", "voordat pomp draait"],
  ["a word of another language counts", "How is a muss cleaned?", "muss cleaned"],
];
describe("what counts in a question, without", () => {
  test.each(questions)("%s", (_why, question, expected) => {
    const isStopword = stopwordsOf(question);
    const words = [...question.matchAll(/\p{L}+/gu)];
    const left = words.filter(({ 0: word, index }) => !isStopword(index, index + word.length));
    expect(left.map(([word]) => word).join(" ")).toBe(expected);
  });
});
