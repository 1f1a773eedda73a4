/** What a query spells like code, and whether a text has it as it is spelled. Pure. */

const literals_max = 8;
const patterns = [
  // `--quiet`, `\hbox`, `$HOME`, `${name`, `.tfm`, `/etc/profile`, `~/.profile`.
  /(?<![\p{L}\p{N}.])(?:--?|\\|\$\{?|[@#%.]|~?\/)(?=[A-Za-z.])[\w./-]{0,60}\w/gu,
  // `glyph_not_found`.
  /(?<![\p{L}\p{N}\\$@#%./_-])[A-Za-z]\w{0,30}_\w{0,30}[A-Za-z0-9](?!\w)/gu,
  // `readTable()`, whatever is passed.
  /(?<!\w)[A-Za-z][\w.]{0,60}\((?=\))/g,
  // `$?`, `<<<`, `=~`, also in quotes: signs that prose does not have.
  new RegExp(
    "(?<![^\\s\"'“‘„«`(])(?=[!-/:-@[-`{-~]{0,3}[\\\\$@#%&*~/|<>=^+])(?!\\()" +
      "[!#-&(-/:-@[-_{-~]{2,4}(?<![.,:;)])(?=[\"'”’“»`).,:;]*(?:\\s|$))",
    "g",
  ),
];
const question_mark = /(?<=\S\S)\?\s*$/;

/** What a query spells like code, without duplicates. */
export function literalsOf(query: string): readonly string[] {
  const text = query.replace(question_mark, "");
  const literals = patterns.flatMap((pattern) => text.match(pattern) ?? []);
  return [...new Set(literals)].slice(0, literals_max);
}

/** A hyphen as it is typeset. */
const hyphen = "[-\u2010-\u2014\u2212]";
const sign = "[!?\\\\$@#%&*~/|<>=^+-]";

/** Matches a literal that is no part of a longer one. One hyphen may be typeset for two. */
export function literalPattern(literal: string): RegExp {
  const escaped = literal.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const exact = escaped.replace(/^--?/, `${hyphen}{1,2}`);
  if (!/\w/.test(literal)) return new RegExp(`(?<!${sign})${exact}(?!${sign})`, "u");
  const before = /^[\w-]/.test(literal) ? "(?<![\\p{L}\\p{N}_])" : "";
  const after = literal.endsWith("(") ? "" : "(?![\\p{L}\\p{N}_]|-\\p{L})";
  return new RegExp(before + exact + after, "u");
}

/** The share of these patterns that match a text; 0 without any. */
export const literalShare = (patterns: readonly RegExp[], text: string): number =>
  patterns.filter((pattern) => pattern.test(text)).length / Math.max(1, patterns.length);
