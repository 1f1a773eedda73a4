/** Uploads, over HTTP: names, the same-name rule, exact under concurrency, and who may. */
import { beforeAll, describe, expect, test } from "bun:test";
import { expectSound, scriptedExtractor } from "../helpers/documents";
import { form } from "../helpers/forms";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";

let server: TestServer;
let ada: Person, bob: Person;
const scripted = scriptedExtractor();
beforeAll(async () => {
  server = await startTestServer({ plugins: [scripted.plugin] });
  ada = await person(server, "ada");
  bob = await person(server, "bob");
});
const file = (id: string) => ada.send("GET", `/documents/${id}/file`);

test("an upload is there at once, and answers once its text is read", async () => {
  const folder = await ada.folder();
  const bytes = "#!read\nFirst page.\fSecond page.";
  const made = await server.send(
    "ada",
    "POST",
    `/documents/file?folder_id=${folder}`,
    form("survey.bin", bytes, "application/x-survey"),
  );
  const id = made.body.id;
  expect([made.status, made.headers.get("location")]).toEqual([201, `/api/dev/v1/documents/${id}`]);
  expect(made.body).toMatchObject({
    name: "survey.bin",
    status: "syncing",
    folder_ids: [folder],
    media_type: "application/x-survey",
    size_bytes: bytes.length,
    version: 1,
    page_count: null,
    sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
    source: { kind: "upload", uri: null, run_id: null },
    error: null,
    synced_at: null,
  });
  await server.settle();
  expect(await ada.get(id)).toMatchObject({
    status: "synced",
    media_type: "text/x-scripted",
    page_count: 2,
    content: "First page.\fSecond page.",
    indexing: { stage: "done", progress: 1, attempts: 1 },
    synced_at: expect.any(String),
  });
  expect(await ada.found("Second", [folder])).toEqual([id]);
  const original = await file(id);
  expect([original.status, original.text, original.headers.get("content-type")]).toEqual([
    200,
    bytes,
    "text/x-scripted",
  ]);
});

describe("names of files", () => {
  const cases: [string, string, number, string?][] = [
    ["as it is", "report.pdf", 201, "report.pdf"],
    ["any Unicode", "Übersicht 概要 🗂.txt", 201, "Übersicht 概要 🗂.txt"],
    ["only the last segment of a path", "/etc/passwd/../notes.txt", 201, "notes.txt"],
    ["of a Windows path too", "C:\\fakepath\\slides.ppt", 201, "slides.ppt"],
    ["dots are a name", "..", 201, ".."],
    ["spaces around are trimmed", "  a.txt ", 201, "a.txt"],
    ["a quote", 'say "hi".txt', 201, 'say "hi".txt'],
    ["a per cent sign", "100%25 sure.txt", 201, "100%25 sure.txt"],
    ["255 emoji", "🗂".repeat(255), 201, "🗂".repeat(255)],
    ["256 characters", "x".repeat(256), 400],
    ["blank", " \u3000", 400],
    ["a path that ends in its separator", "folder/", 400],
    ["a line break", "a\nb.txt", 400],
    ["a tab", "a\tb.txt", 400],
    ["U+0000", "a\u0000b.txt", 400],
    ["a C1 control", "a\u0085b.txt", 400],
  ];
  for (const [why, name, expected, kept] of cases) {
    test(why, async () => {
      const answer = await ada.upload(await ada.folder(), name, "words");
      expect([answer.status, answer.body.name ?? answer.body.errors[0].pointer]).toEqual([
        expected,
        kept ?? "/file",
      ]);
    });
  }
});

