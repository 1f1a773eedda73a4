/** What a line of a passage is: a heading, a term with its definition, an incomplete sentence. */
import { codeBlocks } from "../../core/lib/code-blocks";
import type { Span } from "../search/contract";
import { isEnded } from "./quote-text";
import { isTableHead } from "./table-row";

const numbered = /^(?:\d+(?:\.\d+)+\.?|[A-Z](?:\.\d+)+\.?)\s+\S/;
const heading_words_max = 14;
const marked_heading = /^\s*#{1,6}[ \t]+\S[^\n]*$/;
const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
/** A heading names a subject but says nothing about it. */
export function isHeading(text: string, heading: string | null): boolean {
  if (isTableHead(text)) return true;
  if (marked_heading.test(text)) return !isCommandLine(text, heading);
  if (isEnded(text)) return false;
  if (numbered.test(text) && text.split(/\s+/).length < heading_words_max) return true;
  return isPathEnd(text, heading);
}
/** Whether it is the last heading of a path. */
function isPathEnd(text: string, heading: string | null): boolean {
  const heading_letters = letters(text);
  return heading_letters !== "" && heading !== null && letters(heading).endsWith(heading_letters);
}
/** As in programs: `break`, `LogLevel`, `--quiet`; not "Printing", nor of several words. */
const name = /^(?:[-\\/.$@]\S+|\p{Ll}\S*|\p{Lu}\S*(?:[_.\p{N}]|\p{Ll}\p{Lu})\S*|\p{Lu}{3,})$/u;
/** The last heading of a path when it is the name of what is described below; "" otherwise. */
export function namingHeading(path: string | null): string {
  const last = path?.split(" › ").at(-1) ?? "";
  const heading = last.replace(/^\d{1,3}(?:\.\d{1,3})*\.?\s+/, "").trim();
  return name.test(heading) ? heading : "";
}
const term = /^\p{Lu}[\p{L}\p{M}\p{N} ()/,.’'-]*$/u;
const term_words_max = 6;
/** Whether a line is a term whose definition begins below it. */
export const isTerm = (line: string, below: string): boolean =>
  term.test(line) &&
  !isEnded(line) &&
  line.split(/\s+/).length <= term_words_max &&
  below.length > line.length &&
  /^\p{Lu}/u.test(below) &&
  isEnded(below);
/** Whether a line is the heading of a statement right below it. */
export const isHeadingOf = (line: string, below: string, heading: string | null): boolean =>
  below.length > line.length && isHeading(line, heading);
const question = /[?？؟][)\]"'”’»」』*_]*$/u;
export const isQuestion = (text: string): boolean => question.test(text);
const isLine = (text: string, { start, end }: Span): boolean =>
  /(?:^|\n)[^\p{L}\p{N}\n]*$/u.test(text.slice(Math.max(0, start - 10), start)) &&
  /^[ \t]*(?:\r?\n|$)/.test(text.slice(end, end + 10));
const labelled = (words: string): RegExp =>
  new RegExp(`^(?:[-*•●○■□–▪◦‣▶]\\s*)?(?:${words})\\s*[:：]`, "iu");
const labelled_question = labelled(
  "problems?|questions?|q|symptoms?|issues?|errors?|problemas?|problèmes?|probleme?|problema|" +
    "frage|symptome?|fehler|question|pregunta|domanda|pergunta|问题|問題|質問|症状",
);
const labelled_answer = labelled(
  "(?:possible )?(?:solutions?|answers?|remed(?:y|ies)|fix|a|workaround|causes?)|lösung(?:en)?|" +
    "antwort|abhilfe|ursache|réponse|remède|cause|soluci[oó]n(?:es)?|respuesta|soluzion[ei]|" +
    "risposta|rimedio|solução|resposta|答案|解决方(?:案|法)|回答|対[処策]",
);
/**
 * Whether a line asks what the sentence right below it answers, like the heading of a FAQ, or
 * "Problem: …" above "Solution: …".
 */
export function isQuestionAbove(text: string, above: Span | undefined, span: Span): boolean {
  if (above === undefined) return false;
  const below = text.slice(span.start, span.end);
  const line = text.slice(above.start, above.end);
  if (labelled_question.test(line) && labelled_answer.test(below)) return true;
  return isLine(text, above) && question.test(line) && !question.test(below) && isEnded(below);
}
/** A command behind the prompt of a shell; the `#` of root marks no heading. */
const command_line = /^\s*[#$%][ \t]+\p{Ll}[\w.+-]*(?:[ \t]+\S[^\n]*)?$/u;
const isCommandLine = (line: string, heading: string | null): boolean =>
  command_line.test(line) && !isPathEnd(line, heading);
/** Lines that a program prints, each behind its name. */
const program_output = /(?:^|\n)(\p{L}[\w.-]*): [^\n]*\n(?:[^\n]*\n)*?\1: /u;
/** Tells of the sentences of a passage whether they are nothing but code, or like it. */
export function codeTest(text: string, heading: string | null): (span: Span) => boolean {
  const blocks = codeBlocks(text);
  return ({ start, end }) => {
    const sentence = text.slice(start, end);
    return (
      blocks.some((block) => block.start <= start && end <= block.end) ||
      isCommandLine(sentence, heading) ||
      program_output.test(sentence)
    );
  };
}
const number_label = /^(?:\(?\d{1,3}[.)]\s+|\d{1,3}(?:\.\d{1,3})+\.?\s+(?=[\p{Lu}\p{Lo}]))/u;
/** The number of a section or an item of a list, before what it says; "" when it has none. */
export const numberLabel = (text: string): string => number_label.exec(text)?.[0] ?? "";
const caption_label = new RegExp(
  "^(?:fig(?:ure|\\.)?|table|listing|illustration|abb(?:ildung|\\.)|tab(?:elle|\\.)|" +
    "tableau|figura|tabla|tabella|bild|рис(?:унок|\\.)|таблица)\\s*" +
    "[\\p{L}\\p{N}]{0,3}(?:[.-]?\\p{N}){0,3}\\s*[:.–—-]\\s+",
  "iu",
);
/** The label of a caption, "Figure 3.1: ", before what the picture shows; "" when it has none. */
export const captionLabel = (text: string): string => caption_label.exec(text)?.[0] ?? "";
/** Whether a sentence is incomplete; one that introduces code is not. */
export function isBroken(text: string): boolean {
  const code = codeBlocks(text)[0];
  const prose = code !== undefined && code.start > 0 ? text.slice(0, code.start).trimEnd() : text;
  return /^[\p{Ll},;)]/u.test(prose) || !isEnded(prose);
}
