/**
 * Acceptance, on the executable with a scripted answerer: sessions, messages, failures and
 * internal errors.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chatDeletionCases } from "../cases/chat-deletion";
import { chatCases } from "../cases/chats";
import { messageCases } from "../cases/messages";
import { expectHas, expectPlainFault, expectProblem, expectRecord } from "../helpers/contract";
import { startExecutable, type Executable } from "../helpers/executable";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";
import { writeStagedPlugin } from "../helpers/staged-plugin";

describe("sessions", () => chatCases(startExecutable));
describe("deletion of sessions", () => chatDeletionCases(startExecutable));
describe("messages", () => messageCases(startExecutable));

let server: Executable;
let ada: Person;
let chat: string;
const stage = writeStagedPlugin();
const ask = (text: string) => ada.send("POST", `/chats/${chat}/messages`, { text });
const poll = (id: string, headers: Record<string, string> = {}) =>
  ada.send("GET", `/chats/${chat}/messages/${id}`, undefined, headers);
const running = (id: string) => until(async () => (await poll(id)).body.status === "PROCESSING");
const listed = async (id: string) =>
  (await ada.send("GET", `/chats/${chat}/messages?per_page=200`)).body.data.find(
    ({ requestId }: any) => requestId === id,
  );

beforeAll(async () => {
  server = await startExecutable({ env: stage.env });
  ada = await person(server, "ada");
  chat = (await ada.create("/chats", { usedFolders: [await ada.folder()] })).id;
}, 180_000);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  stage[Symbol.dispose]();
});

test("a failed message always polls as 500; an unfinished one survives a restart", async () => {
  const [failed, pending] = [
    (await ask("fail The model has run out of words: näh.")).body.requestId,
    (await ask("hold restarted please")).body.requestId,
  ];
  await ada.finished(`/chats/${chat}/messages/${failed}`);
  await running(pending);
  for (const restart of [false, true]) {
    if (restart) {
      const waiting = poll(pending, { prefer: "wait=30" });
      await Bun.sleep(50);
      await server.restart();
      // A waiting poll doesn't delay the shutdown and still gets its answer.
      const answer = await waiting;
      expect([answer.status, answer.body]).toEqual([
        200,
        { status: "PROCESSING", requestId: pending },
      ]);
    }
    for (let n = 0; n < 2; n++)
      expectPlainFault(await poll(failed), "The model has run out of words: näh.");
    const message = await listed(failed);
    expectRecord("message", message);
    expectHas(message, {
      status: "FAILED",
      result: null,
      error: { code: expect.any(String), message: "The model has run out of words: näh." },
    });
    expectProblem(await ada.send("POST", `/chats/${chat}/messages/${failed}/cancel`), 409);
  }
  expect((await poll(pending)).body.status).toMatch(/^(PENDING|PROCESSING)$/);
  stage.open("restarted");
  expectHas((await ada.finished(`/chats/${chat}/messages/${pending}`)).body, {
    status: "COMPLETED",
    result: { answer: "Staged." },
  });
}, 60_000);

describe("an internal error", () => {
  test("is a 500 without details; the log has them by request id, without secrets", async () => {
    const message = `SELECT token FROM keys at /srv/private/store.ts:12 with dsk_${"S3cret".repeat(8)} and Bearer ${ada.key}`;
    const answer = await ada.send("GET", `/stage/fault?message=${encodeURIComponent(message)}`);
    expectProblem(answer, 500, /\w+ \w+/);
    expect(JSON.stringify(answer.body)).not.toMatch(/SELECT|private|dsk_|store\.ts|Bearer|stack/);
    const id = answer.headers.get("x-request-id")!;
    await until(() => server.output().includes(id));
    const line = JSON.parse(
      server
        .output()
        .split("\n")
        .find((line) => line.includes(id))!,
    );
    expectHas(line, {
      level: "error",
      request_id: id,
      error: expect.stringContaining("SELECT token FROM keys"),
    });
    expect(server.output()).not.toMatch(/S3cret|dsk_[0-9A-Za-z]{6}/);
    expect(answer.headers.get("x-ratelimit-limit")).toMatch(/^\d+$/);
  });
});
