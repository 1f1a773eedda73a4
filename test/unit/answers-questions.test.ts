/** What kind of question is asked, and which lines of a document ask or number what follows. */
import { describe, expect, test } from "bun:test";
import { requiresType } from "../../plugins/answers-extractive/answer-types";
import { isQuestionAbove, numberLabel } from "../../plugins/answers-extractive/line-kinds";
import { mailLines } from "../../plugins/answers-extractive/mail-lines";
import { asksWhatIsNot } from "../../plugins/answers-extractive/negated-questions";
import { withNext } from "../../plugins/answers-extractive/order-questions";
import { namedIn } from "../../plugins/answers-extractive/question-names";
import { withoutAsking } from "../../plugins/answers-extractive/question-terms";
import type { Word } from "../../plugins/answers-extractive/question-weights";
import type { Features } from "../../plugins/answers-extractive/sentence-features";
import { askedSection, asksSection, sectionTest } from "../../plugins/answers-extractive/sections";
import { asksYesOrNo, existenceAskedAt } from "../../plugins/answers-extractive/yes-or-no";
import { analyzer } from "../../plugins/search-index/analysis/analyzer";
import { sentencesOf } from "../../plugins/search/sentences";

const analyze = (text: string): Word[] => {
  const words: Word[] = [];
  analyzer.tokenize(text, (_hash, start, end, term) => {
    words.push({ term: term ?? text.slice(start, end), start, end });
  });
  return words;
};

describe("a yes or a no is asked for:", () => {
  test.each([
    "Can I keep a parrot?",
    "Is there a lift?",
    "Darf ich einen Papagei halten?",
    "Est-ce que le chien paie ?",
    "Les chiens sont-ils admis ?",
    "¿Se puede fumar?",
    "Posso fumare?",
    "Köpek girebilir mi?",
    "可以带狗吗？",
  ])("%s", (question) => expect(asksYesOrNo(question)).toBe(true));
  test.each([
    "Who keeps a parrot?",
    "Can you tell me what to bring?",
    "Is the lift on the left or on the right?",
    "Kannst du mir sagen, wann geöffnet ist?",
    "¿Puede decirme dónde está?",
    "The parrot is kept.",
  ])("not: %s", (question) => expect(asksYesOrNo(question)).toBe(false));
});

test.each([
  ["Is there a sauna in the hostel?", "sauna"],
  ["Does the hostel have a sauna?", "sauna"],
  ["Gibt es eine Sauna?", "Sauna"],
  ["Y a-t-il un sauna ?", "sauna"],
  ["¿Hay sauna en el hotel?", "sauna"],
  ["Is there a limit for bags?", null],
  ["Gibt es Ausnahmen?", null],
  ["Is the sauna open?", null],
  ["Where is there a sauna?", null],
])("%s asks whether there is: %p", (question, thing) => {
  const at = existenceAskedAt(question);
  expect(at === null ? null : question.slice(at).startsWith(thing ?? "-")).toBe(
    thing === null ? null : true,
  );
});

test.each([
  ["What is the phone number?", true],
  ["Is there a phone number of the hostel?", true],
  ["Will the phone numbers change?", false],
  ["Sont-ce que des numéros de téléphone ?", true],
  ["Bleiben die Telefonnummern?", true],
])("%s needs a number: %p", (question, needed) => expect(requiresType(question)).toBe(needed));

test.each([
  ["What does section 4 say?", true],
  ["Was steht in § 4?", true],
  ["Que dit l'article 4 ?", true],
  ["第四条是什么？", true],
  ["What does 4.2 say?", true],
  ["What is new in version 4.2 of the server?", false],
  ["When are the bags fetched?", false],
])("%s names a section: %p", (question, expected) => expect(asksSection(question)).toBe(expected));

test.each([
  ["4.2 Bags are fetched.", "4.2 "],
  ["(3) Bags are fetched.", "(3) "],
  ["12. Bags are fetched.", "12. "],
  ["1.2.3. Bags are fetched.", "1.2.3. "],
  ["4.2 litres are enough.", ""],
  ["14 bags are fetched.", ""],
])("the number of %s", (sentence, label) => expect(numberLabel(sentence)).toBe(label));

describe("a line asks what is below it:", () => {
  const below = (text: string): boolean => {
    const [above, span] = sentencesOf(text);
    return isQuestionAbove(text, above, span!);
  };
  test.each([
    "**May I bring a dog?**\nOnly small ones.",
    "**May I bring a dog?**\nYes, but only a small one.",
    "May I bring a dog?\n\nOnly small ones.",
    "- **May I bring a dog?**\n\nOnly small ones.",
    "我可以带狗吗？\n只能带小狗。",
    "Problem: The dog barks.\nSolution: Give it a bone.",
    "• Frage: Der Hund bellt. • Antwort: Er braucht einen Knochen.",
  ])("%j", (text) => expect(below(text)).toBe(true));
  test.each([
    "May I bring a dog? Only small ones.",
    "May I bring a dog?\nMay I bring a cat?",
    "May I bring a dog?\nMarek",
    "Dogs may come.\nOnly small ones.",
    "Dogs may come.\nSolution: Give it a bone.",
    "Problem: The dog barks.\nProblem: The cat is silent.",
  ])("not: %j", (text) => expect(below(text)).toBe(false));
});

