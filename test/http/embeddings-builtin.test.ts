/** The built-in encoder, through the whole server: what it finds, and which model it uses. */
import { describe, expect, test } from "bun:test";
import { startTestServer, type TestServer } from "../helpers/host";

const texts = {
  pump: "Clean the filter of the pump every ninety days with lukewarm water.",
  birds: "Herons stand in shallow water and wait for fish.",
  price: "The vehicle is sold at nine thousand euros.",
};
async function library(server: TestServer): Promise<void> {
  const folder = await server.send("ada", "POST", "/folders", { name: "f" });
  for (const [name, content] of Object.entries(texts))
    await server.send("ada", "POST", "/documents", { folder_id: folder.body.id, name, content });
  await server.settle();
}
const first = async (server: TestServer, query: string): Promise<string | undefined> =>
  (await server.send("ada", "POST", "/search", { query })).body.data[0]?.quote;
const setsOf = (server: TestServer): Promise<{ model: string; dimensions: number }[]> =>
  server.store.db.selectFrom("index_vector_sets").select(["model", "dimensions"]).execute() as any;

describe("with embeddings.provider = builtin", () => {
  test("a question finds its passage in another language, without an endpoint", async () => {
    const server = await startTestServer({ env: { DOSSIER_EMBEDDINGS_PROVIDER: "builtin" } });
    await library(server);
    for (const [query, quote] of [
      ["Wie teuer ist das Auto?", texts.price],
      ["¿Cada cuánto se limpia el filtro de la bomba?", texts.pump],
      ["Какие птицы ждут рыбу?", texts.birds],
    ] as const)
      expect(await first(server, query)).toBe(quote);
    expect(await setsOf(server)).toEqual([
      { model: "builtin/multilingual-e5-small@e61f5645dcd1", dimensions: 384 },
    ]);
    const found = async (query: string) =>
      (await server.send("ada", "POST", "/search", { query })).body.data.map(
        ({ quote, matched, score }: any) => [quote, matched, score <= 1 && score >= 0],
      );
    for (const [why, query, expected] of [
      ["no sense", "zqv blorptang frimble wexotic?", []],
      ["nothing of it here", "Gibt es einen Pool?", []],
      ["by its words too", "herons", [[texts.birds, "both", true]]],
      ["a word of it, and no sense", "zqv herons wexotic", [[texts.birds, "both", true]]],
      ["by its meaning alone", "Hvad koster bilen?", [[texts.price, "meaning", true]]],
      ["a phrase is exact", '"shallow water"', [[texts.birds, "both", true]]],
      ["a phrase that is nowhere", '"deep water"', []],
    ] as const)
      expect([why, await found(query)]).toEqual([why, expected]);
    expect((await server.send(null, "GET", "/health")).body.status).toBe("ok");
    await server.stop();
  }, 120_000);

  test("a missing model is reported by health, and search goes by words", async () => {
    const server = await startTestServer({
      env: { DOSSIER_EMBEDDINGS_PROVIDER: "builtin", DOSSIER_EMBEDDINGS_MODEL: "my-model" },
    });
    await library(server);
    expect(await first(server, "herons")).toBe(texts.birds);
    const { status, plugins } = (await server.send(null, "GET", "/health")).body;
    expect([status, plugins]).toEqual([
      "degraded",
      [{ name: "embeddings", reason: expect.stringContaining("dossier model add") }],
    ]);
    await server.stop();
  });
});

test("with embeddings.provider = none, a configured endpoint is not called", async () => {
  const questions: string[] = [];
  const endpoint = Bun.serve({
    port: 0,
    fetch: (request) => {
      questions.push(request.url);
      return new Response();
    },
  });
  const server = await startTestServer({
    env: {
      DOSSIER_EMBEDDINGS_PROVIDER: "none",
      DOSSIER_EMBEDDINGS_BASE_URL: `http://127.0.0.1:${endpoint.port}/v1`,
      DOSSIER_EMBEDDINGS_MODEL: "small",
    },
  });
  await library(server);
  expect(await first(server, "herons")).toBe(texts.birds);
  expect([questions, await setsOf(server)]).toEqual([[], []]);
  await server.stop();
  await endpoint.stop(true);
});
