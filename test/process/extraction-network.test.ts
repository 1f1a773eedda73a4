/**
 * Reading a file never opens a network connection, whatever addresses the file names. Needs
 * `strace`; reports and skips where it is missing or may not trace.
 */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { doc } from "../helpers/compound";
import { testExtraction } from "../helpers/extraction";
import { docx, epub, opendocument, pptx, shape, slide, ap, wp, xlsx } from "../helpers/office";
import { buildPdf, setProse } from "../helpers/pdf";
import { crop, png, scan } from "../helpers/pictures";

const address = "http://192.0.2.1/track";
const prose = "The northern breakwater was inspected in March and found to be in good order.";
const mail = [
  "From: a@example.org",
  "To: b@example.org",
  "Subject: Buoys",
  "MIME-Version: 1.0",
  "Content-Type: text/html; charset=utf-8",
  "",
  `<p>${prose}<img src="${address}">`,
  "",
].join("\r\n");
const [page] = await scan(buildPdf(setProse([prose], { size: 14 })));
const cases: [string, Uint8Array | string][] = [
  [
    "a.pdf",
    buildPdf([
      {
        lines: [{ x: 60, y: 700, text: prose }],
        annotations: [`/Subtype /Link /A << /S /URI /URI (${address}) >> /Rect [0 0 9 9]`],
      },
    ]),
  ],
  ["scanned.pdf", buildPdf([{ scan: page! }])],
  ["b.png", png(crop(page!, 0, 300))],
  [
    "c.docx",
    docx(wp(prose), {
      "word/_rels/document.xml.rels":
        `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
        `<Relationship Id="rId9" TargetMode="External" Type="x/attachedTemplate" Target="` +
        `${address}"/></Relationships>`,
    }),
  ],
  ["d.pptx", pptx([slide(shape(ap(prose)))])],
  [
    "e.xlsx",
    xlsx({ One: `<row r="1"><c r="A1" t="inlineStr"><is><t>${prose}</t></is></c></row>` }),
  ],
  ["f.odt", opendocument("text", `<text:p>${prose}</text:p>`)],
  [
    "g.epub",
    epub([
      `<html xmlns="http://www.w3.org/1999/xhtml"><body><p>${prose}</p><img src="${address}"/></body></html>`,
    ]),
  ],
  ["h.doc", doc(`${prose}\r`)],
  [
    "i.html",
    `<!doctype html><link rel=stylesheet href="${address}"><script src="${address}"></script><p>${prose}<iframe src="${address}"></iframe>`,
  ],
  ["j.eml", mail],
  ["k.rtf", `{\\rtf1\\ansi {\\field{\\*\\fldinst INCLUDEPICTURE "${address}"}}${prose}\\par}`],
  [
    "l.svg",
    `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e SYSTEM "${address}">]><a>${prose}&e;</a>`,
  ],
  ["m.md", `# Report\n\n![x](${address}) ${prose}`],
];

const strace = Bun.which("strace");
const can_trace =
  strace !== null &&
  Bun.spawnSync([strace, "-f", "-e", "trace=connect", "-o", "/dev/null", "true"]).exitCode === 0;
const directory = mkdtempSync(join(tmpdir(), "dossier-network-"));
const trace = join(directory, "trace");
const extraction = testExtraction({
  all: true,
  observer: can_trace
    ? [strace, "-f", "-qq", "-A", "-e", "trace=connect,sendto,execve", "-o", trace]
    : [],
});
afterAll(async () => {
  await extraction.stop();
  rmSync(directory, { recursive: true });
});

test.skipIf(!can_trace)(
  "reading a file of any kind opens no connection",
  async () => {
    for (const [name, bytes] of cases) {
      const { text } = await extraction.read(bytes, { name });
      expect([name, text.replace(/\s+/g, " ").includes("breakwater was inspected")]).toEqual([
        name,
        true,
      ]);
    }
    const calls = readFileSync(trace, "utf8");
    expect(calls).toContain("execve(");
    expect(calls.split("\n").filter((line) => /connect\(|AF_INET/.test(line))).toEqual([]);
  },
  120_000,
);
