/**
 * Acceptance, on the executable: uploads in any name and encoding, their bodies, the original back,
 * and what broken ones leave behind.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectHas, expectProblem, expectRecord } from "../helpers/contract";
import { temporaryFiles } from "../helpers/data-directory";
import { startExecutable, type Executable } from "../helpers/executable";
import { filePart, form, multipart } from "../helpers/forms";
import { person, type Person } from "../helpers/person";
import { until, type Answered } from "../helpers/server";
import { head, openSocket } from "../helpers/sockets";
import { buildPdf } from "../helpers/pdf";

let server: Executable;
let ada: Person;
let folder: string;

beforeAll(async () => {
  server = await startExecutable();
  ada = await person(server, "ada");
  folder = await ada.folder();
}, 180_000);
afterAll(() => server?.[Symbol.asyncDispose]());

const post = (
  into: string,
  { body, headers }: ReturnType<typeof multipart>,
  query = "",
): Promise<Answered> =>
  ada.send("POST", `/documents/file?folder_id=${into}${query}`, body, headers);
/** An upload whose name is these very characters in the part's header. */
const postNamed = (into: string, name: string, query = "") =>
  post(into, multipart({ headers: filePart(name), body: "The numbat." }), query);

test("an upload is created as syncing, and its text comes", async () => {
  const answer = await ada.upload(folder, "first.txt", "The numbat eats termites.\r\n");
  expect([answer.status, answer.headers.get("location")]).toEqual([
    201,
    `/api/dev/v1/documents/${answer.body.id}`,
  ]);
  expectRecord("document", answer.body);
  expectHas(answer.body, {
    name: "first.txt",
    status: "syncing",
    folder_ids: [folder],
    size_bytes: 27,
    version: 1,
    source: { kind: "upload", uri: null, run_id: null },
  });
  const { content, ...record } = await ada.settled(answer.body.id);
  expectRecord("document", record);
  expect([content, record.status, record.media_type]).toEqual([
    "The numbat eats termites.\n",
    "synced",
    "text/plain",
  ]);
  expect(await ada.found("termites")).toEqual([answer.body.id]);
});

describe("names", () => {
  const cases: [string, string, string][] = [
    ["a space and a dot", "annual report.v2.txt", "annual report.v2.txt"],
    ["no extension", "README", "README"],
    ["a leading dot", ".profile", ".profile"],
    ["emoji", "👩🏽‍🚀 notes 🦓.txt", "👩🏽‍🚀 notes 🦓.txt"],
    ["other scripts", "отчёт 報告 تقرير.txt", "отчёт 報告 تقرير.txt"],
    ["decomposed letters", "cafe\u0301.txt", "cafe\u0301.txt"],
    ["quotes as browsers send them", "a %22quoted%22 name.txt", `a "quoted" name.txt`],
    ["quotes with a backslash before them", `a \\"second\\" name.txt`, `a "second" name.txt`],
    ["an apostrophe", "it's.txt", "it's.txt"],
    ["a percent sign", "50% off.txt", "50% off.txt"],
    ["an escape that is none of ours", "a%20b.txt", "a%20b.txt"],
    ["a semicolon", "a;b=c.txt", "a;b=c.txt"],
    ["directories", "reports/2026/may.txt", "may.txt"],
    ["directories above", "../../../etc/passwd", "passwd"],
    ["a root", "/etc/shadow", "shadow"],
    ["a drive", "C:\\fakepath\\june.txt", "june.txt"],
    ["spaces at both ends", "  july.txt ", "july.txt"],
    ["markup", "<img src=x onerror=alert(1)>.txt", "<img src=x onerror=alert(1)>.txt"],
    ["right to left marks", "\u202etxt.exe", "\u202etxt.exe"],
    ["SQL", "'; drop table documents; --", "'; drop table documents; --"],
  ];
  for (const [why, sent, kept] of cases)
    test(`${why} are kept as they are, the last segment of them`, async () => {
      const into = await ada.folder();
      const answer = await postNamed(into, sent);
      expect([answer.status, answer.body.name]).toEqual([201, kept]);
      expect(await ada.names(into)).toEqual([kept]);
      const download = await fetch(`${server.url()}${answer.body.content_url}/file`, {
        headers: { authorization: `Bearer ${ada.key}` },
      });
      const disposition = download.headers.get("content-disposition")!;
      expect(disposition).toStartWith("attachment");
      expect(decodeURIComponent(/filename\*=UTF-8''([^;]+)/i.exec(disposition)![1]!)).toBe(kept);
      expect(await download.text()).toBe("The numbat.");
    });

  const refused: [string, string][] = [
    ["a line break", "a%0ab.txt"],
    ["a carriage return", "a%0Db.txt"],
    ["a tab", "a\tb.txt"],
    ["a control character", "a\u0001b.txt"],
    ["a delete character", "a\u007fb.txt"],
    ["a control character of the second row", "a\u0085b.txt"],
    ["none", ""],
    ["spaces alone", " \u3000 "],
    ["a path that ends in a slash", "reports/"],
  ];
  for (const [why, name] of refused)
    test(`${why}: 400`, async () => {
      const answer = await postNamed(folder, name);
      expectProblem(answer, 400);
      expect(answer.body.errors[0].pointer).toBe("/file");
    });
  test("a name that comes encoded for another age (RFC 8187)", async () => {
    const answer = await post(
      folder,
      multipart({
        headers: `Content-Disposition: form-data; name="file"; filename="cafe.txt"; filename*=UTF-8''caf%C3%A9%20%F0%9F%A6%93.txt`,
        body: "x",
      }),
    );
    expect([answer.status, answer.body.name]).toEqual([
      201,
      expect.stringMatching(/^(café 🦓|cafe)\.txt$/),
    ]);
  });
});

