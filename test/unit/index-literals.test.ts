/** What is spelled like code, in questions and in texts. */
import { describe, expect, test } from "bun:test";
import { literalPattern, literalsOf } from "../../plugins/search-index/analysis/literals";

describe("a question spells like code", () => {
  const cases: [string, string, string[]][] = [
    ["options", "Does -o need --no-file?", ["-o", "--no-file"]],
    ["a macro, before another script", "\\hsize 的默认值是多少？", ["\\hsize"]],
    ["variables", "$HOME or ${name:-word}", ["$HOME", "${name", "-word"]],
    ["paths and endings", "~/.profile, /etc/hosts and .tfm", ["~/.profile", "/etc/hosts", ".tfm"]],
    ["a name with underscores", "kein not_found-Callback", ["not_found"]],
    ["a call, whatever is passed", "What does read.table() do?", ["read.table("]],
    ["signs", "What are $? and <<<?", ["$?", "<<<"]],
    ["one that is given twice counts once", "-x, not -X or -x", ["-x", "-X"]],
    ["at most eight", "-a -b -c -d -e -f -g -h -i", "abcdefgh".split("").map((one) => `-${one}`)],
    ["no compounds, addresses or fractions", "e-mail and/or a@b.example 3/4 v1.2", []],
    ["no punctuation of prose", "Really?! -- well ... (so) :-) 50% of C++", []],
  ];
  for (const [why, question, literals] of cases)
    test(why, () => expect(literalsOf(question)).toEqual(literals));
  test("a few of a very long run of signs", () =>
    expect(literalsOf("-.a_".repeat(20_000)).length).toBeLessThanOrEqual(8));
});

describe("a text has it", () => {
  const cases: [string, string, string, boolean][] = [
    ["as it is", "\\char", "the largest \\char, at most", true],
    ["in quotes and brackets", "-r", "read [-r] ‘-r’", true],
    ["not in other case", "-r", "read -R", false],
    ["not as the beginning of something longer", "\\char", "\\chardef", false],
    ["… with a hyphen", "--quiet", "--quiet-errors", false],
    ["not as the end of a word", "-off", "one-off", false],
    ["a hyphen that was typeset", "--quiet", "–quiet", true],
    ["a file with the ending", ".tfm", "cmr10.tfm", true],
    ["a call with something in it", "read.table(", "x <- read.table(file)", true],
    ["signs beside letters", "$?", "($?) is", true],
    ["not as a part of other signs", "<<", "a <<< b", false],
    ["a name after a sign", "R_HOME", "$R_HOME/bin", true],
    ["not a name in a longer one", "R_HOME", "MY_R_HOME R_HOME_2", false],
  ];
  for (const [why, literal, text, has] of cases)
    test(why, () => expect(literalPattern(literal).test(text)).toBe(has));
});
