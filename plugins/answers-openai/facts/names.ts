/** The names of a statement: people, places, products, months and days. */
import { isFunctionWord, isGerman } from "./function-words";
import { folded } from "../../../core/lib/folded";

const calendars: readonly (readonly [kind: string, words: string])[] = [
  [
    "month",
    "january february march april may june july august september october november december",
  ],
  ["month", "januar februar marz april mai juni juli august september oktober november dezember"],
  ["month", "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre"],
  [
    "month",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
  ],
  ["day", "monday tuesday wednesday thursday friday saturday sunday"],
  ["day", "montag dienstag mittwoch donnerstag freitag samstag sonntag"],
  ["day", "lundi mardi mercredi jeudi vendredi samedi dimanche"],
  ["day", "lunes martes miercoles jueves viernes sabado domingo"],
];
const calendar: ReadonlyMap<string, string> = new Map(
  calendars.flatMap(([kind, words]) =>
    words.split(" ").map((word, at) => [word, `${kind} ${at}`] as const),
  ),
);
/** These are other words too, unless capitalised. */
const ambiguous_months: ReadonlySet<string> = new Set(["may", "march", "mars", "mai"]);

interface Word {
  readonly text: string;
  /** It begins the text, or follows a full stop, a colon or a quotation mark. */
  readonly is_first: boolean;
  readonly after_space: boolean;
}
const name_word = /[\p{L}\p{M}\p{Nd}]+(?:[-'’.&][\p{L}\p{M}\p{Nd}]+)*/gu;
function wordsOf(text: string): Word[] {
  let end = 0;
  return [...text.matchAll(name_word)].map((match) => {
    const between = text.slice(end, match.index);
    const is_first = end === 0 || /[.!?:;•\n"“„«(]/.test(between);
    end = match.index + match[0].length;
    return { text: match[0], is_first, after_space: /^ $/.test(between) };
  });
}

const isCapital = (word: string): boolean => /^\p{Lu}/u.test(word);
/** `USB`, `iPhone`, `X200`, `B-12`: a name anywhere. */
const isCode = (word: string): boolean =>
  /^(?=.*\p{L})(?=.*\p{Nd})/u.test(word) ||
  /^\p{Lu}{2,}$/u.test(word) ||
  /\p{Ll}\p{Lu}/u.test(word);
const titles = /^(?:herr|herrn|frau|dr|firma|familie|professor)$/;
const bare_prepositions = /^(?:in|nach|aus|von|bei|durch)$/;
const verb_after = /^(?:is|was|has|had|will|can|must|est|es|fue|[a-z]{3,}(?:ed|es|[^s]s))$/;

/**
 * The names in `text`. Not those recognisable only by a capital at the beginning of a sentence; and
 * in German, where every noun has one, only those in the position of a name.
 */
export function namesIn(text: string): string[] {
  const words = wordsOf(text);
  const german = isGerman(text);
  return words.flatMap(({ text: word, is_first, after_space }, at) => {
    const before = words[at - 1];
    const after = words[at + 1];
    if (calendarOf(word) !== undefined || /^\p{Nd}+$/u.test(word)) return [];
    if (isCode(word)) return [word];
    if (!isCapital(word) || isFunctionWord(word) || word.length < 2) return [];
    const follows_name =
      after_space && !is_first && isCapital(before!.text) && !isFunctionWord(before!.text);
    const precedes_name =
      after?.after_space === true && isCapital(after.text) && !isFunctionWord(after.text);
    if (german)
      return follows_name || precedes_name || titles.test(folded(before?.text ?? "")) ? [word] : [];
    return is_first && !precedes_name ? [] : [word];
  });
}

/** Names recognised by their position in the sentence, by the word that indicates it. */
function placedNames(text: string): Map<string, string> {
  const words = wordsOf(text);
  const names = new Map<string, string>();
  for (const [at, { text: word, is_first }] of words.entries()) {
    if (!isCapital(word) || isFunctionWord(word) || calendarOf(word) !== undefined) continue;
    const before = folded(words[at - 1]?.text ?? "");
    const after = words[at + 1]?.text ?? "";
    if (!is_first && bare_prepositions.test(before)) names.set(before, word);
    else if (is_first && verb_after.test(after) && !/(?:ing|ly)$/.test(word))
      names.set(`… ${folded(after)}`, word);
  }
  return names;
}

/** Whether one text has a different name in the same position: `in Bonn`, `Ann runs`. */
export function replacesName(claim: string, source_text: string): boolean {
  const there = placedNames(source_text);
  return [...placedNames(claim)].some(([place, name]) => {
    const other = there.get(place);
    return other !== undefined && !holdsName(source_text, name) && !holdsName(claim, other);
  });
}

function calendarOf(word: string): string | undefined {
  const key = folded(word);
  return ambiguous_months.has(key) && !isCapital(word) ? undefined : calendar.get(key);
}
/** Months and days of the week in a text, in any language. */
export const datesIn = (text: string): Set<string> =>
  new Set(
    wordsOf(text).flatMap(({ text: word, is_first }) =>
      ambiguous_months.has(folded(word)) && is_first ? [] : (calendarOf(word) ?? []),
    ),
  );

const prefix_length = 4;
/** Whether a text contains this name, in any form: `Berlin` and `Berliner`. */
export function holdsName(text: string, name: string): boolean {
  const key = folded(name).replace(/(?:'s|’s)$/, "");
  const words = (text.match(name_word) ?? []).map((word) => folded(word).replace(/['’]s$/, ""));
  const stem = key.slice(0, Math.max(prefix_length, key.length - 2));
  return words.some(
    (word) =>
      word === key ||
      word.split(/[-.&]/).includes(key) ||
      (key.length >= prefix_length && !/\p{Nd}/u.test(key) && word.startsWith(stem)),
  );
}
