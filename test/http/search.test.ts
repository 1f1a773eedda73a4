/** Search over HTTP: who sees what, the fields of a passage, and that nothing deleted is shown. */
import { beforeAll, describe, expect, test } from "bun:test";
import { SearchService } from "../../plugins/search/service";
import { startTestServer, type TestServer } from "../helpers/host";
import type { Answered } from "../helpers/server";

let server: TestServer;
let send: TestServer["send"];

const create = async (who: string, path: string, body: unknown): Promise<any> => {
  const answer = await send(who, "POST", path, body);
  if (answer.status !== 201) throw new Error(`expected 201, not ${answer.status}: ${answer.text}`);
  return answer.body;
};
const documents = (answer: Answered): string[] =>
  [
    ...new Set<string>(
      answer.body.data.map((passage: { document_id: string }) => passage.document_id),
    ),
  ].sort();
const sorted = (...ids: string[]) => ids.sort();

// The searched words occur in texts in several folders, so that a search in the wrong folder
// would be noticed.
const paragraph = (of: string) => `The heron of ${of} stands in shallow water and waits for fish.`;
let root: string;
let sub: string;
let other: string;
let empty: string;
let foreign: string;
let in_root: string;
let in_sub: string;
let in_other: string;
let in_foreign: string;

beforeAll(async () => {
  server = await startTestServer();
  ({ send } = server);
  root = (await create("ada", "/folders", { name: "Root" })).id;
  sub = (await create("ada", "/folders", { name: "Sub", parentId: root })).id;
  other = (await create("ada", "/folders", { name: "Other" })).id;
  empty = (await create("ada", "/folders", { name: "Empty" })).id;
  foreign = (await create("bob", "/folders", { name: "Bob's" })).id;
  in_root = (
    await create("ada", "/documents", {
      folder_id: root,
      name: "root.txt",
      content: paragraph("the root"),
    })
  ).id;
  in_sub = (
    await create("ada", "/documents", {
      folder_id: sub,
      name: "sub.txt",
      content: paragraph("the subfolder"),
    })
  ).id;
  in_other = (
    await create("ada", "/documents", {
      folder_id: other,
      name: "other.txt",
      content: paragraph("elsewhere"),
    })
  ).id;
  in_foreign = (
    await create("bob", "/documents", {
      folder_id: foreign,
      name: "bob.txt",
      content: paragraph("Bob"),
    })
  ).id;
  await server.settle();
});

describe("the scope of a search", () => {
  type Case = [why: string, body: () => object, found: () => string[]];
  const cases: Case[] = [
    ["every folder of the caller by default", () => ({}), () => sorted(in_root, in_sub, in_other)],
    [
      "null means the default",
      () => ({ folder_ids: null, document_ids: null, limit: null }),
      () => sorted(in_root, in_sub, in_other),
    ],
    [
      "a root folder covers its subfolders",
      () => ({ folder_ids: [root] }),
      () => sorted(in_root, in_sub),
    ],
    ["a subfolder is searched alone", () => ({ folder_ids: [sub] }), () => [in_sub]],
    ["several folders", () => ({ folder_ids: [sub, other, sub] }), () => sorted(in_sub, in_other)],
    ["a folder without documents", () => ({ folder_ids: [empty] }), () => []],
    ["an empty list of folders selects none", () => ({ folder_ids: [] }), () => []],
    ["only some documents", () => ({ document_ids: [in_sub, in_sub] }), () => [in_sub]],
    [
      "a document outside the folders is not found",
      () => ({ folder_ids: [other], document_ids: [in_sub] }),
      () => [],
    ],
    ["an empty list of documents selects none", () => ({ document_ids: [] }), () => []],
    ["unknown fields are ignored", () => ({ folder_ids: [other], rerank: true }), () => [in_other]],
    ["words in no text", () => ({ query: "xylophone" }), () => []],
    ["a query without any word", () => ({ query: "?!" }), () => []],
  ];
  for (const [why, body, found] of cases) {
    test(why, async () => {
      const answer = await send("ada", "POST", "/search", {
        query: "Where does the heron wait?",
        ...body(),
      });
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
      expect(documents(answer)).toEqual(found());
    });
  }
});

