/**
 * Acceptance, on the executable: search and cited answers: whose texts are searched, what a
 * citation guarantees, and when there is no answer.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectHas, expectProblem, expectRecord, slice } from "../helpers/contract";
import { startExecutable, type Executable } from "../helpers/executable";
import { person, type Person } from "../helpers/person";
import { pdf } from "../helpers/pdf";

let server: Executable;
let ada: Person;
let bob: Person;
/** Ids of folders and documents by a short name. */
const ids: Record<string, string> = {};
const search = async (body: object) => (await ada.send("POST", "/search", body)).body.data;

beforeAll(async () => {
  server = await startExecutable();
  [ada, bob] = [await person(server, "ada"), await person(server, "bob")];
  const [birds, mammals, empty, bobs] = [
    await ada.folder("Birds"),
    await ada.folder("Mammals"),
    await ada.folder("Empty"),
    await bob.folder("Bob's"),
  ];
  const owls = await ada.folder("Owls", birds);
  Object.assign(ids, { birds, mammals, owls, empty, bobs });
  const emoji = "🦢👩🏽‍🚀 𝔘 ".repeat(10);
  ids.heron = (
    await ada.text(
      birds,
      `${emoji}\n\nThe heron stands in shallow water at dawn. ${emoji}\n\nIt waits for fish with great patience.`,
      "heron.txt",
    )
  ).id;
  ids.owl = (
    await ada.text(owls, "The barn owl hunts voles by ear. It flies without a sound.", "owl.txt")
  ).id;
  ids.otter = (
    await ada.text(
      mammals,
      "The otter swims at night and sleeps in a holt.\r\n\r\nThe badger digs a sett in the hanger.",
      "otter.txt",
    )
  ).id;
  ids.theirs = (
    await bob.text(bobs, "The heron stands on Bob's roof, in secret.", "secret.txt")
  ).id;
  const manual = await ada.upload(
    mammals,
    "manual.pdf",
    pdf([
      ["This manual describes the pump."],
      ["The valve opens at seven bar."],
      ["Replace the gasket every winter."],
    ]),
  );
  ids.manual = (await ada.settled(manual.body.id)).id;
}, 180_000);
afterAll(() => server?.[Symbol.asyncDispose]());

/** Why a passage was found. */
const matched = expect.stringMatching(/^(words|meaning|both)$/);

/** Checks what every passage guarantees against the document it comes from. */
async function expectPassage(passage: any, more: object = {}): Promise<void> {
  expectRecord("passage", passage, more);
  const { body: document } = await ada.send("GET", passage.url);
  expect(passage.quote).toBe(slice(document.content, passage.start, passage.end));
  expect(passage.quote).not.toBe("");
  expect(slice(document.content, passage.passage.start, passage.passage.end)).toContain(
    passage.quote,
  );
  expectHas(passage, {
    document_id: document.id,
    document_name: document.name,
    document_version: document.version,
    url: document.content_url,
    verified: true,
    stale: false,
  });
  expect(passage.page === null).toBe(document.page_count === null);
  if (passage.page !== null) expect(passage.page_end).toBeGreaterThanOrEqual(passage.page);
}

