/** The official client of OpenAI, unmodified, over all of Dossier's OpenAI-compatible API. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type OpenAI from "openai";
import { toFile } from "openai";
import { openAi } from "../helpers/clients";
import { until, type ApiServer, type StartServer } from "../helpers/server";

const pump = "The pump of the harbour is oiled every spring, before the boats go out.";
const question = "When is the pump of the harbour oiled?";

export function openAiCases(start: StartServer): void {
  let server: ApiServer;
  let ada: OpenAI;
  let bob: OpenAI;
  let readers: OpenAI;
  let writers: OpenAI;
  let folder: string;
  let document: string;
  const questionOf = (text: string) => [{ role: "user" as const, content: text }];

  beforeAll(async () => {
    server = await start();
    [ada, bob] = [await openAi(server, "ada"), await openAi(server, "bob")];
    readers = await openAi(server, "ada", { key: await server.newKey("ada", ["read"]) });
    writers = await openAi(server, "ada", { key: await server.newKey("ada", ["write"]) });
    folder = (await server.send("ada", "POST", "/folders", { name: "Harbour" })).body.id;
    const new_document = { folder_id: folder, name: "Pump", content: `# Care\n\n${pump}` };
    document = (await server.send("ada", "POST", "/documents", new_document)).body.id;
    await until(async () => (await fileState(document)) === "processed");
  }, 180_000);
  afterAll(() => server?.[Symbol.asyncDispose]());
  const fileState = async (id: string) => (await ada.files.retrieve(id)).status;

  describe("models", () => {
    test("all folders are one model, and each folder is one, with a name", async () => {
      const models = (await ada.models.list()).data.map((model: any) => [model.id, model.name]);
      expect(models).toEqual([
        ["dossier", "All folders"],
        [folder, "Harbour"],
      ]);
      expect((await bob.models.list()).data.map(({ id }) => id)).toEqual(["dossier"]);
    });
    test.each([["dossier"], ["Harbour"], ["harbour"]])("%s is found by its name", async (name) => {
      expect((await ada.models.retrieve(name)).object).toBe("model");
    });
  });

  describe("chat completions", () => {
    const models: [why: string, model: () => string][] = [
      ["over all folders", () => "dossier"],
      ["over a folder, by its id", () => folder],
      ["over a folder, by its name", () => "Harbour"],
    ];
    test.each(models)("%s", async (_why, model) => {
      const answer = await readers.chat.completions.create({
        model: model(),
        messages: questionOf(question),
        // Clients send optional fields; those without effect here are ignored.
        temperature: 0.2,
        max_tokens: 500,
        user: "u-1",
        tools: [],
      } as never);
      const [choice] = answer.choices;
      expect(answer).toMatchObject({ object: "chat.completion", model: model() });
      expect(choice).toMatchObject({ finish_reason: "stop", message: { role: "assistant" } });
      expect(choice!.message.content).toContain("oiled every spring");
      expectCited(choice!.message.content!, (choice!.message as any).annotations);
      expect(answer.usage!.total_tokens).toBeGreaterThanOrEqual(0);
    });

    function expectCited(text: string, annotations: any[]): void {
      expect(annotations.length).toBeGreaterThan(0);
      const [{ type, url_citation }] = annotations;
      expect(type).toBe("url_citation");
      expect(text.slice(url_citation.start_index, url_citation.end_index)).toBe("[1]");
      expect(url_citation.title).toBe("Pump");
      expect(new URL(url_citation.url).pathname).toBe(`/console/documents/${document}`);
    }

    test("streamed, with citations and usage", async () => {
      const stream = await ada.chat.completions.create({
        model: "dossier",
        messages: questionOf(question),
        stream: true,
        stream_options: { include_usage: true },
      });
      let text = "";
      const annotations: any[] = [];
      const ends: (string | null)[] = [];
      const usages: unknown[] = [];
      for await (const { choices, usage } of stream) {
        text += choices[0]?.delta.content ?? "";
        annotations.push(...((choices[0]?.delta as any)?.annotations ?? []));
        if (choices[0]) ends.push(choices[0].finish_reason);
        if (usage) usages.push(usage);
      }
      expect(text).toContain("oiled every spring");
      expectCited(text, annotations);
      expect([ends.at(-1), new Set(ends.slice(0, -1)), usages.length]).toEqual([
        "stop",
        new Set([null]),
        1,
      ]);
    });

    test("a question continues the conversation sent with it", async () => {
      const answer = await ada.chat.completions.create({
        model: folder,
        messages: [
          { role: "system", content: "Be short." },
          { role: "user", content: "What is there to know about the pump of the harbour?" },
          { role: "assistant", content: "It is oiled. [1]" },
          { role: "user", content: [{ type: "text", text: "And when is it oiled?" }] },
        ],
      });
      expect(answer.choices[0]!.message.content).toContain("every spring");
    });

    test("nothing is stored", async () => {
      expect((await server.send("ada", "GET", "/chats")).body.data).toEqual([]);
    });
  });

  describe("refused", () => {
    type Row = [
      why: string,
      run: () => PromiseLike<unknown>,
      status: number,
      code: string | null,
      param: string | null,
    ];
    const chat = (client: () => OpenAI, body: object) => () =>
      client().chat.completions.create({
        model: "dossier",
        messages: questionOf(question),
        ...body,
      } as never);
    const rows: Row[] = [
      ["an unknown model", chat(() => ada, { model: "gpt-5" }), 404, "model_not_found", "model"],
      [
        "another user's folder",
        () => bob.chat.completions.create({ model: folder, messages: questionOf(question) }),
        404,
        "model_not_found",
        "model",
      ],
      ["no model", chat(() => ada, { model: undefined }), 400, null, "model"],
      ["no messages", chat(() => ada, { messages: [] }), 400, null, "messages"],
      ["messages that are not a list", chat(() => ada, { messages: "hi" }), 400, null, "messages"],
      [
        "too many messages",
        chat(() => ada, { messages: Array(10_000).fill(questionOf("a")[0]) }),
        400,
        "too_many_values",
        null,
      ],
      [
        "a question that is too long",
        chat(() => ada, { messages: questionOf("a".repeat(32_001)) }),
        400,
        null,
        "messages[0].content",
      ],
      [
        "a body that is too large",
        chat(() => ada, { messages: questionOf("a".repeat(5 * 2 ** 20)) }),
        413,
        "too_large",
        null,
      ],
      [
        "no user message at the end",
        chat(() => ada, { messages: [{ role: "assistant", content: "Hello." }] }),
        400,
        null,
        "messages",
      ],
      [
        "an unknown role",
        chat(() => ada, { messages: [{ role: "king", content: "Hello." }] }),
        400,
        null,
        "messages[0].role",
      ],
      [
        "a picture",
        chat(() => ada, {
          messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "x" } }] }],
        }),
        400,
        "unsupported_content",
        "messages[0].content[0].type",
      ],
      ["several answers", chat(() => ada, { n: 2 }), 400, "unsupported_value", "n"],
      [
        "an answer in JSON",
        chat(() => ada, { response_format: { type: "json_object" } }),
        400,
        "unsupported_value",
        "response_format.type",
      ],
      ["a key that may not read", chat(() => writers, {}), 403, "missing_scope", null],
      [
        "a key that may not write",
        async () =>
          readers.files.create({
            file: await toFile(Buffer.from("a"), "a.txt"),
            purpose: "user_data",
          }),
        403,
        "missing_scope",
        null,
      ],
      ["another user's file", () => bob.files.retrieve(document), 404, "not_found", null],
      ["its content", () => bob.files.content(document), 404, "not_found", null],
      ["deleting it", () => bob.files.delete(document), 404, "not_found", null],
      [
        "searching another user's folder",
        () => bob.vectorStores.search(folder, { query: "pump" }),
        404,
        "not_found",
        null,
      ],
      ["an unknown file", () => ada.files.retrieve("file-abc"), 404, "not_found", null],
      ["an unknown cursor", () => ada.files.list({ after: "doc_0" }), 404, "not_found", null],
      [
        "no embeddings",
        () => ada.embeddings.create({ model: "dossier", input: "pump" }),
        404,
        "model_not_found",
        "model",
      ],
      ["an unknown path", () => ada.get("/engines"), 404, "unknown_url", null],
      ["an unsupported method", () => ada.post("/models"), 405, "method_not_allowed", null],
      [
        "no valid key",
        async () => (await openAi(server, "ada", { key: "sk-none" })).models.list(),
        401,
        "invalid_api_key",
        null,
      ],
    ];
    test.each(rows)("%s", async (_why, run, status, code, param) => {
      const error = await Promise.resolve(run()).then(
        () => null,
        (reason: unknown) => reason as any,
      );
      expect([error?.status, error?.code, error?.param]).toEqual([status, code, param]);
      expect(error.message).toMatch(/^\d{3} .+/);
    });
  });

  describe("files", () => {
    test("are uploaded, listed by cursor, read, searched and deleted", async () => {
      const upload = async (name: string, text: string) =>
        ada.files.create({ file: await toFile(Buffer.from(text), name), purpose: "assistants" });
      const first = await upload("tide.txt", "The tide gauge is read at noon.");
      const repeated = await upload("tide.txt", "The tide gauge is read at dusk.");
      expect([first, repeated]).toMatchObject([
        { object: "file", filename: "tide.txt", bytes: 31, purpose: "assistants" },
        { filename: "tide (2).txt" },
      ]);
      await until(async () => (await fileState(repeated.id)) === "processed");
      const ids: string[] = [];
      for await (const file of ada.files.list({ limit: 1 })) ids.push(file.id);
      expect(ids).toEqual([repeated.id, first.id, document]);
      const oldest: string[] = [];
      for await (const file of ada.files.list({ limit: 2, order: "asc" })) oldest.push(file.id);
      expect(oldest).toEqual(ids.toReversed());
      expect(await (await ada.files.content(first.id)).text()).toContain("at noon");
      expect(await ada.files.delete(first.id)).toMatchObject({ id: first.id, deleted: true });
      for (const again_asked of [
        () => ada.files.retrieve(first.id),
        () => ada.files.content(first.id),
        () => ada.files.delete(first.id),
      ]) {
        const error = await Promise.resolve(again_asked()).catch((reason: unknown) => reason);
        expect(error).toMatchObject({ status: 404, code: "not_found" });
      }
      expect((await ada.files.list()).data.map(({ id }) => id)).toEqual([repeated.id, document]);
      await ada.files.delete(repeated.id);
    });
  });

  describe("vector stores", () => {
    test("are folders, searched by their id", async () => {
      const found = await readers.vectorStores.search(folder, {
        query: "pump oiled",
        max_num_results: 3,
        rewrite_query: true,
      });
      expect(found.data[0]).toMatchObject({ file_id: document, filename: "Pump" });
      expect(found.data[0]!.content[0]!.text).toContain(pump);
      const both = await ada.vectorStores.search(folder, { query: ["pump oiled", "boats"] });
      expect(both.data.map(({ file_id }) => file_id)).toEqual([document]);
      const none = await ada.vectorStores.search(folder, { query: "zebra" });
      expect(none.data).toEqual([]);
    });
    test("are created, filled, listed and deleted", async () => {
      const store = await ada.vectorStores.create({ name: "Winter", file_ids: [document] });
      const fileIds = async () =>
        (await ada.vectorStores.files.list(store.id)).data.map(({ id, status }) => [id, status]);
      expect(await fileIds()).toEqual([[document, "completed"]]);
      expect((await ada.vectorStores.retrieve(store.id)).file_counts.total).toBe(1);
      await ada.vectorStores.files.delete(document, { vector_store_id: store.id });
      expect(await fileIds()).toEqual([]);
      await ada.vectorStores.files.create(store.id, { file_id: document });
      expect(await fileIds()).toEqual([[document, "completed"]]);
      const more: string[] = [];
      for (let n = 0; n < 4; n++) {
        const file = await toFile(Buffer.from(`Buoy ${n}.`), `buoy ${n}.txt`);
        const { id } = await ada.files.create({ file, purpose: "assistants" });
        await ada.vectorStores.files.create(store.id, { file_id: id });
        more.push(id);
      }
      for (const order of ["asc", "desc"] as const) {
        const listed: string[] = [];
        for await (const file of ada.vectorStores.files.list(store.id, { limit: 2, order }))
          listed.push(file.id);
        const all = [document, ...more];
        expect(listed).toEqual(order === "asc" ? all : all.toReversed());
      }
      const elsewhere = ada.vectorStores.files.list(store.id, { after: "doc_none" });
      expect(await elsewhere.catch((error) => [error.status, error.param])).toEqual([400, "after"]);
      for (const id of more) await ada.vectorStores.files.delete(id, { vector_store_id: store.id });
      const names: string[] = [];
      for await (const store of ada.vectorStores.list({ limit: 1 })) names.push(store.name);
      expect(names.toSorted()).toEqual(["Files", "Harbour", "Winter"]);
      expect(await ada.vectorStores.delete(store.id)).toMatchObject({ deleted: true });
      expect((await ada.files.retrieve(document)).status).toBe("processed");
    });
  });
}