test("each spelling of a word finds the other", async () => {
  const folder = (await create("ada", "/folders", { name: "Harbour" })).id;
  const content = "The harbor needs a license. It was analysed at the theatre in gray weather.";
  const { id } = await create("ada", "/documents", { folder_id: folder, name: "a.txt", content });
  await server.settle();
  for (const query of ["harbour", "licences", "analyze", "theaters", "grey"]) {
    const answer = await send("ada", "POST", "/search", { query, folder_ids: [folder] });
    expect([query, documents(answer)]).toEqual([query, [id]]);
  }
});

describe("each form of a word finds the other:", () => {
  const cases: [why: string, content: string, queries: string[]][] = [
    [
      "in the language of the question",
      "Die Schlüssel liegen im Haus. Die Bücher sind in der Kiste.",
      ["Wo ist der Schlüssel?", "Wo sind die Häuser?", "In welcher Kiste ist das Buch?"],
    ],
    [
      "in the language of the texts, if the query could be in any",
      "Le chiavi sono nella cassetta della posta, e i libri sono nella camera degli ospiti.",
      ["chiave", "libro", "camere"],
    ],
    [
      "irregular ones",
      "Sweep the flue on the first of each month. Mice are caught alive.",
      ["When was the flue swept?", "How do I catch a mouse?"],
    ],
    [
      "in another language, by the glossary",
      "Close the windows at night, and drain the pipes of the upper bathroom before winter.",
      ["Wann schließt man die Fenster?", "Quels tuyaux faut-il vidanger ?", "¿Dónde está el baño?"],
    ],
    ["in Turkish", "Bisikletler bodrumda durur, çocukların arabaları bir de bahçede.", ["araba"]],
    ["in Greek", "Τα ποδήλατα μένουν στις αυλές των σπιτιών.", ["αυλή", "σπίτια"]],
    ["in Hindi", "किताबें कमरों में रखी हैं।", ["किताब", "कमरा"]],
    ["in Hebrew", "המפתח של הבית בתיבה.", ["בית", "מפתחות"]],
    ["in Russian", "Ключи лежат в столе, книги на полках.", ["ключ", "стол", "книга"]],
    ["in Thai, whose sara am is one character or two", "ปิดน้ํา", ["น้ำ"]],
  ];
  test.each(cases)("%s", async (_why, content, queries) => {
    const folder = (await create("ada", "/folders", { name: "Forms" })).id;
    const { id } = await create("ada", "/documents", { folder_id: folder, name: "a.txt", content });
    await server.settle();
    for (const query of queries) {
      const answer = await send("ada", "POST", "/search", { query, folder_ids: [folder] });
      expect([query, documents(answer)]).toEqual([query, [id]]);
    }
  });
});

