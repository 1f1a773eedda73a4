/** The OpenAI-compatible API in this process: the official client, and what needs this process. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openAiCases } from "../cases/openai-clients";
import { openAi } from "../helpers/clients";
import { startEmbedder, vectorOf } from "../helpers/embedder";
import { startTestServer, type TestServer } from "../helpers/host";
import { breaksOff, fails, says, startProvider, used, type Provider } from "../helpers/provider";
import { until } from "../helpers/server";

describe("the client of npm", () => openAiCases(startTestServer));

const birds = "The heron stands in shallow water. It waits for fish without moving.";
const question = "Where does the heron stand?";
async function library(server: TestServer): Promise<string> {
  const folder_id = (await server.send("ada", "POST", "/folders", { name: "Birds" })).body.id;
  await server.send("ada", "POST", "/documents", { folder_id, name: "herons", content: birds });
  await server.settle();
  return folder_id;
}
const ask = (content: string) => ({
  model: "dossier",
  messages: [{ role: "user" as const, content }],
});

describe("with a language model", () => {
  let provider: Provider;
  let server: TestServer;
  beforeAll(async () => {
    provider = startProvider();
    server = await startTestServer({
      env: {
        DOSSIER_ANSWERS_PROVIDER: "openai",
        DOSSIER_ANSWERS_BASE_URL: provider.base_url,
        DOSSIER_ANSWERS_MODEL: "tiny-1",
        DOSSIER_ANSWERS_REWRITE_TIMEOUT: "0s",
      },
    });
    await library(server);
  });
  afterAll(() => provider.stop());

  test("it gets the conversation and instructions, and its token usage is returned", async () => {
    provider.answerWith(() => says("The heron stands in shallow water [1]."));
    const client = await openAi(server, "ada");
    const answer = await client.chat.completions.create({
      model: "dossier",
      messages: [
        { role: "system", content: "Answer as a sailor would." },
        { role: "user", content: "Tell me of the heron." },
        { role: "assistant", content: "It waits for fish [1]." },
        { role: "user", content: question },
      ],
    });
    expect(answer.choices[0]!.message.content).toBe("The heron stands in shallow water [1].");
    expect(answer.usage).toEqual({
      prompt_tokens: used.prompt_tokens,
      completion_tokens: used.completion_tokens,
      total_tokens: used.total_tokens,
    });
    const sent = JSON.stringify(provider.asked().at(-1)!.body.messages);
    for (const text of ["Answer as a sailor would.", "Tell me of the heron.", question])
      expect(sent).toContain(text);
  });

  test("its answer arrives in pieces", async () => {
    provider.answerWith(() =>
      says("The heron stands in shallow water [1]. It waits for fish [1]."),
    );
    const client = await openAi(server, "ada");
    const stream = await client.chat.completions.create({ ...ask(question), stream: true });
    const pieces: string[] = [];
    for await (const { choices } of stream)
      if (choices[0]?.delta.content) pieces.push(choices[0].delta.content);
    expect(pieces.join("")).toBe("The heron stands in shallow water [1]. It waits for fish [2].");
    expect(pieces.length).toBeGreaterThan(1);
  });

  const leaving: [how: string, stream: boolean][] = [
    ["leaving a stream halfway", true],
    ["aborting a request", false],
  ];
  test.each(leaving)("%s stops the work on it", async (_how, stream) => {
    provider.answerWith(() => breaksOff("The heron stands in shallow water [1]. It ", true));
    const client = await openAi(server, "ada");
    const left = new AbortController();
    const answer = client.chat.completions.create(
      { ...ask(question), stream },
      { signal: left.signal },
    );
    answer.catch(() => undefined);
    await until(() => provider.asked().length === 1);
    if (stream) await answer;
    expect(provider.asked()[0]!.signal.aborted).toBe(false);
    left.abort();
    await until(() => provider.asked()[0]!.signal.aborted);
  });

  test("when it fails, documents are quoted", async () => {
    provider.answerWith(() => fails(500));
    const answer = await (await openAi(server, "ada")).chat.completions.create(ask(question));
    expect(answer.choices[0]!.message.content).toContain("shallow water");
    expect((answer as any).dossier.warnings.length).toBeGreaterThan(0);
  });
});

describe("embeddings", () => {
  const embedder = startEmbedder({ small: 512 });
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({
      env: {
        DOSSIER_EMBEDDINGS_BASE_URL: embedder.url,
        DOSSIER_EMBEDDINGS_MODEL: "small",
      },
    });
  });
  const near = (vector: readonly number[], text: string) => {
    const wanted = vectorOf(text, 512, "small");
    const scale = Math.hypot(...vector) / Math.hypot(...wanted);
    return vector.every((value, at) => Math.abs(value - wanted[at]! * scale) < 1e-5);
  };

  // The official client asks for base64 by default.
  test.each([[undefined], ["float" as const], ["base64" as const]])("as %p", async (format) => {
    const client = await openAi(server, "ada");
    const texts = ["oil the pump", "feed the heron"];
    const { data, model, usage } = await client.embeddings.create({
      model: "small",
      input: texts,
      ...(format && { encoding_format: format }),
    });
    const vectors = data.map(({ embedding }) =>
      typeof embedding === "string"
        ? [...new Float32Array(new Uint8Array(Buffer.from(embedding, "base64")).buffer)]
        : embedding,
    );
    expect(vectors.map((vector, at) => near(vector, texts[at]!))).toEqual([true, true]);
    expect([model, usage.total_tokens > 0]).toEqual(["small", true]);
  });

  // As LangChain's usual client sends them.
  test.each([
    ["of one text", [74913, 279, 14155], ["oil the pump"]],
    [
      "of texts",
      [
        [74913, 279, 14155],
        [11432, 279, 1077, 263],
      ],
      ["oil the pump", "feed the heron"],
    ],
    [
      "many",
      Array.from({ length: 60 }, () => Array(500).fill(74913)),
      Array(60).fill("oil".repeat(500)),
    ],
  ])("as tokens: %s", async (_why, input, texts) => {
    const client = await openAi(server, "ada");
    const { data } = await client.embeddings.create({ model: "small", input } as never);
    expect(data.map(({ embedding }, at) => near(embedding, texts[at]!))).toEqual(
      texts.map(() => true),
    );
  });

  const refused: [why: string, body: object, param: string][] = [
    [
      "an unknown token",
      {
        input: [
          [1, 2],
          [3, 100_300],
        ],
      },
      "input[1]",
    ],
    ["a negative token", { input: [-1] }, "input"],
    ["white space as tokens", { input: [[220]] }, "input[0]"],
    ["text mixed with tokens", { input: [1, "a"] }, "input"],
    ["a blank text", { input: ["a", " "] }, "input[1]"],
    ["an empty input", { input: [] }, "input"],
    ["other dimensions", { input: "a", dimensions: 64 }, "dimensions"],
    ["another model", { input: "a", model: "other" }, "model"],
    ["too much text", { input: ["a".repeat(600_000), "b".repeat(500_000)] }, "input"],
  ];
  test.each(refused)("%s are refused", async (_why, body, param) => {
    const client = await openAi(server, "ada");
    const error = await client.embeddings.create({ model: "small", ...body } as never).then(
      () => null,
      (reason: unknown) => reason as any,
    );
    expect([error?.param, error?.status]).toEqual([param, param === "model" ? 404 : 400]);
  });
});

describe("limits and settings", () => {
  test("the rate limit and quotas of the API apply", async () => {
    const server = await startTestServer({
      env: { DOSSIER_RATE_LIMIT_REQUESTS: "3", DOSSIER_QUOTAS_FOLDERS: "1" },
    });
    const client = await openAi(server, "ada");
    await client.vectorStores.create({ name: "One" });
    const error = await client.vectorStores.create({ name: "Two" }).catch((reason) => reason);
    expect([error.status, error.code, error.headers.get("x-should-retry")]).toEqual([
      429,
      "insufficient_quota",
      "false",
    ]);
    await server.send("ada", "GET", "/folders");
    const limited = await client.models.list().catch((reason) => reason);
    expect([limited.status, limited.code, limited.type]).toEqual([
      429,
      "rate_limit_exceeded",
      "requests",
    ]);
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("works below a path of a reverse proxy", async () => {
    const server = await startTestServer({ public_url: "https://nas.example/dossier" });
    await library(server);
    for (const base of ["/dossier", ""]) {
      const client = await openAi(server, "ada", { base });
      const answer = await client.chat.completions.create(ask(question));
      const [annotation] = (answer.choices[0]!.message as any).annotations;
      expect(annotation.url_citation.url).toStartWith("https://nas.example/dossier/console/");
    }
  });

  test("when disabled, nothing is found", async () => {
    const server = await startTestServer({ env: { DOSSIER_OPENAI_API_ENABLED: "false" } });
    const answer = await server.send("ada", "GET", "//v1/models");
    expect([answer.status, answer.body.code]).toEqual([404, "no_such_route"]);
  });

  test("changes are in the audit log as the API's actions", async () => {
    const server = await startTestServer();
    const client = await openAi(server, "ada");
    const { id } = await client.vectorStores.create({ name: "One" });
    const rows = await server.store.db.selectFrom("audit_entries").selectAll().execute();
    const entries = async () =>
      (await server.store.db.selectFrom("audit_entries").selectAll().execute()) as any[];
    await until(async () => (await entries()).length > rows.length);
    expect(
      (await entries()).map((entry) => [entry.action, entry.record, entry.via]),
    ).toContainEqual(["createFolder", id, "openai"]);
  });
});
