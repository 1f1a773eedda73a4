/** Which statements of a model its source supports: numbers, negations and names must agree. */
import { describe, expect, test } from "bun:test";
import { quantitiesIn } from "../../plugins/answers-openai/facts/quantities";
import { checkedAnswer as checked } from "../helpers/checked-answer";

const filter =
  "Filter care. The filter of the cooker hood must be replaced every ninety days. Washing it is " +
  "not allowed. The warranty lasts 7 years. Never operate the hood without a filter. The hood " +
  "weighs 12.5 kg, needs at least 65 cm above the stove, and was designed by Anna Keller in " +
  "Hamburg. Deliveries arrive on Tuesday; the workshop is closed in August.";
const filter_de =
  "Der Filter der Haube muss alle neunzig Tage ersetzt werden. Er darf nicht gewaschen werden. " +
  "Die Garantie gilt sieben Jahre. Die Haube wiegt 12,5 kg und braucht mindestens 65 cm Abstand " +
  "zum Herd. Das Werk in Hamburg wurde 1974 von Anna Keller gegründet.";
const filter_fr =
  "Le filtre de la hotte doit être remplacé tous les quatre-vingt-dix jours. Il ne doit jamais " +
  "être lavé. La garantie dure sept ans. La hotte pèse 12,5 kg.";
const filter_es =
  "El filtro de la campana debe cambiarse cada noventa días. No se debe lavar nunca. La garantía " +
  "dura siete años. La campana pesa 12,5 kg y fue diseñada por Ana Robles.";

const en = "How do I care for the filter?";
const de = "Wie wird der Filter gepflegt?";
const fr = "Comment entretenir le filtre ?";
const es = "¿Cómo se cuida el filtro?";

