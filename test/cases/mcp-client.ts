/**
 * The official client of the Model Context Protocol, unmodified: what agents can do, and what is
 * refused.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { tokensOf } from "../../core/lib/tokens";
import { mcp } from "../helpers/clients";
import { until, type ApiServer, type StartServer } from "../helpers/server";

const pump = "The pump of the harbour is oiled every spring, before the boats go out.";
const question = "When is the pump of the harbour oiled?";
const chapter = (n: number) =>
  `Chapter ${n}. The lock keeper writes down the ships of the day, one by one.\n`.repeat(30);
const long_text = Array.from({ length: 40 }, (_, n) => chapter(n + 1)).join("\n");

export function mcpCases(start: StartServer): void {
  let server: ApiServer;
  let ada: Client;
  let bob: Client;
  let readers: Client;
  let writers: Client;
  let folder: string;
  let document: string;
  let log: string;
  const say = async (client: Client, name: string, args: object = {}) => {
    const { content, isError = false } = (await client.callTool({
      name,
      arguments: args as Record<string, unknown>,
    })) as any;
    expect(content.map(({ type }: any) => type)).toEqual(["text"]);
    return { text: content[0].text as string, is_error: isError as boolean };
  };

  beforeAll(async () => {
    server = await start();
    [ada, bob] = [await mcp(server, "ada"), await mcp(server, "bob")];
    readers = await mcp(server, "ada", { key: await server.newKey("ada", ["read"]) });
    writers = await mcp(server, "ada", { key: await server.newKey("ada", ["write"]) }).catch(
      () => ada,
    );
    folder = (await server.send("ada", "POST", "/folders", { name: "Harbour" })).body.id;
    const add = async (name: string, content: string): Promise<string> =>
      (await server.send("ada", "POST", "/documents", { folder_id: folder, name, content })).body
        .id;
    document = await add("Pump", pump);
    log = await add("Log", long_text);
    await until(async () => {
      const { data } = (await server.send("ada", "GET", `/documents?folder_id=${folder}`)).body;
      return data.every(({ status }: any) => status === "synced");
    });
    await server.send("ada", "POST", "/prompts", { name: "Short", text: "Be short." });
  }, 180_000);
  afterAll(() => server?.[Symbol.asyncDispose]());

  test("the server states its name and capabilities", async () => {
    expect(ada.getServerVersion()).toMatchObject({ name: "dossier" });
    expect(ada.getInstructions()).toContain("search");
    const { tools } = await ada.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ["list_folders", true],
      ["list_documents", true],
      ["search", true],
      ["read_document", true],
      ["ask", false],
      ["get_answer", true],
      ["add_text", false],
    ]);
    for (const { inputSchema, description } of tools)
      expect([inputSchema.type, description!.length > 20]).toEqual(["object", true]);
  });

  describe("tools", () => {
    const rows: [why: string, tool: string, args: () => object, parts: (() => string)[]][] = [
      ["folders", "list_folders", () => ({}), [() => "Harbour", () => folder]],
      [
        "documents, by the name of the folder",
        "list_documents",
        () => ({ folder: "harbour" }),
        [() => document, () => log, () => "2 documents"],
      ],
      [
        "passages",
        "search",
        () => ({ query: "pump oiled" }),
        [() => pump, () => `Pump`, () => document, () => "start 0"],
      ],
      [
        "passages of a folder",
        "search",
        () => ({ query: "pump oiled", folders: [folder], limit: 1 }),
        [() => pump, () => "1 passage,"],
      ],
      ["no passages", "search", () => ({ query: "zebra" }), [() => "No passage"]],
      [
        "a document",
        "read_document",
        () => ({ document }),
        [() => pump, () => `characters 0–${pump.length} of ${pump.length}`],
      ],
      [
        "a document from an offset",
        "read_document",
        () => ({ document, start: 4 }),
        [() => `:\n\n${pump.slice(4)}`],
      ],
      [
        "an answer",
        "ask",
        () => ({ question }),
        [() => "every spring", () => "[1] Pump", () => document],
      ],
      [
        "an answer from a folder",
        "ask",
        () => ({ question, folders: ["Harbour"] }),
        [() => "every spring", () => "(conversation chs_"],
      ],
    ];
    test.each(rows)("%s", async (_why, name, args, parts) => {
      const { text, is_error } = await say(ada, name, args());
      expect(is_error).toBe(false);
      for (const part of parts) expect(text).toContain(part());
    });

    test("a long document is read to its end in parts", async () => {
      let read = "";
      for (let start: number | null = 0; start !== null;) {
        const { text } = await say(ada, "read_document", { document: log, start });
        expect(tokensOf(text)).toBeLessThan(8_000);
        const foot = /\n\n\(It goes on: read_document with start (\d+)\.\)$/.exec(text);
        read += text.slice(text.indexOf(":\n\n") + 3, foot ? foot.index : undefined);
        start = foot ? Number(foot[1]) : null;
      }
      expect(read).toBe(long_text);
    });

    test("an answer continues an earlier one, and a slow one is polled", async () => {
      const first = await say(ada, "ask", { question });
      const conversation = /\(conversation (chs_\w+)\)/.exec(first.text)![1];
      const repeated = await say(ada, "ask", {
        question: "And before what?",
        conversation,
        wait_s: 0,
      });
      const id = /get_answer with the id (\S+) to wait/.exec(repeated.text)?.[1];
      // It may already be complete.
      if (id !== undefined) {
        const { text, is_error } = await say(ada, "get_answer", { id });
        expect([is_error, text.includes("(conversation")]).toEqual([false, true]);
      } else expect(repeated.text).toContain("(conversation");
    });

    test("a text is added and found", async () => {
      const { text } = await say(ada, "add_text", {
        folder: "Harbour",
        name: "Gulls",
        text: "The gulls sleep on the breakwater.",
      });
      const id = /\(id (doc_\w+)\)/.exec(text)![1]!;
      await until(async () => (await say(ada, "search", { query: "gulls" })).text.includes(id));
    });

    test("progress is sent to clients that ask for it", async () => {
      const messages: string[] = [];
      const { content } = (await ada.callTool({ name: "ask", arguments: { question } }, undefined, {
        onprogress: ({ message }) => void messages.push(message ?? ""),
      })) as any;
      expect(content[0].text).toContain("every spring");
    });

    test("a read-only key can ask, and leaves nothing behind", async () => {
      const before = (await server.send("ada", "GET", "/chats")).body.pagination.total;
      const { text, is_error } = await say(readers, "ask", { question });
      expect([is_error, text.includes("every spring")]).toEqual([false, true]);
      expect((await server.send("ada", "GET", "/chats")).body.pagination.total).toBe(before);
    });
  });

  describe("refusals give the reason", () => {
    const rows: [
      why: string,
      client: () => Client,
      tool: string,
      args: () => object,
      words: string,
    ][] = [
      ["no query", () => ada, "search", () => ({}), "`query` is required"],
      ["a query of another type", () => ada, "search", () => ({ query: 1 }), "must be a string"],
      ["a blank query", () => ada, "search", () => ({ query: " " }), "query"],
      [
        "an unknown folder name",
        () => ada,
        "search",
        () => ({ query: "a", folders: ["x"] }),
        "no folder x",
      ],
      [
        "another user's folder",
        () => bob,
        "search",
        () => ({ query: "pump", folders: [folder] }),
        "There is no folder",
      ],
      [
        "another user's document",
        () => bob,
        "read_document",
        () => ({ document }),
        "no such record",
      ],
      [
        "no document",
        () => ada,
        "read_document",
        () => ({ document: "doc_1" }),
        "could not be found",
      ],
      ["no page", () => ada, "read_document", () => ({ document, page: 3 }), "has no pages"],
      [
        "an unknown answer id",
        () => ada,
        "get_answer",
        () => ({ id: "chs_1/x" }),
        "could not be found",
      ],
      [
        "a question that is too long",
        () => ada,
        "ask",
        () => ({ question: "a".repeat(32_001) }),
        "32",
      ],
      [
        "a key that may not write",
        () => readers,
        "add_text",
        () => ({ folder, text: "a" }),
        "lacks the scope",
      ],
    ];
    test.each(rows)("%s", async (_why, client, name, args, words) => {
      const { text, is_error } = await say(client(), name, args());
      expect([is_error, text]).toEqual([true, expect.stringContaining(words)]);
    });

    test("an unknown tool", async () => {
      expect(await ada.callTool({ name: "rm" }).catch((error) => error.code)).toBe(-32_602);
    });
    test("a key that may not read can't connect", () => expect(writers).toBe(ada));
    test("a missing key", async () => {
      const error = await mcp(server, "ada", { key: "none" }).catch((reason) => reason);
      expect(error.code ?? error.message).toEqual(401);
    });
  });

  test("documents are resources, saved prompts are prompts", async () => {
    const { resources } = await ada.listResources();
    expect(resources.map(({ uri }) => uri)).toContain(`dossier://documents/${document}`);
    const { contents } = (await ada.readResource({
      uri: `dossier://documents/${document}`,
    })) as any;
    expect(contents[0].text).toContain(pump);
    const { prompts } = await ada.listPrompts();
    expect(prompts.map(({ title }) => title)).toEqual(["Short"]);
    const { messages } = await ada.getPrompt({ name: prompts[0]!.name });
    expect(messages[0]!.content).toEqual({ type: "text", text: "Be short." });
    const missing = await bob
      .readResource({ uri: `dossier://documents/${document}` })
      .catch((error) => error);
    expect([missing.code, missing.message]).toEqual([
      -32_602,
      expect.stringContaining("no such record"),
    ]);
  });
}
