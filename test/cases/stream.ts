/** Streaming an answer while it is generated and afterwards, with a scripted answerer. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectProblem } from "../helpers/contract";
import { placesWith } from "../helpers/databases";
import {
  expectInOrder,
  says,
  stateAfter,
  watching,
  type Event,
  type Watcher,
} from "../helpers/events";
import { person, type Person } from "../helpers/person";
import { until, type Answered, type ApiServer, type StartServer } from "../helpers/server";
import { writeStagedPlugin } from "../helpers/staged-plugin";

const isText = ({ event }: Event): boolean => event === "delta";

export function streamCases(start: StartServer): void {
  let server: ApiServer;
  let ada: Person;
  let folder: string;
  let chat: string;
  const stage = writeStagedPlugin();

  beforeAll(async () => {
    server = await start({ env: stage.env });
    ada = await person(server, "ada");
    folder = await ada.folder();
    chat = (await ada.create("/chats", { usedFolders: [folder] })).id;
  }, 180_000);
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    stage[Symbol.dispose]();
  });

  /** Sends a question and returns the path of its poll. */
  async function askQuestion(text: string, session = chat): Promise<string> {
    const { status, body } = await ada.send("POST", `/chats/${session}/messages`, { text });
    expect(status).toBe(202);
    return `/chats/${session}/messages/${body.requestId}`;
  }
  async function watch(
    path: string,
    last_event?: number | string,
    method = "GET",
  ): Promise<Watcher> {
    const headers = last_event === undefined ? undefined : { "last-event-id": String(last_event) };
    return watching(await server.call("ada", method, `${path}/stream`, undefined, headers));
  }
  const resultOf = async (path: string) => (await ada.finished(path)).body.result;

  test("50 watchers of one answer get the same; those who disconnect leave nothing behind", async () => {
    const path = await askQuestion("stream many one two three four five six");
    const watchers = await Promise.all(Array.from({ length: 50 }, () => watch(path)));
    await Promise.all(watchers.map((watcher) => watcher.until(isText)));
    const [leaving, staying] = [watchers.slice(0, 25), watchers.slice(25)];
    await Promise.all(leaving.map((watcher) => watcher.disconnect()));
    const back = await Promise.all(
      leaving.map((watcher) => watch(path, watcher.events.at(-1)!.id)),
    );
    stage.open("many");
    await Promise.all([...staying, ...back].map((watcher) => watcher.ended));
    const { events } = staying[0]!;
    expectInOrder(events);
    for (const watcher of staying) expect(watcher.events).toEqual([...events]);
    for (const [at, watcher] of back.entries())
      expect([...leaving[at]!.events, ...watcher.events]).toEqual([...events]);
    expect(stateAfter(events).result).toEqual(await resultOf(path));
  });

  describe("a finished answer", () => {
    let path: string;
    let result: any;
    beforeAll(async () => {
      await ada.text(folder, "The kingfisher dives from a branch.");
      path = await askQuestion("cite kingfisher");
      result = await resultOf(path);
    });
    test("resumes after every event; after the last one there is no content", async () => {
      const whole = await watch(path);
      await whole.ended;
      expectInOrder(whole.events);
      expect(whole.events.map(({ event }) => event)).toEqual([
        "status",
        "status",
        "delta",
        "citation",
        "done",
      ]);
      expect(stateAfter(whole.events)).toEqual({
        text: "It is so [1], not so [?], and nowhere.",
        citations: result.citations,
        result,
        error: null,
      });
      expect(result.citations.length).toBe(1);
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
    test("its headers keep proxies from buffering it", async () => {
      const { status, headers } = await watch(path);
      expect([
        status,
        headers.get("content-type"),
        headers.get("cache-control"),
        headers.get("x-accel-buffering"),
      ]).toEqual([200, "text/event-stream; charset=utf-8", "no-store, no-transform", "no"]);
      expect([headers.get("x-request-id"), headers.get("x-ratelimit-limit")]).toEqual([
        expect.any(String),
        expect.any(String),
      ]);
    });
    test("HEAD returns the headers and keeps no stream open", async () => {
      const head = await watch(path, undefined, "HEAD");
      expect([
        head.status,
        head.headers.get("content-type"),
        await head.ended,
        head.events,
      ]).toEqual([200, "text/event-stream; charset=utf-8", true, []]);
    });

    const ids: [why: string, id: string, status: number][] = [
      ["a word", "last", 400],
      ["a negative number", "-1", 400],
      ["a fraction", "1.5", 400],
      ["a huge number", "1".repeat(40), 400],
      ["nothing", "", 200],
      ["zero", "0", 200],
      ["a number that was never issued", "999999", 200],
    ];
    for (const [why, id, status] of ids)
      test(`Last-Event-ID is ${why}: ${status}`, async () => {
        const watcher = await watch(path, id);
        await watcher.ended;
        expect([watcher.status, watcher.events.length]).toEqual([status, status === 200 ? 5 : 0]);
      });

    const refused: [why: string, send: () => Promise<Answered>, status: number][] = [
      ["without a key", () => server.send(null, "GET", `${path}/stream`), 401],
      ["by another user", () => server.send("bob", "GET", `${path}/stream`), 403],
      ["of an unknown message", () => ada.send("GET", `${path.slice(0, -3)}/stream`), 404],
      [
        "of an unknown session",
        () => ada.send("GET", `${path.replace(chat, "chs_none")}/stream`),
        404,
      ],
      ["by another method", () => ada.send("POST", `${path}/stream`), 405],
    ];
    for (const [why, send, status] of refused)
      test(`watching ${why}: ${status}`, async () => expectProblem(await send(), status));

    test("the alias streams too", async () => {
      const response = await server.call("ada", "GET", `/api/dev${path}/stream`);
      const watcher = watching(response);
      await watcher.ended;
      expect([response.headers.get("warning"), stateAfter(watcher.events).result]).toEqual([
        expect.stringContaining("299"),
        await resultOf(path),
      ]);
    });
  });

  describe("what ends a stream", () => {
    test("cancelling: `error` with the poll's message", async () => {
      const path = await askQuestion("stream never one two");
      const watcher = await watch(path);
      await watcher.until(isText);
      expect((await ada.send("POST", `${path}/cancel`)).status).toBe(202);
      expect([
        await watcher.ended,
        watcher.events.at(-1)!.event,
        watcher.events.at(-1)!.data,
      ]).toEqual([true, "error", { code: "cancelled", message: "The answer was cancelled." }]);
    });
    test("failing: `error` with the poll's message", async () => {
      const path = await askQuestion("fail The model said no.");
      const watcher = await watch(path);
      await watcher.ended;
      const { status, body } = await ada.finished(path);
      expect([status, watcher.events.at(-1)!.data]).toEqual([
        500,
        { code: "answer_failed", message: body },
      ]);
    });
    test("deleting the session: then 410, also for a waiting poll", async () => {
      const session = (await ada.create("/chats", { usedFolders: [folder] })).id;
      const path = await askQuestion("stream gone one two", session);
      const watcher = await watch(path);
      await watcher.until(isText);
      const poll = ada.send("GET", path, undefined, { prefer: "wait=30" });
      await Bun.sleep(5);
      await ada.send("DELETE", `/chats/${session}`);
      expect([
        await watcher.ended,
        watcher.events.some(({ event }) => event === "done" || event === "error"),
      ]).toEqual([true, false]);
      expectProblem(await poll, 410);
      expectProblem(await ada.send("GET", `${path}/stream`), 410);
      stage.open("gone");
    });
  });

  test("deleting a folder while an answer from it streams removes its text from every file", async () => {
    const shelf = await ada.folder();
    await ada.text(shelf, "The whimbrel hides its nest of quillwort behind the boathouse.");
    const path = await askQuestion(
      "recite whimbrel whimbrel",
      (await ada.create("/chats", { usedFolders: [shelf] })).id,
    );
    const watcher = await watch(path);
    await watcher.until(says("quillwort"));
    expect((await placesWith(server.data, "quillwort")).length).toBeGreaterThan(0);
    await ada.send("DELETE", `/folders/${shelf}`);
    await until(async () => (await placesWith(server.data, "quillwort")).length === 0);
    stage.open("whimbrel");
    await watcher.ended;
    expect(stateAfter(watcher.events).text).not.toContain("quillwort");
    expect(await placesWith(server.data, "quillwort")).toEqual([]);
    expect(stateAfter(watcher.events).result).toEqual(await resultOf(path));
  });
}
