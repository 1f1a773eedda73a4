/** Folders as archives: what one server exports, another imports, and who may do it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { scriptedExtractor } from "../helpers/documents";
import { startEmbedder } from "../helpers/embedder";
import { changed, jsonOf, linesOf, toLines, unpacked } from "../helpers/folder-archives";
import { startTestServer, type TestServer, type TestServerOptions } from "../helpers/host";
import { until } from "../helpers/server";

const embedder = startEmbedder();
afterAll(() => void embedder.stop());
const env = {
  DOSSIER_EMBEDDINGS_BASE_URL: embedder.url,
  DOSSIER_EMBEDDINGS_MODEL: "small",
  DOSSIER_EMBEDDINGS_API_KEY: "sk-of-the-test",
};
const started: TestServer[] = [];
async function start(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startTestServer({ ...options, env: { ...env, ...options.env } });
  started.push(server);
  return server;
}
afterAll(async () => {
  for (const server of started) await server.stop();
});

async function create(server: TestServer, path: string, body: unknown): Promise<any> {
  const answer = await server.send("ada", "POST", path, body);
  if (answer.status >= 300) throw new Error(answer.text);
  return answer.body;
}
const upload = (name: string, bytes: string | Uint8Array) => {
  const form = new FormData();
  form.append("file", new Blob([bytes as never]), name);
  return form;
};
/** Runs waiting jobs, without their pauses, until nothing is left. */
async function settled(server: TestServer): Promise<void> {
  const jobs = server.store.db.selectFrom("core_jobs").select("id").where("state", "=", "ready");
  while ((await jobs.where("name", "=", "index.embed").execute()).length > 0) {
    await server.store.db
      .updateTable("core_jobs")
      .set({ run_at: 0 })
      .where("state", "=", "ready")
      .execute();
    await server.host.queue.runDue();
  }
  await server.settle();
}
/** The lines of a document as in version 1 of the format. */
function withFloats(lines: readonly any[]): unknown[] {
  let passages = 0;
  let dimensions = 0;
  return lines.map((line) => {
    if (line.kind === "index" && line.vectors) {
      ({ dimensions } = line.vectors);
      return { ...line, vectors: { ...line.vectors, layout: undefined } };
    }
    if (line.kind === "segment") passages = line.passages.length;
    if (line.kind !== "vectors") return line;
    const block = Buffer.from(line.data, "base64");
    const rows = block.readUInt32LE(4);
    const floats = new Float32Array(passages * dimensions);
    for (let row = 0; row < rows; row++) {
      const scale = block.readFloatLE(16 + 4 * row);
      const at = block[16 + 4 * rows + row]! * dimensions;
      const first = block.length - (rows - row) * (Math.ceil(dimensions / 16) * 16);
      for (let i = 0; i < dimensions; i++) floats[at + i] = block.readInt8(first + i) * scale;
    }
    return { ...line, data: Buffer.from(floats.buffer).toString("base64") };
  });
}
const exported = async (server: TestServer, folder_id: string, who = "ada") =>
  (await server.call(who, "GET", `/folders/${folder_id}/export`)).bytes();
const send = (server: TestServer, who: string, archive: Uint8Array, query = "") =>
  server.send(who, "POST", `/folders/import${query}`, archive, {
    "content-type": "application/zip",
  });
/** The import once it has ended. */
async function imported(server: TestServer, who: string, archive: Uint8Array, query = "") {
  const { status, body, text } = await send(server, who, archive, query);
  if (status !== 202) throw new Error(text);
  let run = body;
  await until(async () => {
    run = (await server.send(who, "GET", `/folder-imports/${body.id}`)).body;
    return run.status === "completed" || run.status === "failed";
  });
  return run;
}
const all = async (server: TestServer, who: string, path: string): Promise<any[]> =>
  (await server.send(who, "GET", `${path}${path.includes("?") ? "&" : "?"}per_page=200`)).body.data;
/** Without the fields that differ between servers. */
const shape = (results: any[], names: (id: string) => string) =>
  results.map(({ document_id, folder_id, url: _url, ...rest }) => ({
    ...rest,
    document: names(document_id),
    folder: names(folder_id),
  }));

