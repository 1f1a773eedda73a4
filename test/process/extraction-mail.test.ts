/**
 * Mail messages: headers, body and attachments become one text, and a bad attachment doesn't spoil
 * the rest.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { isMail } from "../../plugins/extraction/mail/extractor";
import { encodeAs } from "../helpers/encode";
import { testExtraction } from "../helpers/extraction";
import { buildPdf, pdf } from "../helpers/pdf";

const extraction = testExtraction({ all: true });
afterAll(() => extraction.stop());
const { read, fail } = extraction;

const base64 = (bytes: Uint8Array | string): string =>
  Buffer.from(bytes).toString("base64").replace(/.{76}/g, "$&\r\n");
interface Part {
  readonly type: string;
  readonly body: string;
  readonly headers?: readonly string[];
}
const part = ({ type, body, headers = [] }: Part): string =>
  [`Content-Type: ${type}`, ...headers, "", body].join("\r\n");
const attachment = (
  name: string,
  bytes: Uint8Array | string,
  type = "application/octet-stream",
): Part => ({
  type,
  body: base64(bytes),
  headers: [
    "Content-Transfer-Encoding: base64",
    `Content-Disposition: attachment; filename="${name}"`,
  ],
});
const headers = [
  "From: Anna <anna@example.org>",
  "To: bo@example.org",
  "Subject: Dredging",
  "Date: Mon, 3 Mar 2031 10:00:00 +0100",
  "MIME-Version: 1.0",
];
const mail = (...parts: readonly Part[]): string =>
  [
    ...headers,
    "Content-Type: multipart/mixed; boundary=XX",
    "",
    ...parts.flatMap((mail_part) => ["--XX", part(mail_part)]),
    "--XX--",
    "",
  ].join("\r\n");
const simple = (mail_part: Part, more: readonly string[] = []): string =>
  [...headers, ...more, part(mail_part)].join("\r\n");
const top =
  "Subject: Dredging\n\nFrom: Anna <anna@example.org>\nTo: bo@example.org\nDate: Mon, 3 Mar 2031 " +
  "10:00:00 +0100";

describe("a message", () => {
  const cases: [string, string, string][] = [
    [
      "plain text",
      simple({
        type: "text/plain; charset=utf-8",
        body: "It starts on Monday.\r\nIn the north.\r\n\r\nAnna",
      }),
      `${top}\n\nIt starts on Monday.\nIn the north.\n\nAnna`,
    ],
    [
      "HTML only",
      simple({ type: "text/html", body: "<p>It starts <b>on</b> Monday.<script>x</script>" }),
      `${top}\n\nIt starts **on** Monday.`,
    ],
    [
      "plain text and HTML of the same content",
      simple({
        type: "multipart/alternative; boundary=A",
        body: `--A\r\n${part({ type: "text/plain", body: "It starts." })}\r\n--A\r\n${part({ type: "text/html", body: "<p>It starts!" })}\r\n--A--`,
      }),
      `${top}\n\nIt starts.`,
    ],
    [
      "a non-Latin alphabet",
      simple({
        type: "text/plain; charset=koi8-r",
        body: base64(encodeAs("koi8-r", "Капитан порта")),
        headers: ["Content-Transfer-Encoding: base64"],
      }),
      `${top}\n\nКапитан порта`,
    ],
    [
      "quoted-printable",
      simple({
        type: "text/plain; charset=utf-8",
        body: "Stra=C3=9Fe =\r\nof it",
        headers: ["Content-Transfer-Encoding: quoted-printable"],
      }),
      `${top}\n\nStraße of it`,
    ],
    [
      "several recipients and a Cc",
      simple({ type: "text/plain", body: "x" }, [
        "Cc: =?utf-8?b?0JDQvdC90LA=?= <a@example.org>, c@example.org",
      ]),
      `${top.replace("\nDate", "\nCc: Анна <a@example.org>, c@example.org\nDate")}\n\nx`,
    ],
  ];
  for (const [why, message, text] of cases)
    test(why, async () =>
      expect(await read(message, { name: "mail.eml" })).toMatchObject({
        text,
        media_type: "message/rfc822",
        pages: [],
        warnings: [],
      }),
    );
});

test("the subject is the heading, decoded", async () => {
  const { text, headings } = await read(
    simple({ type: "text/plain", body: "x" }).replace("Dredging", "=?utf-8?b?0J7RgtGH0ZHRgg==?="),
    { name: "a.eml" },
  );
  expect(headings!.map(({ start, end, level }) => [text.slice(start, end), level])).toEqual([
    ["Отчёт", 1],
  ]);
});

test("attachments follow under their names; unreadable ones become warnings", async () => {
  const message = mail(
    { type: "text/plain", body: "See below." },
    attachment("report.bin", pdf([["Puffin Ring."], ["Skua Post."]])),
    attachment("page.html", "<h1>Tides</h1><p>High."),
    attachment("locked.pdf", buildPdf([{}], { password: "x" })),
    attachment("depths.csv", "Mooring;Depth\nGannet;11.5\n"),
    attachment("empty.txt", ""),
    attachment("tool.exe", `\x7fELF${"\0\x01\x02".repeat(100)}`),
  );
  const { text, headings, warnings } = await read(message, { name: "mail.eml" });
  expect(text).toBe(
    `${top}\n\nSee below.\n\n## report.bin\n\nPuffin Ring.\n\nSkua Post.\n\n## page.html\n\n# Tides\n\nHigh.\n\n` +
      "## depths.csv\n\n" +
      "| Mooring | Depth |\n| --- | --- |\n| Gannet | 11.5 |",
  );
  expect(headings!.map(({ start, end, level }) => [text.slice(start, end), level])).toEqual([
    ["Dredging", 1],
    ["report.bin", 2],
    ["page.html", 2],
    ["Tides", 3],
    ["depths.csv", 2],
  ]);
  expect(warnings.map(({ code, message }) => [code, message.slice(0, 65)])).toEqual([
    ["attachment_unreadable", "The attachment “locked.pdf” has no readable text. This PDF is pro"],
    ["attachment_unreadable", "The attachment “empty.txt” has no readable text. The file is empt"],
    [
      "attachment_unreadable",
      expect.stringContaining("The attachment “tool.exe” has no readable text. This"),
    ],
  ]);
  expect(extraction.leftovers()).toEqual([]);
});

test("images and styles of the HTML body are not attachments", async () => {
  const picture: Part = {
    type: "image/png",
    body: base64("x"),
    headers: ["Content-Transfer-Encoding: base64", "Content-ID: <logo@x>"],
  };
  expect(
    await read(
      mail(
        { type: "text/html", body: "<img src='cid:logo@x'>Hello." },
        picture,
        attachment("p7s", "x", "application/pkcs7-signature"),
      ),
      { name: "mail.eml" },
    ),
  ).toMatchObject({ text: `${top}\n\nHello.`, warnings: [] });
});

test("nested messages are read up to a maximum depth", async () => {
  let message = simple({ type: "text/plain", body: "the innermost" });
  for (let depth = 0; depth < 4; depth++)
    message = mail(
      { type: "text/plain", body: `level ${depth}` },
      attachment("inner.eml", message),
    );
  expect((await read(message, { name: "mail.eml" })).text).toContain("the innermost");
  for (let depth = 0; depth < 4; depth++)
    message = mail(
      { type: "text/plain", body: `outer ${depth}` },
      attachment("inner.eml", message),
    );
  const { text, warnings } = await read(message, { name: "mail.eml" });
  expect(text).toContain("level 2");
  expect(text).not.toContain("the innermost");
  expect(warnings.map(({ code }) => code)).toEqual(["attachment_left_out"]);
});

test("at most a hundred attachments are read", async () => {
  const { text, warnings } = await read(
    mail(
      { type: "text/plain", body: "Many." },
      ...Array.from({ length: 103 }, (_, i) => attachment(`n${i}.txt`, `number ${i}.`)),
    ),
    { name: "mail.eml" },
  );
  expect([text.includes("number 99."), text.includes("number 100.")]).toEqual([true, false]);
  expect(warnings).toMatchObject([
    {
      code: "attachment_left_out",
      message: expect.stringContaining("3 attachments were left out"),
    },
  ]);
  expect(extraction.leftovers()).toEqual([]);
});

test("a page saved by a browser is read as a page", async () => {
  const saved = [
    "From: <Saved by Blink>",
    "Snapshot-Content-Location: https://example.org/",
    "Subject: Tides",
    "MIME-Version: 1.0",
    "Content-Type: multipart/related; boundary=XX",
    "",
    "--XX",
    part({
      type: "text/html",
      body: "<title>Tides</title><p>High =E2=82=AC water.",
      headers: ["Content-Transfer-Encoding: quoted-printable"],
    }),
    "--XX--",
    "",
  ].join("\r\n");
  expect((await read(saved, { name: "page.mhtml" })).text).toBe("# Tides\n\nHigh € water.");
});

describe("what counts as mail", () => {
  const cases: [string, string, string, boolean][] = [
    ["headers under any name", "x.txt", headers.join("\n"), true],
    ["few headers under its name", "x.eml", "Subject: a\nDate: b\n\nbody", true],
    ["few headers under another name", "x.txt", "Subject: a\nDate: b\n\nbody", false],
    [
      "letters that begin with words and colons are not mail",
      "x.txt",
      "To: the harbour\nFrom: me\nDear all,\nDate: today",
      false,
    ],
    ["headers of HTTP", "x.txt", "Server: a\nDate: b\nContent-Type: c\nSubject: d\n\n", false],
    [
      "a mailbox of many messages is not mail",
      "x.mbox",
      `From anna Mon Mar 3\n${headers.join("\n")}`,
      false,
    ],
    ["folded headers", "x.txt", "Received: from a\n\tby b\nFrom: c\nSubject: d\n e\n\nbody", true],
  ];
  for (const [why, name, bytes, expected] of cases)
    test(why, () =>
      expect(isMail(new TextEncoder().encode(bytes), { name, declared_type: null })).toBe(expected),
    );
});

test("an excessively nested message is refused with a message", async () => {
  let body = "x";
  for (let depth = 0; depth < 300; depth++)
    body = part({
      type: `multipart/mixed; boundary=B${depth}`,
      body: `--B${depth}\r\n${body}\r\n--B${depth}--`,
    });
  expect(await fail([...headers, body].join("\r\n"), { name: "mail.eml" })).toMatchObject({
    code: "too_large",
    message: expect.stringContaining("deeper nested parts"),
  });
});

describe("a long message", () => {
  const limited = testExtraction({ all: true, limits: { characters_max: 4_000_000 } });
  afterAll(() => limited.stop());
  const long = "The dredger is late. 🚢\n\n".repeat(60_000).trim();
  const cases: [reason: string, parts: readonly Part[], expected: string, warning?: RegExp][] = [
    ["a long body", [{ type: "text/plain; charset=utf-8", body: long }], long],
    [
      "a long attachment, and a short one",
      [attachment("a.txt", long), attachment("b.txt", "Bye.")],
      `## a.txt\n\n${long}\n\n## b.txt\n\nBye.`,
    ],
    [
      "a long attachment that is found blank at its end",
      [attachment("a.txt", " \n".repeat(2 ** 20)), attachment("b.txt", long)],
      `## b.txt\n\n${long}`,
      /“a\.txt” has no readable text/,
    ],
    [
      "an attachment with which it would be too long",
      [attachment("a.txt", long), attachment("b.txt", "x ".repeat(1_500_000))],
      `## a.txt

${long}`,
      /“b\.txt” was left out/,
    ],
    [
      "a long message in a message",
      [{ type: "message/rfc822", body: simple({ type: "text/plain; charset=utf-8", body: long }) }],
      `## message 1\n\n${top}\n\n${long}`,
    ],
  ];
  for (const [reason, parts, expected, warning] of cases)
    test(`is passed on in parts: ${reason}`, async () => {
      const taken: string[] = [];
      const { text, headings, warnings } = await limited.read(mail(...parts), {
        name: "mail.eml",
        takeLong: async ({ parts }) => {
          for await (const part of parts) taken.push(part);
        },
      });
      expect(text).toBe("");
      expect(taken.join("") === `${top}\n\n${expected}`).toBe(true);
      expect(Math.max(...taken.map(({ length }) => length))).toBeLessThanOrEqual(256 * 1024);
      for (const { start, end } of headings ?? [])
        expect(taken.join("").slice(start, end)).toMatch(/^(?:Dredging|message 1|[ab]\.txt)$/);
      expect(warnings.map(({ message }) => message)).toEqual(
        warning ? [expect.stringMatching(warning)] : [],
      );
      expect(limited.leftovers()).toEqual([]);
    }, 20_000);
});
