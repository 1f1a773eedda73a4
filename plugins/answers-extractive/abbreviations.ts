/** Questions about what an abbreviation stands for, and texts that spell one out. Pure. */
import { anyOf, words } from "./word-patterns";

/** Its meaning is asked for by these words and nothing else, in any order. */
const frame_words = new Set(
  (
    "what whats what's does do is are the a an of for in this stand stands mean means meaning " +
    "short abbreviation abbreviate abbreviated acronym initialism initials letters term word " +
    "full long form name expansion expand define definition please " +
    "was wofür für steht stehen bedeutet bedeuten heißt ist sind die der das ein eine von " +
    "abkürzung kürzel akronym begriff buchstaben bedeutung ausgeschrieben " +
    "que quoi qu'un qu'une signifie signifient veut veulent dire désigne est-ce qu'est-ce c'est " +
    "le la les l un une du de sigle abréviation acronyme terme signification " +
    "qué significa significan quiere quieren decir es son el los las una sigla siglas " +
    "abreviatura acrónimo término significado " +
    "che cosa cos'è vuol dire indica è il lo abbreviazione acronimo termine " +
    "o os as quer dizer são um uma acrônimo termo " +
    "wat betekent betekenen waar staat voor afkorting het een " +
    "что означает значит такое как расшифровывается аббревиатура сокращение"
  ).split(" "),
);
/** The same in scripts without spaces between words, behind the abbreviation. */
const unspaced_frame = new RegExp(
  "^(?:的?(?:全[称稱]|意思|含[义義])?是什[么麼](?:意思|的[缩縮][写寫])?|代表什[么麼]|" +
    "と?は何(?:の略)?(?:ですか)?|の(?:意味|正式名称)は?(?:何ですか)?|とは)$",
  "u",
);
const before_unspaced = /^[^\p{L}\p{N}]*([\p{Script=Latin}\p{N}]{2,10})\s*([^\p{Script=Latin}]+)$/u;
/** Two capitals among letters and digits, with points, too. */
const abbreviated = /^(?=.*\p{Lu}.*\p{Lu})\p{L}(?:[.&/-]?[\p{L}\p{N}]){1,9}$/u;
const word = /[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}.&/'’-]*[\p{L}\p{M}\p{N}])?/gu;
/** A longer question is about more than an abbreviation. */
const question_chars_max = 120;

/** The abbreviation whose meaning is asked for, as it is written; null for other questions. */
export function askedAbbreviation(question: string): string | null {
  if (question.length > question_chars_max) return null;
  const question_words = question.match(word) ?? [];
  const others = question_words.filter(
    (one) => !frame_words.has(one.replaceAll("’", "'").toLowerCase()),
  );
  const unspaced = before_unspaced.exec(question.trim());
  const is_asked =
    unspaced === null
      ? others.length === 1 && question_words.length > 1
      : unspaced_frame.test(unspaced[2]!.replace(/\P{L}/gu, ""));
  const name = unspaced?.[1] ?? others[0] ?? "";
  return is_asked && abbreviated.test(name) ? name : null;
}

