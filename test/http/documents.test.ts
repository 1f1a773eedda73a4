/** Text documents in this process: the shared cases, and the service for other plugins. */
import { beforeAll, describe, expect, test } from "bun:test";
import { definePlugin, handle } from "../../core/sdk";
import { Documents, DocumentSettled } from "../../plugins/documents/contract";
import { documentCases } from "../cases/documents";
import { expectSound, startSoundServer } from "../helpers/documents";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";

let server: TestServer;
let ada: Person;
let bob: Person;
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

describe("texts", () => documentCases(startSoundServer));

beforeAll(async () => {
  server = await startTestServer({ plugins: [neighbour] });
  ada = await person(server, "ada");
  bob = await person(server, "bob");
});

test("a text is available at once, and found once it is indexed", async () => {
  const folder = await ada.folder();
  const content = "Mooring notes\r\nThe anchor lies at nine fathoms. ⚓ naïve\n";
  const bytes = new TextEncoder().encode(content);
  const created = await ada.send("POST", "/documents", { folder_id: folder, content });
  const id = created.body.id;
  expect([created.status, created.headers.get("location")]).toEqual([
    201,
    `/api/dev/v1/documents/${id}`,
  ]);
  const record = {
    id: expect.stringMatching(/^doc_[0-9A-HJKMNP-TV-Z]{26}$/),
    name: "Mooring notes",
    status: "syncing",
    content_url: `/api/dev/v1/documents/${id}`,
    folder_ids: [folder],
    media_type: "text/plain",
    file_type: "text",
    size_bytes: bytes.length,
    sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
    version: 1,
    page_count: null,
    language: null,
    source: { kind: "text", uri: null, run_id: null },
    indexing: { stage: "queued", progress: 0, attempts: 0, vectors: "none" },
    error: null,
    warnings: [],
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updated_at: created.body.created_at,
    synced_at: null,
  };
  expect(created.body).toEqual(record);
  expect((await ada.get(id)).content).toBe(content);

  await server.settle();
  const done = await ada.get(id);
  expect(done).toEqual({
    ...record,
    status: "synced",
    language: done.language,
    indexing: { stage: "done", progress: 1, attempts: 1, vectors: "none" },
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

for (const content of ["", " \n\t\u3000"]) {
  test(`a text without words is kept, and fails as empty: ${JSON.stringify(content)}`, async () => {
    const { id } = await ada.newText(await ada.folder(), content, "nothing");
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

describe("the service for other plugins", () => {
  let id: string;
  let failed: string;
  let foreign: string;
  let folder: string;
  let other: string;
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
    ["code points, not code units", 17, 18, "🥊", true],
    ["after an emoji", 19, 24, "jagen", true],
    ["to the end", 25, 32, "Viktor.", true],
    ["off by one", 18, 23, "jagen", false],
    ["other words", 0, 5, "Zwolf", false],
    ["beyond the end", 25, 33, "Viktor. ", false],
    ["empty", 3, 3, "", true],
  ];
  for (const [why, start, end, quote, expected] of quotes) {
    test(`hasQuoteAt: ${why}`, async () =>
      expect(
        await documents.hasQuoteAt(server.store.db, { document_id: id, start, end, quote }),
      ).toBe(expected));
  }
  test("hasQuoteAt: an unknown document", async () =>
    expect(
      await documents.hasQuoteAt(server.store.db, {
        document_id: "doc_none",
        start: 0,
        end: 1,
        quote: "Z",
      }),
    ).toBe(false));
  test("findNames: names and versions of existing documents", async () => {
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
    const named = [id, { id, name: "boxing", current_version: 1 }] as const;
    expect(await documents.findLinked(db, [id, failed, foreign], [folder, other])).toEqual(
      new Map([named, [failed, { id: failed, name: "blank", current_version: 0 }]]),
    );
    await ada.send("DELETE", `/documents/${failed}?folder_id=${folder}`);
    expect(await documents.findLinked(db, [id, failed], [folder])).toEqual(new Map([named]));
    expect(await documents.findLinked(db, [id], [])).toEqual(new Map());
    expect(await documents.findLinked(db, [], [folder])).toEqual(new Map());
  });
  test("require and requireAll refuse missing and foreign documents, naming a field", async () => {
    const { db } = server.store;
    const refusal = (request: Promise<unknown>) =>
      request.then(
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

test("after all of this, every counter still matches a recount", async () => {
  await server.settle();
  await expectSound(server);
});

test("one user's note doesn't wait for a hundred texts of another", async () => {
  const before = settled.length;
  const [hers, his] = [await ada.folder(), await bob.folder()];
  // All wait at first, so that the order shows which was taken first.
  await server.host.operations.pauseIntake(true);
  await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      ada.send("POST", "/documents", { folder_id: hers, content: `text ${i}` }),
    ),
  );
  const note = await bob.send("POST", "/documents", { folder_id: his, content: "A note." });
  expect(settled.length).toBe(before);
  await server.host.operations.pauseIntake(false);
  await server.settle();
  const order = settled.slice(before).map(({ document_id }) => document_id);
  expect(order.length).toBe(101);
  // Up to forty of the others may run at the same time and end in any order.
  expect(order.indexOf(note.body.id)).toBeLessThan(50);
});