describe("the same name", () => {
  type Step = (folder: string) => Promise<unknown>;
  const up =
    (name: string): Step =>
    (folder) =>
      ada.upload(folder, name, `first ${name}`);
  const text =
    (name: string): Step =>
    (folder) =>
      ada.newText(folder, `text ${name}`, name);
  const cases: [string, Step[], string, number][] = [
    ["an upload clashes with an upload", [up("a.txt")], "a.txt", 409],
    ["and with a text", [text("a.txt")], "a.txt", 409],
    ["not with another name", [up("a.txt"), text("b.txt")], "c.txt", 201],
    ["case makes a difference", [up("a.txt")], "A.txt", 201],
    ["composed and decomposed are one", [up("caf\u00e9.txt")], "cafe\u0301.txt", 409],
    ["decomposed and composed, too", [text("cafe\u0301.txt")], "caf\u00e9.txt", 409],
    ["compatible characters are different", [up("ﬁle.txt")], "file.txt", 201],
    [
      "one that was taken out does not count",
      [
        async (folder) => {
          const { id } = (await ada.upload(folder, "a.txt", "x")).body;
          await ada.send("DELETE", `/documents/${id}?folder_id=${folder}`);
        },
      ],
      "a.txt",
      201,
    ],
    [
      "one in another folder does not count",
      [async () => up("a.txt")(await ada.folder())],
      "a.txt",
      201,
    ],
    [
      "one that was renamed does not count",
      [
        async (folder) => {
          const { id } = (await ada.upload(folder, "a.txt", "x")).body;
          await ada.send("PATCH", `/documents/${id}`, { name: "b.txt" });
        },
      ],
      "a.txt",
      201,
    ],
    [
      "but its new name does",
      [
        async (folder) => {
          const { id } = (await ada.upload(folder, "b.txt", "x")).body;
          await ada.send("PATCH", `/documents/${id}`, { name: "a.txt" });
        },
      ],
      "a.txt",
      409,
    ],
    [
      "one that was linked here counts",
      [
        async (folder) => {
          const { id } = (await ada.upload(await ada.folder(), "a.txt", "x")).body;
          await ada.send("POST", `/documents/${id}/links`, { folder_id: folder });
        },
      ],
      "a.txt",
      409,
    ],
  ];
  for (const [why, before, name, expected] of cases) {
    test(why, async () => {
      const folder = await ada.folder();
      for (const step of before) await step(folder);
      const total = (await ada.names(folder)).length;
      const answer = await ada.upload(folder, name, "second");
      expect(answer.status).toBe(expected);
      if (expected === 409)
        expect(answer.body).toMatchObject({
          code: "name_taken",
          detail:
            "A document with the same file name already exists; pass overwrite=true to replace it.",
        });
      expect((await ada.names(folder)).length).toBe(total + (expected === 201 ? 1 : 0));
    });
  }

  test("a text never clashes, not even with an upload", async () => {
    const folder = await ada.folder();
    await ada.upload(folder, "a.txt", "x");
    for (let i = 0; i < 2; i++) await ada.newText(folder, "x", "a.txt");
    expect(await ada.names(folder)).toEqual(["a.txt", "a.txt", "a.txt"]);
  });

  const ontos: [
    string,
    (folder: string, other: string) => Promise<{ readonly status: number }>,
    number,
  ][] = [
    [
      "renaming a text onto an upload",
      async (folder) =>
        ada.send("PATCH", `/documents/${(await ada.newText(folder, "x", "b")).id}`, {
          name: "a.txt",
        }),
      409,
    ],
    [
      "renaming an upload onto an upload",
      async (folder) =>
        ada.send("PATCH", `/documents/${(await ada.upload(folder, "b", "x")).body.id}`, {
          name: "a.txt",
        }),
      409,
    ],
    [
      "renaming to the other normal form",
      async (folder) => {
        await ada.upload(folder, "cafe\u0301", "x");
        return ada.send("PATCH", `/documents/${(await ada.newText(folder, "x", "b")).id}`, {
          name: "caf\u00e9",
        });
      },
      409,
    ],
    [
      "renaming onto a text",
      async (folder) => {
        await ada.newText(folder, "x", "text");
        return ada.send("PATCH", `/documents/${(await ada.upload(folder, "b", "x")).body.id}`, {
          name: "text",
        });
      },
      200,
    ],
    [
      "renaming to its own name",
      async (folder) =>
        ada.send("PATCH", `/documents/${(await ada.upload(folder, "own", "x")).body.id}`, {
          name: "own",
        }),
      200,
    ],
    [
      "linking a text onto an upload",
      async (folder, other) =>
        ada.send("POST", `/documents/${(await ada.newText(other, "x", "a.txt")).id}/links`, {
          folder_id: folder,
        }),
      409,
    ],
    [
      "linking an upload onto an upload",
      async (folder, other) =>
        ada.send("POST", `/documents/${(await ada.upload(other, "a.txt", "x")).body.id}/links`, {
          folder_id: folder,
        }),
      409,
    ],
    [
      "restoring a text onto an upload",
      async (_folder, other) => {
        const { id } = await ada.newText(other, "x", "a.txt");
        await ada.send("DELETE", `/documents/${id}?folder_id=${other}`);
        await ada.upload(other, "a.txt", "x");
        return ada.send("POST", `/documents/${id}/restore?folder_id=${other}`);
      },
      409,
    ],
    [
      "restoring an upload onto an upload",
      async (_folder, other) => {
        const { id } = (await ada.upload(other, "a.txt", "x")).body;
        await ada.send("DELETE", `/documents/${id}?folder_id=${other}`);
        await ada.upload(other, "a.txt", "y");
        return ada.send("POST", `/documents/${id}/restore?folder_id=${other}`);
      },
      409,
    ],
    [
      "restoring under a name that it got meanwhile",
      async (folder, other) => {
        const { id } = (await ada.upload(other, "b.txt", "x")).body;
        await ada.send("POST", `/documents/${id}/links`, { folder_id: folder });
        await ada.send("DELETE", `/documents/${id}?folder_id=${folder}`);
        expect((await ada.send("PATCH", `/documents/${id}`, { name: "a.txt" })).status).toBe(200);
        return ada.send("POST", `/documents/${id}/restore?folder_id=${folder}`);
      },
      409,
    ],
  ];
  for (const [why, act, expected] of ontos) {
    test(`${why}: ${expected}`, async () => {
      const [folder, other] = [await ada.folder(), await ada.folder()];
      await ada.upload(folder, "a.txt", "taken");
      expect((await act(folder, other)).status).toBe(expected);
    });
  }

  test("thirty uploads of one name at once: one is created, the rest are told", async () => {
    const folder = await ada.folder();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        ada.upload(folder, i % 2 ? "caf\u00e9.txt" : "cafe\u0301.txt", `number ${i}`),
      ),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(29).fill(409)]);
    expect((await ada.names(folder)).length).toBe(1);
  });

  test("thirty overwrites of one name at once: one document, thirty versions", async () => {
    const folder = await ada.folder();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        ada.upload(folder, "a.txt", `number ${i}`, "&overwrite=true"),
      ),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([...Array(29).fill(200), 201]);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    expect(answers.map((answer) => answer.body.version).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 30 }, (_, i) => i + 1),
    );
    await server.settle();
    const last = answers.find((answer) => answer.body.version === 30)!.body;
    const document = await ada.get(last.id);
    expect(document).toMatchObject({ version: 30, status: "synced", sha256: last.sha256 });
    expect(new Bun.CryptoHasher("sha256").update(document.content).digest("hex")).toBe(last.sha256);
    await expectSound(server);
  });
});

describe("who may upload where", () => {
  const cases: [string, () => Promise<string>, number][] = [
    ["without a folder", async () => "", 400],
    ["with an empty folder", async () => "?folder_id=", 400],
    ["a folder that does not exist", async () => "?folder_id=fld_none", 404],
    ["another user's folder", async () => `?folder_id=${await bob.folder()}`, 403],
    ["an odd flag", async () => `?folder_id=${await ada.folder()}&overwrite=yes`, 400],
  ];
  for (const [why, query, expected] of cases) {
    test(`${why}: ${expected}`, async () =>
      expect(
        (await server.send("ada", "POST", `/documents/file${await query()}`, form("a.txt", "x")))
          .status,
      ).toBe(expected));
  }
});

test("after all of this, everything that is counted is what counting it gives", async () => {
  await server.settle();
  await expectSound(server);
});
