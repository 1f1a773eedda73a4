/**
 * Recognises greetings, and questions about what there is, which no document answers: the whole
 * text consists of one language's words. Pure.
 */
import { languages, type Vocabulary } from "./small-talk-words";

/** What kind of small talk a text is. */
export type SmallTalk = "greeting" | "overview";

/** Greetings are not longer than this. UTF-16 units. */
const chars_max = 80;

/** Roles of words: a question asks (`asking`) for documents (`thing`); others have none. */
const asking = 1;
const thing = 2;
type Words = ReadonlyMap<string, number>;

/** Null for any other text. */
export function smallTalkOf(text: string): SmallTalk | null {
  if (text.length > chars_max) return null;
  const folded = foldedOf(text);
  if (folded === "") return null;
  word_lists ??= foldedWordLists();
  const { greetings, overviews } = word_lists;
  if (isMadeOf(folded, greetings, 0)) return "greeting";
  return overviews.some((words) => isMadeOf(folded, words, asking | thing)) ? "overview" : null;
}

/** The text without case, accents and punctuation. */
const foldedOf = (text: string): string =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f\u0591-\u05c7\u064b-\u0655\u0670\u093c'’ʼ]/gu, "")
    .normalize("NFKC")
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim();

/** Words in a string, separated by spaces; `_` stands for a space within one. */
const wordsIn = (words: string): string[] =>
  words.split(/\s+/).flatMap((word) => foldedOf(word.replaceAll("_", " ")) || []);

interface WordLists {
  readonly greetings: Words;
  /** By language. */
  readonly overviews: readonly Words[];
}
/** Built for the first question, because folding them takes milliseconds of every start. */
let word_lists: WordLists | undefined;
const foldedWordLists = (): WordLists => ({
  greetings: new Map(
    languages.flatMap(({ greeting }) => wordsIn(greeting).map((word) => [word, 0])),
  ),
  overviews: languages.map(wordsOf),
});
function wordsOf({ asks, things, both, others }: Vocabulary): Words {
  const words = new Map<string, number>();
  for (const [list, weight] of [
    [others, 0],
    [asks, asking],
    [things, thing],
    [both, asking | thing],
  ] as const)
    for (const word of wordsIn(list)) words.set(word, (words.get(word) ?? 0) | weight);
  return words;
}

/** Whether the text can be split into these words so that together they have the roles `wanted`. */
function isMadeOf(text: string, words: Words, roles_needed: number): boolean {
  /** By position in the text: the combinations of roles with which it can be reached. */
  const reached = Array.from({ length: text.length + 1 }, () => new Set<number>());
  reached[0]!.add(0);
  for (let at = 0; at < text.length; at++) {
    if (reached[at]!.size === 0) continue;
    if (text[at] === " ") addAll(reached[at + 1]!, reached[at]!, 0);
    for (const [word, weight] of words)
      if (text.startsWith(word, at) && isEdge(text, at) && isEdge(text, at + word.length))
        addAll(reached[at + word.length]!, reached[at]!, weight);
  }
  return reached[text.length]!.has(roles_needed);
}
function addAll(to: Set<number>, from: ReadonlySet<number>, weight: number): void {
  for (const roles of from) to.add(roles | weight);
}

/** Scripts without spaces between words, or with endings on any word. */
const joined =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}ー]/u;
const isEdge = (text: string, at: number): boolean => {
  const before = text[at - 1] ?? " ";
  const after = text[at] ?? " ";
  return before === " " || after === " " || (joined.test(before) && joined.test(after));
};