test.each([
  ["Can I stay for 5 weeks?", []],
  ["¿Puede entrar mi hijo de 14 años?", []],
  ["Is the code 104 an error?", ["104"]],
  ["Was it built in 1970?", ["1970"]],
  ["Who stayed for 25 weeks?", ["25"]],
] as const)("the numbers of %s that must be found: %p", (question, numbers) => {
  const language = question.startsWith("¿") ? "es" : "en";
  const named = namedIn(question, { analysis: { analyze, sentences: sentencesOf }, language });
  const found = named.filter(({ kind }) => kind === "number").map(({ text }) => text);
  expect(found).toEqual([...numbers]);
});

test.each([
  ["How far is the lake?", ["far"]],
  ["Is the lake far from here?", []],
  ["How far is the lake, and is the hut far?", []],
  ["Wie hoch ist der Turm?", ["hoch"]],
  ["¿Qué pasa si llueve?", ["pasa"]],
  ["Are parrots allowed?", ["allow"]],
  ["Who allowed parrots?", []],
] as const)("the words of %s that only ask: %p", (question, asking) => {
  const terms = analyze(question).map(({ term }) => ({ term, idf: 2, others: [] }));
  const light = withoutAsking(terms, question, analyze).filter(({ idf }) => idf < 2);
  expect(light.map(({ term }) => term).filter((term) => !/^(?:how|wie|que)$/.test(term))).toEqual([
    ...asking,
  ]);
});

test.each([
  ["What does section 4.2 of the rules say?", "4.2"],
  ["What does 4.2 say?", "4.2"],
  ["Was steht in § 4?", "4"],
  ["Was steht in Absatz 2.1?", "2.1"],
  ["Que dit l'article 4 ?", "4"],
  ["第4条是什么？", "4"],
  ["5. madde ne diyor?", "5"],
  ["What is new in 4.2?", null],
  ["How many rules are there in 2024?", null],
])("the section that %s asks for: %p", (question, section) =>
  expect(askedSection(question)).toBe(section),
);

describe("the sentences of a section:", () => {
  const text =
    "2. Bags\n\n2.1 Bags are fetched. 2.3 Each bag is 4.90 m long.\nIt has a label.\n\n" +
    "§ 4 Dogs\n\nDogs stay.\n\nArticle 5 - Cats\n\nCats go.";
  const cases: [why: string, section: string, heading: string | null, sentences: string[]][] = [
    ["up to the next one", "2.3", null, ["2.3 Each bag is 4.90 m long.", "It has a label."]],
    ["with a sign", "4", null, ["§ 4 Dogs", "Dogs stay."]],
    ["with a word", "5", null, ["Article 5 - Cats", "Cats go."]],
    ["no number in a sentence begins one", "90", null, []],
  ];
  test.each(cases)("%s", (_why, section, heading, expected) => {
    const isIn = sectionTest({ text, heading }, section);
    const spans = sentencesOf(text).filter(({ start }) => isIn(start));
    expect(spans.map(({ start, end }) => text.slice(start, end))).toEqual(expected);
  });
  test("with its parts", () =>
    expect(sectionTest({ text, heading: null }, "2")(text.indexOf("2.1"))).toBe(true));
  test("below its heading", () =>
    expect(sectionTest({ text: "They rest.", heading: "1 House › 1.7 Rest" }, "1.7")(0)).toBe(
      true,
    ));
});

test.each([
  ["What is not covered by the warranty?", true],
  ["Which bags cannot be fetched?", true],
  ["Was deckt die Garantie nicht ab?", true],
  ["What happens if no bag is there?", false],
  ["Why is the bag not there?", false],
  ["What is fetched without a label?", false],
  ["Is the bag not there?", false],
])("%s asks for what is not: %p", (question, expected) =>
  expect(asksWhatIsNot(question)).toBe(expected),
);

describe("lines of mail:", () => {
  const mail = [
    "From: Ada Byron <ada@example.com>",
    "Date: Mon, 4 May 2026",
    "Dear Carl,",
    "The board meets.",
    "> On Fri, 1 May 2026, Carl <carl@example.com> wrote:\n> When does it meet?",
  ];
  test.each([
    ["are no statements", mail, "What does the board do?", [0, 1, 2, 4]],
    ["headers say when and by whom", mail, "When was it sent?", [2, 4]],
    ["a document has a line like them", ["Date: Monday", "It opens."], "What opens?", []],
    ["no address", ["From: the harbour", "To: the lake", "It goes."], "What goes?", []],
  ])("%s", (_why, texts, question, expected) =>
    expect([...mailLines(texts, question)].sort()).toEqual(expected),
  );
});

describe("the order of steps:", () => {
  const features: Features = {
    coverage: 0,
    count: 0,
    before: 0,
    after: 0,
    title: 0,
    passage: 1,
    answer_type: 0,
    counted: 0,
    numbers: 0,
    key: 0,
    novelty: 1,
    broken: 0,
    code: 0,
    length: 0,
  };
  const sentence = (source: number, start: number, score: number) => ({
    source,
    start,
    end: start + 9,
    score,
    features,
    terms: [],
    similarity: null,
  });
  const ranked = [sentence(0, 20, 14), sentence(1, 30, 13), sentence(0, 0, 7), sentence(0, 10, 5)];
  const all = [...ranked, sentence(0, 40, 4), sentence(0, 30, 3)];
  test.each([
    ["what is after it", "What comes after closing the lid?", 30],
    ["what is to be done then", "What do I do after closing the lid?", 30],
    ["in German", "Was mache ich nach dem Schließen?", 30],
    ["what is before it", "What comes before closing the lid?", 10],
    ["a duration", "What is left after a year?", null],
    ["another question", "How is the lid closed?", null],
  ])("%s", (_why, question, start) => {
    const [named, next] = withNext(question, all);
    expect(named).toBe(all[0]!);
    expect(next!.score === named!.score ? next!.start : null).toBe(start);
  });
});