describe("one name, one upload in a folder", () => {
  const cases: [string, string, string, number][] = [
    ["the same name", "report.txt", "report.txt", 409],
    ["another composition of its letters", "caf\u00e9.txt", "cafe\u0301.txt", 409],
    ["the same last segment", "x.txt", "dir/x.txt", 409],
    ["other letter case", "Report.txt", "report.TXT", 201],
    ["letters that only look alike", "a.txt", "\u0430.txt", 201],
    ["a compatible letter", "ﬁle.txt", "file.txt", 201],
    ["an accent more", "cafe.txt", "caf\u00e9.txt", 201],
  ];
  for (const [why, first, second, status] of cases)
    test(`${why}: ${status}`, async () => {
      const into = await ada.folder();
      expect((await postNamed(into, first)).status).toBe(201);
      const answer = await postNamed(into, second);
      if (status === 409) expectProblem(answer, 409, "overwrite=true");
      else expect(answer.status).toBe(status);
      expect((await postNamed(await ada.folder(), second)).status).toBe(201);
    });
  test("a name that was taken out of the folder is free", async () => {
    const into = await ada.folder();
    const { body } = await postNamed(into, "a.txt");
    await ada.send("DELETE", `/documents/${body.id}?folder_id=${into}`);
    expect((await postNamed(into, "a.txt")).status).toBe(201);
  });
  test("of uploads at the same moment one wins, in whatever composition", async () => {
    for (const name of ["race.txt", "r\u00e4ce.txt"]) {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          ada.upload(
            folder,
            n % 2 === 0 ? name.normalize("NFC") : name.normalize("NFD"),
            `Runner ${n}.`,
          ),
        ),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([
        201,
        ...Array<number>(11).fill(409),
      ]);
      for (const answer of answers) if (answer.status === 409) expectProblem(answer, 409);
      const winner = answers.findIndex(({ status }) => status === 201);
      expectHas(await ada.settled(answers[winner]!.body.id), {
        status: "synced",
        content: `Runner ${winner}.`,
        version: 1,
      });
    }
  });
  test("of overwriting uploads at the same moment one creates and all count", async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        ada.upload(folder, "over.txt", `Runner ${n}.`, "&overwrite=true"),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      ...Array<number>(7).fill(200),
      201,
    ]);
    expect(answers.map(({ body }) => body.version).toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const last = answers.findIndex(({ body }) => body.version === 8);
    expectHas(await ada.settled(answers[0]!.body.id), {
      status: "synced",
      version: 8,
      content: `Runner ${last}.`,
    });
  });
});

