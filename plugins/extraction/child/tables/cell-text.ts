/** The text of a cell, made from its words. */
import { rowsOfWords, type Word } from "./geometry";

const leftward_letter = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;
const any_letter = /\p{L}/u;
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;
/** The beginning of a list item. */
const item_mark = /^(?:[•‣▪◦●○■□–\-*·]|\d{1,2}[.)])$/u;
const item_start = /^[•‣▪◦●○■□]/u;

/** Whether most words with letters are in a right-to-left script. */
export function runsLeftward(words: readonly Word[]): boolean {
  let leftward = 0;
  let rightward = 0;
  for (const { text } of words)
    if (leftward_letter.test(text)) leftward++;
    else if (any_letter.test(text)) rightward++;
  return leftward > rightward;
}

/** Joins the lines of a cell; a list item starts a new line. */
export function cellText(words: readonly Word[], leftward: boolean): string {
  let text = "";
  let cut = false;
  for (const row of rowsOfWords(words)) {
    const ordered = leftward ? row.words.toSorted((a, b) => a.order - b.order) : row.words;
    const line = joined(ordered);
    if (text === "") text = line;
    else if (isItem(ordered)) text += `\n${line}`;
    else if (cut) text += /^\p{Ll}/u.test(line) ? line : `-${line}`;
    else text += (isUnspaced(text, line) ? "" : " ") + line;
    cut = ordered.at(-1)!.hyphenated;
  }
  return cut ? `${text}-` : text;
}

const isItem = ([first, second]: readonly Word[]): boolean =>
  item_start.test(first!.text) || (second !== undefined && item_mark.test(first!.text));

/** Chinese and Japanese have no spaces between words. */
const isUnspaced = (before: string, after: string): boolean =>
  unspaced.test(before.at(-1)!) && unspaced.test(after[0]!);

function joined(words: readonly Word[]): string {
  let text = "";
  let right = -Infinity;
  for (const word of words) {
    const apart = word.left - right > 0.08 * word.size;
    text += text === "" || (!apart && isUnspaced(text, word.text)) ? "" : " ";
    text += word.text;
    right = word.right;
  }
  return text;
}
