/**
 * Messages over HTTP: sending, polling, failing and cancelling. The answerer is scripted by each
 * test.
 */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { PermanentFailure } from "../../core/sdk";
import {
  found,
  heron,
  says,
  startScriptedServer,
  type ScriptedServer,
} from "../helpers/scripted-server";
import type { Answered } from "../helpers/server";

let scripted: ScriptedServer;
let send: ScriptedServer["send"];
let folder: string, chat: string;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

beforeAll(async () => {
  scripted = await startScriptedServer();
  ({ send } = scripted);
  ({ folder, chat } = await scripted.library("ada"));
});
beforeEach(() => scripted.answers(async () => says("It stands in water.")));

describe("sending a message", () => {
  type Case = [why: string, body: () => unknown, status: number, pointer?: string];
  const cases: Case[] = [
    ["a text is enough", () => ({ text: "Where?" }), 202],
    ["null means no requestId", () => ({ text: "Where?", requestId: null }), 202],
    ["unknown fields are ignored", () => ({ text: "Where?", stream: true }), 202],
    ["a text of 32,000 characters, emoji counted once", () => ({ text: "🐦".repeat(32_000) }), 202],
    ["a text of 32,001", () => ({ text: "a".repeat(32_001) }), 400, "/text"],
    ["a blank text", () => ({ text: " \n\u2003" }), 400, "/text"],
    ["no text", () => ({}), 400, "/text"],
    ["a text that is none", () => ({ text: 7 }), 400, "/text"],
    ["a text of null", () => ({ text: null }), 400, "/text"],
    ["no body", () => undefined, 400, ""],
    [
      "a requestId that is no UUID",
      () => ({ text: "Where?", requestId: "abc" }),
      400,
      "/requestId",
    ],
    [
      "a requestId in braces",
      () => ({ text: "Where?", requestId: "{6f1f2c0e-2f0b-4b7e-9f43-1d2a7c9b5e10}" }),
      400,
      "/requestId",
    ],
    ["a blank requestId", () => ({ text: "Where?", requestId: "" }), 400, "/requestId"],
    ["a requestId that is no text", () => ({ text: "Where?", requestId: 7 }), 400, "/requestId"],
  ];
  for (const [why, body, status, pointer] of cases) {
    test(why, async () => {
      const count = async () => (await send("ada", "GET", `/chats/${chat}`)).body.message_count;
      const before = await count();
      const answer = await send("ada", "POST", `/chats/${chat}/messages`, body());
      expect([answer.status, answer.text.slice(0, 300)]).toEqual([status, expect.any(String)]);
      expect(await count()).toBe(before + (status === 202 ? 1 : 0));
      if (status !== 202) return expect(answer.body.errors[0].pointer).toBe(pointer);
      expect(answer.body).toEqual({ requestId: expect.stringMatching(uuid), status: "PENDING" });
      expect(answer.headers.get("location")).toBe(
        `/api/dev/v1/chats/${chat}/messages/${answer.body.requestId}`,
      );
      expect(answer.headers.get("retry-after")).toBe("1");
    });
  }

  test("it counts, and the session knows when the last one came", async () => {
    const { id } = await scripted.made("ada", "/chats");
    await scripted.ask("ada", id);
    await scripted.ask("ada", id);
    const session = (await send("ada", "GET", `/chats/${id}`)).body;
    const { data } = (await send("ada", "GET", `/chats/${id}/messages`)).body;
    expect([session.message_count, session.last_message_at, session.updated_at]).toEqual([
      2,
      data[0].created_at,
      session.created_at,
    ]);
  });
});

describe("the same requestId", () => {
  const requestId = "6f1f2c0e-2f0b-4b7e-9f43-1d2a7c9b5e10";

  test("with the same text answers the state it has; with another text 409; in another session it is another message", async () => {
    const { id } = await scripted.made("ada", "/chats", { usedFolders: [folder] });
    const post = (text: string, request = requestId, session = id) =>
      send("ada", "POST", `/chats/${session}/messages`, { text, requestId: request });
    const first = await post("One?");
    expect([first.status, first.body]).toEqual([202, { requestId, status: "PENDING" }]);
    await scripted.server.settle();
    const again = await post("One?");
    expect([again.status, again.body, again.headers.get("location")]).toEqual([
      202,
      { requestId, status: "COMPLETED" },
      first.headers.get("location"),
    ]);
    expect((await post("One?", requestId.toUpperCase())).body).toEqual({
      requestId,
      status: "COMPLETED",
    });
    expect([(await post("Two?")).status, (await post("one?")).status]).toEqual([409, 409]);
    expect((await post("Two?", requestId, (await scripted.made("ada", "/chats")).id)).status).toBe(
      202,
    );
    expect((await send("ada", "GET", `/chats/${id}`)).body.message_count).toBe(1);
  });

  test("sent many times at once is one message", async () => {
    const { id } = await scripted.made("ada", "/chats", { usedFolders: [folder] });
    let asked = 0;
    scripted.answers(async () => {
      asked += 1;
      return says("Yes.");
    });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        send("ada", "POST", `/chats/${id}/messages`, { text: i < 15 ? "One?" : "Two?", requestId }),
      ),
    );
    const accepted = answers.filter(({ status }) => status === 202).length;
    expect([15, 5]).toContain(accepted);
    expect(answers.filter(({ status }) => status === 409).length).toBe(20 - accepted);
    await scripted.server.settle();
    expect([asked, (await send("ada", "GET", `/chats/${id}`)).body.message_count]).toEqual([1, 1]);
  });
});