describe("a search is refused with", () => {
  type Case = [why: string, body: () => unknown, status: number, pointer: string];
  const many = (prefix: string) => Array.from({ length: 201 }, (_, i) => `${prefix}_${i}`);
  const cases: Case[] = [
    ["no body", () => undefined, 400, ""],
    ["no query", () => ({}), 400, "/query"],
    ["a blank query", () => ({ query: " \u00a0\n" }), 400, "/query"],
    ["a query that isn't text", () => ({ query: ["heron"] }), 400, "/query"],
    ["a query that is too long", () => ({ query: "a".repeat(32_001) }), 400, "/query"],
    ["a limit of zero", () => ({ query: "heron", limit: 0 }), 400, "/limit"],
    ["a negative limit", () => ({ query: "heron", limit: -1 }), 400, "/limit"],
    ["a fractional limit", () => ({ query: "heron", limit: 1.5 }), 400, "/limit"],
    ["a limit that isn't a number", () => ({ query: "heron", limit: "3" }), 400, "/limit"],
    ["folders not in a list", () => ({ query: "heron", folder_ids: root }), 400, "/folder_ids"],
    [
      "more than 200 folders",
      () => ({ query: "heron", folder_ids: many("fld") }),
      400,
      "/folder_ids",
    ],
    [
      "more than 200 documents",
      () => ({ query: "heron", document_ids: many("doc") }),
      400,
      "/document_ids",
    ],
    [
      "an unknown folder",
      () => ({ query: "heron", folder_ids: [root, "fld_none"] }),
      404,
      "/folder_ids",
    ],
    [
      "another user's folder",
      () => ({ query: "heron", folder_ids: [root, foreign] }),
      403,
      "/folder_ids",
    ],
    [
      "an unknown document",
      () => ({ query: "heron", document_ids: ["doc_none"] }),
      404,
      "/document_ids",
    ],
    [
      "another user's document",
      () => ({ query: "heron", document_ids: [in_foreign] }),
      403,
      "/document_ids",
    ],
  ];
  for (const [why, body, status, pointer] of cases) {
    test(why, async () => {
      const answer = await send("ada", "POST", "/search", body());
      expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
      expect(answer.body.errors.map((error: { pointer: string }) => error.pointer)).toEqual([
        pointer,
      ]);
    });
  }

  test("a write-only key; a read-only key is allowed", async () => {
    for (const [scope, status] of [
      ["write", 403],
      ["read", 200],
    ] as const) {
      await server.key("ada");
      const { token } = await server.accounts.createKey("usr_ada", {
        name: scope,
        scopes: [scope],
      });
      expect(
        (
          await send(
            null,
            "POST",
            "/search",
            { query: "heron" },
            { authorization: `Bearer ${token}` },
          )
        ).status,
      ).toBe(status);
    }
  });
});

test("a passage has exactly the fields of a citation without its number", async () => {
  const { body } = await send("ada", "POST", "/search", { query: "heron", folder_ids: [sub] });
  const [passage] = body.data;
  expect(Object.keys(passage).sort()).toEqual([
    "document_id",
    "document_name",
    "document_version",
    "end",
    "folder_id",
    "heading",
    "matched",
    "page",
    "page_end",
    "page_label",
    "passage",
    "quote",
    "score",
    "stale",
    "start",
    "time_end",
    "time_start",
    "url",
    "verified",
  ]);
  expect(passage).toMatchObject({
    document_id: in_sub,
    document_name: "sub.txt",
    document_version: 1,
    folder_id: sub,
    passage: { start: passage.start, end: passage.end },
    page: null,
    time_start: null,
    time_end: null,
    matched: "words",
    verified: true,
    stale: false,
    url: `/api/dev/v1/documents/${in_sub}`,
  });
  expect((await send("ada", "GET", passage.url)).status).toBe(200);
});

test("a quote equals the code points at its offsets", async () => {
  const folder = (await create("kim", "/folders", { name: "f" })).id;
  const content = Array.from(
    { length: 40 },
    (_, i) =>
      `🦩 Absatz ${i}: Der Flamingo 𝔣ärbt sich durch Krebse rosa, und zwar Nummer ${i} von vielen. Er frisst sie gern und oft 🦐.`,
  ).join("\n\n");
  const { id } = await create("kim", "/documents", {
    folder_id: folder,
    name: "vögel.txt",
    content,
  });
  await server.settle();
  const { body } = await send("kim", "POST", "/search", { query: "Warum ist der Flamingo rosa?" });
  const stored = [...(await send("kim", "GET", `/documents/${id}`)).body.content];
  expect(body.data.length).toBeGreaterThan(3);
  for (const { quote, start, end } of body.data)
    expect(stored.slice(start, end).join("")).toBe(quote);
});

