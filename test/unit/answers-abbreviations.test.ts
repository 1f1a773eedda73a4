/** Questions about what an abbreviation stands for, and texts that spell it out. */
import { describe, expect, test } from "bun:test";
import { askedAbbreviation, spellsOut } from "../../plugins/answers-extractive/abbreviations";

describe("the abbreviation asked about", () => {
  const cases: [why: string, question: string, abbreviation: string | null][] = [
    ["what it stands for", "What does the abbreviation NMU stand for?", "NMU"],
    ["what it means", "What does “NMU” mean?", "NMU"],
    ["what it is", "What's an NMU?", "NMU"],
    ["a request", "Define NMU, please.", "NMU"],
    ["with small letters", "What is PoE?", "PoE"],
    ["with points", "What does R.A.M. stand for?", "R.A.M"],
    ["German", "Wofür steht die Abkürzung BAföG?", "BAföG"],
    ["French", "Qu’est-ce qu’un NMU ?", "NMU"],
    ["Spanish", "¿Qué significan las siglas NMU?", "NMU"],
    ["Italian", "Che cosa significa la sigla NMU?", "NMU"],
    ["Portuguese", "O que significa a sigla NMU?", "NMU"],
    ["Dutch", "Wat betekent de afkorting NMU?", "NMU"],
    ["Russian", "Как расшифровывается NMU?", "NMU"],
    ["Chinese", "NMU是什么意思？", "NMU"],
    ["Japanese", "NMUとは何ですか。", "NMU"],
    ["something about it is asked", "What is the NMU policy?", null],
    ["two are compared", "What do NMU and QA mean?", null],
    ["a word without capitals", "What does orphaning mean?", null],
    ["a word at the beginning", "Define Debian", null],
    ["it stands alone", "NMU", null],
    ["everything is in capitals", "WHAT DOES THIS DO", null],
  ];
  test.each(cases)("%s", (_why, question, abbreviation) =>
    expect(askedAbbreviation(question)).toBe(abbreviation),
  );
});

describe("it is spelled out:", () => {
  const cases: [why: string, abbreviation: string, text: string, is_spelled_out: boolean][] = [
    ["before parentheses", "NMU", "A Non-Maintainer Upload (NMU) is rare.", true],
    ["in parentheses, of several", "NMU", "Some NMUs (non-maintainer uploads) are late.", true],
    ["two letters in parentheses", "QA", "The quality assurance (“QA”) group", true],
    ["a letter inside a word", "XML", "Extensible Markup Language (XML)", true],
    ["all letters inside a word", "BAföG", "Das Bundesausbildungsförderungsgesetz (BAföG)", true],
    ["in words", "RAM", "RAM stands for memory that can be written.", true],
    ["in German words", "TÜV", "TÜV ist die Abkürzung für einen Verein.", true],
    ["initials close behind it", "FTBFS", "FTBFS, this means Fails to build from source.", true],
    ["in a row of a table", "ITP", "ITP | Intent to package", true],
    ["initials before it", "USB", "The universal serial bus, or USB", true],
    ["it is only used", "NMU", "The full name of an NMU is source NMU.", false],
    ["initials far away", "NMU", "An NMU is listed with others in the next major upload.", false],
    ["two letters by chance", "QA", "QA is quite able", false],
    ["other words in parentheses", "NMU", "The upload of another person (NMU)", false],
    ["part of another word", "RAM", "A random access memory PROGRAM", false],
    ["it is missing", "RAM", "Random access memory", false],
  ];
  test.each(cases)("%s", (_why, abbreviation, text, is_spelled_out) =>
    expect(spellsOut(text, abbreviation)).toBe(is_spelled_out),
  );
});