describe("search", () => {
  const scopes: [string, () => object, string[]][] = [
    ["all folders if none are given", () => ({ query: "heron" }), ["heron"]],
    [
      "null is the same as leaving a field out",
      () => ({ query: "heron", folder_ids: null, document_ids: null, limit: null }),
      ["heron"],
    ],
    ["a folder", () => ({ query: "heron", folder_ids: [ids.birds] }), ["heron"]],
    ["another folder", () => ({ query: "heron", folder_ids: [ids.mammals] }), []],
    [
      "a root folder covers its subfolders",
      () => ({ query: "barn owl", folder_ids: [ids.birds] }),
      ["owl"],
    ],
    ["a subfolder does not cover its root", () => ({ query: "heron", folder_ids: [ids.owls] }), []],
    [
      "several folders",
      () => ({ query: "otter heron", folder_ids: [ids.birds, ids.mammals] }),
      ["heron", "otter"],
    ],
    [
      "a folder given twice",
      () => ({ query: "heron", folder_ids: [ids.birds, ids.birds] }),
      ["heron"],
    ],
    ["an empty folder", () => ({ query: "heron", folder_ids: [ids.empty] }), []],
    ["an empty list of folders", () => ({ query: "heron", folder_ids: [] }), []],
    ["some documents", () => ({ query: "heron otter owl", document_ids: [ids.otter] }), ["otter"]],
    ["an empty list of documents", () => ({ query: "heron", document_ids: [] }), []],
    [
      "documents of another folder",
      () => ({ query: "heron otter", folder_ids: [ids.birds], document_ids: [ids.otter] }),
      [],
    ],
    ["words that no document contains", () => ({ query: "xylophone" }), []],
    ["words only in another user's documents", () => ({ query: "Bob's roof secret" }), []],
    ["upper case and plural", () => ({ query: "HERONS" }), ["heron"]],
    ["only punctuation and symbols", () => ({ query: "?! … 🦢" }), []],
    [
      "operators of SQL and full-text search",
      () => ({ query: `heron" OR 1=1 -- (* ^ NEAR/3 :` }),
      ["heron"],
    ],
  ];
  for (const [why, body, found] of scopes)
    test(why, async () => {
      const data = await search(body());
      expect([...new Set(data.map((passage: any) => passage.document_id))].toSorted()).toEqual(
        found.map((name) => ids[name]).toSorted(),
      );
      for (const passage of data) await expectPassage(passage, { matched });
      for (let n = 1; n < data.length; n++)
        expect(data[n].score).toBeLessThanOrEqual(data[n - 1].score);
      const named = (body() as { folder_ids?: string[] | null }).folder_ids;
      if (named?.length)
        for (const { folder_id } of data)
          expect([...named, ...(named.includes(ids.birds!) ? [ids.owls] : [])]).toContain(
            folder_id,
          );
    });

  const refused: [string, unknown, string][] = [
    ["no query", {}, "query"],
    ["a blank query", { query: " \u3000" }, "query"],
    ["a query that is a number", { query: 1 }, "query"],
    ["a limit of zero", { query: "x", limit: 0 }, "limit"],
    ["a negative limit", { query: "x", limit: -1 }, "limit"],
    ["a fractional limit", { query: "x", limit: 1.5 }, "limit"],
    ["a limit that is a string", { query: "x", limit: "10" }, "limit"],
    ["folders that are a string", { query: "x", folder_ids: "fld_1" }, "folder_ids"],
    ["folders that are numbers", { query: "x", folder_ids: [1] }, "folder_ids"],
    ["documents that are an object", { query: "x", document_ids: {} }, "document_ids"],
  ];
  for (const [why, body, field] of refused)
    test(`refused: ${why}`, async () =>
      expectProblem(await ada.send("POST", "/search", body), 400, field));

  test("returns 10 passages by default and 50 at most", async () => {
    const folder = await ada.folder("Many");
    const created = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        ada.create("/documents", {
          folder_id: folder,
          content: `Lemming number ${n} runs over the fell.`,
        }),
      ),
    );
    for (const { id } of created) await ada.settled(id);
    const counts = [];
    for (const limit of [undefined, 3, 50, 51, 1_000_000])
      counts.push((await search({ query: "lemming", folder_ids: [folder], limit })).length);
    expect(counts).toEqual([10, 3, 50, 50, 50]);
  });
  test("a passage of a PDF names its page", async () => {
    for (const [query, page] of [
      ["pump manual", 1],
      ["valve bar", 2],
      ["gasket winter", 3],
    ] as const) {
      const [passage] = await search({ query, document_ids: [ids.manual] });
      await expectPassage(passage, { matched });
      expect([passage.page <= page, page <= passage.page_end]).toEqual([true, true]);
    }
  });
});