/** Behind an abbreviation: its long form follows. */
const stands_for = new RegExp(
  "^[\\s\"'”’»)\\]]*" +
    anyOf(
      words(
        "stands?_for is_short_for abbreviates (?:is_)?(?:an?_|the_)?(?:abbreviation|acronym)_of " +
          "(?:is_)?(?:an?_|the_)?(?:abbreviation|acronym)_for (?:steht|stehen)_für " +
          "(?:ist_)?die_abkürzung_(?:für|von) (?:est_)?(?:le_sigle|l['’]acronyme)_de " +
          "(?:es_)?(?:la_sigla|la_abreviatura|el_acrónimo)_de sta_per расшифровывается_как",
      ),
    ).source,
  "iu",
);
/** A long form may be this far away; UTF-16 units. */
const near_chars_max = 120;
const opening_mark = /[([]\s*["'“‘«]?$/u;
const in_parentheses = /^["'”’»]?\s*[([]([^)\]]+)[)\]]/u;
/** Two words have the same initials by chance. */
const initials_min = 3;
/** How many words may stand between them and the abbreviation: "this means". */
const between_max = 3;
/** How many words a long form may have more than letters. */
const words_more_max = 3;
/** Words that have no letter in an abbreviation. */
const small_words = new Set(
  (
    "a an and at by for from in of on or per the to de del der des di do du e el en et für la " +
    "las le les um und van von y zu zum zur"
  ).split(" "),
);

/**
 * Whether a text spells the abbreviation out: "random-access memory (RAM)", "RAM (random-access
 * memory)", "RAM stands for", or words with these initials in one line with it.
 */
export function spellsOut(text: string, abbreviation: string): boolean {
  // Of "PhD" and "URLs" those in capitals.
  const letters = (abbreviation.match(/\p{Lu}|\p{N}/gu) ?? []).map((one) => one.toLowerCase());
  for (const { start, end } of placesOf(abbreviation, text)) {
    const after = text.slice(end, end + near_chars_max);
    if (stands_for.test(after)) return true;
    const before = text.slice(Math.max(0, start - near_chars_max), start);
    if (opening_mark.test(before) && endsWithLong(letters, before.replace(opening_mark, "")))
      return true;
    const inside = in_parentheses.exec(after)?.[1];
    if (inside !== undefined && endsWithLong(letters, inside)) return true;
    if (letters.length < initials_min) continue;
    if (initialsFrom(after, letters).some(({ from }) => from <= between_max)) return true;
    if (initialsFrom(before, letters).some(({ behind }) => behind <= between_max)) return true;
  }
  return false;
}

/** Where it is a word of its own, with the end of its plural. */
function* placesOf(
  name: string,
  text: string,
): Generator<{ readonly start: number; readonly end: number }> {
  for (let start = text.indexOf(name); start >= 0; start = text.indexOf(name, start + 1)) {
    const end = start + name.length;
    const plural = /^s(?![\p{L}\p{N}])/u.test(text.slice(end, end + 3)) ? 1 : 0;
    const is_part =
      isWordCharacter(text[start - 1]) || (plural === 0 && isWordCharacter(text[end]));
    if (!is_part) yield { start, end: end + plural };
  }
}
const isWordCharacter = (character = ""): boolean => /[\p{L}\p{N}]/u.test(character);

/**
 * Whether the letters are, in this order, in the last words of a text, the first of them at the
 * beginning of a word: the algorithm of Schwartz and Hearst (2003).
 */
function endsWithLong(letters: readonly string[], text: string): boolean {
  const long = text.trimEnd().toLowerCase();
  let at = long.length;
  for (let i = letters.length - 1; i >= 0; i--) {
    do at--;
    while (at >= 0 && (long[at] !== letters[i] || (i === 0 && !beginsWord(long, at))));
    if (at < 0) return false;
  }
  const count = long.slice(at).match(word)?.length ?? 0;
  return long.length - at > 2 * letters.length && count <= letters.length + words_more_max;
}
/** So does the X of "extensible". */
const beginsWord = (text: string, at: number): boolean =>
  !isWordCharacter(text[at - 1]) ||
  (text[at] === "x" && text[at - 1] === "e" && !isWordCharacter(text[at - 2]));

/**
 * The successive words that begin with the letters; small words between them don't count. `from`:
 * how many words stand before them, `behind`: how many after.
 */
function initialsFrom(
  text: string,
  letters: readonly string[],
): { readonly from: number; readonly behind: number }[] {
  const line_words = (text.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? []).map((one) =>
    one.toLowerCase(),
  );
  return [...line_words.keys()].flatMap((from) => {
    let at = from;
    const has_all = letters.every((letter) => {
      while (at > from && line_words[at]?.[0] !== letter && small_words.has(line_words[at] ?? ""))
        at++;
      return line_words[at++]?.[0] === letter;
    });
    return has_all ? [{ from, behind: line_words.length - at }] : [];
  });
}