describe("polling", () => {
  test("an unknown message is 404, and so is one of another session", async () => {
    const path = await scripted.ask("ada", chat);
    const { id } = await scripted.made("ada", "/chats");
    for (const at of [`/chats/${chat}/messages/nothing`, path.replace(chat, id)]) {
      const answer = await send("ada", "GET", at);
      expect([answer.status, answer.body.code]).toEqual([404, "not_found"]);
    }
  });

  test("PENDING and PROCESSING say no more than that; COMPLETED brings the result", async () => {
    const held = scripted.gate();
    const paths = await Promise.all(Array.from({ length: 5 }, () => scripted.ask("ada", chat)));
    await held.begun;
    const polls: Answered[] = [];
    for (const path of paths) polls.push(await send("ada", "GET", path));
    expect(new Set(polls.map(({ body }) => body.status))).toEqual(
      new Set(["PENDING", "PROCESSING"]),
    );
    for (const [i, { status, body, headers }] of polls.entries()) {
      expect([
        status,
        Object.keys(body).sort(),
        headers.get("retry-after"),
        headers.get("preference-applied"),
      ]).toEqual([200, ["requestId", "status"], "1", null]);
      expect(paths[i]).toEndWith(body.requestId);
    }
    held.open();
    await scripted.server.settle();
    const done = await send("ada", "GET", paths[0]!);
    expect([
      done.status,
      done.body.status,
      Object.keys(done.body).sort(),
      done.headers.get("retry-after"),
    ]).toEqual([200, "COMPLETED", ["requestId", "result", "status"], null]);
  });

  test("the result has exactly the fields that are promised, times as whole numbers", async () => {
    scripted.answers(async (question) => {
      const passage = await found(question);
      return says("In water [1].", [passage]);
    });
    const result = await scripted.answerOf("ada", chat);
    expect(Object.keys(result).sort()).toEqual([
      "answer",
      "citations",
      "grounded",
      "model",
      "outcome",
      "prompts",
      "timings",
      "usage",
      "warnings",
    ]);
    expect(result).toMatchObject({
      answer: "In water [1].",
      outcome: "answered",
      grounded: true,
      model: "scripted",
      prompts: [],
      usage: null,
      warnings: [],
    });
    expect(result.timings).toEqual({
      queue_ms: expect.any(Number),
      retrieve_ms: 1,
      generate_ms: 3,
    });
    expect(result.timings.queue_ms % 1).toBe(0);
    expect(Object.keys(result.citations[0]).sort()).toEqual([
      "document_id",
      "document_name",
      "document_version",
      "end",
      "folder_id",
      "heading",
      "id",
      "page",
      "page_end",
      "quote",
      "score",
      "stale",
      "start",
      "time_end",
      "time_start",
      "url",
      "verified",
    ]);
    expect(result.citations[0]).toMatchObject({
      id: 1,
      document_name: "heron.txt",
      quote: heron,
      start: 0,
      end: heron.length,
      verified: true,
      stale: false,
    });
  });
});

test("a busy owner leaves room for the others", async () => {
  const theirs = await scripted.library("bea");
  const held = scripted.gate();
  const mine = await Promise.all(
    ["1?", "2?", "3?", "4?"].map((text) => scripted.ask("ada", chat, text)),
  );
  await scripted.reaches("bea", await scripted.ask("bea", theirs.chat, "5?"), "PROCESSING");
  expect((await send("ada", "GET", mine[3]!)).body.status).toBe("PENDING");
  // Three of the four and the other owner's: all that run have come as far as the answerer.
  while (held.asked.length < 4) await Bun.sleep(1);
  expect(held.asked).toContain("5?");
  held.open();
  await scripted.server.settle();
});

