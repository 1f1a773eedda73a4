/** The control words of RTF that matter for the text. */

/** What a word stands for. */
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

/** Groups that begin with these hold no text of the document. */
export const silent: ReadonlySet<string> = new Set([
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
/** Groups that begin with `\*` are passed over, but for these. */
export const starred: ReadonlySet<string> = new Set([
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

/** Groups whose text stands beside the paragraph around them, and those that many pages repeat. */
export const asides: ReadonlySet<string> = new Set([
  "annotation",
  "dptxbxtext",
  "footnote",
  "shptxt",
]);
export const running: ReadonlySet<string> = new Set([
  "footer",
  "footerf",
  "footerl",
  "footerr",
  "header",
  "headerf",
  "headerl",
  "headerr",
]);
