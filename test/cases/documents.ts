/** Text documents: stored unchanged, named, refused and listed. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectHas, expectProblem, expectRecord } from "../helpers/contract";
import { person, type Person } from "../helpers/person";
import type { ApiServer, StartServer } from "../helpers/server";

const sha256 = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");

export function documentCases(start: StartServer): void {
  let server: ApiServer;
  let ada: Person;
  let folder: string;
  let foreign: string;

  beforeAll(async () => {
    server = await start();
    ada = await person(server, "ada");
    folder = await ada.folder();
    foreign = await (await person(server, "bob")).folder();
  }, 180_000);
  afterAll(() => server?.[Symbol.asyncDispose]());

  describe("a text is stored and returned exactly as it is sent", () => {
    const cases: [string, string, string][] = [
      ["plain words", "The quagga grazes.", "synced"],
      ["spaces and line breaks at both ends", " \r\n\tThe quagga\r\ngrazes. \n\n", "synced"],
      ["carriage returns alone", "one\rtwo\r\rthree", "synced"],
      ["a byte order mark", "\ufeffThe quagga", "synced"],
      ["decomposed marks stay decomposed", "cafe\u0301 and caf\u00e9", "synced"],
      ["characters beyond the Basic Multilingual Plane", "𝔘𝔫𝔦 👩🏽‍🚀 𠜎", "synced"],
      ["control characters", "a\u0001b\u001bc\u007f\u0085\u2028d", "synced"],
      [
        "what looks like markup, JSON or SQL",
        `</script>{"content":"x"}'; drop table documents; --\\u0000`,
        "synced",
      ],
      ["right to left", "שלום עולם \u202eabc", "synced"],
      ["line breaks of every kind", "a\r\nb\rc\nd\u2028e", "synced"],
      ["noncharacters", "\uFFFE\uFFFF\u{10FFFF}", "synced"],
      ["nothing at all", "", "sync_failed"],
      ["spaces alone", " \n\t\u3000", "sync_failed"],
    ];
    for (const [why, content, status] of cases)
      test(why, async () => {
        const document = await ada.create("/documents", {
          folder_id: folder,
          content,
          name: "exact",
        });
        expectRecord("document", document);
        const bytes = Buffer.byteLength(content);
        expectHas(document, {
          name: "exact",
          status: "syncing",
          folder_ids: [folder],
          media_type: "text/plain",
          size_bytes: bytes,
          sha256: sha256(content),
          version: 1,
          error: null,
          synced_at: null,
        });
        const { content: returned, ...record } = await ada.settled(document.id);
        expectRecord("document", record);
        expect([returned, record.status, record.error?.code ?? null]).toEqual([
          content,
          status,
          status === "synced" ? null : "empty",
        ]);
        expectHas(record, {
          size_bytes: bytes,
          sha256: sha256(content),
          version: 1,
          source: { kind: "text", uri: null, run_id: null },
        });
        expect(record.synced_at === null).toBe(status !== "synced");
        if (status === "synced") expectHas(record.indexing, { stage: "done", progress: 1 });
        const original = await server.call("ada", "GET", `${record.content_url}/file`);
        expect(Buffer.from(await original.arrayBuffer()).toString()).toBe(content);
        expect(original.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      });

    const long: [why: string, content: string][] = [
      ["a long text", `${"The quagga grazes in the Karoo. 🦓\n".repeat(20_000)}end`],
      ["a long text with quotation marks, backslashes and controls", `"q\\\u0001\n`.repeat(90_000)],
      ["a long text of surrogate pairs", `x${"🦓".repeat(200_000)}`],
    ];
    for (const [why, content] of long)
      test(`${why}, whole, in parts and as the original`, async () => {
        const { id } = await ada.text(folder, content);
        const { content: _left_out, ...record } = await ada.get(id);
        const got = await server.call("ada", "GET", `/documents/${id}`);
        expect(got.headers.get("content-type")).toBe("application/json;charset=utf-8");
        expect((await got.text()) === JSON.stringify({ ...record, content })).toBe(true);
        const bytes = Buffer.from(content);
        const middle = bytes.length >> 1;
        const original = (headers = {}) =>
          server.call("ada", "GET", `/documents/${id}/file`, undefined, headers);
        /** A stream is sent in chunks, without a content length. */
        const lengths = (length: number) => [null, String(length)];
        const whole = await original();
        expect(lengths(bytes.length)).toContain(whole.headers.get("content-length"));
        expect(bytes.equals(Buffer.from(await whole.arrayBuffer()))).toBe(true);
        for (const [range, start, end] of [
          ["bytes=0-0", 0, 1],
          [`bytes=${middle}-${middle + 99_999}`, middle, middle + 100_000],
          ["bytes=-3", bytes.length - 3, bytes.length],
        ] as const) {
          const part = await original({ range });
          expect(part.status).toBe(206);
          expect(lengths(end - start)).toContain(part.headers.get("content-length"));
          expect(bytes.subarray(start, end).equals(Buffer.from(await part.arrayBuffer()))).toBe(
            true,
          );
        }
        const head = await server.call("ada", "HEAD", `/documents/${id}`);
        expect(head.headers.get("content-length")).toBe(
          String(Buffer.byteLength(JSON.stringify({ ...record, content }))),
        );
      });
    test("a long text is released when the client disconnects", async () => {
      const { id } = await ada.text(folder, long[0]![1]);
      const reader = (await server.call("ada", "GET", `/documents/${id}`)).body!.getReader();
      expect((await reader.read()).done).toBe(false);
      await reader.cancel();
      expect((await ada.get(id)).content.length).toBe(long[0]![1].length);
    });
    test("GET leaves the text out with content=false and includes it with content=true", async () => {
      const { id } = await ada.text(folder, "Here.");
      const [without, with_it] = [
        (await ada.send("GET", `/documents/${id}?content=false`)).body,
        (await ada.send("GET", `/documents/${id}?content=true`)).body,
      ];
      expect(["content" in without, with_it]).toEqual([false, { ...without, content: "Here." }]);
    });
  });

  describe("a text without a name is named after its first line", () => {
    const cases: [string, object, string][] = [
      ["one line", { content: "The quagga grazes." }, "The quagga grazes."],
      ["several", { content: "First\nSecond" }, "First"],
      ["blank lines before it", { content: "\n \r\n\tFirst\r\nSecond" }, "First"],
      ["null means absent", { name: null, content: "First\nSecond" }, "First"],
      ["a long line is cut to the longest name", { content: "😀".repeat(300) }, "😀".repeat(255)],
      [
        "the first line that is not blank",
        { content: "\n \t\r\n\u3000\n  Here  \nnot here" },
        "Here",
      ],
      ["control characters become spaces", { content: "a\tb\u0007c\nd" }, "a b c"],
      ["every kind of line break ends the line", { content: "one\u2028two" }, "one"],
      ["a byte order mark is not a name", { content: "\uFEFFNotes\n" }, "Notes"],
      ["no line at all", { content: " \n " }, "Untitled"],
      ["nothing at all", { content: "" }, "Untitled"],
      ["a given name is trimmed", { name: " Named ", content: "First" }, "Named"],
    ];
    for (const [why, body, name] of cases)
      test(why, async () =>
        expect((await ada.create("/documents", { folder_id: folder, ...body })).name).toBe(name),
      );
  });

  describe("created", () => {
    const cases: [why: string, body: object][] = [
      ["a folder and a text are enough", {}],
      ["a null name means no name", { name: null }],
      ["texts may share a name", { name: "x" }],
      ["unknown fields are ignored", { status: "synced", owner_id: "usr_bob", version: 9 }],
      ["a name of 255 emoji fits", { name: "⚓️🗂".repeat(85) }],
    ];
    for (const [why, body] of cases)
      test(why, async () => {
        const before = (await ada.names(folder)).length;
        const answer = await ada.send("POST", "/documents", {
          folder_id: folder,
          content: "x",
          ...body,
        });
        expect([answer.status, answer.headers.get("location")]).toEqual([
          201,
          `/api/dev/v1/documents/${answer.body.id}`,
        ]);
        expectRecord("document", answer.body);
        expectHas(answer.body, { status: "syncing", version: 1 });
        expect((await ada.names(folder)).length).toBe(before + 1);
      });
  });

  describe("refused with the field named", () => {
    const cases: [string, string, () => string, unknown, string][] = [
      ["no folder", "POST", () => "/documents", { content: "x" }, "folder_id"],
      [
        "missing content: even an empty text must be sent",
        "POST",
        () => "/documents",
        { folder_id: "{folder}" },
        "content",
      ],
      [
        "content that is null",
        "POST",
        () => "/documents",
        { folder_id: "{folder}", content: null },
        "content",
      ],
      [
        "content that is a number",
        "POST",
        () => "/documents",
        { folder_id: "{folder}", content: 1 },
        "content",
      ],
      [
        "content with U+0000",
        "POST",
        () => "/documents",
        { folder_id: "{folder}", content: "a\u0000b" },
        "content",
      ],
      [
        "content with an unpaired surrogate",
        "POST",
        () => "/documents",
        { folder_id: "{folder}", content: "\udc00" },
        "content",
      ],
      [
        "a blank name",
        "POST",
        () => "/documents",
        { folder_id: "{folder}", name: " ", content: "x" },
        "name",
      ],
      [
        "a folder that is null",
        "POST",
        () => "/documents",
        { folder_id: null, content: "x" },
        "folder_id",
      ],
      [
        "a name of 256 characters",
        "POST",
        () => "/documents",
        { folder_id: "{folder}", name: "x".repeat(256), content: "x" },
        "name",
      ],
      [
        "a name of two lines",
        "POST",
        () => "/documents",
        { folder_id: "{folder}", name: "a\nb", content: "x" },
        "name",
      ],
      [
        "a name that is a list",
        "POST",
        () => "/documents",
        { folder_id: "{folder}", name: ["x"], content: "x" },
        "name",
      ],
      ["a list without a folder", "GET", () => "/documents", undefined, "folder_id"],
      [
        "a list by an unknown status",
        "GET",
        () => `/documents?folder_id=${folder}&status=done`,
        undefined,
        "status",
      ],
      [
        "a list with an invalid deleted flag",
        "GET",
        () => `/documents?folder_id=${folder}&deleted=yes`,
        undefined,
        "deleted",
      ],
      ["removing it from no folder", "DELETE", () => "/documents/doc_none", undefined, "folder_id"],
      [
        "restoring it to no folder",
        "POST",
        () => "/documents/doc_none/restore",
        undefined,
        "folder_id",
      ],
      ["linking it to no folder", "POST", () => "/documents/doc_none/links", {}, "folder_id"],
      ["renaming it without a name", "PATCH", () => "/documents/doc_none", {}, "name"],
      [
        "renaming it to a blank name",
        "PATCH",
        () => "/documents/doc_none",
        { name: "\u2003" },
        "name",
      ],
      ["renaming it to null", "PATCH", () => "/documents/doc_none", { name: null }, "name"],
      [
        "a record with an invalid content flag",
        "GET",
        () => "/documents/doc_none?content=1",
        undefined,
        "content",
      ],
    ];
    for (const [why, method, path, body, field] of cases)
      test(why, async () => {
        const sent =
          body === undefined
            ? undefined
            : JSON.parse(JSON.stringify(body).replace("{folder}", folder));
        const before = await ada.names(folder);
        const answer = await ada.send(method, path(), sent);
        expectProblem(answer, 400, field);
        expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
          expect.stringMatching(new RegExp(`^[/?]${field}$`)),
        ]);
        expect(await ada.names(folder)).toEqual(before);
      });
    const folders: [why: string, folder_id: () => string, status: number][] = [
      ["a folder that does not exist", () => "fld_none", 404],
      ["another user's folder", () => foreign, 403],
    ];
    for (const [why, folder_id, status] of folders)
      test(`${why}: ${status}`, async () =>
        expectProblem(
          await ada.send("POST", "/documents", { folder_id: folder_id(), content: "x" }),
          status,
        ));
  });

  describe("listing", () => {
    let mixed: string;
    let empty: string;
    let child: string;
    beforeAll(async () => {
      [mixed, empty] = [await ada.folder(), await ada.folder()];
      child = await ada.folder("child", mixed);
      for (const [name, content] of [
        ["Alpha.txt", "one"],
        ["beta_50%.txt", "two"],
        ["ÄPFEL", "three"],
        ["empty", ""],
        ["e\u0301clair", "four"],
        ["wow!", "five"],
      ])
        await ada.text(mixed, content!, name);
      await ada.text(child, "six", "in the subfolder");
    });
    const cases: [string, () => string, string[]][] = [
      [
        "newest first, only the folder's own",
        () => `${mixed}`,
        ["wow!", "e\u0301clair", "empty", "ÄPFEL", "beta_50%.txt", "Alpha.txt"],
      ],
      ["the subfolder's own", () => child, ["in the subfolder"]],
      ["a folder without documents", () => empty, []],
      ["a page", () => `${mixed}&per_page=2&page=2`, ["empty", "ÄPFEL"]],
      ["by status", () => `${mixed}&status=sync_failed`, ["empty"]],
      ["by another status", () => `${mixed}&status=syncing`, []],
      ["by a part of the name, in any case", () => `${mixed}&name=ALPHA`, ["Alpha.txt"]],
      ["by any letter in any case", () => `${mixed}&name=%C3%A4pf`, ["ÄPFEL"]],
      ["composed finds decomposed", () => `${mixed}&name=%C3%89CL`, ["e\u0301clair"]],
      ["a percent sign is literal", () => `${mixed}&name=50%25`, ["beta_50%.txt"]],
      ["an underscore is literal", () => `${mixed}&name=a_5`, ["beta_50%.txt"]],
      ["an exclamation mark is literal", () => `${mixed}&name=w!`, ["wow!"]],
      ["nothing of that name", () => `${mixed}&name=gamma`, []],
      [
        "both filters",
        () => `${mixed}&status=synced&name=a`,
        ["e\u0301clair", "beta_50%.txt", "Alpha.txt"],
      ],
      ["an empty name is no filter", () => `${mixed}&name=&status=sync_failed`, ["empty"]],
      ["nothing was removed", () => `${mixed}&deleted=true`, []],
      ["deleted=false has no effect", () => `${mixed}&deleted=false&name=beta`, ["beta_50%.txt"]],
      [
        "by the status of what is indexed",
        () => `${mixed}&status=synced`,
        ["wow!", "e\u0301clair", "ÄPFEL", "beta_50%.txt", "Alpha.txt"],
      ],
      [
        "by accented letters, however they are composed",
        () => `${mixed}&name=${encodeURIComponent("a\u0308pf")}`,
        ["ÄPFEL"],
      ],
      ["by both, among failures", () => `${mixed}&name=e&status=sync_failed`, ["empty"]],
    ];
    for (const [why, query, expected] of cases) {
      test(why, async () => {
        const { status, body } = await ada.send("GET", `/documents?folder_id=${query()}`);
        expect(status).toBe(200);
        expect(body.data.map((document: { name: string }) => document.name)).toEqual(expected);
        if (!query().includes("page")) expect(body.pagination.total).toBe(expected.length);
      });
    }
    test("items carry status and content_url, and no content", async () => {
      for (const item of (await ada.send("GET", `/documents?folder_id=${mixed}`)).body.data) {
        expect(item).toMatchObject({
          status: expect.stringMatching(/^sync/),
          content_url: `/api/dev/v1/documents/${item.id}`,
        });
        expect("content" in item).toBe(false);
      }
    });
    const refused: [string, () => string, number][] = [
      ["without a folder", () => "", 400],
      ["with an empty folder", () => "?folder_id=", 400],
      ["with a folder that does not exist", () => "?folder_id=fld_none", 404],
      ["with another user's folder", () => `?folder_id=${foreign}`, 403],
      ["with an unknown status", () => `?folder_id=${mixed}&status=PENDING`, 400],
      ["with page 0", () => `?folder_id=${mixed}&page=0`, 400],
      ["with an invalid flag", () => `?folder_id=${mixed}&deleted=1`, 400],
    ];
    for (const [why, query, status] of refused)
      test(`${why}: ${status}`, async () =>
        expect((await ada.send("GET", `/documents${query()}`)).status).toBe(status));
  });
}
