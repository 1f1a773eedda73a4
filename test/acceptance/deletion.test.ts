/**
 * Acceptance, on the executable: deleted data is gone from the API at once, and from every file of
 * the data directory within two seconds.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectHas, expectProblem } from "../helpers/contract";
import { filesIn, filesWith } from "../helpers/data-directory";
import { queryDatabase, integrityErrors, on_postgres, placesWith } from "../helpers/databases";
import { startExecutable, type Executable } from "../helpers/executable";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";
import { pdf } from "../helpers/pdf";

let server: Executable;
let ada: Person;
let bob: Person;

beforeAll(async () => {
  server = await startExecutable();
  [ada, bob] = [await person(server, "ada"), await person(server, "bob")];
}, 180_000);
afterAll(() => server?.[Symbol.asyncDispose]());

let count = 0;
/** A unique word that no stemmer shortens. */
const newWord = (): string => `zq${(count++).toString(36)}xkanarimuxq`;
const prose = (word: string): string =>
  Array.from({ length: 40 }, (_, n) => `Sentence ${n} about ${word} and the harbour.`).join(" ");

/** Ways to put the word into a folder. */
const kinds: [string, (folder: string, word: string) => Promise<unknown>][] = [
  ["a text", (folder, word) => ada.text(folder, prose(word), `${word} in a name`)],
  [
    "an uploaded text",
    async (folder, word) =>
      ada.settled((await ada.upload(folder, `${word}.txt`, prose(word))).body.id),
  ],
  [
    "an uploaded PDF",
    async (folder, word) =>
      ada.settled(
        (
          await ada.upload(
            folder,
            "report.pdf",
            pdf([[prose(word).slice(0, 500)], [prose(word).slice(0, 400)]]),
          )
        ).body.id,
      ),
  ],
  [
    "a text in UTF-16",
    async (folder, word) =>
      ada.settled(
        (
          await ada.upload(
            folder,
            "wide.txt",
            new Uint8Array(Buffer.from(`\ufeff${prose(word)}`, "utf16le")),
          )
        ).body.id,
      ),
  ],
  ["a large text", (folder, word) => ada.text(folder, prose(word).repeat(300))],
  [
    "a text that is still being indexed",
    (folder, word) => ada.create("/documents", { folder_id: folder, content: prose(word) }),
  ],
  [
    "a text that failed",
    async (folder, word) =>
      ada.settled((await ada.upload(folder, "fake.pdf", `%PDF-1.7\n${word}`)).body.id),
  ],
  [
    "a text removed before, but restorable",
    async (folder, word) =>
      ada.send(
        "DELETE",
        `/documents/${(await ada.text(folder, prose(word))).id}?folder_id=${folder}`,
      ),
  ],
  [
    "an earlier version",
    async (folder, word) => {
      await ada.settled((await ada.upload(folder, "over.txt", prose(word))).body.id);
      await ada.settled(
        (await ada.upload(folder, "over.txt", "Nothing of it.", "&overwrite=true")).body.id,
      );
    },
  ],
];

/** The documentation allows PostgreSQL several seconds. */
const gone_ms = on_postgres ? 20_000 : 2_000;
const left = async (of: Executable, word: string): Promise<number> =>
  (await placesWith(of.data, word)).length;

describe("within 2 s of a folder's deletion, no file of the data directory contains", () => {
  for (const where of ["folder", "subfolder of a deleted folder"])
    for (const [what, put] of kinds)
      test(`${what} of a ${where}`, async () => {
        const word = newWord();
        const root = await ada.folder();
        const folder = where === "folder" ? root : await ada.folder("sub", root);
        await put(folder, word);
        await ada.found(word);
        if (
          what !== "an earlier version" &&
          what !== "a text in UTF-16" &&
          what !== "an uploaded PDF"
        )
          expect(await left(server, word)).toBeGreaterThan(0);
        expect((await ada.send("DELETE", `/folders/${root}`)).status).toBe(204);
        const utf16 = Buffer.from(word, "utf16le").toString("latin1");
        await until(
          async () =>
            (await left(server, word)) === 0 && filesWith(server.data, utf16).length === 0,
          gone_ms,
        );
        expect(await ada.found(word)).toEqual([]);
      });
  test("all of these at once, while others write", async () => {
    const word = newWord();
    const folder = await ada.folder();
    for (const [, put] of kinds) await put(folder, word);
    const busy = await bob.folder();
    const writing = Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        bob.create("/documents", { folder_id: busy, content: `Note ${n} of the harbour.` }),
      ),
    );
    expect((await ada.send("DELETE", `/folders/${folder}`)).status).toBe(204);
    await until(async () => (await left(server, word)) === 0, gone_ms);
    await writing;
  });
});

test("originals stay while a document uses them and are deleted afterwards", async () => {
  const [mine, theirs] = [await ada.folder(), await bob.folder()];
  const [kept, same] = [
    (await ada.upload(mine, "a.txt", "The same bytes.")).body,
    (await bob.upload(theirs, "b.txt", "The same bytes.")).body,
  ];
  await Promise.all([ada.settled(kept.id), bob.settled(same.id)]);
  const files = () =>
    filesIn(server.data).filter((path) => path.startsWith("files/") && path.endsWith(kept.sha256))
      .length;
  expect([kept.sha256, files()]).toEqual([same.sha256, 1]);
  await ada.send("DELETE", `/folders/${mine}`);
  expect((await bob.send("GET", `/documents/${same.id}/file`)).body).toBe("The same bytes.");
  await bob.send("DELETE", `/folders/${theirs}`);
  await until(() => files() === 0, gone_ms);
});

