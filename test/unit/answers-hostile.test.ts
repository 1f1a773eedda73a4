/** Texts made to take long, up to the longest that are accepted: all are read in linear time. */
import { describe, expect, test } from "bun:test";
import { spellsOut } from "../../plugins/answers-extractive/abbreviations";
import { answerPattern } from "../../plugins/answers-extractive/answer-types";
import { namedIn } from "../../plugins/answers-extractive/question-names";
import { questionParts } from "../../plugins/answers-extractive/question-parts";
import { onOneLine } from "../../plugins/answers-extractive/quote-text";
import { findSentences } from "../../plugins/answers-extractive/sentence-finder";
import { analyzer, analyzers } from "../../plugins/search-index/analysis/analyzer";
import { areLanguagesDifferent, languageOf } from "../../plugins/search-index/analysis/languages";
import { parseQuery } from "../../plugins/search-index/analysis/query";
import { analysed } from "../../plugins/search-index/analysis/spelling";
import { composePrompt } from "../../plugins/answers-openai/prompt";
import type { Message } from "../../plugins/answers-openai/provider";
import type { Question } from "../../plugins/chats/contract";
import { sentencesOf } from "../../plugins/search/sentences";
import { checkedAnswer } from "../helpers/checked-answer";

const question_chars = 32_000;
/** Repeated up to the length of the longest question. */
const long = (part: string): string => part.repeat(Math.ceil(question_chars / part.length));

const analyze = (text: string): { term: string; start: number; end: number }[] => {
  const words: { term: string; start: number; end: number }[] = [];
  analyzer.tokenize(text, (_hash, start, end, term) => {
    words.push({ term: term ?? text.slice(start, end), start, end });
  });
  return words;
};
const analysis = { analyze, sentences: sentencesOf };

test("a text of nothing but an abbreviation is searched for its long form in linear time", () =>
  expect(spellsOut(long("NMU, "), "NMU")).toBe(false));

describe("the names in a question of", () => {
  const half = (part: string): string => long(part).slice(0, question_chars / 2);
  const cases: [why: string, question: string, names: number][] = [
    ["full stops, then names", `${half(". ")}${half("of the Ada ")}`, 1_454],
    ["full stops in brackets, then names", `${half(".) ")}${half("of the Ada ")}`, 1_454],
    ["names, each at the beginning of a sentence", long("of the. Ada "), 0],
    ["a name after a long run of marks", `which of the${long(' "')}Ada`, 1],
  ];
  test.each(cases)("%s", (_why, question, names) =>
    expect(namedIn(question, { analysis, language: "en" })).toHaveLength(names),
  );
});

describe("an answer to a question of", () => {
  const text = "The pump is cleaned once a week.";
  const cases: [why: string, question: string][] = [
    ["Han characters, of which two terms begin at each", `pump ${long("保証期間延長手続")}`],
    ["rare characters, whose terms all have the place of the run", `pump ${long("保証𠀀ﾊﾟ")}`],
  ];
  test.each(cases)("%s", async (_why, question) => {
    const terms = analyze("pump").map(({ term }) => ({ term, idf: 2, others: [] }));
    const passage = { quote: text, document_name: "a.txt", heading: null, score: 1 };
    const found = { passages: [passage as never], meanings: [null], terms, lead: null };
    const options = { analysis, areLanguagesDifferent, languageOf };
    const { chosen } = await findSentences({ text: question }, found, options);
    expect(chosen.map(({ start, end }) => text.slice(start, end))).toEqual([text]);
  });
});

const promptFor = (question: Partial<Question>): readonly Message[] => {
  const asked = { text: "What is iron?", prompts: [], history: [], ...question } as never;
  const limits = { context_tokens: 1_000_000, answer_tokens: 100, passages_max: 8 };
  const passages = [{ document_name: "a.txt", heading: null, quote: "Iron is a metal." } as never];
  return composePrompt(asked, passages, limits, false).messages;
};

describe("read in linear time:", () => {
  const spaces = " ".repeat(300_000);
  const parsed = (query: string) => parseQuery(query, undefined, analyzers, analyzer.version);
  const rare = long("保証𠀀ﾊﾟ");
  const cases: [why: string, read: () => unknown, expected: unknown][] = [
    ["a query of rare characters, which are one word", () => parsed(rare).terms.length, 8],
    [
      "a query of more words than count",
      () => parsed(Array.from({ length: 5_000 }, (_, n) => `w${n}x`).join(" ")).terms.length,
      256,
    ],
    ["the terms of rare characters", () => analysed(rare, analyzer).length, 42_671],
    [
      "the parts of a question with a long run of spaces",
      () => questionParts(`What is it${spaces}made of?`).length,
      1,
    ],
    [
      "what a question asks for that seems to ask for many prices",
      () => answerPattern("how much is ".repeat(60_000))?.test("12"),
      true,
    ],
    [
      "a quote with a long run of spaces",
      () => onOneLine(`of iron${spaces}[1${spaces}and steel [2]`),
      "of iron [1 and steel",
    ],
    [
      "a question for a language model with a long run of spaces",
      () => promptFor({ text: `What is <${spaces}iron?` }).length,
      2,
    ],
    [
      "an earlier turn of nothing but backticks, which is too long",
      () => promptFor({ history: [{ question: "", answer: "` ``".repeat(300_000) }] }).length,
      2,
    ],
    [
      "a model's answer with a long run of spaces",
      () => checkedAnswer(`It is iron${spaces}"steel"`, ["It is iron."], "What?").grounded,
      false,
    ],
    [
      "a model's table with a long run of spaces",
      () => checkedAnswer(`| Iron |\n|--${spaces}| x`, ["It is iron."], "What?").is_usable,
      true,
    ],
  ];
  test.each(cases)("%s", (_why, read, expected) => expect(read()).toEqual(expected));
});