describe("a folder with everything that belongs to it", () => {
  let one: TestServer;
  let two: TestServer;
  let root: any;
  let sub: any;
  let archive: Uint8Array;
  let run: any;
  /** Maps new ids to old ones. */
  let ids: Map<string, string>;
  let asked_before: number;
  const queries = ["captain at noon", "expensive car", "mooring", "page two", "snow"];

  beforeAll(async () => {
    [one, two] = [await start({ plugins: [scriptedExtractor().plugin] }), await start()];
    root = await create(one, "/folders", { name: "Ferry", description: "Of the harbour." });
    sub = await create(one, "/folders", { name: "Logs", parentId: root.id });
    const elsewhere = await create(one, "/folders", { name: "Elsewhere" });
    await create(
      one,
      `/documents/file?folder_id=${root.id}`,
      upload("log é.txt", "The mooring was lifted at noon. 😀 The captain left."),
    );
    await create(
      one,
      `/documents/file?folder_id=${sub.id}`,
      upload("two.x", "#!read\nA page.\fOn page two it snows."),
    );
    await create(one, `/documents/file?folder_id=${sub.id}`, upload("bad.x", "#!fail corrupt\n"));
    const fish = await create(one, "/documents", {
      folder_id: sub.id,
      name: "Fish",
      content: "The captain eats 😀 fish at noon.",
    });
    await create(one, `/documents/${fish.id}/links`, { folder_id: root.id });
    await create(one, "/documents", {
      folder_id: root.id,
      name: "Car",
      content: `An automobile is a vehicle.\n\n${"Many words about rust. ".repeat(40_000)}`,
    });
    await create(one, "/documents", {
      folder_id: elsewhere.id,
      content: "The captain sleeps at noon, elsewhere.",
    });
    await settled(one);
    // A second version, so that only the current one is exported.
    await create(
      one,
      `/documents/file?folder_id=${root.id}&overwrite=true`,
      upload("log é.txt", "The mooring was lifted at noon. 😀 The captain stayed."),
    );
    await settled(one);
    const prompt = await create(one, "/prompts", {
      name: "Short",
      text: "Answer in one sentence.",
    });
    const chat = await create(one, "/chats", {
      name: "When",
      usedFolders: [root.id],
      usedPrompts: [prompt.id],
    });
    await create(one, "/chats", { name: "Both", usedFolders: [root.id, elsewhere.id] });
    for (const text of ["When was the mooring lifted?", "What does the captain eat?"]) {
      await create(one, `/chats/${chat.id}/messages`, { text });
      await settled(one);
    }
    archive = await exported(one, root.id);
    asked_before = embedder.asked.length;
    run = await imported(two, "bob", archive);
    ids = new Map(
      (await all(two, "bob", `/folder-imports/${run.id}/ids`)).map(({ id, source_id }) => [
        id,
        source_id,
      ]),
    );
  });

  test("is complete, and reports what was left out", () => {
    expect(run).toMatchObject({
      status: "completed",
      document_count: 5,
      completed_document_count: 5,
      counts: { folders: 2, documents: 5, originals: 3, prompts: 1, chats: 1, messages: 2 },
      left_out: { documents: 0, chats: 1, messages: 0 },
      error: null,
    });
    const parts = unpacked(archive);
    expect([...parts.keys()].at(-1)).toBe("manifest.json");
    expect(
      jsonOf(parts, "manifest.json")
        .parts.map(({ name }: any) => name)
        .sort(),
    ).toEqual([...parts.keys()].filter((name) => name !== "manifest.json").sort());
    expect(Buffer.from(archive).includes("elsewhere")).toBe(false);
  });

  test("has the same folders and documents, with new ids", async () => {
    const folders = await all(two, "bob", "/folders");
    expect(
      folders.map(({ name, parentId, document_count }) => [name, parentId, document_count]).sort(),
    ).toEqual([
      ["Ferry", null, 3],
      ["Logs", run.folder_id, 3],
    ]);
    const before = [
      ...(await all(one, "ada", `/documents?folder_id=${root.id}`)),
      ...(await all(one, "ada", `/documents?folder_id=${sub.id}`)),
    ];
    const after = (
      await Promise.all(folders.map(({ id }) => all(two, "bob", `/documents?folder_id=${id}`)))
    ).flat();
    const facts = (documents: any[]) =>
      documents
        .map(
          ({
            name,
            status,
            version,
            sha256,
            size_bytes,
            page_count,
            language,
            created_at,
            media_type,
            error,
            warnings,
            source,
          }) => ({
            name,
            status,
            version,
            sha256,
            size_bytes,
            page_count,
            language,
            created_at,
            media_type,
            error,
            warnings,
            kind: source.kind,
          }),
        )
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(facts(after)).toEqual(facts(before));
    for (const { id, name } of after) {
      const source_id = ids.get(id)!;
      expect(source_id).not.toBe(id);
      const contents = await Promise.all([
        one.send("ada", "GET", `/documents/${source_id}`),
        two.send("bob", "GET", `/documents/${id}`),
      ]);
      expect([name, contents[1].body.content]).toEqual([name, contents[0].body.content]);
      const originals = await Promise.all([
        one.call("ada", "GET", `/documents/${source_id}/file`),
        two.call("bob", "GET", `/documents/${id}/file`),
      ]);
      expect(await originals[1].bytes()).toEqual(await originals[0].bytes());
    }
  });

  test("is not read or embedded again", async () => {
    const kinds = (
      await two.store.db.selectFrom("core_jobs").select("name").distinct().execute()
    ).map(({ name }: any) => name);
    expect(kinds).toContain("folder_archives.import");
    expect(kinds.filter((kind: string) => kind.startsWith("documents.index"))).toEqual([]);
    expect(embedder.asked.length).toBe(asked_before);
    expect(await two.store.db.selectFrom("index_vectors_waiting").selectAll().execute()).toEqual(
      [],
    );
  });

  test.each(queries)("gives the same results for %s", async (query) => {
    const [before, after] = await Promise.all([
      one.send("ada", "POST", "/search", { query, folder_ids: [root.id] }),
      two.send("bob", "POST", "/search", { query }),
    ]);
    expect(before.body.data.length).toBeGreaterThan(0);
    expect(shape(after.body.data, (id) => ids.get(id)!)).toEqual(
      shape(before.body.data, (id) => id),
    );
  });

  test("has chats that cite the same passages, and can be continued", async () => {
    const [chat] = await all(two, "bob", "/chats");
    const source_id = ids.get(chat.id)!;
    expect(chat).toMatchObject({ name: "When", usedFolders: [run.folder_id], message_count: 2 });
    expect((await all(two, "bob", "/prompts")).map(({ id, text }) => [id, text])).toEqual([
      [chat.usedPrompts[0], "Answer in one sentence."],
    ]);
    const [before, after] = await Promise.all([
      all(one, "ada", `/chats/${source_id}/messages`),
      all(two, "bob", `/chats/${chat.id}/messages`),
    ]);
    const facts = (messages: any[], names: (id: string) => string) =>
      messages.map(({ result, ...message }) => ({
        ...message,
        result: {
          ...result,
          prompts: result.prompts.map(names),
          citations: shape(result.citations, names),
          related: shape(result.related, names),
        },
      }));
    expect(facts(after, (id) => ids.get(id)!)).toEqual(facts(before, (id) => id));
    for (const { result } of after)
      for (const { document_id, start, end, quote, url } of [
        ...result.citations,
        ...result.related,
      ]) {
        const { body } = await two.send("bob", "GET", url);
        expect([body.id, [...body.content].slice(start, end).join("")]).toEqual([
          document_id,
          quote,
        ]);
      }
    await two.send("bob", "POST", `/chats/${chat.id}/messages`, {
      text: "When was the mooring lifted?",
    });
    await settled(two);
    expect((await all(two, "bob", `/chats/${chat.id}/messages`))[0].result.answer).toContain(
      "noon",
    );
  });

  test("can be imported again, reusing the existing prompt", async () => {
    const repeated = await imported(two, "bob", archive);
    const named = await imported(two, "bob", archive, "?name=Harbour");
    const names = new Map((await all(two, "bob", "/folders")).map(({ id, name }) => [id, name]));
    expect([names.get(repeated.folder_id), names.get(named.folder_id)]).toEqual([
      "Ferry (2)",
      "Harbour",
    ]);
    expect((await all(two, "bob", "/prompts")).length).toBe(1);
    // Each import must be an independent folder.
    expect((await two.send("bob", "DELETE", `/folders/${repeated.folder_id}`)).status).toBe(204);
    await settled(two);
    const found = await two.send("bob", "POST", "/search", {
      query: "mooring",
      folder_ids: [named.folder_id],
    });
    expect(new Set(found.body.data.map(({ folder_id }: any) => folder_id))).toContain(
      named.folder_id,
    );
  });

  test("from a different indexer is indexed again from its text", async () => {
    const parts = unpacked(archive);
    const changes: Record<string, string> = {};
    for (const name of parts.keys())
      if (name.startsWith("documents/"))
        changes[name] = toLines(
          linesOf(parts, name).map((line) =>
            line.kind === "index" ? { ...line, encoding: { ...line.encoding, chunker: 1 } } : line,
          ),
        );
    const other = await start();
    const { status, folder_id } = await imported(other, "bob", await changed(archive, changes));
    expect(status).toBe("completed");
    const found = (
      await other.send("bob", "POST", "/search", { query: "mooring", folder_ids: [folder_id] })
    ).body.data;
    expect(found[0].quote).toContain("The mooring was lifted at noon.");
    const kinds = (await other.store.db.selectFrom("core_jobs").select("name").execute()).map(
      ({ name }: any) => name,
    );
    expect(kinds.filter((kind: string) => kind.startsWith("documents.index"))).toEqual([]);
    // The next test counts calls to the embedder, which all servers share.
    const { db } = other.store;
    await until(
      async () => (await db.selectFrom("index_vectors_waiting").selectAll().execute()).length === 0,
    );
  });

  test("with vectors stored as floats by an earlier version keeps them", async () => {
    const other = await start();
    const asked_before = embedder.asked.length;
    const parts = unpacked(archive);
    const changes: Record<string, string> = {};
    for (const name of parts.keys())
      if (name.startsWith("documents/")) changes[name] = toLines(withFloats(linesOf(parts, name)));
    const old = await changed(archive, changes, (manifest) => {
      manifest.format_version = 1;
    });
    expect((await imported(other, "bob", old)).status).toBe("completed");
    expect([
      embedder.asked.length,
      await other.store.db.selectFrom("index_vectors_waiting").selectAll().execute(),
    ]).toEqual([asked_before, []]);
    for (const query of queries) {
      const [before, after] = await Promise.all([
        one.send("ada", "POST", "/search", { query, folder_ids: [root.id] }),
        other.send("bob", "POST", "/search", { query }),
      ]);
      const quotes = ({ body }: any) => body.data.map(({ quote }: any) => quote);
      expect(quotes(after)).toEqual(quotes(before));
    }
  });

  test("with answers of an earlier version uses their quotes as passages", async () => {
    const parts = unpacked(archive);
    const changes: Record<string, string> = {};
    for (const name of parts.keys())
      if (name.startsWith("chats/"))
        changes[name] = toLines(
          linesOf(parts, name).map((line) => {
            if (line.kind !== "message") return line;
            const { related: _, citations, ...result } = line.result;
            return {
              ...line,
              result: {
                ...result,
                citations: citations.map(({ passage: _passage, ...cited }: any) => cited),
              },
            };
          }),
        );
    const other = await start();
    const { status } = await imported(other, "bob", await changed(archive, changes));
    expect(status).toBe("completed");
    const [chat] = await all(other, "bob", "/chats");
    const results = (await all(other, "bob", `/chats/${chat.id}/messages`)).map(
      ({ result }) => result,
    );
    expect(results.length).toBe(2);
    for (const { citations, related } of results) {
      expect(related).toEqual([]);
      expect(citations.length).toBeGreaterThan(0);
      for (const { passage, start, end, stale } of citations)
        expect([passage, stale]).toEqual([{ start, end }, false]);
    }
  });

  test("with vectors of another length is embedded again with the next document", async () => {
    const other = await start({ env: { DOSSIER_EMBEDDINGS_MODEL: "small" } });
    const parts = unpacked(archive);
    const changes: Record<string, string> = {};
    for (const name of parts.keys())
      if (name.startsWith("documents/"))
        changes[name] = toLines(
          linesOf(parts, name).flatMap((line) => {
            if (line.kind === "index")
              return [{ ...line, vectors: { ...line.vectors, dimensions: 1, layout: undefined } }];
            if (line.kind === "vectors") return [];
            return line.kind === "segment"
              ? [
                  line,
                  {
                    kind: "vectors",
                    data: Buffer.from(
                      new Float32Array(line.passages.length).fill(1).buffer,
                    ).toString("base64"),
                  },
                ]
              : [line];
          }),
        );
    await imported(other, "bob", await changed(archive, changes));
    const { body: folder } = await other.send("bob", "POST", "/folders", { name: "More" });
    await other.send("bob", "POST", "/documents", {
      folder_id: folder.id,
      content: "A vehicle that costs.",
    });
    await settled(other);
    const { data } = (await other.send("bob", "POST", "/search", { query: "expensive" })).body;
    expect(data[0].quote).toBe("A vehicle that costs.");
    expect(data.map(({ document_name }: any) => document_name)).toContain("A vehicle that costs.");
    const sets = await other.store.db.selectFrom("index_vector_sets").selectAll().execute();
    expect(
      sets.map(({ dimensions, serving, adopted }: any) => [dimensions, serving, adopted]),
    ).toEqual([[512, 1, 0]]);
  });
});