describe("plain text in any encoding", () => {
  const russian =
    "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему. " +
    "Всё смешалось в доме Облонских.";
  const german =
    "Größe, Übung, Straße, Äpfel: Die Mühlen mahlen langsam, aber schön und gründlich für die " +
    "Völker. Das Mädchen hört die Vögel früh.";
  const bytes = (...all: readonly number[]) => new Uint8Array(all);
  const utf16 = (text: string, little: boolean) => {
    const buffer = Buffer.from(text, "utf16le");
    return new Uint8Array(little ? buffer : buffer.swap16());
  };
  const koi8 = (text: string) =>
    bytes(
      ...[...text].map((letter) =>
        /[а-яё]/i.test(letter) ? encodedIn("koi8-r", letter) : letter.charCodeAt(0),
      ),
    );
  const windows1251 = (text: string) =>
    bytes(
      ...[...text].map((letter) =>
        /[а-яё]/i.test(letter) ? encodedIn("windows-1251", letter) : letter.charCodeAt(0),
      ),
    );
  const latin1 = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
  /** The byte that stands for this letter. */
  function encodedIn(encoding: string, letter: string): number {
    const decoder = new TextDecoder(encoding as Bun.Encoding);
    for (let byte = 128; byte < 256; byte++)
      if (decoder.decode(bytes(byte)) === letter) return byte;
    throw new Error(`${letter} is not in ${encoding}`);
  }
  const cases: [string, () => Uint8Array<ArrayBuffer>, string][] = [
    ["UTF-8", () => new TextEncoder().encode(`${russian} 🦓`), `${russian} 🦓`],
    [
      "UTF-8 with its mark",
      () => bytes(0xef, 0xbb, 0xbf, ...new TextEncoder().encode(russian)),
      russian,
    ],
    [
      "UTF-16, little end first, with its mark",
      () => bytes(0xff, 0xfe, ...utf16(`${german} 🦓`, true)),
      `${german} 🦓`,
    ],
    [
      "UTF-16, big end first, with its mark",
      () => bytes(0xfe, 0xff, ...utf16(german, false)),
      german,
    ],
    ["UTF-16 without its mark", () => utf16(german, true), german],
    ["Windows-1252", () => latin1(german), german],
    ["Windows-1251", () => windows1251(russian), russian],
    ["KOI8-R", () => koi8(russian), russian],
    [
      "line breaks of three systems",
      () => latin1("one\r\ntwo\rthree\nfour"),
      "one\ntwo\nthree\nfour",
    ],
  ];
  for (const [why, content, text] of cases)
    for (const type of ["text/plain", "text/plain; charset=us-ascii"])
      test(`${why}, sent as ${type}: the bytes decide`, async () => {
        const sent = content();
        const { body } = await ada.send(
          "POST",
          `/documents/file?folder_id=${await ada.folder()}`,
          form("text.txt", sent, type),
        );
        const document = await ada.settled(body.id);
        expect([document.status, document.content, document.size_bytes]).toEqual([
          "synced",
          text,
          sent.length,
        ]);
        const download = await fetch(`${server.url()}${body.content_url}/file`, {
          headers: { authorization: `Bearer ${ada.key}` },
        });
        expect(Buffer.from(await download.arrayBuffer()).equals(Buffer.from(sent))).toBe(true);
      });
  test("Markdown is known by its name", async () => {
    const { body } = await ada.upload(folder, "notes.md", "# Birds\n\nThe heron *stands*.\n");
    expectHas(await ada.settled(body.id), {
      status: "synced",
      media_type: "text/markdown",
      content: "# Birds\n\nThe heron *stands*.\n",
    });
  });
});

describe("what has no text to give says why", () => {
  const line = (text: string) => ({ lines: [{ x: 60, y: 700, text }] });
  const pdf = (...pages: Parameters<typeof buildPdf>) => new Uint8Array(buildPdf(...pages));
  const png = new Uint8Array([
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52,
  ]);
  const cases: [string, string, () => string | Uint8Array<ArrayBuffer>, string][] = [
    ["an empty file", "empty.txt", () => "", "empty"],
    ["a blank file", "blank.txt", () => " \n\n", "empty"],
    ["a picture called text", "picture.txt", () => png, "corrupt"],
    [
      "bytes without meaning",
      "noise.txt",
      () => new Uint8Array(4_000).map((_, n) => (n * 7919) % 251),
      "unsupported_type",
    ],
    ["a PDF that is cut off", "cut.pdf", () => pdf([line("Here.")]).slice(0, 200), "corrupt"],
    ["a PDF in name alone", "fake.pdf", () => "%PDF-1.7\nnothing", "corrupt"],
    [
      "a PDF that needs a password",
      "locked.pdf",
      () => pdf([line("Here.")], { password: "secret" }),
      "encrypted",
    ],
    ["a PDF without a text layer", "scan.pdf", () => pdf([{ picture: true }]), "empty"],
  ];
  for (const [why, name, content, code] of cases)
    test(`${why}: ${code}`, async () => {
      const { status, body } = await ada.upload(folder, name, content());
      expect(status).toBe(201);
      const { content: text, ...record } = await ada.settled(body.id);
      expectRecord("document", record);
      expect([record.status, record.error.code, text, record.synced_at]).toEqual([
        "sync_failed",
        code,
        "",
        null,
      ]);
      expect(record.error.message).not.toMatch(/\/tmp|\/home|at .*\.ts/);
      expect((await ada.send("POST", `/documents/${body.id}/reindex`)).status).toBe(202);
      expectHas(await ada.settled(body.id), { status: "sync_failed", error: { code } });
      expect((await ada.upload(folder, name, "Now there is text.", "&overwrite=true")).status).toBe(
        200,
      );
      expectHas(await ada.settled(body.id), {
        status: "synced",
        version: 2,
        content: "Now there is text.",
        error: null,
      });
    });
  test("a PDF with text is read, whatever it is called", async () => {
    const { body } = await ada.upload(
      folder,
      "really-a-pdf.txt",
      pdf([line("The heron stands on page one."), line("The stork stands on page two.")]),
    );
    expectHas(await ada.settled(body.id), {
      status: "synced",
      media_type: "application/pdf",
      page_count: 2,
      content: expect.stringContaining("page two"),
    });
  });
});

