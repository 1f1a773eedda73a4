/** Text documents, over HTTP: records, names, lists, and what other plugins ask for. */
import { beforeAll, describe, expect, test } from "bun:test";
import { definePlugin, handle } from "../../core/sdk";
import { Documents, DocumentSettled } from "../../plugins/documents/contract";
import { expectSound } from "../helpers/documents";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import type { Answered } from "../helpers/server";

let server: TestServer;
let ada: Person, bob: Person;
let documents: Documents;
const settled: any[] = [];
const neighbour = definePlugin({
  name: "neighbour",
  version: "1.0.0",
  needs: { documents: Documents },
  setup: ({ services }) => {
    documents = services.documents;
    return {
      jobs: [
        handle(DocumentSettled, async (payload) => void settled.push(payload), {
          attempts_max: 1,
          timeout_ms: 1_000,
        }),
      ],
    };
  },
});

beforeAll(async () => {
  server = await startTestServer({ plugins: [neighbour] });
  ada = await person(server, "ada");
  bob = await person(server, "bob");
});
const pointers = (answer: Answered): string[] =>
  (answer.body?.errors ?? []).map((error: { pointer: string }) => error.pointer);

test("a text is there at once, and answers once it is indexed", async () => {
  const folder = await ada.folder();
  const content = "Mooring notes\r\nThe anchor lies at nine fathoms. ⚓ naïve\n";
  const bytes = new TextEncoder().encode(content);
  const made = await ada.send("POST", "/documents", { folder_id: folder, content });
  const id = made.body.id;
  expect([made.status, made.headers.get("location")]).toEqual([201, `/api/dev/v1/documents/${id}`]);
  const record = {
    id: expect.stringMatching(/^doc_[0-9A-HJKMNP-TV-Z]{26}$/),
    name: "Mooring notes",
    status: "syncing",
    content_url: `/api/dev/v1/documents/${id}`,
    folder_ids: [folder],
    media_type: "text/plain",
    size_bytes: bytes.length,
    sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
    version: 1,
    page_count: null,
    language: null,
    source: { kind: "text", uri: null, run_id: null },
    indexing: { stage: "queued", progress: 0, attempts: 0 },
    error: null,
    warnings: [],
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updated_at: made.body.created_at,
    synced_at: null,
  };
  expect(made.body).toEqual(record);
  expect((await ada.get(id)).content).toBe(content);

  await server.settle();
  const done = await ada.get(id);
  expect(done).toEqual({
    ...record,
    status: "synced",
    language: done.language,
    indexing: { stage: "done", progress: 1, attempts: 1 },
    synced_at: expect.any(String),
    updated_at: done.synced_at,
    content,
  });
  expect(await ada.found("anchor", [folder])).toContain(id);
  const { content: _, ...without } = done;
  expect((await ada.send("GET", `/documents/${id}?content=false`)).body).toEqual(without);
  expect((await ada.send("GET", `/documents?folder_id=${folder}`)).body.data).toEqual([without]);
  expect(settled).toContainEqual({
    owner_id: "usr_ada",
    document_id: id,
    version: 1,
    status: "synced",
  });
});

