/** Cases: small files that are much to read, or say much about their text. */
import { drawnPdf, zip } from "../bench/files";
import { makeText } from "../bench/text";
import type { Case } from "./case";
import { fileForm } from "./seeds";
import { uploads } from "./uploads";

const namespaces = ["office", "text", "table", "presentation"]
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .concat('xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"')
  .join(" ");

/** An OpenDocument file with this in its body. */
const opendocument = (kind: "presentation" | "spreadsheet", inside: string) =>
  zip({
    mimetype: Buffer.from(`application/vnd.oasis.opendocument.${kind}`),
    "content.xml": Buffer.from(
      `<office:document-content ${namespaces}><office:body><office:${kind}>${inside}` +
        `</office:${kind}></office:body></office:document-content>`,
    ),
  });

const slide = "<draw:page><draw:text-box><text:p>x</text:p></draw:text-box></draw:page>";
const cell = '<table:table-cell office:value-type="string"><text:p>x</text:p></table:table-cell>';
/** Its second row is hidden, which is a warning. */
const sheet =
  `<table:table><table:table-row>${cell}</table:table-row>` +
  `<table:table-row table:visibility="collapse">${cell}</table:table-row></table:table>`;

/** A message whose text has so many characters. */
const mail = (characters: number): Uint8Array<ArrayBuffer> =>
  Buffer.from(
    "From: a@example.com\r\nTo: b@example.com\r\nSubject: Long\r\nMIME-Version: 1.0\r\n\r\n" +
      makeText(1, characters),
  );

export const file_cases: readonly Case[] = [
  {
    name: "many slides",
    reason: "presentations of 100,000 slides in 25 kilobytes, two at a time",
    without_vectors: true,
    prepare: (attacker) =>
      uploads(attacker, 2, opendocument("presentation", slide.repeat(100_000)), "odp"),
  },
  {
    name: "many warnings",
    reason: "lists of 40 workbooks with a warning about each of 4,000 sheets, 16 at a time",
    without_vectors: true,
    async prepare(attacker) {
      const folder_id = await attacker.newFolder();
      const path = `/documents/file?folder_id=${folder_id}`;
      const workbook = opendocument("spreadsheet", sheet.repeat(4_000));
      for (let at = 0; at < 40; at += 4)
        await Promise.all(
          [0, 1, 2, 3].map((more) =>
            attacker.send(path, { body: fileForm(workbook, `workbook ${at + more}.ods`) }),
          ),
        );
      await attacker.indexed(folder_id);
      const list = `/documents?folder_id=${folder_id}&per_page=200`;
      return () => attacker.repeat(16, () => attacker.send(list));
    },
  },
  {
    name: "shared drawings",
    reason: "PDF files of 5,000 pages that show one large drawing, four at a time",
    without_vectors: true,
    prepare: async (attacker) =>
      uploads(attacker, 4, new Uint8Array(drawnPdf(5_000, 20_000)), "pdf"),
  },
  {
    name: "long tables",
    reason: "tables of a million short rows, two at a time",
    without_vectors: true,
    prepare: async (attacker) => {
      const rows = Array.from({ length: 1_000_000 }, (_, at) => `${at},buoy\n`);
      return uploads(attacker, 2, Buffer.from(`number,name\n${rows.join("")}`), "csv");
    },
  },
  {
    name: "long mail",
    reason: "mail messages of 50 MB, four at a time",
    without_vectors: true,
    prepare: async (attacker) => uploads(attacker, 4, mail(50_000_000), "eml"),
  },
];
