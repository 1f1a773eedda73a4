/** The kinds of answers that questions ask for: a number, a price, a default, an option … */
import { describe, expect, test } from "bun:test";
import { answerPattern } from "../../plugins/answers-extractive/answer-types";

describe("what a question asks for:", () => {
  const cases: [string, string, string | null, string | null][] = [
    ["how many: a number", "How many towers are there?", "There are 12.", "There are some."],
    ["how often: a frequency", "How often is it cleaned?", "Clean it each month.", "It is clean."],
    ["how often: a number", "How frequently does it run?", "In 40 minutes.", "It runs late."],
    ["how often in German", "Wie oft wird er gefegt?", "Täglich.", "Er wird gefegt."],
    ["how often in French", "À quelle fréquence ?", "Chaque lundi.", "Le lundi."],
    ["how often in Russian", "Как часто?", "Каждый день.", "Днём."],
    ["when: a date", "When was it built?", "It was built in 1889.", "It was built later."],
    ["what year: a date", "In what year did it open?", "It opened in the 1920s.", "It opened."],
    ["who: a name", "Who built it?", "It was built by Gustave.", "it was built by him."],
    ["where: a place", "Where does it stand?", "It stands in Paris.", "It stands there."],
    ["how many in German", "Wie viele Türme gibt es?", "Es gibt 12.", "Es gibt einige."],
    ["how long in German", "Wie lang ist er?", "Es sind 12 Meter.", "Er ist lang."],
    ["how many in Arabic, with Arabic digits", "كم عدد الأبراج؟", "هناك ١٢ برجا", "هناك أبراج"],
    ["how many in Chinese, with Han numerals", "有多少座塔？", "有十二座塔。", "有很多塔。"],
    [
      "how many in German, in words",
      "Wie viele Stufen hat er?",
      "Er hat dreihundert.",
      "Er hat beachtlich viele.",
    ],
    ["how many in Turkish, in words", "Kaç kule var?", "Yirmi altı kule var.", "Kuleler var."],
    ["how much in Turkish", "Bilet ne kadar?", "Bilet ellidir, yani beşe on var.", "Bilet burada."],
    ["how many in Greek, in words", "Πόσες φορές;", "Δύο φορές.", "Μερικές φορές."],
    ["how many in Hindi, in words", "कितने दिन?", "छब्बीस दिन।", "कुछ दिन।"],
    ["how many in Vietnamese, in words", "Có bao nhiêu tháp?", "Có mười tháp.", "Có nhiều tháp."],
    ["how many in Russian, in words", "Сколько башен?", "Их двенадцать.", "Их много."],
    ["how many in Thai, in words", "มีหอคอยกี่แห่ง", "มีสามแห่ง", "มีมาก"],
    [
      "when in Japanese",
      "塔はいつ建てられましたか？",
      "塔は1889年に建てられた。",
      "塔は建てられた。",
    ],
    ["what year in Spanish", "¿En qué año se abrió?", "Se abrió en 1889.", "Se abrió tarde."],
    ["who in Russian", "Кто построил башню?", "Башню построил Эйфель.", "башню построил он."],
    ["why: a reason", "Why is it famous?", "Because it is tall.", "It is tall."],
    ["which number: a number", "Which number stands for red?", "3 – Red", "A kind of red"],
    ["a price: a sum", "How much does a ticket cost?", "It is $20.", "It has 20 pages."],
    ["a price: a number beside the word", "What is the fee?", "The fee of it is 3.", "It is 3."],
    ["a price in German", "Was kostet eine Karte?", "Sie ist kostenlos.", "Sie ist aus Papier."],
    ["a default: its value", "What is the default depth?", "Default: deep.", "All depths do."],
    ["by default: what it is", "How deep is it by default?", "The default is deep.", "It is 3 m."],
    ["a default: what holds otherwise", "Which is the default?", "If none is given, A.", "A is."],
    ["a default in German", "Wie tief ist es standardmäßig?", "Voreinstellung: tief", "Es ist 3 m"],
  ];
  for (const [why, question, yes, no] of cases)
    test(why, () => {
      expect(answerPattern(question)!.test(yes!)).toBe(true);
      expect(answerPattern(question)!.test(no!)).toBe(false);
    });
  test("anything else: nothing in particular", () =>
    expect([
      answerPattern("What is a tower?"),
      answerPattern("Was ist ein Turm?"),
      answerPattern("Wiederholung"),
    ]).toEqual([null, null, null]));
});

describe("a sentence that answers about options:", () => {
  const cases: [why: string, question: string, sentence: string, holds: boolean][] = [
    ["it explains the named option", "What does washer -n do?", "-n Wash nothing.", true],
    [
      "it explains the named option after a bullet",
      "What does --heat do?",
      "● --heat=DEGREES Wash at so many.",
      true,
    ],
    [
      "a mere mention of the option isn't enough",
      "What does --heat do?",
      "Give --heat before it.",
      false,
    ],
    [
      "an option with the same prefix isn't enough",
      "What does --heat do?",
      "--heater Which one.",
      false,
    ],
    [
      "it explains the named command",
      "What is the default of \\hbox?",
      "▶ \\hbox (integer) Is one.",
      true,
    ],
    [
      "it contains any option",
      "Which option prints crop marks?",
      "Crop marks come with ‘-k’.",
      true,
    ],
    [
      "it explains the named option, typeset with a minus",
      "What does --heat do?",
      "−−heat DEGREES Wash at so many.",
      true,
    ],
    [
      "it contains any option, typeset with a minus",
      "Which option prints crop marks?",
      "−k prints crop marks.",
      true,
    ],
    [
      "it contains any option, typeset with a dash",
      "Which option prints crop marks?",
      "–k prints crop marks.",
      true,
    ],
    ["a difference is not an option", "Which option prints?", "The margin is a−b.", false],
    ["it contains any option, in German", "Welcher Schalter druckt?", "Das tut --print.", true],
    [
      "a hyphen or a dash is not an option",
      "Which option prints?",
      "Well-known marks - or none.",
      false,
    ],
  ];
  for (const [why, question, sentence, holds] of cases)
    test(why, () => expect(answerPattern(question)!.test(sentence)).toBe(holds));
  test("a question without an option doesn't ask for one", () =>
    expect(answerPattern("Is the e-mail well-known - or not?")).toBeNull());
});
