/**
 * Uploads with any name and encoding, the rule for duplicate names (exact under concurrency), and
 * access.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectHas, expectProblem, expectRecord } from "../helpers/contract";
import { filePart, form, multipart } from "../helpers/forms";
import { person, type Person } from "../helpers/person";
import type { Answered, ApiServer, StartServer } from "../helpers/server";

export function uploadCases(start: StartServer): void {
  let server: ApiServer;
  let ada: Person;
  let folder: string;

  beforeAll(async () => {
    server = await start();
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
  /** An upload with exactly these characters as the name in the part's header. */
  const postNamed = (into: string, name: string, query = "") =>
    post(into, multipart({ headers: filePart(name), body: "The numbat." }), query);

  test("an upload is created as syncing, and its text follows", async () => {
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
      ["backslash-escaped quotes", `a \\"second\\" name.txt`, `a "second" name.txt`],
      ["an apostrophe", "it's.txt", "it's.txt"],
      ["a percent sign", "50% off.txt", "50% off.txt"],
      ["an unrelated escape", "a%20b.txt", "a%20b.txt"],
      ["a semicolon", "a;b=c.txt", "a;b=c.txt"],
      ["directories", "reports/2026/may.txt", "may.txt"],
      ["parent directories", "../../../etc/passwd", "passwd"],
      ["an absolute path", "/etc/shadow", "shadow"],
      ["a drive letter", "C:\\fakepath\\june.txt", "june.txt"],
      ["spaces at both ends", "  july.txt ", "july.txt"],
      ["markup", "<img src=x onerror=alert(1)>.txt", "<img src=x onerror=alert(1)>.txt"],
      ["right to left marks", "\u202etxt.exe", "\u202etxt.exe"],
      ["only dots", "..", ".."],
      ["an escape of a percent sign", "100%25 sure.txt", "100%25 sure.txt"],
      ["SQL", "'; drop table documents; --", "'; drop table documents; --"],
    ];
    for (const [why, sent, stored_name] of cases)
      test(`${why}: the last path segment is kept unchanged`, async () => {
        const into = await ada.folder();
        const answer = await postNamed(into, sent);
        expect([answer.status, answer.body.name]).toEqual([201, stored_name]);
        expect(await ada.names(into)).toEqual([stored_name]);
        const download = await server.call("ada", "GET", `${answer.body.content_url}/file`);
        const disposition = download.headers.get("content-disposition")!;
        expect(disposition).toStartWith("attachment");
        expect(decodeURIComponent(/filename\*=UTF-8''([^;]+)/i.exec(disposition)![1]!)).toBe(
          stored_name,
        );
        expect(await download.text()).toBe("The numbat.");
      });

    const refused: [string, string][] = [
      ["a line break", "a%0ab.txt"],
      ["a carriage return", "a%0Db.txt"],
      ["a tab", "a\tb.txt"],
      ["a control character", "a\u0001b.txt"],
      ["a delete character", "a\u007fb.txt"],
      ["a C1 control character", "a\u0085b.txt"],
      ["none", ""],
      ["256 characters", "x".repeat(256)],
      ["only spaces", " \u3000 "],
      ["a path ending in a slash", "reports/"],
    ];
    for (const [why, name] of refused)
      test(`${why}: 400`, async () => {
        const answer = await postNamed(folder, name);
        expectProblem(answer, 400);
        expect(answer.body.errors[0].pointer).toBe("/file");
      });
    test("a name of 255 emoji, as libraries send it", async () => {
      const answer = await ada.upload(await ada.folder(), "🗂".repeat(255), "words");
      expect([answer.status, answer.body.name]).toEqual([201, "🗂".repeat(255)]);
    });
    test("U+0000, as libraries send it: 400", async () => {
      const answer = await ada.upload(await ada.folder(), "a\u0000b.txt", "words");
      expectProblem(answer, 400);
      expect(answer.body.errors[0].pointer).toBe("/file");
    });
    test("a name in the extended encoding of RFC 8187", async () => {
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

  describe("a name is unique among a folder's uploads", () => {
    const cases: [string, string, string, number][] = [
      ["the same name", "report.txt", "report.txt", 409],
      ["another Unicode normalization", "caf\u00e9.txt", "cafe\u0301.txt", 409],
      ["the same last segment", "x.txt", "dir/x.txt", 409],
      ["other letter case", "Report.txt", "report.TXT", 201],
      ["letters that only look alike", "a.txt", "\u0430.txt", 201],
      ["a compatibility character", "ﬁle.txt", "file.txt", 201],
      ["another name", "a.txt", "c.txt", 201],
      ["an additional accent", "cafe.txt", "caf\u00e9.txt", 201],
    ];
    for (const [why, first, second, status] of cases)
      test(`${why}: ${status}`, async () => {
        const into = await ada.folder();
        expect((await postNamed(into, first)).status).toBe(201);
        const answer = await postNamed(into, second);
        if (status === 409)
          expectProblem(
            answer,
            409,
            "A document with the same file name already exists; pass overwrite=true to replace it.",
            "name_taken",
          );
        else expect(answer.status).toBe(status);
        expect((await ada.names(into)).length).toBe(status === 409 ? 1 : 2);
        expect((await postNamed(await ada.folder(), second)).status).toBe(201);
      });
    const steps: [
      why: string,
      before: (into: string) => Promise<unknown>,
      name: string,
      status: number,
    ][] = [
      ["a text of that name", (into) => ada.newText(into, "x", "a.txt"), "a.txt", 409],
      [
        "a text of that name in another normalization",
        (into) => ada.newText(into, "x", "cafe\u0301.txt"),
        "caf\u00e9.txt",
        409,
      ],
      [
        "one that was removed from the folder",
        async (into) => {
          const { id } = (await ada.upload(into, "a.txt", "x")).body;
          await ada.send("DELETE", `/documents/${id}?folder_id=${into}`);
        },
        "a.txt",
        201,
      ],
      [
        "one in another folder",
        async () => ada.upload(await ada.folder(), "a.txt", "x"),
        "a.txt",
        201,
      ],
      [
        "one that was renamed",
        async (into) => {
          const { id } = (await ada.upload(into, "a.txt", "x")).body;
          await ada.send("PATCH", `/documents/${id}`, { name: "b.txt" });
        },
        "a.txt",
        201,
      ],
      [
        "one that was renamed to it",
        async (into) => {
          const { id } = (await ada.upload(into, "b.txt", "x")).body;
          await ada.send("PATCH", `/documents/${id}`, { name: "a.txt" });
        },
        "a.txt",
        409,
      ],
      [
        "one that was linked here",
        async (into) => {
          const { id } = (await ada.upload(await ada.folder(), "a.txt", "x")).body;
          await ada.send("POST", `/documents/${id}/links`, { folder_id: into });
        },
        "a.txt",
        409,
      ],
    ];
    for (const [why, before, name, status] of steps)
      test(`${why}: ${status}`, async () => {
        const into = await ada.folder();
        await before(into);
        const total = (await ada.names(into)).length;
        const answer = await ada.upload(into, name, "second");
        if (status === 409) expectProblem(answer, 409, "overwrite=true", "name_taken");
        else expect(answer.status).toBe(201);
        expect((await ada.names(into)).length).toBe(total + (status === 201 ? 1 : 0));
      });
    test("of concurrent uploads one wins, in any normalization", async () => {
      for (const name of ["race.txt", "r\u00e4ce.txt"]) {
        const answers = await Promise.all(
          Array.from({ length: 30 }, (_, n) =>
            ada.upload(
              folder,
              n % 2 === 0 ? name.normalize("NFC") : name.normalize("NFD"),
              `Runner ${n}.`,
            ),
          ),
        );
        expect(answers.map(({ status }) => status).toSorted()).toEqual([
          201,
          ...Array<number>(29).fill(409),
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
    test("of concurrent overwrites one creates and each counts as a version", async () => {
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          ada.upload(folder, "over.txt", `Runner ${n}.`, "&overwrite=true"),
        ),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([
        ...Array<number>(29).fill(200),
        201,
      ]);
      expect(answers.map(({ body }) => body.version).toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: 30 }, (_, n) => n + 1),
      );
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
      const last = answers.findIndex(({ body }) => body.version === 30);
      expectHas(await ada.settled(answers[0]!.body.id), {
        status: "synced",
        version: 30,
        content: `Runner ${last}.`,
        sha256: answers[last]!.body.sha256,
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
    /** The byte for this letter. */
    function encodedIn(encoding: string, letter: string): number {
      const decoder = new TextDecoder(encoding as Bun.Encoding);
      for (let byte = 128; byte < 256; byte++)
        if (decoder.decode(bytes(byte)) === letter) return byte;
      throw new Error(`${letter} is not in ${encoding}`);
    }
    const cases: [string, () => Uint8Array<ArrayBuffer>, string][] = [
      ["UTF-8", () => new TextEncoder().encode(`${russian} 🦓`), `${russian} 🦓`],
      [
        "UTF-8 with a byte order mark",
        () => bytes(0xef, 0xbb, 0xbf, ...new TextEncoder().encode(russian)),
        russian,
      ],
      [
        "UTF-16 little-endian with a byte order mark",
        () => bytes(0xff, 0xfe, ...utf16(`${german} 🦓`, true)),
        `${german} 🦓`,
      ],
      [
        "UTF-16 big-endian with a byte order mark",
        () => bytes(0xfe, 0xff, ...utf16(german, false)),
        german,
      ],
      ["UTF-16 without a byte order mark", () => utf16(german, true), german],
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
          const download = await server.call("ada", "GET", `${body.content_url}/file`);
          expect(Buffer.from(await download.arrayBuffer()).equals(Buffer.from(sent))).toBe(true);
        });
    test("Markdown is recognised by its name", async () => {
      const { body } = await ada.upload(folder, "notes.md", "# Birds\n\nThe heron *stands*.\n");
      expectHas(await ada.settled(body.id), {
        status: "synced",
        media_type: "text/markdown",
        content: "# Birds\n\nThe heron *stands*.\n",
      });
    });
  });

  describe("who may upload where", () => {
    const cases: [why: string, query: () => Promise<string>, status: number][] = [
      ["without a folder", async () => "", 400],
      ["with an empty folder", async () => "?folder_id=", 400],
      ["a folder that does not exist", async () => "?folder_id=fld_none", 404],
      [
        "another user's folder",
        async () => `?folder_id=${await (await person(server, "bob")).folder()}`,
        403,
      ],
      ["an invalid flag", async () => `?folder_id=${folder}&overwrite=yes`, 400],
    ];
    for (const [why, query, status] of cases)
      test(`${why}: ${status}`, async () =>
        expectProblem(
          await ada.send("POST", `/documents/file${await query()}`, form("a.txt", "x")),
          status,
        ));
  });
}
