/**
 * Keys that a question names: the letter of a flag, the number of an exit code, a sign. An entry of
 * a list or a row of a table begins with its key. Pure.
 */
import { words } from "./word-patterns";

/** A sign that is no punctuation, a number, a letter, or a letter behind a sign: `%i`. */
const key_alone = new RegExp(
  "^(?:[\\^$#%&*+@~\\\\|<>=_§]{1,3}|\\p{Nd}{1,3}|(?![aeiouy])\\p{Script=Latin}|" +
    "[%$@&\\\\+]\\p{Script=Latin}{1,2})$",
  "iu",
);
const quoted = /^[‘'"“„«`](.{1,4})[’'"”“»`]$/u;
/** What is assigned: "speed=5". */
const assigned = /=(\p{Nd}{1,3}|\p{Script=Latin})$/u;
/** A short name behind what it names: "the flag e", "the counter pe". */
const named = new RegExp(
  words(
    "abbreviation bit channel character code column counter error field flag key letter level " +
      "mode option parameter pin port sign state status step symbol type value " +
      "abkürzung buchstabe code fehler feld kürzel option schalter spalte stufe taste wert " +
      "zähler zeichen",
  ) + "\\s+(\\S{1,4})(?=[\\s?.,;:!]|$)",
  "giu",
);
const small_words = "am an as at be by do if in is it of on or so to ab da er es im ob um zu";
/** No name is one of these, or a longer word in small letters. */
const word = new RegExp(`^(?:\\p{Ll}{3,}|${words(small_words)})$`, "u");
const around = /^[(¿[]+|[?？.,;:!)\]]+$/gu;

const asks_meaning = new RegExp(
  words(
    "means? meaning stands?_for bedeutet bedeuten bedeutung steht_für signifie significa betekent",
  ),
  "iu",
);
/** `LOCALPRINTER`, `NaN`, `log_level`. */
const program_name = /^(?:\p{Lu}[\p{Lu}\p{N}-]{2,}|\S*\p{Ll}\p{Lu}\S*|\S*_\S*)$/u;

/** Those of a question, as written. */
export function questionKeys(question: string): ReadonlySet<string> {
  const defines = asks_meaning.test(question);
  const alone = question.split(/\s+/).flatMap((token) => {
    const bare = token.replace(around, "");
    const content = quoted.exec(bare)?.[1] ?? assigned.exec(bare)?.[1];
    const is_defined = defines && program_name.test(bare);
    return content ?? (key_alone.test(bare) || is_defined ? bare : []);
  });
  const behind = [...question.matchAll(named)].map(([, name]) => name!.replace(around, ""));
  return new Set([...alone, ...behind.filter((name) => !word.test(name))]);
}

/** The first word of an entry: `‘w’ appears …`, `5 2.6 MHz`, `W%tryptophan.svg`. */
const first_word =
  /^(?:[-*•●○■□–▪◦‣▶]\s+)?[‘'"“„«`(<[]?([%$@&\\+]?[^\s‘’'"“”«»`()<>[\]:,%]+|[%:])/u;

/** Whether an entry of a list begins with one of these. */
export function beginsWithKey(text: string, keys: ReadonlySet<string>): boolean {
  if (keys.size === 0) return false;
  const key = first_word.exec(text)?.[1];
  return key !== undefined && keys.has(key);
}
const quotes = /^[‘'"“„«`(<[]|[’'"”“»`)>\]]$/gu;
/** Whether one of the first two cells of a row is one of these. */
export const hasKeyCell = (cells: readonly string[], keys: ReadonlySet<string>): boolean =>
  cells.slice(0, 2).some((cell) => keys.has(cell.replace(quotes, "")));