type Case = [why: string, source: string, question: string, statement: string];
const untrue: Case[] = [
  [
    "a number and unit taken from elsewhere in the source",
    filter,
    en,
    "The filter must be replaced every seven years [1].",
  ],
  [
    "a negation the source doesn't have",
    filter,
    en,
    "The filter must never be replaced at all [1].",
  ],
  ["a different number in digits", filter, en, "The filter must be replaced every 30 days [1]."],
  ["a different unit", filter, en, "The filter must be replaced every ninety weeks [1]."],
  ["a different interval in one word", filter, en, "The filter must be replaced weekly [1]."],
  ["an omitted negation", filter, en, "Washing the filter is allowed [1]."],
  [
    "an omitted negation in a prohibition",
    filter,
    en,
    "You can operate the hood without a filter [1].",
  ],
  ["a different name", filter, en, "The hood was designed by Peter Brandt [1]."],
  ["a different place", filter, en, "The hood was designed by Anna Keller in Munich [1]."],
  ["a different weight", filter, en, "The hood weighs 125 kg [1]."],
  [
    "a lower bound turned into an upper one",
    filter,
    en,
    "The hood needs at most 65 cm above the stove [1].",
  ],
  ["swapped numbers", filter, en, "The warranty lasts ninety days [1]."],
  ["a different day of the week", filter, en, "Deliveries arrive on Friday [1]."],
  ["a different month", filter, en, "The workshop is closed in March [1]."],
  ["an antonym", filter, en, "The workshop is open in August [1]."],
  [
    "a different number in a short answer",
    filter,
    "How often must the filter be replaced?",
    "Every seven years [1].",
  ],
  [
    "a different number in German",
    filter_de,
    de,
    "Der Filter muss alle sieben Jahre ersetzt werden [1].",
  ],
  ["an added negation in German", filter_de, de, "Der Filter muss nie ersetzt werden [1]."],
  ["an omitted negation in German", filter_de, de, "Der Filter darf gewaschen werden [1]."],
  [
    "a different year in German",
    filter_de,
    de,
    "Das Werk wurde 1984 von Anna Keller gegründet [1].",
  ],
  ["a different name in German", filter_de, de, "Das Werk wurde von Peter Brandt gegründet [1]."],
  ["a different place in German", filter_de, de, "Das Werk in Bremen wurde 1974 gegründet [1]."],
  [
    "a reversed bound in German",
    filter_de,
    de,
    "Die Haube braucht höchstens 65 cm Abstand zum Herd [1].",
  ],
  [
    "a different number in French",
    filter_fr,
    fr,
    "Le filtre doit être remplacé tous les soixante-dix jours [1].",
  ],
  ["an added negation in French", filter_fr, fr, "Le filtre ne doit jamais être remplacé [1]."],
  ["an omitted negation in French", filter_fr, fr, "Le filtre doit être lavé [1]."],
  [
    "a different number in Spanish",
    filter_es,
    es,
    "El filtro debe cambiarse cada cuarenta días [1].",
  ],
  ["an added negation in Spanish", filter_es, es, "El filtro no debe cambiarse nunca [1]."],
  ["a different name in Spanish", filter_es, es, "La campana fue diseñada por Carmen Ruiz [1]."],
];
const faithful: Case[] = [
  ["the same words", filter, en, "The filter must be replaced every ninety days [1]."],
  ["the number in digits", filter, en, "The filter must be replaced every 90 days [1]."],
  ["the number in another unit", filter, en, "Replace the filter every three months [1]."],
  ["an interval in one word", filter, en, "The filter has to be replaced quarterly [1]."],
  [
    "a different word order",
    filter,
    en,
    "Every ninety days, the filter of the hood must be replaced [1].",
  ],
  ["a prohibition in other words", filter, en, "The filter must not be washed [1]."],
  ["a negation as a verb", filter, en, "Washing the filter is prohibited [1]."],
  ["two negations", filter, en, "Do not operate the hood without a filter [1]."],
  ["a number as a word", filter, en, "The warranty lasts seven years [1]."],
  [
    "facts from two sentences",
    filter,
    en,
    "The filter must be replaced every 90 days, and the warranty lasts seven years [1].",
  ],
  ["a name", filter, en, "Anna Keller designed the hood [1]."],
  ["a name and its place", filter, en, "The hood was designed by Anna Keller in Hamburg [1]."],
  ["a weight in another unit", filter, en, "The hood weighs 12,500 g [1]."],
  ["a bound in other words", filter, en, "The hood needs a minimum of 65 cm above the stove [1]."],
  [
    "a day of the week",
    filter,
    en,
    "Deliveries arrive on Tuesdays [1].".replace("Tuesdays", "Tuesday"),
  ],
  ["a month", filter, en, "In August the workshop is closed [1]."],
  ["a short answer", filter, "How often must the filter be replaced?", "Every ninety days [1]."],
  ["a short answer in digits", filter, "How often must the filter be replaced?", "90 days [1]."],
  [
    "a word that every object has",
    "The constructor takes the path. It has 3 constructor calls.",
    "What does it take?",
    "The constructor takes the path [1].",
  ],
  ["a short answer that is a name", filter, "Who designed the hood?", "Anna Keller [1]."],
  ["German", filter_de, de, "Der Filter muss alle 90 Tage ersetzt werden [1]."],
  [
    "German, a prohibition",
    filter_de,
    de,
    "Der Filter darf keinesfalls gewaschen werden, er ist nicht zu waschen [1]."
      .replace("keinesfalls ", "nicht ")
      .replace(", er ist nicht zu waschen", ""),
  ],
  [
    "German, a year and a name",
    filter_de,
    de,
    "Anna Keller hat das Werk 1974 in Hamburg gegründet [1].",
  ],
  [
    "German, a bound",
    filter_de,
    de,
    "Die Haube braucht einen Abstand von wenigstens 65 cm zum Herd [1].",
  ],
  ["German, a weight", filter_de, de, "Die Haube hat 12,5 Kilogramm, so viel wiegt sie [1]."],
  ["French", filter_fr, fr, "Il faut remplacer le filtre de la hotte tous les 90 jours [1]."],
  ["French, a prohibition", filter_fr, fr, "Le filtre ne doit pas être lavé [1]."],
  ["French, a number as a word", filter_fr, fr, "La garantie dure 7 ans [1]."],
  ["Spanish", filter_es, es, "El filtro debe cambiarse cada 90 días [1]."],
  ["Spanish, a prohibition", filter_es, es, "El filtro no se debe lavar [1]."],
  [
    "Spanish, a name",
    filter_es,
    es,
    "Ana Robles diseñó la campana, que pesa 12,5 kg [1].".replace(
      "diseñó la campana, que",
      "es quien fue diseñadora de la campana;",
    ),
  ],
];