for (const kind of ["upload", "text"])
  describe(`the original of a ${kind}, whole and in parts`, () => {
    let url: string, etag: string;
    const get = (headers: Record<string, string> = {}) =>
      fetch(url, { headers: { authorization: `Bearer ${ada.key}`, ...headers } });
    beforeAll(async () => {
      const { id, content_url } =
        kind === "text"
          ? await ada.text(folder, "0123456789")
          : (await ada.upload(folder, "digits.txt", "0123456789")).body;
      await ada.settled(id);
      url = `${server.url()}${content_url}/file`;
      etag = (await get()).headers.get("etag")!;
    });
    const cases: [string, string, number, string, string | null][] = [
      ["the beginning", "bytes=0-3", 206, "0123", "bytes 0-3/10"],
      ["from somewhere on", "bytes=7-", 206, "789", "bytes 7-9/10"],
      ["the end", "bytes=-2", 206, "89", "bytes 8-9/10"],
      ["one byte", "bytes=4-4", 206, "4", "bytes 4-4/10"],
      ["beyond the end", "bytes=8-99", 206, "89", "bytes 8-9/10"],
      ["more than there is, from the end", "bytes=-99", 206, "0123456789", "bytes 0-9/10"],
      ["all of it", "bytes=0-9", 206, "0123456789", "bytes 0-9/10"],
      ["in another unit", "pages=1-2", 200, "0123456789", null],
      ["words that mean nothing", "bytes=a-b", 200, "0123456789", null],
      ["backwards", "bytes=5-2", 200, "0123456789", null],
      ["outside", "bytes=10-12", 416, "", "bytes */10"],
      ["nothing from the end", "bytes=-0", 416, "", "bytes */10"],
    ];
    for (const [why, range, status, text, content_range] of cases)
      test(why, async () => {
        const answer = await get({ range });
        expect([answer.status, answer.headers.get("content-range")]).toEqual([
          status,
          content_range,
        ]);
        if (status < 400)
          expect([
            await answer.text(),
            answer.headers.get("accept-ranges"),
            answer.headers.get("x-content-type-options"),
          ]).toEqual([text, "bytes", "nosniff"]);
      });
    test("what is known already is not sent again", async () =>
      expect([
        (await get({ "if-none-match": etag })).status,
        (await get({ "if-none-match": `"x"` })).status,
      ]).toEqual([304, 200]));
    test("a part of another version is not sent", async () =>
      expect([
        (await get({ range: "bytes=0-1", "if-range": etag })).status,
        (await get({ range: "bytes=0-1", "if-range": `"x"` })).status,
      ]).toEqual([206, 200]));
  });

