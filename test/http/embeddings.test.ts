/**
 * Vectors through the whole server: what is found by meaning, and that a faulty embedder does no
 * harm.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { signedIn } from "../helpers/browser";
import { startEmbedder, type EmbedderBehaviour } from "../helpers/embedder";
import { startTestServer, type TestServer } from "../helpers/host";
import { Pauses } from "../helpers/pauses";
import { until } from "../helpers/server";

const ending: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ending) await end();
});

const key = "sk-embedder-key-of-the-test";
async function start(more: Record<string, string> = {}, mood: EmbedderBehaviour = "well") {
  const embedder = startEmbedder();
  embedder.setBehaviour(mood);
  const server = await startTestServer({
    env: {
      DOSSIER_EMBEDDINGS_BASE_URL: embedder.url,
      DOSSIER_EMBEDDINGS_MODEL: "small",
      DOSSIER_EMBEDDINGS_API_KEY: key,
      ...more,
    },
  });
  ending.push(
    () => server.stop(),
    () => embedder.stop(),
  );
  return { server, embedder };
}
/** For a silent embedder: the others are never waited for, so a busy machine must not limit them. */
async function setTimeLimit(server: TestServer, limit: string): Promise<void> {
  const admin = await signedIn(server, "grace", { role: "admin" });
  const { status } = await admin.send("PATCH", "/settings", { "embeddings.timeout": limit });
  expect(status).toBe(200);
}
async function create(server: TestServer, path: string, body: unknown): Promise<string> {
  const answer = await server.send("ada", "POST", path, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.id;
}
const rows = async (server: TestServer, table: string): Promise<any[]> =>
  server.store.db.selectFrom(table).selectAll().execute();
/** The dimensions of each segment's vectors. */
const lengths = async (server: TestServer): Promise<number[]> =>
  (await rows(server, "index_vectors")).map(({ data }) => Buffer.from(data).readUInt32LE(8));
/** Runs waiting jobs, without their pauses, until every document has vectors. */
async function embedded(server: TestServer): Promise<void> {
  while ((await rows(server, "index_vectors_waiting")).length > 0) {
    await server.store.db
      .updateTable("core_jobs")
      .set({ run_at: 0 })
      .where("state", "=", "ready")
      .execute();
    await server.host.queue.runDue();
  }
}
async function synced(server: TestServer, id: string): Promise<void> {
  const pauses = new Pauses();
  for (;;) {
    const { status } = (await server.send("ada", "GET", `/documents/${id}`)).body;
    if (status === "synced") return;
    expect(status).toBe("syncing");
    await pauses.next();
  }
}
const found = async (server: TestServer, query: string, more: object = {}): Promise<any[]> =>
  (await server.send("ada", "POST", "/search", { query, ...more })).body.data;
const quotes = async (server: TestServer, query: string, more: object = {}): Promise<string[]> =>
  (await found(server, query, more)).map(({ quote }) => quote);

const car = "The vehicle is sold at a price of nine thousand.";
const sea = "Herons stand in shallow water.";
const ill = "Whoever feels unwell sees the medic.";
async function library(server: TestServer): Promise<{ folder: string; documents: string[] }> {
  const folder = await create(server, "/folders", { name: "f" });
  const documents: string[] = [];
  for (const [name, content] of [
    ["a", car],
    ["b", sea],
    ["c", ill],
  ])
    documents.push(await create(server, "/documents", { folder_id: folder, name, content }));
  for (const id of documents) await synced(server, id);
  return { folder, documents };
}

describe("a question that shares no word with its passage", () => {
  test("finds it with an embedder, and not without", async () => {
    const { server, embedder } = await start();
    const plain = await startTestServer();
    ending.push(() => plain.stop());
    await Promise.all([library(server), library(plain)]);
    await embedded(server);
    for (const [query, quote] of [
      ["Are jalopies pricey?", car],
      ["Which sawbones for my poorly dog?", ill],
    ] as const) {
      expect(await quotes(plain, query)).toEqual([]);
      expect((await quotes(server, query))[0]).toBe(quote);
    }
    expect(
      embedder.asked.every(
        ({ model, authorization, dimensions }) =>
          model === "small" && authorization === `Bearer ${key}` && dimensions === undefined,
      ),
    ).toBe(true);
    expect(
      (await rows(plain, "index_vector_sets")).length +
        (await rows(plain, "index_vectors_waiting")).length,
    ).toBe(0);
    expect(
      (
        await plain.store.db
          .selectFrom("core_jobs")
          .selectAll()
          .where("name", "=", "index.embed")
          .execute()
      ).length,
    ).toBe(0);
  });
  test("finds it only in the requested folders and documents", async () => {
    const { server } = await start();
    const { folder, documents } = await library(server);
    const other = await create(server, "/folders", { name: "g" });
    await embedded(server);
    const query = "How expensive are cars?";
    expect(await quotes(server, query, { folder_ids: [folder] })).toEqual([car]);
    expect(await quotes(server, query, { folder_ids: [other] })).toEqual([]);
    expect(await quotes(server, query, { document_ids: [documents[1]] })).toEqual([]);
  });
  test("finds an entry of a list by its own meaning", async () => {
    const { server, embedder } = await start();
    const entry = (subject: string): string => `- ${subject}, ${filling.repeat(3)}\n`;
    const filling = "with hinges screws nails boards planks and paint for sheds, ";
    const list = ["ladders", "vehicle", "buckets", "hammers"].map(entry).join("");
    const folder = await create(server, "/folders", { name: "f" });
    const id = await create(server, "/documents", { folder_id: folder, name: "a", content: list });
    await synced(server, id);
    await embedded(server);
    const [block] = await rows(server, "index_vectors");
    expect(Buffer.from(block.data).readUInt32LE(4)).toBe(5);
    expect(embedder.asked.flatMap(({ input }) => input)).toContain(entry("vehicle").trim());
    expect(await quotes(server, "automobile")).toEqual([list.trim()]);
  });
  test("is answered from it in a chat", async () => {
    const { server } = await start();
    const { folder } = await library(server);
    await embedded(server);
    const chat = await create(server, "/chats", { usedFolders: [folder] });
    const { body } = await server.send("ada", "POST", `/chats/${chat}/messages`, {
      text: "What is the price of an automobile?",
    });
    await server.settle();
    const { result } = (
      await server.send("ada", "GET", `/chats/${chat}/messages/${body.requestId}`)
    ).body;
    expect(result.citations[0]).toMatchObject({
      quote: expect.stringContaining("nine thousand"),
      verified: true,
    });
  });
});

test("the configured dimensions are requested from the embedder", async () => {
  const { server, embedder } = await start({ DOSSIER_EMBEDDINGS_DIMENSIONS: "64" });
  await library(server);
  await embedded(server);
  expect(new Set(embedder.asked.map(({ dimensions }) => dimensions))).toEqual(new Set([64]));
  expect(await lengths(server)).toEqual([64, 64, 64]);
});

describe("an embedder that", () => {
  const cases: [string, EmbedderBehaviour, RegExp][] = [
    ["answers 500", "500", /responded with status 500/],
    ["is over its limit", "429", /responded with status 429/],
    ["refuses the key", "401", /check embeddings.api_key/],
    ["does not know the model", "404", /check embeddings.model/],
    ["doesn't respond", "silent", /did not respond within 0.2 s/],
    ["breaks off midway", "broken off", /can't be read/],
    ["answers invalid JSON", "no JSON", /can't be read/],
    ["gives too few vectors", "too few", /vectors for \d+ texts/],
    ["gives too many vectors", "too many", /vectors for \d+ texts/],
    ["gives NaN", "NaN", /other than numbers/],
    ["gives null for a number", "null", /other than numbers/],
    ["gives a number too large for a float", "too large a number", /other than numbers/],
    ["gives empty vectors", "no numbers", /of 0 numbers/],
    ["mixes up its texts", "mixed up", /can't be read/],
    ["refuses everything", { refuses: () => 400 }, /responded with status 400/],
  ];
  for (const [why, mood, reason] of cases)
    test(`${why} when it is first needed delays no document, is told by /health, and is asked again until it is well`, async () => {
      const { server, embedder } = await start({}, mood);
      if (mood === "silent") await setTimeLimit(server, "200ms");
      await library(server);
      expect(await quotes(server, "vehicle")).toEqual([car]);
      const failing = async (): Promise<string> =>
        (await server.host.health()).find(({ plugin }) => plugin === "index")?.failing ?? "";
      await until(async () => reason.test(await failing()));
      expect(await failing()).toMatch(/^\d documents are waiting for vectors/);
      expect(await failing()).not.toMatch(/secret words|127\.0\.0\.1|sk-embedder/);
      expect((await rows(server, "index_vectors")).length).toBe(0);
      if (mood === "silent") await setTimeLimit(server, "30s");
      embedder.setBehaviour("well");
      await embedded(server);
      expect(await quotes(server, "How expensive are cars?")).toEqual([car]);
      expect(await failing()).toBe("");
    });
  test("gives vectors of another length than before keeps the old ones in use", async () => {
    const { server, embedder } = await start();
    const { folder } = await library(server);
    await embedded(server);
    embedder.setBehaviour("wrong dimension");
    await synced(
      server,
      await create(server, "/documents", { folder_id: folder, name: "d", content: "A boat." }),
    );
    await until(async () =>
      /513 numbers, but those of small have 512/.test(
        (await server.host.health())[0]?.failing ?? "",
      ),
    );
    expect(await quotes(server, "boat")).toEqual(["A boat."]);
    expect(new Set(await lengths(server))).toEqual(new Set([512]));
    embedder.setBehaviour("well");
    await embedded(server);
    expect((await rows(server, "index_vectors")).length).toBe(4);
  });
  test("refuses long texts gets shorter ones; texts it can't take don't block others", async () => {
    const { server, embedder } = await start(
      {},
      {
        refuses: (texts) =>
          texts.some((text) => text.length > 300 || text.includes("poison")) ? 413 : undefined,
      },
    );
    const { folder } = await library(server);
    await synced(
      server,
      await create(server, "/documents", {
        folder_id: folder,
        name: "long",
        content: "The physician rides. ".repeat(30),
      }),
    );
    await synced(
      server,
      await create(server, "/documents", { folder_id: folder, name: "bad", content: "poison" }),
    );
    await embedded(server);
    expect((await rows(server, "index_vectors")).length).toBe(5);
    expect(
      (await quotes(server, "Which medic?", { limit: 2 })).some((quote) =>
        quote.startsWith("The physician"),
      ),
    ).toBe(true);
    expect(embedder.asked.length).toBeGreaterThan(5);
  });
});

describe("a search while the embedder is", () => {
  for (const [why, mood] of [
    ["down", "500"],
    ["silent", "silent"],
    ["returning nonsense", "NaN"],
  ] as const)
    test(`${why} goes by words, and stops asking it after some failures`, async () => {
      const { server, embedder } = await start();
      await library(server);
      await embedded(server);
      embedder.setBehaviour(mood);
      if (mood === "silent") await setTimeLimit(server, "50ms");
      const calls_before = embedder.asked.length;
      for (let i = 0; i < 6; i++)
        expect(await quotes(server, `vehicle ${"x".repeat(i)}`)).toEqual([car]);
      // A call may time out before it arrives.
      expect(embedder.asked.length).toBeLessThanOrEqual(calls_before + 3);
      // It says so after three failures.
      expect((await server.host.health())[0]?.failing).toMatch(
        /^Questions are searched by words only: the embedder/,
      );
    });
});

describe("a removed document", () => {
  test("loses its vectors at once when it is unlinked, deleted or replaced", async () => {
    const { server } = await start();
    const { folder, documents } = await library(server);
    const other = await create(server, "/folders", { name: "g" });
    await embedded(server);
    const query = "How expensive are cars?";
    expect(
      (await server.send("ada", "POST", `/documents/${documents[0]}/links`, { folder_id: other }))
        .status,
    ).toBe(200);
    expect(await quotes(server, query, { folder_ids: [other] })).toEqual([car]);
    expect(
      (await server.send("ada", "DELETE", `/documents/${documents[0]}?folder_id=${folder}`)).status,
    ).toBe(204);
    expect(await quotes(server, query, { folder_ids: [folder] })).toEqual([]);
    expect((await rows(server, "index_vectors")).length).toBe(3);
    expect((await server.send("ada", "DELETE", `/folders/${other}`)).status).toBe(204);
    expect(await quotes(server, query)).toEqual([]);
    expect((await server.send("ada", "DELETE", `/folders/${folder}`)).status).toBe(204);
    await until(async () => (await rows(server, "index_segments")).length === 0);
    for (const table of ["index_vectors", "index_vectors_waiting", "index_segments"])
      expect([table, await rows(server, table)]).toEqual([table, []]);
  });
  test("that was waiting for vectors gets none", async () => {
    const { server, embedder } = await start({}, "silent");
    const { folder } = await library(server);
    await until(() => embedder.asked.length > 0);
    expect((await server.send("ada", "DELETE", `/folders/${folder}`)).status).toBe(204);
    await until(async () => (await rows(server, "index_vectors_waiting")).length === 0);
    for (const table of ["index_vectors", "index_vectors_waiting"])
      expect([table, await rows(server, table)]).toEqual([table, []]);
  });
});

describe("invalid settings", () => {
  const cases: [string, Record<string, string>, RegExp][] = [
    [
      "an address without a scheme",
      { DOSSIER_EMBEDDINGS_BASE_URL: "localhost:11434", DOSSIER_EMBEDDINGS_MODEL: "m" },
      /embeddings.base_url must start with http/,
    ],
    [
      "a key in the address",
      { DOSSIER_EMBEDDINGS_BASE_URL: "http://me:pw@localhost/v1", DOSSIER_EMBEDDINGS_MODEL: "m" },
      /Set the key in embeddings.api_key/,
    ],
    [
      "a key of two lines",
      {
        DOSSIER_EMBEDDINGS_BASE_URL: "http://localhost/v1",
        DOSSIER_EMBEDDINGS_MODEL: "m",
        DOSSIER_EMBEDDINGS_API_KEY: "a\nb",
      },
      /not allowed in a key/,
    ],
  ];
  for (const [why, env, reason] of cases)
    test(`${why} stops the start`, async () => {
      await expect(startTestServer({ env })).rejects.toThrow(reason);
    });
  test("a model without an address turns embeddings off", async () => {
    const server = await startTestServer({
      env: { DOSSIER_EMBEDDINGS_PROVIDER: "openai", DOSSIER_EMBEDDINGS_MODEL: "m" },
    });
    ending.push(() => server.stop());
    await library(server);
    expect(await rows(server, "index_vector_sets")).toEqual([]);
  });
});

describe("prefixes", () => {
  const texts = async (more: Record<string, string>) => {
    const { server, embedder } = await start(more);
    await library(server);
    await embedded(server);
    await quotes(server, "How expensive are cars?");
    return {
      server,
      of: (part: string) =>
        embedder.asked.flatMap(({ input }) => input).find((text) => text.includes(part)),
      models: new Set(embedder.asked.map(({ model }) => model)),
      sets: (await rows(server, "index_vector_sets")).map(({ model }) => model),
    };
  };
  const cases: [string, Record<string, string>, string, RegExp, string][] = [
    ["none: the set is named like the model", {}, "How expensive", /^(?!<).*vehicle/s, "small"],
    [
      "each kind of text has its own, and both are part of the set's name",
      { DOSSIER_EMBEDDINGS_QUERY_PREFIX: "<?> ", DOSSIER_EMBEDDINGS_DOCUMENT_PREFIX: "<.> " },
      "<?> How expensive",
      /^<\.> .*vehicle/s,
      'small ["<?> ","<.> "]',
    ],
    [
      "only one",
      { DOSSIER_EMBEDDINGS_QUERY_PREFIX: 'say "it": ' },
      'say "it": How expensive',
      /^(?!<).*vehicle/s,
      'small ["say \\"it\\": ",""]',
    ],
  ];
  for (const [why, settings, question, passage, name] of cases)
    test(why, async () => {
      const { of, models, sets } = await texts(settings);
      expect(of("How expensive")).toStartWith(question);
      expect(of("vehicle")).toMatch(passage);
      expect([[...models], sets]).toEqual([["small"], [name]]);
    });
  test("changing them rebuilds all vectors, and the old ones stay in use meanwhile", async () => {
    const { server, embedder } = await start();
    const admin = await signedIn(server, "grace", { role: "admin" });
    await library(server);
    const complete = (name: string) =>
      until(async () => {
        await embedded(server);
        await server.host.queue.runDue();
        const sets = await rows(server, "index_vector_sets");
        return (
          sets.length === 1 &&
          sets[0].model === name &&
          (await rows(server, "index_vectors")).length === 3
        );
      });
    await complete("small");
    embedder.setBehaviour({ refuses: (all) => (all[0]!.startsWith("<.>") ? 503 : undefined) });
    const { status } = await admin.send("PATCH", "/settings", {
      "embeddings.query_prefix": "<?> ",
      "embeddings.document_prefix": "<.> ",
    });
    expect(status).toBe(200);
    const question = "How expensive are cars?";
    expect((await quotes(server, question, { limit: 1 }))[0]).toContain("vehicle");
    expect(embedder.asked.some(({ input }) => input[0] === question)).toBe(true);
    embedder.setBehaviour("well");
    await complete('small ["<?> ","<.> "]');
    expect((await quotes(server, `${question}!`, { limit: 1 }))[0]).toContain("vehicle");
    expect(embedder.asked.some(({ input }) => input[0] === `<?> ${question}!`)).toBe(true);
  });
});
