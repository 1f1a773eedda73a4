/**
 * Acceptance, on the executable: an answer is watched by many, through kill -9, restarts and broken
 * lines, and every event comes once.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectProblem } from "../helpers/contract";
import { filesWith } from "../helpers/data-directory";
import { startExecutable, type Executable } from "../helpers/executable";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";
import { head, openSocket } from "../helpers/sockets";
import { seen, watching, type Event, type Watcher } from "../helpers/events";
import { setStage } from "../helpers/stage";

let server: Executable;
let ada: Person;
let folder: string, chat: string;
const stage = setStage();

beforeAll(async () => {
  server = await startExecutable({ env: stage.env });
  ada = await person(server, "ada");
  folder = await ada.folder();
  chat = (await ada.made("/chats", { usedFolders: [folder] })).id;
}, 180_000);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  stage[Symbol.dispose]();
});

/** Sends a question and answers the path of its poll. */
async function asked(text: string, session = chat): Promise<string> {
  const { status, body } = await ada.send("POST", `/chats/${session}/messages`, { text });
  expect(status).toBe(202);
  return `/chats/${session}/messages/${body.requestId}`;
}
async function watch(path: string, last_event?: number): Promise<Watcher> {
  const headers = {
    authorization: `Bearer ${ada.key}`,
    ...(last_event === undefined ? {} : { "last-event-id": String(last_event) }),
  };
  return watching(await fetch(`${server.url()}/api/dev/v1${path}/stream`, { headers }));
}
const isText = ({ event }: Event): boolean => event === "delta";
const says =
  (word: string) =>
  ({ event, data }: Event): boolean =>
    event === "delta" && data.text.includes(word);
const resultOf = async (path: string) => (await ada.finished(path)).body.result;
function expectInOrder(events: readonly Event[]): void {
  for (const [at, { id }] of events.entries())
    if (at > 0) expect(id).toBeGreaterThan(events[at - 1]!.id);
}