describe("rights and limits", () => {
  let server: TestServer;
  let folder: any;
  let archive: Uint8Array;
  beforeAll(async () => {
    server = await start({
      env: { DOSSIER_QUOTAS_DOCUMENTS: "3", DOSSIER_FOLDER_ARCHIVES_BYTES_MAX: "1MiB" },
    });
    folder = await create(server, "/folders", { name: "Two" });
    for (const content of ["One.", "Two."])
      await create(server, "/documents", { folder_id: folder.id, content });
    await settled(server);
    archive = await exported(server, folder.id);
  });

  test("an unknown or another user's folder is not exported", async () => {
    for (const [who, path, status] of [
      ["bob", `/folders/${folder.id}/export`, 403],
      ["ada", "/folders/fld_0/export", 404],
      [null, `/folders/${folder.id}/export`, 401],
    ] as const)
      expect([path, (await server.send(who, "GET", path)).status]).toEqual([path, status]);
  });

  test("a read-only key exports, but does not import", async () => {
    const key = await server.newKey("ada", ["read"]);
    const headers = { authorization: `Bearer ${key}` };
    expect(
      (await server.call(null, "GET", `/folders/${folder.id}/export`, undefined, headers)).status,
    ).toBe(200);
    expect(
      (
        await server.send(null, "POST", "/folders/import", archive, {
          ...headers,
          "content-type": "application/zip",
        })
      ).status,
    ).toBe(403);
  });

  test("an import is visible to its owner only", async () => {
    const { id } = await imported(server, "carol", archive);
    expect((await server.send("bob", "GET", `/folder-imports/${id}`)).status).toBe(403);
    expect((await server.send("bob", "GET", `/folder-imports/${id}/ids`)).status).toBe(403);
    expect((await server.send("bob", "GET", "/folder-imports")).body.data).toEqual([]);
  });

  test("an import over a quota is refused before anything is written", async () => {
    const { status, body } = await send(server, "ada", archive);
    expect([status, body.code]).toEqual([403, "quota_exceeded"]);
    expect((await server.send("ada", "GET", "/folder-imports")).body.data).toEqual([]);
  });

  test("of two imports that don't both fit, the second is refused and leaves nothing", async () => {
    const other = await start({ env: { DOSSIER_QUOTAS_FOLDERS: "1" } });
    const begun = await Promise.all([send(other, "dora", archive), send(other, "dora", archive)]);
    await settled(other);
    const runs = await all(other, "dora", "/folder-imports");
    expect(begun.map(({ status }) => status).sort()).toContain(202);
    expect(runs.filter(({ status }) => status === "completed").length).toBe(1);
    for (const { status, error } of runs)
      expect([status, error?.code]).toEqual(
        status === "completed" ? ["completed", undefined] : ["failed", "quota_exceeded"],
      );
    expect((await all(other, "dora", "/folders")).length).toBe(1);
    for (const [table, rows] of [
      ["documents", 2],
      ["folders", 1],
      ["index_documents", 2],
      ["texts_pieces", 2],
    ] as const)
      expect([table, await other.store.db.selectFrom(table).selectAll().execute()]).toEqual([
        table,
        Array(rows).fill(expect.anything()),
      ]);
  });

  const bodies: [reason: string, body: unknown, type: string | undefined, status: number][] = [
    ["no body", undefined, "application/zip", 400],
    ["another type", "{}", "text/plain", 415],
    ["JSON", {}, undefined, 415],
    ["more bytes than the limit", new Uint8Array(2 ** 20 + 1), "application/zip", 413],
  ];
  test.each(bodies)("%s is refused", async (_reason, body, type, status) => {
    const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
    expect((await server.send("ada", "POST", "/folders/import", body, headers)).status).toBe(
      status,
    );
  });

  test("a form is accepted like a plain body", async () => {
    const { status } = await server.send(
      "erin",
      "POST",
      "/folders/import",
      upload("two.zip", archive),
    );
    expect(status).toBe(202);
    const other = new FormData();
    other.append("archive", new Blob([archive as never]), "two.zip");
    expect((await server.send("erin", "POST", "/folders/import", other)).status).toBe(400);
  });
});