const hut =
  "The northern shutters brace the porch; two wardens can lift them, one cannot. Stack all nine in " +
  "the wood store, leaning, never flat. The winter room must stay unlocked from November to April. " +
  "Unused leave may be carried over; it is not paid out. The spring has failed only twice, in 1976 " +
  "and in 2018. The pump delivers 40 litres per minute. Change the gas, never with a guest in the " +
  "kitchen.";
const rules = "What are the rules?";
const more = (statements: readonly string[]): Case[] =>
  statements.map((statement) => [statement, hut, rules, `${statement} [1].`]);
untrue.push(
  ...more([
    "Stack the nine shutters flat",
    "The winter room must stay locked from November to April",
    "Unused leave is paid out",
    "The spring failed in 1967 and in 2018",
    "The pump delivers 40 litres per hour",
    "You may change the gas with a guest in the kitchen",
  ]),
);
faithful.push(
  ...more([
    "Stack the nine shutters leaning, never flat",
    "The winter room must not be locked from November to April",
    "Unused leave is not paid out",
    "The spring has failed twice, in 1976 and 2018",
    "The pump delivers 40 l/min",
    "Never change the gas while a guest is in the kitchen",
  ]),
);

describe("an unsupported statement", () => {
  test.each(untrue)("with %s is marked and not grounded", (_why, source, question, statement) => {
    const { answer, grounded, is_usable, citations } = checked(statement, [source], question);
    expect([grounded, is_usable, citations.length]).toEqual([false, false, 0]);
    expect(answer).toBe(statement.replace("[1]", "[?]"));
  });
});
describe("a supported statement", () => {
  test.each(faithful)("with %s stays grounded", (_why, source, question, statement) => {
    const { answer, grounded, is_usable } = checked(statement, [source], question);
    expect([answer, grounded, is_usable]).toEqual([statement, true, true]);
  });
});

describe("a statement with two markers", () => {
  const warranty = "The warranty of the hood lasts seven years. Keep the receipt.";
  const filters = "The filter of the hood must be replaced every ninety days.";
  const budget = ["The budget was approved in May.", "The budget of the school is small."];
  const cases: [why: string, sources: string[], statement: string, grounded: boolean][] = [
    ["that share one word of it", budget, "The budget financed pirates [1][2].", false],
    [
      "that share one word of it, the other marker alone",
      budget,
      "The budget financed pirates [1].",
      false,
    ],
    [
      "each for one clause",
      [warranty, filters],
      "The warranty lasts seven years and the filter must be replaced every ninety days [1][2].",
      true,
    ],
    [
      "each for a clause, one of them untrue",
      [warranty, filters],
      "The warranty lasts seven years and the filter must be replaced every thirty days [1][2].",
      false,
    ],
    [
      "each for a clause, one of them invented",
      [warranty, filters],
      "The warranty lasts seven years and the pirates financed the revolution secretly [1][2].",
      false,
    ],
    [
      "of which one source alone bears it out",
      [warranty, filters],
      "The filter of the hood must be replaced every ninety days [1][2].",
      true,
    ],
    [
      "each for a part of a list",
      ["Tents are stored in the blue hall.", "Boats are stored in the red hall."],
      "Tents are stored in the blue hall, boats in the red hall [1][2].",
      true,
    ],
    [
      "that combines two sources in one clause",
      ["The heron eats fish from the lake.", "The kingfisher eats fish from the river."],
      "The heron and the kingfisher both eat fish [1][2].",
      true,
    ],
    [
      "that combines two sources in German",
      ["Der Reiher frisst Fische aus dem See.", "Die Garantie gilt sieben Jahre."],
      "Der Reiher frisst Fische, und die Garantie gilt sieben Jahre [1][2].",
      true,
    ],
  ];
  test.each(cases)("%s", (_why, sources, statement, grounded) =>
    expect(checked(statement, sources, "What is known?").grounded).toBe(grounded),
  );
});