describe("an answer", () => {
  const chat = async (...folders: string[]): Promise<string> =>
    (await ada.create("/chats", { usedFolders: folders.map((name) => ids[name]!) })).id;
  const cases: [string, string[], string, string, RegExp][] = [
    ["from a text", ["birds"], "Where does the heron stand?", "heron", /shallow water/],
    ["from a subfolder", ["birds"], "How does the barn owl hunt voles?", "owl", /by ear/],
    [
      "from the second of several folders",
      ["empty", "mammals"],
      "When does the otter swim?",
      "otter",
      /at night/,
    ],
    [
      "from a text with Windows line breaks",
      ["mammals"],
      "What does the badger dig?",
      "otter",
      /sett/,
    ],
  ];
  for (const [why, folders, question, document, quote] of cases)
    test(why, async () => {
      const result = await ada.ask(await chat(...folders), question);
      expectRecord("result", result);
      expectHas(result, { outcome: "answered", grounded: true });
      expect(result.answer).toMatch(quote);
      expect(result.citations.length).toBeGreaterThan(0);
      expect(result.citations.length).toBeLessThanOrEqual(5);
      for (const [n, citation] of result.citations.entries())
        await expectPassage(citation, { id: n + 1 });
      for (const { quote } of [...result.citations, ...result.related])
        expect([...quote].length).toBeLessThanOrEqual(500);
      expectHas(result.citations[0], {
        document_id: ids[document],
        quote: expect.stringMatching(quote),
      });
      const markers = [...result.answer.matchAll(/\[(\d+)\]/g)].map((match) => Number(match[1]));
      expect(markers).toContain(1);
      for (const marker of markers)
        expect(result.citations.map(({ id }: { id: number }) => id)).toContain(marker);
      expect(new Set(markers).size).toBe(result.citations.length);
      for (const related of result.related) await expectPassage(related);
      expect(result.citations.length + result.related.length).toBeLessThanOrEqual(5);
      for (const { folder_id } of [...result.citations, ...result.related])
        expect([...folders.map((name) => ids[name]), ids.owls]).toContain(folder_id);
    });

  test("from a PDF, with the page", async () => {
    const session = await chat("mammals");
    for (const [question, word, page] of [
      ["At how many bar does the valve open?", "valve", 2],
      ["How often is the gasket replaced?", "gasket", 3],
    ] as const) {
      const { outcome, citations } = await ada.ask(session, question);
      const citation = citations.find(({ quote }: { quote: string }) => quote.includes(word));
      expect([outcome, citation.document_id, citation.page, citation.page_end]).toEqual([
        "answered",
        ids.manual,
        page,
        page,
      ]);
      await expectPassage(citation, { id: citation.id });
    }
  });

  test("to “What is in here?” lists documents without their statements", async () => {
    const result = await ada.ask(await chat("mammals"), "What is in here?");
    expectRecord("result", result);
    expectHas(result, {
      outcome: "answered",
      grounded: false,
      related: [],
      warnings: [{ code: "overview" }],
    });
    for (const name of ["otter", "manual"])
      expect(result.answer).toContain((await ada.send("GET", `/documents/${ids[name]}`)).body.name);
    for (const [n, citation] of result.citations.entries())
      await expectPassage(citation, { id: n + 1 });
    expectHas(await ada.ask(await chat("empty"), "¿Qué tal?"), {
      outcome: "no_answer",
      answer: expect.stringContaining("Add documents"),
      citations: [],
    });
  });

  const none: [string, string[], string][] = [
    ["no folders", [], "Where does the heron stand?"],
    ["an empty folder", ["empty"], "Where does the heron stand?"],
    ["a folder without the subject", ["mammals"], "Who composed the opera Tosca?"],
    ["words in another folder of the caller", ["mammals"], "Where does the heron stand?"],
    ["a subfolder, for a text in its root folder", ["owls"], "Where does the heron stand?"],
    ["only punctuation", ["birds"], "?!"],
  ];
  for (const [why, folders, question] of none)
    test(`is not given: ${why}`, async () => {
      const result = await ada.ask(await chat(...folders), question);
      expectRecord("result", result);
      expectHas(result, {
        outcome: "no_answer",
        citations: [],
        answer: expect.stringMatching(/\w+ \w+/),
      });
      expect(result.answer).not.toMatch(/shallow|\[\d/);
    });

  test("never comes from another user's folder, even in its exact words", async () => {
    const { citations, answer } = await ada.ask(
      await chat("birds", "mammals"),
      "Who stands on Bob's roof in secret?",
    );
    expect([
      answer.includes("roof"),
      citations.filter(({ document_id }: any) => document_id === ids.theirs),
    ]).toEqual([false, []]);
  });
  test("uses the folders the session has when the question is sent", async () => {
    const session = await chat("birds");
    expect((await ada.ask(session, "Where does the heron stand?")).outcome).toBe("answered");
    await ada.send("PUT", `/chats/${session}`, { usedFolders: [ids.mammals] });
    expect((await ada.ask(session, "Where does the heron stand?")).outcome).toBe("no_answer");
    await ada.send("PUT", `/chats/${session}`, { usedFolders: [ids.mammals, ids.birds] });
    expect((await ada.ask(session, "Where does the heron stand?")).outcome).toBe("answered");
  });
  test("names the prompts it applied, all of them the session's", async () => {
    const prompts = [
      (await ada.create("/prompts", { name: "Short", text: "Be short." })).id,
      (await ada.create("/prompts", { name: "Kind", text: "Be kind." })).id,
    ];
    const session = await ada.create("/chats", { usedFolders: [ids.birds], usedPrompts: prompts });
    const result = await ada.ask(session.id, "Where does the heron stand?");
    expect(prompts).toEqual(expect.arrayContaining(result.prompts));
  });
  test("has stale citations only when a new version no longer contains the quote", async () => {
    const folder = await ada.folder();
    const both = "The cormorant dries its wings on the pier. ";
    const { body } = await ada.upload(
      folder,
      "cormorant.txt",
      `${both}The puffin nests in a burrow.`,
    );
    await ada.settled(body.id);
    const session = (await ada.create("/chats", { usedFolders: [folder] })).id;
    await ada.ask(session, "Where does the puffin nest?");
    const stale = async () =>
      (await ada.send("GET", `/chats/${session}/messages`)).body.data[0].result.citations.map(
        (citation: any) => [citation.document_version, citation.stale, citation.quote !== ""],
      );
    const [first] = await stale();
    expect(first).toEqual([1, false, true]);
    await ada.upload(
      folder,
      "cormorant.txt",
      `${both}The puffin nests in a burrow. And more.`,
      "&overwrite=true",
    );
    await ada.settled(body.id);
    expect((await stale())[0]).toEqual([1, false, true]);
    await ada.upload(folder, "cormorant.txt", "Nothing about any bird.", "&overwrite=true");
    await ada.settled(body.id);
    expect((await stale())[0]).toEqual([1, true, true]);
  });
});