describe("failing", () => {
  test("a failed request polls as 500 text/plain with the message alone, for ever", async () => {
    scripted.answers(async () => {
      throw new PermanentFailure("The model said no: try a shorter question.");
    });
    const path = await scripted.ask("ada", chat);
    await scripted.server.settle();
    for (let i = 0; i < 2; i++) {
      const { status, text, headers } = await send("ada", "GET", path);
      expect([status, text, headers.get("content-type")]).toEqual([
        500,
        "The model said no: try a shorter question.",
        "text/plain; charset=utf-8",
      ]);
    }
    const { data } = (await send("ada", "GET", `/chats/${chat}/messages`)).body;
    expect(data[0]).toMatchObject({
      status: "FAILED",
      result: null,
      error: { code: "answer_failed", message: "The model said no: try a shorter question." },
    });
    expect(data[0].completed_at).not.toBeNull();
    expect((await send("ada", "POST", `${path}/cancel`)).status).toBe(409);
  });

  test("a fault is tried three times, and its inside is not told", async () => {
    let attempts = 0;
    scripted.answers(async () => {
      attempts += 1;
      throw new Error("SELECT secret FROM /srv/data");
    });
    const path = await scripted.ask("ada", chat);
    const { text } = await scripted.finished("ada", path);
    expect([attempts, text]).toEqual([
      3,
      "The answer could not be made because of a fault in the server. Please ask again.",
    ]);
  });

  test("a fault that passes leaves no trace", async () => {
    let attempts = 0;
    scripted.answers(async () => {
      attempts += 1;
      if (attempts === 1) throw new Error("once");
      return says("Yes.");
    });
    expect((await scripted.answerOf("ada", chat)).answer).toBe("Yes.");
    expect(attempts).toBe(2);
  });
});

describe("cancelling", () => {
  test("a running message ends, its work is stopped, and it stays cancelled", async () => {
    const held = scripted.gate();
    const path = await scripted.ask("ada", chat);
    const question = await held.begun;
    const { status, body, headers } = await send("ada", "POST", `${path}/cancel`);
    expect([status, body, headers.get("location"), headers.get("retry-after")]).toEqual([
      202,
      { requestId: path.split("/").at(-1), status: "CANCELLED" },
      `/api/dev/v1${path}`,
      "1",
    ]);
    expect(question.signal.aborted).toBe(true);
    held.open();
    await scripted.server.settle();
    const poll = await send("ada", "GET", path);
    expect([poll.status, poll.text, poll.headers.get("content-type")]).toEqual([
      500,
      "The answer was cancelled.",
      "text/plain; charset=utf-8",
    ]);
    expect((await send("ada", "GET", `/chats/${chat}/messages`)).body.data[0]).toMatchObject({
      status: "CANCELLED",
      result: null,
      error: { code: "cancelled", message: "The answer was cancelled." },
    });
    const again = await send("ada", "POST", `${path}/cancel`);
    expect([again.status, again.body.code]).toEqual([409, "conflict"]);
  });

  test("a waiting message is never answered", async () => {
    const held = scripted.gate();
    const busy = await Promise.all([
      scripted.ask("ada", chat, "1?"),
      scripted.ask("ada", chat, "2?"),
      scripted.ask("ada", chat, "3?"),
    ]);
    for (const path of busy) await scripted.reaches("ada", path, "PROCESSING");
    const path = await scripted.ask("ada", chat, "4?");
    expect((await send("ada", "POST", `${path}/cancel`)).status).toBe(202);
    held.open();
    await scripted.server.settle();
    expect(held.asked.sort()).toEqual(["1?", "2?", "3?"]);
  });

  test("a completed message can't be cancelled, an unknown one is not there", async () => {
    const path = await scripted.ask("ada", chat);
    await scripted.server.settle();
    expect([
      (await send("ada", "POST", `${path}/cancel`)).status,
      (await send("ada", "GET", path)).body.status,
    ]).toEqual([409, "COMPLETED"]);
    expect((await send("ada", "POST", `/chats/${chat}/messages/none/cancel`)).status).toBe(404);
  });
});

test("messages are listed newest first, in pages, with exactly the promised fields", async () => {
  const { id } = await scripted.made("ada", "/chats", { usedFolders: [folder] });
  for (const text of ["1?", "2?", "3?"]) await scripted.ask("ada", id, text);
  await scripted.server.settle();
  const { body } = await send("ada", "GET", `/chats/${id}/messages?per_page=2`);
  expect(body.data.map((message: { text: string }) => message.text)).toEqual(["3?", "2?"]);
  expect(body.pagination).toEqual({
    count: 2,
    total: 3,
    per_page: 2,
    total_pages: 2,
    next_page: 2,
    previous_page: null,
  });
  expect(Object.keys(body.data[0]).sort()).toEqual([
    "completed_at",
    "created_at",
    "error",
    "requestId",
    "result",
    "status",
    "text",
  ]);
  expect(body.data[0]).toMatchObject({
    status: "COMPLETED",
    error: null,
    result: { answer: "It stands in water." },
  });
});

test("no message is left unfinished without a job that will run", async () => {
  await scripted.server.settle();
  const unfinished = await scripted.server.store.db
    .selectFrom("chats_messages")
    .select("id")
    .where("status", "in", ["PENDING", "PROCESSING"])
    .execute();
  expect(unfinished).toEqual([]);
});
