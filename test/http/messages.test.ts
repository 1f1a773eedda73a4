/**
 * Messages in this process: the shared cases, and what the answerer sees. Each test scripts the
 * answerer.
 */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { PermanentFailure } from "../../core/sdk";
import { on_postgres } from "../helpers/databases";
import { startTestServer } from "../helpers/host";
import { messageCases } from "../cases/messages";
import {
  bestPassage,
  heron,
  says,
  startScriptedServer,
  type ScriptedServer,
} from "../helpers/scripted-server";

describe("messages", () => messageCases(startTestServer));

let scripted: ScriptedServer;
let send: ScriptedServer["send"];
let folder: string;
let chat: string;

beforeAll(async () => {
  scripted = await startScriptedServer();
  ({ send } = scripted);
  ({ folder, chat } = await scripted.library("ada"));
});
beforeEach(() => scripted.answers(async () => says("It stands in water.")));

describe("the same requestId", () => {
  const requestId = "6f1f2c0e-2f0b-4b7e-9f43-1d2a7c9b5e10";

  test("sent many times at once creates one message", async () => {
    const { id } = await scripted.create("ada", "/chats", { usedFolders: [folder] });
    let question_count = 0;
    scripted.answers(async () => {
      question_count += 1;
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
    expect([question_count, (await send("ada", "GET", `/chats/${id}`)).body.message_count]).toEqual(
      [1, 1],
    );
  });
});

describe("polling", () => {
  test("the result has exactly the documented fields, with times as whole numbers", async () => {
    scripted.answers(async (question) => {
      const passage = await bestPassage(question);
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
      "related",
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
      "page_label",
      "passage",
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

test("a busy owner leaves room for others", async () => {
  const theirs = await scripted.library("bea");
  const gate = scripted.gate();
  const mine: string[] = [];
  for (const text of ["1?", "2?", "3?", "4?"]) mine.push(await scripted.ask("ada", chat, text));
  await scripted.reaches("bea", await scripted.ask("bea", theirs.chat, "5?"), "PROCESSING");
  const polls = await Promise.all(mine.map((path) => send("ada", "GET", path)));
  const states = polls.map(({ body }) => body.status as string);
  // With several processes, an owner's slots are taken in any order.
  if (on_postgres) states.sort().reverse();
  expect(states).toEqual(["PROCESSING", "PROCESSING", "PROCESSING", "PENDING"]);
  // All four that run, three of ada's and one of bea's, must have reached the answerer.
  while (gate.asked.length < 4) await Bun.sleep(1);
  expect(gate.asked).toContain("5?");
  gate.open();
  await scripted.server.settle();
});

describe("failing", () => {
  test("a failed request keeps polling as 500 text/plain with only the message", async () => {
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

  test("a fault is tried three times, without revealing internals", async () => {
    let attempts = 0;
    scripted.answers(async () => {
      attempts += 1;
      throw new Error("SELECT secret FROM /srv/data");
    });
    const path = await scripted.ask("ada", chat);
    const { text } = await scripted.finished("ada", path);
    expect([attempts, text]).toEqual([
      3,
      "The answer failed because of a problem on the server. Ask again.",
    ]);
  });

  test("a fault that passes on retry leaves no trace", async () => {
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
    const gate = scripted.gate();
    const path = await scripted.ask("ada", chat);
    const question = await gate.begun;
    const { status, body, headers } = await send("ada", "POST", `${path}/cancel`);
    expect([status, body, headers.get("location"), headers.get("retry-after")]).toEqual([
      202,
      { requestId: path.split("/").at(-1), status: "CANCELLED" },
      `/api/dev/v1${path}`,
      "1",
    ]);
    expect(question.signal.aborted).toBe(true);
    gate.open();
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
    const repeated = await send("ada", "POST", `${path}/cancel`);
    expect([repeated.status, repeated.body.code]).toEqual([409, "conflict"]);
  });

  test("a waiting message is never answered", async () => {
    const gate = scripted.gate();
    const busy = await Promise.all([
      scripted.ask("ada", chat, "1?"),
      scripted.ask("ada", chat, "2?"),
      scripted.ask("ada", chat, "3?"),
    ]);
    for (const path of busy) await scripted.reaches("ada", path, "PROCESSING");
    const path = await scripted.ask("ada", chat, "4?");
    expect((await send("ada", "POST", `${path}/cancel`)).status).toBe(202);
    gate.open();
    await scripted.server.settle();
    expect(gate.asked.sort()).toEqual(["1?", "2?", "3?"]);
  });
});

describe("waiting for a change", () => {
  test("a client that disconnects ends the wait", async () => {
    const gate = scripted.gate();
    const path = await scripted.ask("ada", chat);
    await gate.begun;
    await scripted.reaches("ada", path, "PROCESSING");
    const client = new AbortController();
    const request = new Request(`http://dossier.test/api/dev/v1${path}`, {
      headers: { authorization: `Bearer ${await scripted.server.key("ada")}`, prefer: "wait=30" },
      signal: client.signal,
    });
    const poll = scripted.server.fetch(request);
    expect(await Promise.race([poll, Bun.sleep(50)])).toBeUndefined();
    client.abort();
    expect((await poll).status).toBe(200);
    gate.open();
    await scripted.server.settle();
  });

  test("a server that stops ends the wait", async () => {
    const other = await startScriptedServer();
    const { chat } = await other.library("ada");
    const gate = other.gate();
    const path = await other.ask("ada", chat);
    await gate.begun;
    await other.reaches("ada", path, "PROCESSING");
    const poll = other.send("ada", "GET", path, undefined, { prefer: "wait=30" });
    expect(await Promise.race([poll, Bun.sleep(20)])).toBeUndefined();
    await other.server.stop();
    expect((await poll).body.status).toBe("PROCESSING");
  });
});

test("no message is left unfinished without a pending job", async () => {
  await scripted.server.settle();
  const unfinished = await scripted.server.store.db
    .selectFrom("chats_messages")
    .select("id")
    .where("status", "in", ["PENDING", "PROCESSING"])
    .execute();
  expect(unfinished).toEqual([]);
});
