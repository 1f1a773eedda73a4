/** Questions that name a section by its number: "What does section 4.2 say?" Pure. */
import { anyOf, words } from "./word-patterns";

const section_words = words(
  "(?:sub)?sections? paragraphs? clauses? articles? chapters? rules? points? items? steps? " +
    "(?:unter)?abschnitte?s? abs[aä]tze?s? artikel ziffern? punkte?s? nummer kapitel regeln? " +
    "schritte?s? paragraphe?[ns]? alinéas? chapitres? règles? étapes? secci[oó]n(?:es)? " +
    "artículos? párrafos? apartados? capítulos? reglas? pasos? sezion[ei] articol[oi] " +
    "paragraf[oi] capitol[oi] regol[ae] seção artigos? " +
    "madde\\p{L}* bölüm\\p{L}* стать\\p{L}+ пункт\\p{L}* " +
    "раздел\\p{L}*",
);
const asks_section = anyOf(
  "§",
  section_words,
  "第\\s*[\\p{Nd}一二三四五六七八九十]+(?:\\.\\p{Nd}+)*\\s*[条條章節节款项項]",
);
/** Nothing but a number is asked about: "What does 4.2 say?" */
const only_number = /^\P{Nd}{0,20}\p{Nd}+(?:\.\p{Nd}+)+\P{Nd}{0,8}$/u;

export const asksSection = (question: string): boolean =>
  asks_section.test(question) || only_number.test(question);

const section_number = "\\p{Nd}{1,3}(?:\\.\\p{Nd}{1,3})*";
/** Not the number of a version: "What is new in 4.2?" */
const named_section = new RegExp(
  `(?:§+|${section_words}(?:\\s+(?:no|nr|number|nummer|numéro|n°|número|numero)\\.?)?)\\s*` +
    `(${section_number})(?![\\p{L}\\p{N}])|第\\s*(${section_number})\\s*[条條章節节款项項]|` +
    `(?<![\\p{L}\\p{N}.])(${section_number})\\.?\\s+(?:madde|bölüm)|` +
    `^[^\\p{Nd}]{0,20}(\\p{Nd}{1,3}(?:\\.\\p{Nd}{1,3})+)\\s+` +
    words("says? states? sagt besagt regelt dit dice stabilisce zegt diz"),
  "iu",
);

/** The number of the section that a question asks about; null when it names none. */
export const askedSection = (question: string): string | null =>
  named_section
    .exec(question)
    ?.slice(1)
    .find((one) => one !== undefined) ?? null;

/** The beginning of a section: "2.3 If …", "§ 4", "Article 5", at that of a line or sentence. */
const begins = "(?<=^|\\n|[.!?]\\s)(?:#{1,6}[ \\t]+)?";
const worded_start = new RegExp(
  `${begins}(?:(?:§+|${section_words})\\s*(${section_number})(?![\\p{L}\\p{N}])|` +
    `第\\s*(${section_number})\\s*[条條章節节])`,
  "giu",
);
const bare_start = new RegExp(
  `${begins}\\(?(${section_number})(?:[.)]|(?<=\\.\\p{Nd}{1,3}))[ \\t]+(?=[\\p{Lu}\\p{Lo}‘'"“«])|` +
    `${begins}(\\p{Nd}{1,2})[ \\t]+(?=\\p{Lu}[^\\n]{0,80}(?:\\n|$))`,
  "gu",
);

interface SectionStart {
  /** UTF-16 index. */
  readonly at: number;
  readonly number: string;
}
/** The numbered sections of a passage, in order, behind that of its heading. */
function sectionStarts(text: string, heading: string | null): readonly SectionStart[] {
  const startsIn = (content: string): SectionStart[] =>
    [worded_start, bare_start]
      .flatMap((pattern) => [...content.matchAll(pattern)])
      .map((match) => ({
        at: match.index,
        number: match.slice(1).find((one) => one !== undefined)!,
      }))
      .sort((a, b) => a.at - b.at);
  const above = (heading?.split(" › ") ?? []).flatMap((part) => startsIn(part).slice(0, 1));
  return [...above.slice(-1).map(({ number }) => ({ at: 0, number })), ...startsIn(text)];
}

/**
 * Tells of a sentence at a UTF-16 index whether it is in the section with this number, or in a part
 * of it.
 */
export function sectionTest(
  { text, heading }: { readonly text: string; readonly heading: string | null },
  asked: string,
): (start: number) => boolean {
  const starts = sectionStarts(text, heading);
  return (start) => {
    const number = starts.findLast(({ at }) => at <= start)?.number;
    return number === asked || (number?.startsWith(`${asked}.`) ?? false);
  };
}