describe("creating", () => {
  let folder: string, foreign: string;
  beforeAll(async () => {
    folder = await ada.folder();
    foreign = await bob.folder();
  });
  const cases: [string, () => unknown, number, string?][] = [
    ["a folder and a text are enough", () => ({ folder_id: folder, content: "x" }), 201],
    ["a name of null is none", () => ({ folder_id: folder, content: "x", name: null }), 201],
    ["texts may share a name", () => ({ folder_id: folder, content: "x", name: "x" }), 201],
    [
      "unknown fields are ignored",
      () => ({
        folder_id: folder,
        content: "x",
        status: "synced",
        owner_id: "usr_bob",
        version: 9,
      }),
      201,
    ],
    [
      "a name of 255 emoji fits",
      () => ({ folder_id: folder, content: "x", name: "⚓️🗂".repeat(85) }),
      201,
    ],
    ["a missing folder", () => ({ content: "x" }), 400, "/folder_id"],
    ["a folder that is null", () => ({ folder_id: null, content: "x" }), 400, "/folder_id"],
    ["a missing text", () => ({ folder_id: folder }), 400, "/content"],
    ["a text of null", () => ({ folder_id: folder, content: null }), 400, "/content"],
    ["a text that is a number", () => ({ folder_id: folder, content: 1 }), 400, "/content"],
    [
      "a text with U+0000, which can't be stored",
      () => ({ folder_id: folder, content: "a\u0000b" }),
      400,
      "/content",
    ],
    ["half a surrogate pair", () => ({ folder_id: folder, content: "a\ud83db" }), 400, "/content"],
    ["a blank name", () => ({ folder_id: folder, content: "x", name: " \u3000" }), 400, "/name"],
    [
      "a name of 256",
      () => ({ folder_id: folder, content: "x", name: "x".repeat(256) }),
      400,
      "/name",
    ],
    [
      "a name with a line break",
      () => ({ folder_id: folder, content: "x", name: "a\nb" }),
      400,
      "/name",
    ],
    ["a folder that does not exist", () => ({ folder_id: "fld_none", content: "x" }), 404],
    ["another user's folder", () => ({ folder_id: foreign, content: "x" }), 403],
  ];
  for (const [why, body, status, pointer] of cases) {
    test(why, async () => {
      const before = (await ada.send("GET", `/documents?folder_id=${folder}`)).body.pagination
        .total;
      const answer = await ada.send("POST", "/documents", body());
      expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
      if (pointer !== undefined) expect(pointers(answer)).toEqual([pointer]);
      expect((await ada.send("GET", `/documents?folder_id=${folder}`)).body.pagination.total).toBe(
        before + (status === 201 ? 1 : 0),
      );
    });
  }

  const names: [string, string, string][] = [
    ["the first line", "First line\nsecond", "First line"],
    ["the first that is not blank", "\n \t\r\n\u3000\n  Here  \nnot here", "Here"],
    ["control characters are spaces", "a\tb\u0007c\nd", "a b c"],
    ["cut to 255 characters", "🗂".repeat(300), "🗂".repeat(255)],
    ["a blank text", " \n ", "Untitled"],
    ["an empty text", "", "Untitled"],
    ["lines end in every way", "one\u2028two", "one"],
    ["a byte order mark is not a name", "\uFEFFNotes\n", "Notes"],
  ];
  for (const [why, content, name] of names)
    test(`without a name: ${why}`, async () =>
      expect((await ada.newText(folder, content)).name).toBe(name));

  const contents: [string, string][] = [
    ["every line break", "a\r\nb\rc\nd\u2028e"],
    ["spaces at the ends", "  a  "],
    ["a byte order mark", "\uFEFFa"],
    ["combining marks as sent", "e\u0301 \u00e9"],
    ["control characters", "a\u0001\u0008\u001b\u007f\u0085b"],
    ["non-characters", "\uFFFE\uFFFF\u{10FFFF}"],
    ["markup", "<script>alert(1)</script> & \" ' \\"],
  ];
  for (const [why, content] of contents) {
    test(`kept exactly as sent: ${why}`, async () => {
      const { id, sha256 } = await ada.newText(folder, content);
      await server.settle();
      expect((await ada.get(id)).content).toBe(content);
      const file = await server.fetch(
        new Request(`http://dossier.test/api/dev/v1/documents/${id}/file`, {
          headers: { authorization: `Bearer ${await server.key("ada")}` },
        }),
      );
      const bytes = await file.bytes();
      expect(Buffer.from(bytes).equals(Buffer.from(content))).toBe(true);
      expect(new Bun.CryptoHasher("sha256").update(bytes).digest("hex")).toBe(sha256);
      expect(file.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    });
  }

  for (const content of ["", " \n\t\u3000"]) {
    test(`a text without words is kept, and fails as empty: ${JSON.stringify(content)}`, async () => {
      const { id } = await ada.newText(folder, content, "nothing");
      await server.settle();
      const document = await ada.get(id);
      expect(document).toMatchObject({
        status: "sync_failed",
        error: { code: "empty", message: expect.stringMatching(/\w/) },
        content,
        synced_at: null,
      });
      expect(settled).toContainEqual({
        owner_id: "usr_ada",
        document_id: id,
        version: 1,
        status: "sync_failed",
        error: document.error,
      });
    });
  }
});

describe("listing", () => {
  let folder: string, empty: string, child: string, foreign: string;
  beforeAll(async () => {
    [folder, empty, foreign] = [await ada.folder(), await ada.folder(), await bob.folder()];
    child = await ada.folder("child", folder);
    for (const [name, content] of [
      ["Alpha.txt", "one"],
      ["beta_50%.txt", "two"],
      ["ÄPFEL", "three"],
      ["empty", ""],
      ["e\u0301clair", "four"],
      ["wow!", "five"],
    ])
      await ada.newText(folder, content!, name);
    await ada.newText(child, "six", "in the subfolder");
    await server.settle();
  });
  const cases: [string, () => string, string[]][] = [
    [
      "newest first, the folder's own only",
      () => `${folder}`,
      ["wow!", "e\u0301clair", "empty", "ÄPFEL", "beta_50%.txt", "Alpha.txt"],
    ],
    ["the subfolder's own", () => child, ["in the subfolder"]],
    ["a folder without documents", () => empty, []],
    ["a page", () => `${folder}&per_page=2&page=2`, ["empty", "ÄPFEL"]],
    ["by status", () => `${folder}&status=sync_failed`, ["empty"]],
    ["by another status", () => `${folder}&status=syncing`, []],
    ["by a part of the name, in any case", () => `${folder}&name=ALPHA`, ["Alpha.txt"]],
    ["in any case of any letter", () => `${folder}&name=%C3%A4pf`, ["ÄPFEL"]],
    ["composed finds decomposed", () => `${folder}&name=%C3%89CL`, ["e\u0301clair"]],
    ["a per cent sign is itself", () => `${folder}&name=50%25`, ["beta_50%.txt"]],
    ["an underscore is itself", () => `${folder}&name=a_5`, ["beta_50%.txt"]],
    ["an exclamation mark is itself", () => `${folder}&name=w!`, ["wow!"]],
    ["nothing of that name", () => `${folder}&name=gamma`, []],
    [
      "both filters",
      () => `${folder}&status=synced&name=a`,
      ["e\u0301clair", "beta_50%.txt", "Alpha.txt"],
    ],
    ["an empty name is no filter", () => `${folder}&name=&status=sync_failed`, ["empty"]],
    ["nothing was taken out", () => `${folder}&deleted=true`, []],
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
    for (const item of (await ada.send("GET", `/documents?folder_id=${folder}`)).body.data) {
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
    ["with an unknown status", () => `?folder_id=${folder}&status=PENDING`, 400],
    ["with a page of nought", () => `?folder_id=${folder}&page=0`, 400],
    ["with an odd flag", () => `?folder_id=${folder}&deleted=1`, 400],
  ];
  for (const [why, query, status] of refused)
    test(`${why}: ${status}`, async () =>
      expect((await ada.send("GET", `/documents${query()}`)).status).toBe(status));
});

describe("what other plugins ask for", () => {
  let id: string, failed: string, foreign: string, folder: string, other: string;
  const content = "Zwölf Boxkämpfer 🥊 jagen Viktor.";
  beforeAll(async () => {
    [folder, other] = [await ada.folder(), await ada.folder()];
    id = (await ada.newText(folder, content, "boxing")).id;
    failed = (await ada.newText(folder, "", "blank")).id;
    foreign = (await bob.newText(await bob.folder(), "private")).id;
    await server.settle();
  });
  const quotes: [string, number, number, string, boolean][] = [
    ["from the start", 0, 5, "Zwölf", true],
    ["code points, not units", 17, 18, "🥊", true],
    ["behind an emoji", 19, 24, "jagen", true],
    ["to the end", 25, 32, "Viktor.", true],
    ["one place off", 18, 23, "jagen", false],
    ["other words", 0, 5, "Zwolf", false],
    ["beyond the end", 25, 33, "Viktor. ", false],
    ["nothing", 3, 3, "", true],
  ];
  for (const [why, start, end, quote, expected] of quotes) {
    test(`hasQuoteAt: ${why}`, async () =>
      expect(
        await documents.hasQuoteAt(server.store.db, { document_id: id, start, end, quote }),
      ).toBe(expected));
  }
  test("hasQuoteAt: not of a document that is gone", async () =>
    expect(
      await documents.hasQuoteAt(server.store.db, {
        document_id: "doc_none",
        start: 0,
        end: 1,
        quote: "Z",
      }),
    ).toBe(false));
  test("names and versions, of those that are there", async () => {
    expect(await documents.findNames(server.store.db, [id, failed, "doc_none"])).toEqual(
      new Map([
        [id, { id, name: "boxing", current_version: 1 }],
        [failed, { id: failed, name: "blank", current_version: 0 }],
      ]),
    );
    expect(await documents.findNames(server.store.db, [])).toEqual(new Map());
  });
  test("findLinked: live links only", async () => {
    const { db } = server.store;
    expect(await documents.findLinked(db, [id, failed, foreign], [folder, other])).toEqual(
      new Set([id, failed]),
    );
    await ada.send("DELETE", `/documents/${failed}?folder_id=${folder}`);
    expect(await documents.findLinked(db, [id, failed], [folder])).toEqual(new Set([id]));
    expect(await documents.findLinked(db, [id], [])).toEqual(new Set());
    expect(await documents.findLinked(db, [], [folder])).toEqual(new Set());
  });
  test("require and requireAll refuse what is missing or another user's, and name the field", async () => {
    const { db } = server.store;
    const refusal = (asked: Promise<unknown>) =>
      asked.then(
        () => null,
        (error) => [error.status, error.errors?.[0]?.pointer],
      );
    expect(await documents.require(db, "usr_ada", id)).toEqual({
      id,
      name: "boxing",
      current_version: 1,
    });
    expect(await refusal(documents.require(db, "usr_ada", "doc_none"))).toEqual([404, undefined]);
    expect(await refusal(documents.require(db, "usr_bob", id))).toEqual([403, undefined]);
    expect(await refusal(documents.requireAll(db, "usr_ada", [id, failed], "/x"))).toBeNull();
    expect(await refusal(documents.requireAll(db, "usr_ada", [], "/x"))).toBeNull();
    expect(await refusal(documents.requireAll(db, "usr_ada", [id, foreign], "/x"))).toEqual([
      403,
      "/x",
    ]);
    expect(await refusal(documents.requireAll(db, "usr_ada", [foreign, "doc_none"], "/x"))).toEqual(
      [404, "/x"],
    );
  });
});

test("after all of this, everything that is counted is what counting it gives", async () => {
  await server.settle();
  await expectSound(server);
});