test("the default limit is 10, and the maximum 50", async () => {
  const folder = (await create("lea", "/folders", { name: "f" })).id;
  for (let i = 0; i < 60; i++)
    await create("lea", "/documents", {
      folder_id: folder,
      name: `${i}.txt`,
      content: paragraph(`number ${i}`),
    });
  await server.settle();
  for (const [limit, count] of [
    [undefined, 10],
    [1, 1],
    [50, 50],
    [51, 50],
    [1_000_000, 50],
  ] as const) {
    const { body } = await send("lea", "POST", "/search", { query: "heron", limit });
    expect([limit, body.data.length]).toEqual([limit, count]);
    expect(body.data.map((passage: { score: number }) => passage.score)).toEqual(
      body.data
        .map((passage: { score: number }) => passage.score)
        .sort((a: number, b: number) => b - a),
    );
  }
});

test("unlinking, deleting and renaming show at once", async () => {
  const keep = (await create("mia", "/folders", { name: "keep" })).id;
  const drop = (await create("mia", "/folders", { name: "drop" })).id;
  const linked = (
    await create("mia", "/documents", {
      folder_id: keep,
      name: "a.txt",
      content: paragraph("the lake"),
    })
  ).id;
  const dropped = (
    await create("mia", "/documents", {
      folder_id: drop,
      name: "b.txt",
      content: paragraph("the river"),
    })
  ).id;
  await server.settle();
  const found = async (body: object = {}) =>
    documents(await send("mia", "POST", "/search", { query: "heron", ...body }));
  expect(await found()).toEqual(sorted(linked, dropped));
  await send("mia", "PATCH", `/documents/${linked}`, { name: "renamed.txt" });
  expect(
    (await send("mia", "POST", "/search", { query: "heron", folder_ids: [keep] })).body.data[0]
      .document_name,
  ).toBe("renamed.txt");
  expect((await send("mia", "DELETE", `/documents/${linked}?folder_id=${keep}`)).status).toBe(204);
  expect([
    await found(),
    await found({ folder_ids: [keep] }),
    await found({ document_ids: [linked] }),
  ]).toEqual([[dropped], [], []]);
  expect((await send("mia", "DELETE", `/folders/${drop}`)).status).toBe(204);
  expect(await found()).toEqual([]);
  expect((await send("mia", "POST", `/documents/${linked}/restore?folder_id=${keep}`)).status).toBe(
    200,
  );
  expect(await found()).toEqual([linked]);
});

describe("results of an outdated index", () => {
  type Case = [why: string, world: { linked?: string[]; version?: number }, shown: boolean];
  const cases: Case[] = [
    ["a linked document in its current version is shown", {}, true],
    ["an unlinked document is not shown", { linked: [] }, false],
    ["another version is not shown", { version: 2 }, false],
  ];
  const passage = {
    document_id: "doc_1",
    version: 1,
    folder_id: "fld_1",
    start: 0,
    end: 5,
    text: "heron",
    page: null,
    page_end: null,
    heading: null,
    title: "a",
    score: 1,
    matched: "words",
    meaning: null,
  };
  for (const [why, { linked = ["doc_1"], version = 1 }, shown] of cases) {
    test(why, async () => {
      const retrieval = new SearchService({
        db: {} as never,
        folders: {} as never,
        documents: {
          findLinked: async () =>
            new Map(linked.map((id) => [id, { id, name: "a", current_version: version }])),
        } as never,
        rerankers: () => [],
        answer_scorers: () => [],
        index: { search: async () => ({ passages: [passage], terms: [] }) } as never,
      });
      const { passages } = await retrieval.find({} as never, {
        owner_id: "usr_ada",
        query: "heron",
        folder_ids: ["fld_1"],
        limit: 5,
      });
      expect(passages.length).toBe(shown ? 1 : 0);
    });
  }
});
