/** Questions that name a section by its number: "What does section 4.2 say?" */
import { anyOf, words } from "./word-patterns";

const asks_section = anyOf(
  "§",
  words(
    "(?:sub)?sections? paragraphs? clauses? articles? chapters? rules? points? items? steps? " +
      "(?:unter)?abschnitte?s? abs[aä]tze?s? artikel ziffern? punkte?s? nummer kapitel regeln? " +
      "schritte?s? paragraphe?[ns]? alinéas? chapitres? règles? étapes? secci[oó]n(?:es)? " +
      "artículos? párrafos? apartados? capítulos? reglas? pasos? sezion[ei] articol[oi] " +
      "paragraf[oi] capitol[oi] regol[ae] seção artigos? " +
      "madde\\p{L}* bölüm\\p{L}* стать\\p{L}+ пункт\\p{L}* " +
      "раздел\\p{L}*",
  ),
  "第\\s*[\\p{Nd}一二三四五六七八九十]+(?:\\.\\p{Nd}+)*\\s*[条條章节節款项項]",
);
/** Nothing but a number is asked about: "What does 4.2 say?" */
const only_number = /^\P{Nd}{0,20}\p{Nd}+(?:\.\p{Nd}+)+\P{Nd}{0,8}$/u;

export const asksSection = (question: string): boolean =>
  asks_section.test(question) || only_number.test(question);
