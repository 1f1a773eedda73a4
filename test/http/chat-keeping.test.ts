/** Keeping and finding chats, feedback on answers, and suggested questions. */
import { beforeAll, describe, expect, test } from "bun:test";
import type { Db, PreparedReads } from "../../core/sdk";
import { ChatLists } from "../../plugins/chats/list-store";
import type { ChatsTables } from "../../plugins/chats/store";
import { suggestionsOf, topicOf } from "../../plugins/chats/answers/suggestions";
import { lineHeadings } from "../../plugins/documents/overview";
import { signedIn } from "../helpers/browser";
import { expectProblem } from "../helpers/contract";
import {
  bestPassage,
  says,
  startScriptedServer,
  type ScriptedServer,
} from "../helpers/scripted-server";

let scripted: ScriptedServer;
let send: ScriptedServer["send"];
let create: ScriptedServer["create"];
let db: Db<ChatsTables>;
beforeAll(async () => {
  scripted = await startScriptedServer();
  ({ send, create } = scripted);
  db = scripted.server.store.db;
});

const idsOf = (body: any): string[] => body.data.map(({ id }: { id: string }) => id);

describe("lists of chats", () => {
  let ids: Record<"filters" | "lamps" | "untitled" | "deleted", string>;
  beforeAll(async () => {
    const chat = async (body: object) => (await create("ada", "/chats", body)).id;
    ids = {
      filters: await chat({ name: "Filters and TÜREN", pinned: true }),
      lamps: await chat({ name: "Lamps" }),
      untitled: await chat({}),
      deleted: await chat({ name: "Old filters" }),
    };
    await scripted.finished("ada", await scripted.ask("ada", ids.untitled, "Which FILTER fits?"));
    await send("ada", "DELETE", `/chats/${ids.deleted}`);
    await create("bob", "/chats", { name: "Filters of another" });
  });
  test.each<[why: string, query: string, expected: (keyof typeof ids)[]]>([
    ["pinned chats", "pinned=true", ["filters"]],
    ["chats that aren't pinned", "pinned=false", ["untitled", "lamps"]],
    ["words of a name or a question, in any case", "q=filter", ["untitled", "filters"]],
    ["letters beyond ASCII", "q=t%C3%BCren", ["filters"]],
    ["words and pinned together", "q=filter&pinned=false", ["untitled"]],
    ["words among deleted chats", "q=filter&deleted=true", ["deleted"]],
    ["blank words are no filter", "q=%20", ["untitled", "lamps", "filters"]],
    ["SQL wildcards are plain text", "q=%25", []],
    ["results in pages", "q=filter&per_page=1&page=2", ["filters"]],
  ])("%s", async (_why, query, expected) => {
    const { status, body } = await send("ada", "GET", `/chats?${query}`);
    expect({ status, ids: idsOf(body) }).toEqual({
      status: 200,
      ids: expected.map((name) => ids[name]),
    });
  });
});

describe("a search in a chat with many questions", () => {
  const count = 40;
  const rows_read: number[] = [];
  let lists: ChatLists;
  let owner_id: string;
  beforeAll(async () => {
    const chat_id = (await create("emil", "/chats", {})).id;
    await scripted.finished("emil", await scripted.ask("emil", chat_id, "Question 0."));
    const messages = db.selectFrom("chats_messages").where("chat_id", "=", chat_id);
    const first = await messages.selectAll().executeTakeFirstOrThrow();
    const others = Array.from({ length: count - 1 }, (_, at) => ({
      ...first,
      id: `${first.id}${at + 10}`,
      request_key: `${at}`,
      text: `Question ${at + 1}.`,
    }));
    await db.insertInto("chats_messages").values(others).execute();
    const chats = db.selectFrom("chats").where("id", "=", chat_id);
    ({ owner_id } = await chats.select("owner_id").executeTakeFirstOrThrow());
    const { reads } = scripted.server.store;
    const counting: PreparedReads = {
      get: (...statement) => reads.get(...statement),
      async all<R>(...statement: Parameters<PreparedReads["all"]>) {
        const rows = await reads.all<R>(...statement);
        rows_read.push(rows.length);
        return rows;
      },
    };
    lists = new ChatLists({ db, reads: counting });
  });
  test.each<[why: string, words: string, found: number, rows: number[]]>([
    ["reads a few questions at a time", "question 39.", 1, [16, 16, 8]],
    ["stops at the first that matches", "question", 1, [16]],
    ["ends when none matches", "answer", 0, [16, 16, 8]],
  ])("%s", async (_why, words, found, rows) => {
    rows_read.length = 0;
    const filter = { deleted_after: null, words };
    const { total } = await lists.list(owner_id, filter, {}, new AbortController().signal);
    expect({ total, rows_read }).toEqual({ total: found, rows_read: rows });
  });
});