test.each([
  ["The hood is a hood that needs a stove [1].", false],
  ["The hood weighs 12.5 kg [1].", true],
] as [string, boolean][])(
  "a how-many question is answered only by a number: %s",
  (statement, is_usable) => {
    const said = checked(statement, [filter], "How many kilograms does the hood weigh?");
    expect([said.is_usable, said.grounded]).toEqual([is_usable, true]);
  },
);

const tank = "The tank of the SI-450 holds 2 litres and weighs 3 kg. It was built in 1974.";
describe("a number has the unit of the question:", () => {
  const cases: [question: string, statement: string, grounded: boolean][] = [
    ["How many litres does the tank hold?", "2 [1]", true],
    ["How many litres does the tank hold?", "3 [1]", false],
    ["How many kilograms does the tank weigh?", "3 [1]", true],
  ];
  test.each(cases)("%s %s", (question, statement, grounded) =>
    expect(checked(statement, [tank], question).grounded).toBe(grounded),
  );
});
describe("a heading", () => {
  const cases: [why: string, heading: string, shown: string][] = [
    ["with a code of the source", "## SI-450", "## SI-450"],
    ["with another code", "## SI-500", "## SI-500 [?]"],
    ["with a year of the source", "## Built in 1974", "## Built in 1974"],
    ["with another year", "## Built in 1984", "## Built in 1984 [?]"],
    ["with the number of a step", "## Step 3", "## Step 3"],
    ["with a number of its own", "## 2. Filling", "## 2. Filling"],
  ];
  test.each(cases)("%s", (_why, heading, shown) => {
    const statement = "The tank holds 2 litres [1].";
    const { answer } = checked(`${heading}\n\n${statement}`, [tank], "How big is the tank?");
    expect(answer).toBe(`${shown}\n\n${statement}`);
  });
});

const boiling = "Boil all drinking water for 3 minutes. Section 2 is about fire.";
test.each([
  ["How long must drinking water be boiled?", "1. 2 [1]", false],
  ["Wie lange muss Trinkwasser kochen?", "3 [1]", false],
  ["How long must drinking water be boiled?", "3 minutes [1].", true],
  ["How many minutes must drinking water be boiled?", "3 [1]", true],
  ["Which section is about fire?", "2 [1]", true],
  ["How many minutes must drinking water be boiled?", "2 [1]", false],
  ["How much time does drinking water boil?", "3 [1]", false],
] as [question: string, statement: string, is_usable: boolean][])(
  "%s A number without a unit answers only questions for a number: %s",
  (question, statement, is_usable) => {
    expect(checked(statement, [boiling], question).is_usable).toBe(is_usable);
  },
);

describe("the numbers", () => {
  const cases: [text: string, values: number[]][] = [
    ["twenty-five hundred and three", [2_503]],
    ["five hundred and six thousand seven hundred and eighty-nine", [506_789]],
    ["zweihundertfünfundzwanzig Meter, dreitausend", [225, 3_000]],
    ["quatre-vingt-dix-sept, soixante et onze, mille deux cents", [97, 71, 1_200]],
    ["treinta y cinco, quinientos mil, veintidós", [35, 500_000, 22]],
    ["1.5 million and 3 dozen", [1_500_000, 36]],
    ["the one who waits", []],
    ["1. Open the lid", []],
    ["The constructor, and 2 constructors; 3 constructor calls, toString", [2, 3]],
  ];
  test.each(cases)("in %p", (text, values) =>
    expect(
      quantitiesIn(text)
        .filter((quantity) => !quantity.is_weak)
        .map((quantity) => quantity.values[0]!),
    ).toEqual(values),
  );
});