describe("bodies that are not what they should be", () => {
  const file = { headers: filePart("body.txt"), body: "x" };
  const cases: [string, ReturnType<typeof multipart>, number][] = [
    [
      "no part `file`",
      multipart({
        headers: `Content-Disposition: form-data; name="File"; filename="x.txt"`,
        body: "x",
      }),
      400,
    ],
    [
      "a part `file` without a file name",
      multipart({ headers: `Content-Disposition: form-data; name="file"`, body: "x" }),
      400,
    ],
    [
      "two files",
      multipart(
        { headers: filePart("one.txt"), body: "x" },
        { headers: filePart("two.txt"), body: "x" },
      ),
      400,
    ],
    [
      "a broken part after a whole file",
      {
        ...multipart(file),
        body: multipart(file, { headers: "X-Broken", body: "x".repeat(200_000) }).body.slice(
          0,
          -100,
        ),
      },
      400,
    ],
    ["no part at all", multipart(), 400],
    [
      "no boundary",
      { ...multipart(file), headers: { "content-type": "multipart/form-data" } },
      400,
    ],
    [
      "another boundary",
      { ...multipart(file), headers: { "content-type": "multipart/form-data; boundary=other" } },
      400,
    ],
    [
      "cut off before its end",
      { ...multipart(file), body: multipart(file).body.slice(0, -20) },
      400,
    ],
    [
      "not multipart",
      { body: new Uint8Array([0x7b, 0x7d]), headers: { "content-type": "application/json" } },
      415,
    ],
    ["of no type", { body: multipart(file).body, headers: { "content-type": "" } }, 415],
    [
      "fields beside the file are ignored",
      multipart(
        { headers: `Content-Disposition: form-data; name="folder_id"`, body: "fld_x" },
        { headers: filePart("beside.txt"), body: "x" },
        { headers: `Content-Disposition: form-data; name="note"`, body: "x" },
      ),
      201,
    ],
  ];
  for (const [why, body, status] of cases)
    test(`${why}: ${status}`, async () => {
      const before = await ada.names(folder);
      const answer = await post(folder, body);
      if (status < 400) return expect(answer.status).toBe(status);
      expectProblem(answer, status);
      expect(await ada.names(folder)).toEqual(before);
      await until(() => temporaryFiles(server.data).length === 0);
    });
});

describe("slow and broken connections", () => {
  const whole = multipart({
    headers: filePart("slow.txt"),
    body: "The slow loris arrives at last.",
  });
  const begin = (length: number) =>
    head("POST", `/documents/file?folder_id=${folder}`, {
      authorization: `Bearer ${ada.key}`,
      ...whole.headers,
      "content-length": String(length),
    });

  test("an upload that trickles in arrives", async () => {
    const socket = openSocket(server.url());
    socket.send(begin(whole.body.length));
    for (let at = 0; at < whole.body.length; at += 20) {
      socket.send(whole.body.slice(at, at + 20));
      await Bun.sleep(10);
    }
    const { status, body } = await socket.answer();
    expect([status, await ada.settled(body.id)]).toEqual([
      201,
      expect.objectContaining({ status: "synced", content: "The slow loris arrives at last." }),
    ]);
    socket.cut();
  });
  test("one that breaks off leaves nothing behind, and its name free", async () => {
    const sockets = Array.from({ length: 4 }, () => openSocket(server.url()));
    for (const socket of sockets)
      socket.send(
        `${begin(50_000_000)}${Buffer.from(whole.body.slice(0, -50)).toString().replace("slow.txt", "broken.txt")}${"x".repeat(200_000)}`,
      );
    await until(() => temporaryFiles(server.data).length === 4);
    for (const socket of sockets) socket.cut();
    await until(() => temporaryFiles(server.data).length === 0);
    expect(await ada.names(folder, "&name=broken")).toEqual([]);
    expect((await ada.upload(folder, "broken.txt", "Whole.")).status).toBe(201);
  });
  const later: [string, ReturnType<typeof multipart>, number][] = [
    [
      "one that breaks off after its file has come whole",
      multipart({ headers: filePart("later.txt"), body: "Whole." }),
      10,
    ],
    [
      "one whose second file comes later",
      multipart(
        { headers: filePart("later.txt"), body: "Whole." },
        { headers: filePart("second.txt"), body: "Too much." },
      ),
      60,
    ],
  ];
  for (const [why, { body, headers }, rest] of later)
    test(`${why} leaves nothing behind`, async () => {
      const socket = openSocket(server.url());
      socket.send(
        head("POST", `/documents/file?folder_id=${folder}`, {
          authorization: `Bearer ${ada.key}`,
          ...headers,
          "content-length": String(body.length),
        }),
      );
      socket.send(body.slice(0, -rest));
      await until(() => temporaryFiles(server.data).length === 1);
      await Bun.sleep(100);
      if (rest > 10) {
        socket.send(body.slice(-rest));
        expectProblem(await socket.answer(), 400);
      }
      socket.cut();
      await until(() => temporaryFiles(server.data).length === 0);
      expect(await ada.names(folder, "&name=later")).toEqual([]);
    });
  test("one whose folder is deleted meanwhile is refused, and leaves nothing behind", async () => {
    const doomed = await ada.folder();
    const socket = openSocket(server.url());
    const part = Buffer.from(whole.body.slice(0, -45));
    socket.send(begin(whole.body.length).replace(folder, doomed));
    socket.send(part);
    await until(() => temporaryFiles(server.data).length === 1);
    await ada.send("DELETE", `/folders/${doomed}`);
    socket.send(whole.body.slice(-45));
    expectProblem(await socket.answer(), 404);
    await until(() => temporaryFiles(server.data).length === 0);
    socket.cut();
  });
});