test("a chat over all folders covers folders made later, but no other user's", async () => {
  const { id } = await create("cleo", "/chats", { all_folders: true });
  await scripted.library("cleo");
  await scripted.library("dora", "The heron of another stands on a roof.");
  const quotes: string[][] = [];
  scripted.answers(async (question) => {
    quotes.push((await question.find("heron", { limit: 5 })).passages.map(({ quote }) => quote));
    return says("It stands in water.");
  });
  await scripted.answerOf("cleo", id);
  await send("cleo", "PUT", `/chats/${id}`, { all_folders: false });
  expect((await scripted.answerOf("cleo", id)).outcome).toBe("no_answer");
  expect(quotes).toEqual([[expect.stringContaining("shallow water")]]);
});

describe("feedback on an answer", () => {
  let path: string;
  let poll: string;
  let chat: string;
  beforeAll(async () => {
    scripted.answers(async (question) => says("In water [1].", [await bestPassage(question)]));
    ({ chat } = await scripted.library("erik"));
    poll = await scripted.ask("erik", chat);
    await scripted.finished("erik", poll);
    path = `${poll}/feedback`;
  });

  test.each<[why: string, body: unknown, status: number, expected: object | string]>([
    ["thumbs up", { rating: "up" }, 200, { rating: "up", note: null }],
    ["the last rating counts", { rating: "down", note: " Wrong " }, 200, { note: "Wrong" }],
    ["a blank note is stored as none", { rating: "down", note: " " }, 200, { note: null }],
    ["a note of 4,000", { rating: "down", note: "ü".repeat(4_000) }, 200, { rating: "down" }],
    ["a longer note is refused", { rating: "down", note: "a".repeat(4_001) }, 400, "note"],
    ["an unknown rating is refused", { rating: "sideways" }, 400, "rating"],
    ["a note without a rating is refused", { note: "Good" }, 400, "rating"],
  ])("%s", async (_why, body, status, expected) => {
    const answer = await send("erik", "PUT", path, body);
    expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
    if (typeof expected === "string") return expectProblem(answer, status, expected);
    expect(answer.body).toMatchObject(expected);
    const [message] = (await send("erik", "GET", `/chats/${chat}/messages`)).body.data;
    expect(message.feedback).toEqual(answer.body);
  });

  test("is accepted for a finished answer only, from its owner only", async () => {
    const gate = scripted.gate();
    const running = await scripted.ask("erik", chat, "And now?");
    const answers = await Promise.all([
      send("erik", "PUT", `${running}/feedback`, { rating: "up" }),
      send("bob", "PUT", path, { rating: "up" }),
      send("erik", "PUT", `/chats/${chat}/messages/nobody/feedback`, { rating: "up" }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([409, 403, 404]);
    gate.open();
    await scripted.finished("erik", running);
  });

  test("is listed for its author, and without chat and answer for administrators", async () => {
    await send("erik", "PUT", path, { rating: "down", note: "Which water?" });
    const answer = await send("erik", "GET", "/feedback?rating=down");
    expect(answer.body.data).toMatchObject([
      { rating: "down", note: "Which water?", sessionId: chat, outcome: "answered" },
    ]);
    expect((await send("erik", "GET", "/feedback?rating=up")).body.data).toEqual([]);
    expect((await send("bob", "GET", "/feedback")).body.data).toEqual([]);
    expect((await send("erik", "GET", "/feedback/all")).status).toBe(403);
    const admin = await signedIn(scripted.server, "root", { role: "admin" });
    const all = await admin.send("GET", "/feedback/all");
    expect(all.body.data).toEqual([
      {
        rating: "down",
        note: "Which water?",
        created_at: expect.any(String),
        updated_at: expect.any(String),
        question: "Where does the heron stand?",
        outcome: "answered",
        model: "scripted",
        user_id: "usr_erik",
      },
    ]);
  });

  test("is withdrawn, hidden with its chat, and purged with it", async () => {
    const listed = async () => (await send("erik", "GET", "/feedback")).body.pagination.total;
    const stored = () => db.selectFrom("chats_feedback").select("message_id").execute();
    expect((await send("erik", "DELETE", path)).status).toBe(204);
    expect((await send("erik", "DELETE", path)).status).toBe(204);
    expect([await listed(), await stored()]).toEqual([0, []]);
    await send("erik", "PUT", path, { rating: "up" });
    await send("erik", "DELETE", `/chats/${chat}`);
    expect(await listed()).toBe(0);
    expect(await stored()).toHaveLength(1);
    await send("erik", "DELETE", `/chats/${chat}?permanent=true`);
    await scripted.server.settle();
    expect(await stored()).toEqual([]);
  });
});

describe("suggested questions", () => {
  test.each<[why: string, heading: string, topic: string | null]>([
    ["a plain heading is used as it is", "Annual leave", "Annual leave"],
    ["a number is dropped", "3.2 Annual leave", "Annual leave"],
    ["a chapter prefix is dropped", "Chapter IV: Water supply", "Water supply"],
    ["Markdown is dropped", "## **Water supply**", "Water supply"],
    ["a question stays a question", "4) Who pays?", "Who pays?"],
    ["capitals become sentence case", "WATER SUPPLY AND HEATING", "Water supply and heating"],
    ["an acronym stays in capitals", "NATO’s Members", "NATO’s Members"],
    ["a single short word is skipped", "Water", null],
    ["a single long word is used", "Schönheitsreparaturen", "Schönheitsreparaturen"],
    ["a word that looks like a Roman numeral is kept", "Mixed loads", "Mixed loads"],
    ["a heading of every document is skipped", "Table of contents", null],
    ["the same in other languages is skipped", "1. Einleitung", null],
    ["a number alone is skipped", "2026", null],
    ["a row of figures is skipped", "12.5 18.0 Total 30.5", null],
    ["a sentence is skipped", "This is what all of us have to do on every Monday morning", null],
    ["an address is skipped", "https://example.com", null],
    ["code is skipped", "foo_bar = baz()", null],
    ["a single letter is skipped", "A.", null],
    ["a part of a manual is skipped", "Short Contents", null],
    ["an index is skipped", "Concept Index", null],
  ])("%s", (_why, heading, topic) => expect(topicOf(heading)).toBe(topic));

  test.each<[why: string, text: string, headings: string[]]>([
    [
      "numbered lines above paragraphs, if any",
      `Handbook\n\nSixth edition\n\n${"Words of a foreword. ".repeat(9)}\n\n1. Water supply\n\n` +
        `${"All about water. ".repeat(9)}\n\n2. Heating\n\n${"All about heat. ".repeat(9)}`,
      ["1. Water supply", "2. Heating"],
    ],
    [
      "otherwise lines that stand alone",
      `Water supply\n\n${"All about water. ".repeat(9)}\n\nAnd so on.\n\n${"More of it. ".repeat(9)}`,
      ["Water supply"],
    ],
    ["not a running head", `Running head\n\n${"All about water. ".repeat(9)}\n\n`.repeat(3), []],
    ["not lines without text below", "Name\n\nDate\n\nPlace", []],
    ["none in an empty text", "", []],
  ])("headings found in plain text: %s", (_why, text, headings) =>
    expect(lineHeadings(text).map(({ start, end }) => text.slice(start, end))).toEqual(headings),
  );

  test("come from as many documents as possible, each once, at most four", () => {
    const document = (id: string, language: string | null, ...headings: string[]) => ({
      id,
      name: `${id}.md`,
      current_version: 1,
      folder_id: "fld_1",
      language,
      headings: headings.map((text) => ({ text, start: 0, end: 1, page: null, page_label: null })),
    });
    const documents = [
      document("a", "en", "Gas heating", "1 Gas heating", "Water supply", "Lost keys"),
      document("b", "de", "Einleitung", "Verlorene Schlüssel"),
      document("Gas heating", null, "Gas heating", "Waste water"),
    ];
    const texts = suggestionsOf({ documents, count: 3, all_counted: true }).map(({ text }) => text);
    expect(texts).toEqual([
      "What is said about “Gas heating”?",
      "Was steht zu „Verlorene Schlüssel“?",
      "What is said about “Waste water”?",
      "What is said about “Water supply”?",
    ]);
  });

  test("come from the named folders, or from all", async () => {
    const folder = async (name: string, content: string) => {
      const { id } = await create("fay", "/folders", { name });
      const form = new FormData();
      form.append("file", new Blob([content], { type: "text/markdown" }), `${name}.md`);
      await create("fay", `/documents/file?folder_id=${id}`, form);
      return id as string;
    };
    const hut = await folder(
      "Hut",
      "# Hut\n\n## Water filter\n\nIt is new.\n\n## Roof beams\n\nOld.\n",
    );
    const plain = await folder("Plain", "Nothing but words.\n");
    await scripted.server.settle();
    const texts = async (query: string) =>
      (await send("fay", "GET", `/suggested-questions${query}`)).body.data.map(
        ({ heading }: { heading: string }) => heading,
      );
    expect(await texts("")).toEqual(["Water filter", "Roof beams"]);
    expect(await texts(`?folder_ids=${hut},${plain}`)).toEqual(["Water filter", "Roof beams"]);
    expect(await texts(`?folder_ids=${plain}`)).toEqual([]);
    expect(await texts("?folder_ids=")).toEqual([]);
    const refused = await Promise.all([
      send("fay", "GET", "/suggested-questions?folder_ids=fld_none"),
      send("bob", "GET", `/suggested-questions?folder_ids=${hut}`),
      send(
        "fay",
        "GET",
        `/suggested-questions?folder_ids=${Array.from({ length: 201 }, (_, n) => n).join()}`,
      ),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([404, 403, 400]);
  });
});

test("the answerer is named, and whether it uses prompts", async () => {
  expect((await send("ada", "GET", "/answering")).body).toEqual({
    answerer: "scripted",
    uses_prompts: true,
  });
});