test("kill -9 in the middle of an answer that is watched: after the restart the poll completes, and who comes back gets every event once", async () => {
  const path = await asked("stream killed one two three four five six");
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
  expect(seen(events)).toEqual({ text: result.answer, citations: [], result, error: null });
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

test("50 watchers of one answer get the same; who goes away in the middle leaves nothing behind", async () => {
  const path = await asked("stream many one two three four five six");
  const watchers = await Promise.all(Array.from({ length: 50 }, () => watch(path)));
  await Promise.all(watchers.map((watcher) => watcher.until(isText)));
  const [leaving, staying] = [watchers.slice(0, 25), watchers.slice(25)];
  await Promise.all(leaving.map((watcher) => watcher.leave()));
  const back = await Promise.all(leaving.map((watcher) => watch(path, watcher.events.at(-1)!.id)));
  stage.open("many");
  await Promise.all([...staying, ...back].map((watcher) => watcher.ended));
  const { events } = staying[0]!;
  expectInOrder(events);
  for (const watcher of staying) expect(watcher.events).toEqual([...events]);
  for (const [at, watcher] of back.entries())
    expect([...leaving[at]!.events, ...watcher.events]).toEqual([...events]);
  expect(seen(events).result).toEqual(await resultOf(path));
});

test("a finished answer goes on after every event, also after a restart", async () => {
  await ada.text(folder, "The kingfisher dives from a branch.");
  const path = await asked("cite kingfisher");
  const result = await resultOf(path);
  const whole = await watch(path);
  await whole.ended;
  expect(seen(whole.events)).toEqual({
    text: "It is so [1], not so, and nowhere.",
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

test("a server that is stopped ends its streams and waits for nobody; who comes back gets the rest", async () => {
  const path = await asked("stream stopped one two three four");
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
  expect(seen(events)).toMatchObject({
    text: "one two three four .",
    result: await resultOf(path),
  });
});

describe("what ends a stream", () => {
  test("cancelling: `error` with the sentence of the poll", async () => {
    const path = await asked("stream never one two");
    const watcher = await watch(path);
    await watcher.until(isText);
    expect((await ada.send("POST", `${path}/cancel`)).status).toBe(202);
    expect([
      await watcher.ended,
      watcher.events.at(-1)!.event,
      watcher.events.at(-1)!.data,
    ]).toEqual([true, "error", { code: "cancelled", message: "The answer was cancelled." }]);
  });
  test("failing: `error` with the sentence of the poll", async () => {
    const path = await asked("fail The model said no.");
    const watcher = await watch(path);
    await watcher.ended;
    const { status, body } = await ada.finished(path);
    expect([status, watcher.events.at(-1)!.data]).toEqual([
      500,
      { code: "answer_failed", message: body },
    ]);
  });
  test("deleting the session: then it is 410", async () => {
    const session = (await ada.made("/chats", { usedFolders: [folder] })).id;
    const path = await asked("stream gone one two", session);
    const watcher = await watch(path);
    await watcher.until(isText);
    await ada.send("DELETE", `/chats/${session}`);
    expect([
      await watcher.ended,
      watcher.events.some(({ event }) => event === "done" || event === "error"),
    ]).toEqual([true, false]);
    expectProblem(await ada.send("GET", `${path}/stream`), 410);
    stage.open("gone");
  });
});

const refused: [
  why: string,
  send: (path: string) => Promise<{ status: number }>,
  status: number,
][] = [
  ["without a key", (path) => server.api("GET", `${path}/stream`, undefined, { key: null }), 401],
  [
    "by another user",
    async (path) =>
      server.api("GET", `${path}/stream`, undefined, {
        key: await server.createUser("bob@example.com"),
      }),
    403,
  ],
  ["of an unknown message", (path) => ada.send("GET", `${path.slice(0, -3)}/stream`), 404],
  ["by another method", (path) => ada.send("POST", `${path}/stream`), 405],
  [
    "from a place that is none",
    (path) => ada.send("GET", `${path}/stream`, undefined, { "last-event-id": "x" }),
    400,
  ],
];
for (const [why, call, status] of refused)
  test(`watching ${why}: ${status}`, async () => {
    const path = await asked("Anything?");
    await resultOf(path);
    expect((await call(path)).status).toBe(status);
  });

test("the alias streams too", async () => {
  const path = await asked("Anything?");
  const response = await fetch(`${server.url()}/api/dev${path}/stream`, {
    headers: { authorization: `Bearer ${ada.key}` },
  });
  const watcher = watching(response);
  await watcher.ended;
  expect([response.headers.get("warning"), seen(watcher.events).result]).toEqual([
    expect.stringContaining("299"),
    await resultOf(path),
  ]);
});

test("watchers who do not read what they asked for keep nobody waiting, and take little memory", async () => {
  const path = await asked("flood 8000000");
  const { answer } = await resultOf(path);
  const before = await memory_mb();
  const idle = Array.from({ length: 30 }, () => {
    const socket = openSocket(server.url(), { paused: true });
    socket.send(head("GET", `${path}/stream`, { authorization: `Bearer ${ada.key}` }));
    return socket;
  });
  const reading = await watch(path);
  await reading.ended;
  expect(seen(reading.events).text).toBe(answer);
  expect((await memory_mb()) - before).toBeLessThan(120);
  for (const socket of idle) socket.cut();
  expect((await ada.send("GET", path)).status).toBe(200);
});
const memory_mb = async (): Promise<number> =>
  Number(
    await new Response(Bun.spawn(["ps", "-o", "rss=", "-p", String(server.pid())]).stdout).text(),
  ) / 1_024;

test("a folder that is deleted while an answer from it is shown takes its text out of every file", async () => {
  const shelf = await ada.folder();
  await ada.text(shelf, "The whimbrel hides its nest of quillwort behind the boathouse.");
  const path = await asked(
    "recite whimbrel whimbrel",
    (await ada.made("/chats", { usedFolders: [shelf] })).id,
  );
  const watcher = await watch(path);
  await watcher.until(says("quillwort"));
  expect(filesWith(server.data, "quillwort").length).toBeGreaterThan(0);
  await ada.send("DELETE", `/folders/${shelf}`);
  await until(() => filesWith(server.data, "quillwort").length === 0, 2_000);
  stage.open("whimbrel");
  await watcher.ended;
  expect(seen(watcher.events).text).not.toContain("quillwort");
  expect(filesWith(server.data, "quillwort")).toEqual([]);
  expect(seen(watcher.events).result).toEqual(await resultOf(path));
});
