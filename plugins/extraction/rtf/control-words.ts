/** Runs in the child: the control words of RTF that affect the text. */

/** Words that stand for a character. */
export const characters: Readonly<Record<string, string>> = {
  tab: "\t",
  line: "\n",
  lquote: "\u2018",
  rquote: "\u2019",
  ldblquote: "\u201c",
  rdblquote: "\u201d",
  emdash: "\u2014",
  endash: "\u2013",
  bullet: "\u2022",
  emspace: "\u2003",
  enspace: "\u2002",
  qmspace: "\u2005",
  "~": "\u00a0",
  _: "\u2011",
  "\t": "\t",
};

/** Destinations without text of the document. */
const skipped_destinations: ReadonlySet<string> = new Set([
  "aftncn",
  "aftnsep",
  "aftnsepc",
  "atnauthor",
  "atnid",
  "colortbl",
  "filetbl",
  "fldinst",
  "fontemb",
  "fontfile",
  "ftncn",
  "ftnsep",
  "ftnsepc",
  "info",
  "nonesttables",
  "nonshppict",
  "objclass",
  "objdata",
  "objname",
  "pict",
  "pntxta",
  "pntxtb",
  "private",
  "revtbl",
  "rxe",
  "shprslt",
  "sp",
  "tc",
  "tcn",
  "template",
  "txe",
  "xe",
]);
/** Of the destinations after `\*`, which a reader may ignore, those with text. */
const starred_destinations: ReadonlySet<string> = new Set([
  "annotation",
  "do",
  "dptxbxtext",
  "fldrslt",
  "footnote",
  "moMath",
  "moMathPara",
  "mmath",
  "nesttableprops",
  "shpgrp",
  "shpinst",
  "shptxt",
  "txfieldtext",
  "ud",
]);

/** Whether a group that begins with this word is not part of the text. */
export const isSkipped = (name: string, is_starred: boolean): boolean =>
  skipped_destinations.has(name) || (is_starred && !starred_destinations.has(name));

/** Destinations whose text follows the surrounding paragraph. */
export const asides: ReadonlySet<string> = new Set([
  "annotation",
  "dptxbxtext",
  "footnote",
  "shptxt",
]);
/** Headers and footers: they repeat, so each is read once, at the end. */
export const running_text: ReadonlySet<string> = new Set([
  "footer",
  "footerf",
  "footerl",
  "footerr",
  "header",
  "headerf",
  "headerl",
  "headerr",
]);
