/** Literals that are spelled like code, in questions and in texts. */
import { describe, expect, test } from "bun:test";
import { literalPattern, literalsOf } from "../../plugins/search-index/analysis/literals";

describe("code literals in a question:", () => {
  const cases: [string, string, string[]][] = [
    ["options", "Does -o need --no-file?", ["-o", "--no-file"]],
    ["a macro, before another script", "\\hsize 的默认值是多少？", ["\\hsize"]],
    ["variables", "$HOME or ${name:-word}", ["$HOME", "${name", "-word"]],
    [
      "paths and file extensions",
      "~/.profile, /etc/hosts and .tfm",
      ["~/.profile", "/etc/hosts", ".tfm"],
    ],
    ["a name with underscores", "kein not_found-Callback", ["not_found"]],
    ["a call, regardless of arguments", "What does read.table() do?", ["read.table("]],
    ["symbols", "What are $? and <<<?", ["$?", "<<<"]],
    [
      "symbols in quotes or brackets",
      'What is "$@", ‘=~’ or (||), and `<<<`?',
      ["$@", "=~", "||", "<<<"],
    ],
    ["symbols before a comma", "Compare $!, $# and &&.", ["$!", "$#", "&&"]],
    ["a repeated literal counts once", "-x, not -X or -x", ["-x", "-X"]],
    [
      "at most eight",
      "-a -b -c -d -e -f -g -h -i",
      "abcdefgh".split("").map((letter) => `-${letter}`),
    ],
    ["no compounds, addresses or fractions", "e-mail and/or a@b.example 3/4 v1.2", []],
    ["no prose punctuation", "Really?! -- well ... (so) :-) 50% of C++", []],
  ];
  for (const [why, question, literals] of cases)
    test(why, () => expect(literalsOf(question)).toEqual(literals));
  test("only a few of a very long run of symbols", () =>
    expect(literalsOf("-.a_".repeat(20_000)).length).toBeLessThanOrEqual(8));
});

describe("finding a literal in a text:", () => {
  const cases: [string, string, string, boolean][] = [
    ["as it is", "\\char", "the largest \\char, at most", true],
    ["in quotes and brackets", "-r", "read [-r] ‘-r’", true],
    ["not in a different case", "-r", "read -R", false],
    ["not as the start of a longer word", "\\char", "\\chardef", false],
    ["not as the start of a hyphenated word", "--quiet", "--quiet-errors", false],
    ["not as the end of a word", "-off", "one-off", false],
    ["a typeset hyphen", "--quiet", "–quiet", true],
    ["a file with the extension", ".tfm", "cmr10.tfm", true],
    ["a call with arguments", "read.table(", "x <- read.table(file)", true],
    ["symbols next to punctuation", "$?", "($?) is", true],
    ["not as part of other symbols", "<<", "a <<< b", false],
    ["a name after a symbol", "R_HOME", "$R_HOME/bin", true],
    ["not within a longer name", "R_HOME", "MY_R_HOME R_HOME_2", false],
  ];
  for (const [why, literal, text, has] of cases)
    test(why, () => expect(literalPattern(literal).test(text)).toBe(has));
});