test("imports are deleted with their user, also running ones", async () => {
  const one = await start();
  const folder = await create(one, "/folders", { name: "Gone" });
  for (let n = 0; n < 5; n++)
    await create(one, "/documents", { folder_id: folder.id, content: `Canary ${n}.` });
  await settled(one);
  const archive = await exported(one, folder.id);
  await imported(one, "gina", archive);
  expect((await send(one, "gina", archive)).status).toBe(202);
  const gina = (await one.accounts.listUsers()).find(({ email }) => email.startsWith("gina"))!;
  await one.accounts.deleteUser(gina.id);
  await settled(one);
  const left = async () =>
    (
      await Promise.all(
        (["folder_archives_imports", "folder_archives_ids", "folders", "documents"] as const).map(
          (table) => one.store.db.selectFrom(table).selectAll().execute(),
        ),
      )
    ).map((rows) => rows.length);
  await until(async () => (await left()).join() === "0,0,1,5");
});

test("a document that was not yet read is read by the importing server", async () => {
  const { plugin, open } = scriptedExtractor();
  const one = await start({ plugins: [plugin] });
  const two = await start({ plugins: [scriptedExtractor().plugin] });
  const folder = await create(one, "/folders", { name: "Unread" });
  await create(
    one,
    `/documents/file?folder_id=${folder.id}`,
    upload("slow.x", "#!wait gate\nThe text."),
  );
  const archive = await exported(one, folder.id);
  open("gate");
  const { folder_id } = await imported(two, "bob", await withoutWait(archive));
  await settled(two);
  const [document] = await all(two, "bob", `/documents?folder_id=${folder_id}`);
  expect([document.name, document.status]).toEqual(["slow.x", "synced"]);
});

/** The same archive, with an original that doesn't wait. */
async function withoutWait(archive: Uint8Array): Promise<Uint8Array> {
  const parts = unpacked(archive);
  const document = "documents/000001.jsonl";
  const [line] = linesOf(parts, document);
  expect([line.status, line.text]).toEqual(["syncing", null]);
  const bytes = "#!read x\nThe text.";
  const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  return changed(archive, {
    [`originals/${line.sha256.slice(0, 2)}/${line.sha256}`]: null,
    [`originals/${hash.slice(0, 2)}/${hash}`]: bytes,
    [document]: toLines([{ ...line, sha256: hash, size_bytes: bytes.length }]),
  });
}