describe("an answer that cited a deleted document", () => {
  test("keeps its text, but its citations lose their quotes", async () => {
    const [folder, other] = [await ada.folder(), await ada.folder()];
    await ada.text(
      folder,
      "The lighthouse keeper polishes the great lens every evening.",
      "keeper.txt",
    );
    await ada.text(folder, "A lighthouse stands on the cliff above the harbour.", "cliff.txt");
    const chat = (await ada.create("/chats", { usedFolders: [folder, other] })).id;
    const before = await ada.ask(chat, "What does the lighthouse keeper polish?");
    expectHas(before, {
      outcome: "answered",
      related: [{ stale: false, quote: expect.stringContaining("cliff") }],
      citations: [{ stale: false, quote: expect.stringContaining("lens") }],
    });
    await ada.send("DELETE", `/folders/${folder}`);
    const [{ result, requestId }] = (await ada.send("GET", `/chats/${chat}/messages`)).body.data;
    const lost = (passage: object) => ({ ...passage, quote: "", stale: true });
    expect(result).toEqual({
      ...before,
      citations: before.citations.map(lost),
      related: before.related.map(lost),
    });
    expect((await ada.send("GET", `/chats/${chat}/messages/${requestId}`)).body.result).toEqual(
      result,
    );
    expectHas(await ada.ask(chat, "What does the lighthouse keeper polish?"), {
      outcome: "no_answer",
      citations: [],
    });
  });
  test("keeps its quotes when the document is only removed; new answers don't", async () => {
    const folder = await ada.folder();
    const { id } = await ada.text(folder, "The ferryman crosses the estuary twice a day.");
    const chat = (await ada.create("/chats", { usedFolders: [folder] })).id;
    const before = await ada.ask(chat, "How often does the ferryman cross the estuary?");
    await ada.send("DELETE", `/documents/${id}?folder_id=${folder}`);
    expect((await ada.send("GET", `/chats/${chat}/messages`)).body.data[0].result).toEqual(before);
    expectHas(await ada.ask(chat, "How often does the ferryman cross the estuary?"), {
      outcome: "no_answer",
      citations: [],
    });
  });
});

describe("after its folder is deleted, a document is not found by", () => {
  let id: string;
  let folder: string;
  beforeAll(async () => {
    const doomed = await ada.folder();
    folder = await ada.folder();
    id = (await ada.text(doomed, "Soon gone.")).id;
    await ada.send("DELETE", `/folders/${doomed}`);
  });
  const cases: [string, string, string, unknown][] = [
    ["reading", "GET", "", undefined],
    ["downloading", "GET", "/file", undefined],
    ["renaming", "PATCH", "", { name: "x" }],
    ["indexing", "POST", "/reindex", undefined],
    ["removing", "DELETE", "?folder_id={folder}", undefined],
    ["restoring", "POST", "/restore?folder_id={folder}", undefined],
    ["linking", "POST", "/links", { folder_id: "{folder}" }],
  ];
  for (const [why, method, path, body] of cases)
    test(why, async () => {
      const named = (text: string) => text.replace("{folder}", folder);
      expectProblem(
        await ada.send(
          method,
          `/documents/${id}${named(path)}`,
          body === undefined ? undefined : JSON.parse(named(JSON.stringify(body))),
        ),
        404,
      );
    });
});

test("a purge interrupted by kill -9 resumes at the next start and completes", async () => {
  await using server = await startExecutable();
  const eve = await person(server, "eve");
  const word = newWord();
  const folder = await eve.folder();
  const texts = Array.from({ length: 500 }, (_, n) => `Number ${n} about ${word}.`);
  await Promise.all(texts.map((text) => eve.newText(folder, text)));
  await Promise.all(texts.slice(0, 20).map((text, n) => eve.upload(folder, `${n}.txt`, text)));
  await until(
    async () => (await eve.send("GET", `/folders/${folder}`)).body.status_counts.syncing === 0,
    60_000,
  );
  const documents = async (): Promise<number> =>
    (await queryDatabase<{ n: number }>(server.data, "select count(*) as n from documents"))[0]!.n;
  expect((await eve.send("DELETE", `/folders/${folder}`)).status).toBe(204);
  await server.kill();
  expect(await documents()).toBeGreaterThan(0);
  await server.restart();
  expect((await eve.send("GET", `/folders/${folder}`)).status).toBe(404);
  expect((await eve.send("GET", "/folders")).body.pagination.total).toBe(0);
  expect(await eve.found(word)).toEqual([]);
  await until(
    async () => (await server.send(null, "GET", "/health")).body.purging.documents === 0,
    60_000,
  );
  await until(async () => (await documents()) === 0, gone_ms);
  await until(async () => (await left(server, word)) === 0, gone_ms);
});

test("the database is intact after all of these tests", async () => {
  await server.stop();
  expect(integrityErrors(server.data)).toEqual([]);
});
