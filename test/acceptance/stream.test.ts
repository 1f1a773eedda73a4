/**
 * Acceptance, on the executable: an answer is streamed to many clients across kill -9, restarts and
 * lost connections, with every event exactly once.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { streamCases } from "../cases/stream";
import { startExecutable, type Executable } from "../helpers/executable";
import { person, type Person } from "../helpers/person";
import { head, openSocket } from "../helpers/sockets";
import {
  expectInOrder,
  says,
  stateAfter,
  watching,
  type Event,
  type Watcher,
} from "../helpers/events";
import { writeStagedPlugin } from "../helpers/staged-plugin";

describe("streams", () => streamCases(startExecutable));

let server: Executable;
let ada: Person;
let chat: string;
const stage = writeStagedPlugin();

beforeAll(async () => {
  server = await startExecutable({ env: stage.env });
  ada = await person(server, "ada");
  const folder = await ada.folder();
  await ada.text(folder, "The kingfisher dives from a branch.");
  chat = (await ada.create("/chats", { usedFolders: [folder] })).id;
}, 180_000);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  stage[Symbol.dispose]();
});

/** Sends a question and returns the path for polling. */
async function askQuestion(text: string): Promise<string> {
  const { status, body } = await ada.send("POST", `/chats/${chat}/messages`, { text });
  expect(status).toBe(202);
  return `/chats/${chat}/messages/${body.requestId}`;
}
async function watch(path: string, last_event?: number): Promise<Watcher> {
  const headers = last_event === undefined ? undefined : { "last-event-id": String(last_event) };
  return watching(await server.call("ada", "GET", `${path}/stream`, undefined, headers));
}
const isText = ({ event }: Event): boolean => event === "delta";
const resultOf = async (path: string) => (await ada.finished(path)).body.result;

test("after kill -9 the poll completes; a returning client gets each event once", async () => {
  const path = await askQuestion("stream killed one two three four five six");
  const before = await watch(path);
  await before.until(says("three"));
  await server.kill();
  expect(await before.ended).toBe(false);
  await server.restart();
  const after = await watch(path, before.events.at(-1)!.id);
  await after.until(says("three"));
  stage.open("killed");
  expect(await after.ended).toBe(true);
  const events = [...before.events, ...after.events];
  expectInOrder(events);
  expect(after.events[0]).toMatchObject({ event: "status", data: { status: "PROCESSING" } });
  const result = await resultOf(path);
  expect(result.answer).toBe("one two three four five six .");
  expect(stateAfter(events)).toEqual({ text: result.answer, citations: [], result, error: null });
  const late = await watch(path);
  await late.ended;
  expect(
    late.events
      .filter(isText)
      .map(({ data }) => data.text)
      .join(""),
  ).toBe(result.answer);
  expect(late.events.at(-1)).toEqual(events.at(-1)!);
});

test("a finished answer's stream resumes after any event, also after a restart", async () => {
  const path = await askQuestion("cite kingfisher");
  const result = await resultOf(path);
  const whole = await watch(path);
  await whole.ended;
  expect(stateAfter(whole.events)).toEqual({
    text: "It is so [1], not so [?], and nowhere.",
    citations: result.citations,
    result,
    error: null,
  });
  expect(result.citations.length).toBe(1);
  await server.restart();
  for (const [at, { id }] of whole.events.entries()) {
    const rest = await watch(path, id);
    await rest.ended;
    expect([id, rest.status, rest.events]).toEqual([
      id,
      at === whole.events.length - 1 ? 204 : 200,
      whole.events.slice(at + 1),
    ]);
  }
});

test("a stopping server ends its streams; a returning client gets the rest", async () => {
  const path = await askQuestion("stream stopped one two three four");
  const before = await watch(path);
  await before.until(says("two"));
  const started = performance.now();
  expect(await server.stop()).toBe(0);
  expect([await before.ended, performance.now() - started < 9_000]).toEqual([true, true]);
  await server.restart();
  stage.open("stopped");
  const after = await watch(path, before.events.at(-1)!.id);
  await after.ended;
  const events = [...before.events, ...after.events];
  expectInOrder(events);
  expect(stateAfter(events)).toMatchObject({
    text: "one two three four .",
    result: await resultOf(path),
  });
});

test("clients that don't read their stream don't delay others and use little memory", async () => {
  const path = await askQuestion("flood 8000000");
  const { answer } = await resultOf(path);
  const before = await memory_mb();
  const idle = Array.from({ length: 30 }, () => {
    const socket = openSocket(server.url(), { paused: true });
    socket.send(head("GET", `${path}/stream`, { authorization: `Bearer ${ada.key}` }));
    return socket;
  });
  const reading = await watch(path);
  await reading.ended;
  expect(stateAfter(reading.events).text).toBe(answer);
  expect((await memory_mb()) - before).toBeLessThan(120);
  for (const socket of idle) socket.cut();
  expect((await ada.send("GET", path)).status).toBe(200);
});
const memory_mb = async (): Promise<number> =>
  Number(
    await new Response(Bun.spawn(["ps", "-o", "rss=", "-p", String(server.pid())]).stdout).text(),
  ) / 1_024;
