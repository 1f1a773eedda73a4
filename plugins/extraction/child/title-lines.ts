/** Runs in the child: whether lines in larger or bolder type may be a heading, by their text. */

/** A longer line is not a heading. */
const characters_max = 200;
/** Nor are more lines together. */
const lines_max = 3;
/** `▪ Robots`, `o Robots`, `2) Press the switch`; not `2. Rollers`. */
const list_item = /^(?:[•●○◦■□▪▫‣▶⁃–—>|*-]|o\s|\(?(?:\d{1,2}|\p{Ll}|[ivx]{1,4})\)\s)/u;
/** A number of a page before the first chapter. */
const roman_number = /^[ivxlc]+$/;
/** An entry of a table of contents. */
const listed = /(?:[.·] ?){4,}/;
/** The caption of a figure: what is below it belongs to the section that the figure is in. */
const figure = /^(?:fig(?:ur[ae]?)?|abb(?:ildung)?|рис(?:унок)?|[图圖図])\.?\s*\d/iu;
/** With an address or a telephone number. */
const contact = /\S@\S|(?<!\d)\d{3}[-–]\d{3,4}(?!\d)/;
/** The rest of a sentence follows, or this is one. */
const part_of_text = /[,;:。，]$|[^.]\.$/u;
const in_sentence = /^\p{Ll}/u;

/** A pattern for any of these, separated by spaces; `_` is a space within one. */
const anyOf = (labels: string): string => labels.replaceAll(" ", "|").replaceAll("_", "\\s");
/**
 * "Warning" and the like, and the title of the contents: what is below belongs to the section that
 * it stands in.
 */
const label = new RegExp(
  `^(?:${anyOf(
    "warnings? cautions? notes? notices? danger important attention tips? hints? remember " +
      "(?:table_of_)?contents " +
      "hinweise? achtung warnung vorsicht gefahr wichtig tipps? inhalt inhaltsverzeichnis " +
      "avertissements? remarques? conseils? table_des_matières sommaire " +
      "avisos? notas? atención advertencias? precaución peligro importante consejos? índice " +
      "attenzione avvertenz[ae] pericolo avviso suggeriment[io] indice sommario " +
      "atenção advertências? cuidado perigo dicas? sumário " +
      "waarschuwing let_op opmerking gevaar belangrijk inhoud " +
      "внимание предупреждение примечани[ея] осторожно опасность важно содержание оглавление " +
      "注意 警告 危险 危險 目录 目錄 目次 備考 주의 경고 참고 목차",
  )})[\\s!.:]*$`,
  "iu",
);

const is_other = [list_item, roman_number, figure, contact, label];
/** Whether a line is no continuation of the heading above it. */
export const beginsAnew = (line: string): boolean => is_other.some((other) => other.test(line));

/** `next`: the line below it in the same paragraph, or "". */
export const isTitle = (text: string, next: string): boolean =>
  text.length <= characters_max &&
  text.split("\n").length <= lines_max &&
  /\p{L}{2}/u.test(text) &&
  !beginsAnew(text) &&
  !listed.test(text) &&
  !part_of_text.test(text) &&
  (beginsAnew(next) || !in_sentence.test(next));
