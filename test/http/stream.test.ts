/**
 * Watching an answer during and after its making, in this process: the shared cases, and that every
 * event is sent once, resumable from anywhere, in any circumstances. Each test scripts the
 * answerer.
 */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { PermanentFailure } from "../../core/sdk";
import { LocalNotifier } from "../../core/base/notifier";
import { localShared } from "../helpers/shared";
import type { AnswerResult, Question } from "../../plugins/chats/contract";
import { events_kept_ms, pruneFinished } from "../../plugins/chats/jobs";
import { AnswerStreams } from "../../plugins/chats/events/stream";
import { documentQueries } from "../../plugins/documents/queries";
import type { Documents } from "../../plugins/documents/contract";
import { streamCases } from "../cases/stream";
import { startTestServer } from "../helpers/host";
import {
  bestPassage,
  heron,
  says,
  startScriptedServer,
  type ScriptedServer,
} from "../helpers/scripted-server";
import { expectInOrder, stateAfter, watching, type Event, type Watcher } from "../helpers/events";

describe("streams", () => streamCases(startTestServer));

let scripted: ScriptedServer;
let send: ScriptedServer["send"];
let chat: string;
let folder: string;

beforeAll(async () => {
  scripted = await startScriptedServer();
  ({ send } = scripted);
  ({ chat, folder } = await scripted.library("ada"));
});
beforeEach(() => scripted.answers(async () => says("It stands in water.")));

const kinds = (events: readonly Event[]): string[] => events.map(({ event }) => event);
const resultOf = async (path: string): Promise<AnswerResult> =>
  (await send("ada", "GET", path)).body.result;
const rowsOf = (path: string) =>
  scripted.server.store.db
    .selectFrom("chats_events as e")
    .innerJoin("chats_messages as m", "m.id", "e.message_id")
    .where("m.request_id", "=", path.split("/").at(-1)!)
    .selectAll("e")
    .orderBy("e.seq")
    .execute();
/** Waits until the stored text equals this. */
async function shown(path: string, text: string): Promise<void> {
  while (
    (await rowsOf(path))
      .filter(({ kind }) => kind === "delta")
      .map(({ data }) => data)
      .join("") !== text
  )
    await Bun.sleep(2);
}
async function prune(now_ms = Date.now() + 2 * events_kept_ms): Promise<void> {
  await pruneFinished(
    { inDeletion: scripted.server.store.inDeletion, now_ms: () => now_ms },
    new AbortController().signal,
  );
}

/** An answerer that emits and ends as told. */
function spoken() {
  const question = Promise.withResolvers<Question>();
  const end = Promise.withResolvers<(question: Question) => ReturnType<typeof says>>();
  const questions: Question[] = [];
  scripted.answers(async (one) => {
    questions.push(one);
    question.resolve(one);
    return (
      await Promise.race([
        end.promise,
        new Promise<never>((_, reject) =>
          one.signal.addEventListener("abort", () => reject(one.signal.reason)),
        ),
      ])
    )(one);
  });
  return {
    asked: questions,
    begun: question.promise,
    say: async (text: string) => (await question.promise).emit!({ kind: "delta", text }),
    end: (how: (question: Question) => ReturnType<typeof says>) => end.resolve(how),
  };
}

describe("a finished answer", () => {
  let path: string;
  let result: AnswerResult;
  beforeAll(async () => {
    scripted.answers(async (question) => {
      const passage = await bestPassage(question);
      return says("In water [1], and it waits [2].", [
        passage,
        { ...passage, quote: heron.slice(35), start: 35 },
      ]);
    });
    path = await scripted.ask("ada", chat);
    await scripted.server.settle();
    result = await resultOf(path);
  });

  test("is streamed from the start to `done`, whose data equals the poll's result", async () => {
    const watcher = await scripted.watch("ada", path);
    expect(await watcher.ended).toBe(true);
    expect(kinds(watcher.events)).toEqual([
      "status",
      "status",
      "delta",
      "citation",
      "citation",
      "done",
    ]);
    expect(watcher.events.slice(0, 2).map(({ data }) => data)).toEqual([
      { status: "PENDING" },
      { status: "PROCESSING" },
    ]);
    expectInOrder(watcher.events);
    expect(stateAfter(watcher.events)).toEqual({
      text: result.answer,
      citations: result.citations,
      result,
      error: null,
    });
  });
});

describe("after its events are deleted", () => {
  let path: string;
  let result: AnswerResult;
  let before: readonly Event[];
  beforeAll(async () => {
    const speaker = spoken();
    path = await scripted.ask("ada", chat);
    const watcher = await scripted.watch("ada", path);
    for (const text of ["In water", " [1],", " it waits [2]."]) {
      await speaker.say(text);
      await watcher.until(({ data }) => data.text === text);
    }
    const passage = await bestPassage(await speaker.begun);
    speaker.end(() =>
      says("In water [1], it waits [2].", [
        passage,
        { ...passage, quote: heron.slice(35), start: 35 },
      ]),
    );
    await watcher.ended;
    before = watcher.events;
    await prune();
    result = await resultOf(path);
  });

  test("none of them is left, and a late watcher gets the whole answer", async () => {
    expect(await rowsOf(path)).toEqual([]);
    const watcher = await scripted.watch("ada", path);
    await watcher.ended;
    expect([kinds(before).slice(-6), kinds(watcher.events)]).toEqual([
      ["delta", "delta", "delta", "citation", "citation", "done"],
      ["status", "delta", "citation", "citation", "done"],
    ]);
    expectInOrder(watcher.events);
    expect(stateAfter(watcher.events)).toEqual({
      text: result.answer,
      citations: result.citations,
      result,
      error: null,
    });
  });
  test("a watcher that was cut off anywhere resumes and gets the whole answer once", async () => {
    const since = await scripted.watch("ada", path);
    await since.ended;
    for (const [message, events] of [
      ["before", before],
      ["since", since.events],
    ] as const)
      for (const [at, { id }] of events.entries()) {
        const rest = await scripted.watch("ada", path, id);
        await rest.ended;
        const at_end = at === events.length - 1;
        expect([message, id, rest.status]).toEqual([message, id, at_end ? 204 : 200]);
        expectInOrder([...events.slice(0, at + 1), ...rest.events]);
        expect([message, id, stateAfter(rest.events, stateAfter(events.slice(0, at + 1)))]).toEqual(
          [message, id, { text: result.answer, citations: result.citations, result, error: null }],
        );
      }
  });
  test("events of recent or unfinished answers are kept", async () => {
    const young = await scripted.ask("ada", chat);
    await scripted.server.settle();
    const gate = scripted.gate();
    const unfinished = await scripted.ask("ada", chat);
    await gate.begun;
    await prune(Date.now() + events_kept_ms / 2);
    expect([(await rowsOf(young)).length, (await rowsOf(unfinished)).length]).toEqual([4, 2]);
    await prune();
    expect([(await rowsOf(young)).length, (await rowsOf(unfinished)).length]).toEqual([0, 2]);
    gate.open();
    await scripted.server.settle();
  });
});

describe("a long answer", () => {
  const texts: [why: string, text: string][] = [
    ["in one alphabet", "All work and no play. ".repeat(20_000)],
    ["of surrogate pairs, which pieces do not split", `x${"🦩".repeat(90_000)}`],
    ["of characters that JSON escapes", '"\\\n\u0001\u2028 '.repeat(30_000)],
    ["with a lone surrogate at its end", `${"heron ".repeat(30_000)}\ud83e`],
  ];
  for (const [why, text] of texts)
    test(`${why}: \`done\` has all of it, also after its events are deleted`, async () => {
      scripted.answers(async (question) => says(`${text} [1]`, [await bestPassage(question)]));
      const path = await scripted.ask("ada", chat);
      await scripted.server.settle();
      const result = await resultOf(path);
      expect(result).toMatchObject({
        answer: `${text.toWellFormed()} [1]`,
        citations: [{ id: 1 }],
      });
      const whole = { text: result.answer, citations: result.citations, result, error: null };
      const shown = async (last_event?: number): Promise<readonly Event[]> => {
        const watcher = await scripted.watch("ada", path, last_event);
        await watcher.ended;
        expectInOrder(watcher.events);
        return watcher.events;
      };
      const before = await shown();
      expect(stateAfter(before)).toEqual(whole);
      expect(await shown(before.at(-2)!.id)).toEqual(before.slice(-1));
      await prune();
      expect(stateAfter(await shown())).toEqual(whole);
    });
});

describe("an answer in progress", () => {
  test("50 watchers who join at any time see every event once, and the whole answer", async () => {
    const speaker = spoken();
    const path = await scripted.ask("ada", chat);
    const watchers: Watcher[] = [];
    // Without a space at the end, without which the answer would begin anew.
    const words = Array.from({ length: 10 }, (_, n) => `${n === 0 ? "" : " "}word ${n}`);
    for (const [n, text] of words.entries()) {
      for (let i = 0; i < 5; i++) watchers.push(await scripted.watch("ada", path));
      await speaker.say(text);
      if (n % 3 === 0)
        await watchers[0]!.until(
          ({ event, data }) => event === "delta" && data.text.includes(text),
        );
    }
    speaker.end(() => says(words.join("")));
    await Promise.all(watchers.map((watcher) => watcher.ended));
    const result = await resultOf(path);
    for (const { events } of watchers) {
      expectInOrder(events);
      expect(events).toEqual([...watchers[0]!.events]);
    }
    expect(stateAfter(watchers[0]!.events)).toEqual({
      text: result.answer,
      citations: [],
      result,
      error: null,
    });
    expect(kinds(watchers[0]!.events).filter((kind) => kind === "delta").length).toBeGreaterThan(3);
  });

  test("a watcher that is cut off repeatedly misses nothing", async () => {
    const speaker = spoken();
    const path = await scripted.ask("ada", chat);
    const all: Event[] = [];
    for (let n = 0; n < 6; n++) {
      const watcher = await scripted.watch("ada", path, all.at(-1)?.id);
      await speaker.say(`part ${n} `);
      await watcher.until(
        ({ event, data }) => event === "delta" && data.text.includes(`part ${n}`),
      );
      await watcher.disconnect();
      all.push(...watcher.events);
    }
    speaker.end(() => says("part 0 part 1 part 2 part 3 part 4 part 5 and the end."));
    const last = await scripted.watch("ada", path, all.at(-1)!.id);
    await last.ended;
    all.push(...last.events);
    expectInOrder(all);
    expect(stateAfter(all)).toMatchObject({
      text: "part 0 part 1 part 2 part 3 part 4 part 5 and the end.",
      result: await resultOf(path),
    });
  });

  test("a surrogate pair in two pieces is never split", async () => {
    const speaker = spoken();
    const path = await scripted.ask("ada", chat);
    const watcher = await scripted.watch("ada", path);
    await speaker.say("A bird \ud83d");
    await watcher.until(({ data }) => data.text === "A bird ");
    await speaker.say("\udc26 sings.");
    speaker.end(() => says("A bird 🐦 sings."));
    await watcher.ended;
    expect(watcher.events.filter(({ event }) => event === "status").length).toBe(2);
    expect(stateAfter(watcher.events).text).toBe("A bird 🐦 sings.");
  });

  test("an answer that changes at the end is sent again", async () => {
    const speaker = spoken();
    const path = await scripted.ask("ada", chat);
    const watcher = await scripted.watch("ada", path);
    await speaker.say("Perhaps [7].");
    await watcher.until(({ event }) => event === "delta");
    speaker.end(() => says("Surely."));
    await watcher.ended;
    expectInOrder(watcher.events);
    expect(kinds(watcher.events)).toEqual(["status", "status", "delta", "status", "delta", "done"]);
    expect(stateAfter(watcher.events).text).toBe("Surely.");
    const late = await scripted.watch("ada", path);
    await late.ended;
    expect(kinds(late.events)).toEqual(["status", "status", "status", "delta", "done"]);
  });

  test("a second attempt starts over without duplicate text", async () => {
    let attempt = 0;
    const half = Promise.withResolvers<void>();
    scripted.answers(async ({ emit }) => {
      attempt += 1;
      emit!({ kind: "delta", text: `Attempt ${attempt}: ` });
      if (attempt === 1) {
        await half.promise;
        throw new Error("the provider hung up");
      }
      return says(`Attempt ${attempt}: it stands in water.`);
    });
    const path = await scripted.ask("ada", chat);
    const watcher = await scripted.watch("ada", path);
    await watcher.until(({ data }) => data.text === "Attempt 1: ");
    half.resolve();
    await scripted.finished("ada", path);
    await watcher.ended;
    expectInOrder(watcher.events);
    expect(stateAfter(watcher.events)).toMatchObject({
      text: "Attempt 2: it stands in water.",
      result: { answer: "Attempt 2: it stands in water." },
    });
    for (const { id } of watcher.events.slice(0, -1)) {
      const rest = await scripted.watch("ada", path, id);
      await rest.ended;
      expect([
        id,
        stateAfter(rest.events, stateAfter(watcher.events.filter((event) => event.id <= id))).text,
      ]).toEqual([id, "Attempt 2: it stands in water."]);
    }
  });

  test("an abandoned attempt that continues shows nothing", async () => {
    const questions: Question[] = [];
    const first = Promise.withResolvers<void>();
    scripted.answers(async (question) => {
      questions.push(question);
      if (questions.length > 1) return says("The second one.");
      await first.promise;
      throw new Error("gone");
    });
    const path = await scripted.ask("ada", chat);
    while (questions.length === 0) await Bun.sleep(1);
    first.resolve();
    await scripted.finished("ada", path);
    questions[0]!.emit!({ kind: "delta", text: "From the grave." });
    await Bun.sleep(100);
    expect((await rowsOf(path)).map(({ data }) => data)).not.toContain("From the grave.");
  });

  test("an endless answer is shown up to a limit, and in full at the end", async () => {
    const speaker = spoken();
    const path = await scripted.ask("ada", chat);
    const text = "All work and no play. ".repeat(100_000);
    await speaker.say(text);
    await shown(path, text.slice(0, 200_000));
    speaker.end(() => says(text));
    const watcher = await scripted.watch("ada", path);
    await watcher.ended;
    expect(stateAfter(watcher.events).text).toBe(text.trim());
    expect(
      Math.max(...watcher.events.map(({ data }) => data.text?.length ?? 0)),
    ).toBeLessThanOrEqual(4_096);
  });
});

describe("an answer that ends without a result", () => {
  const ends: [
    why: string,
    code: string,
    end: (path: string, speaker: ReturnType<typeof spoken>) => unknown,
  ][] = [
    [
      "failed",
      "answer_failed",
      (_path, speaker) =>
        speaker.end(() => {
          throw new PermanentFailure("The model said no.");
        }),
    ],
    ["cancelled", "cancelled", (path) => send("ada", "POST", `${path}/cancel`)],
  ];
  for (const [why, code, end] of ends)
    test(`${why}: \`error\` ends the stream, now and later, and its text is deleted`, async () => {
      const speaker = spoken();
      const path = await scripted.ask("ada", chat);
      const watcher = await scripted.watch("ada", path);
      await speaker.say("It stands ");
      await watcher.until(({ event }) => event === "delta");
      await end(path, speaker);
      expect(await watcher.ended).toBe(true);
      expectInOrder(watcher.events);
      const message = (await send("ada", "GET", path)).text;
      expect(kinds(watcher.events)).toEqual(["status", "status", "delta", "error"]);
      expect(watcher.events.at(-1)!.data).toEqual({ code, message });
      expect((await rowsOf(path)).some(({ kind }) => kind === "delta")).toBe(false);
      for (const round of ["stored", "pruned"]) {
        const late = await scripted.watch("ada", path);
        await late.ended;
        expect([round, stateAfter(late.events)]).toEqual([
          round,
          { text: "", citations: [], result: null, error: { code, message } },
        ]);
        expect([
          (await scripted.watch("ada", path, late.events.at(-1)!.id)).status,
          (await scripted.watch("ada", path, watcher.events.at(-1)!.id)).status,
        ]).toEqual([204, 204]);
        await prune();
      }
    });
});

describe("before the answer is complete, a stream ends when", () => {
  test("the server stops", async () => {
    const stopping = await startScriptedServer();
    const library = await stopping.library("ada");
    const gate = stopping.gate();
    const path = await stopping.ask("ada", library.chat);
    await gate.begun;
    const watcher = await stopping.watch("ada", path);
    await watcher.until(({ data }) => data.status === "PROCESSING");
    await stopping.server.stop();
    expect(await watcher.ended).toBe(true);
  });
});

test("deleting a document removes its text from a running answer's stream", async () => {
  const library = await scripted.library("pia", "The secret of the bittern is its cry.");
  const speaker = spoken();
  const path = await scripted.ask("pia", library.chat, "What is the secret of the bittern?");
  const watcher = await scripted.watch("pia", path);
  const passage = await bestPassage(await speaker.begun);
  await speaker.say("The secret of the bittern ");
  await watcher.until(({ event }) => event === "delta");
  await send("pia", "DELETE", `/folders/${library.folder}`);
  await watcher.until(({ id }) => id === 4);
  await speaker.say("is its cry.");
  await Bun.sleep(100);
  expect((await rowsOf(path)).map(({ kind, data }) => [kind, data])).toEqual([
    ["status", "PENDING"],
    ["status", "PROCESSING"],
    ["status", "PROCESSING"],
  ]);
  speaker.end(() => says("The secret of the bittern is its cry [1].", [passage]));
  await scripted.finished("pia", path);
  await watcher.ended;
  expect(stateAfter(watcher.events)).toMatchObject({
    citations: [],
    result: { outcome: "no_answer", citations: [] },
  });
  expect(stateAfter(watcher.events).text).not.toContain("cry");
});

test("a document deleted before the first word is never shown", async () => {
  const library = await scripted.library("quinn", "The secret of the bittern is its cry.");
  const speaker = spoken();
  const path = await scripted.ask("quinn", library.chat, "What is the secret of the bittern?");
  await bestPassage(await speaker.begun);
  await send("quinn", "DELETE", `/folders/${library.folder}`);
  await speaker.say("The secret of the bittern ");
  await Bun.sleep(100);
  expect((await rowsOf(path)).filter(({ kind }) => kind === "delta")).toEqual([]);
  speaker.end(() => says("Nothing."));
  await scripted.server.settle();
});

test("citations in the stream of a finished answer lose deleted text too", async () => {
  const library = await scripted.library("rex");
  scripted.answers(async (question) => says("In water [1].", [await bestPassage(question)]));
  const path = await scripted.ask("rex", library.chat);
  await scripted.server.settle();
  await send("rex", "DELETE", `/folders/${library.folder}`);
  const watcher = await scripted.watch("rex", path);
  await watcher.ended;
  expect(stateAfter(watcher.events)).toMatchObject({
    text: "In water [1].",
    citations: [{ quote: "", stale: true }],
    result: { citations: [{ quote: "", stale: true }] },
  });
  expect(JSON.stringify(await rowsOf(path))).not.toContain("heron stands");
});

describe("a single watcher", () => {
  const streaming = (notifier = new LocalNotifier(), streams_max?: number) => {
    const { db, reads } = scripted.server.store;
    const log = {
      error(words: string) {
        throw new Error(words);
      },
    } as never;
    const documents = documentQueries as Documents;
    const streams = new AnswerStreams(
      {
        db,
        reads,
        documents,
        notifier,
        log,
        shared: localShared(),
        public_url: () => "http://dossier.test",
      },
      { heartbeat_ms: 5, ...(streams_max !== undefined && { streams_max }) },
    );
    return {
      notifier,
      async watch(owner: string, request_id: string, signals: AbortSignal[]) {
        const message = await db
          .selectFrom("chats_messages")
          .selectAll()
          .where("request_id", "=", request_id)
          .executeTakeFirstOrThrow();
        return streams.open(owner, message as never, 0, signals);
      },
    };
  };
  const open = async (
    path: string,
    from: ReturnType<typeof streaming>,
    ...signals: AbortSignal[]
  ) => (await from.watch("usr_ada", path.split("/").at(-1)!, signals))!;

  test("gets comments while nothing happens", async () => {
    const gate = scripted.gate();
    const path = await scripted.ask("ada", chat);
    await gate.begun;
    const watcher = watching(new Response(await open(path, streaming())));
    while (watcher.comments < 3) await Bun.sleep(2);
    expect(kinds(watcher.events)).toEqual(["status", "status"]);
    await watcher.disconnect();
    gate.open();
    await scripted.server.settle();
  });

  const leavings: [
    why: string,
    leave: (stream: ReadableStream, disconnection: AbortController) => unknown,
  ][] = [
    ["cancels the stream", (stream) => stream.cancel()],
    ["disconnects", (_stream, disconnection) => disconnection.abort()],
  ];
  for (const [why, leave] of leavings)
    test(`that ${why} leaves nothing behind`, async () => {
      const gate = scripted.gate();
      const path = await scripted.ask("ada", chat);
      await gate.begun;
      const from = streaming();
      const disconnection = new AbortController();
      const streams = await Promise.all(
        Array.from({ length: 50 }, () => open(path, from, disconnection.signal)),
      );
      expect(from.notifier.subscriptions).toBe(50);
      for (const stream of streams) await leave(stream, disconnection);
      expect(from.notifier.subscriptions).toBe(0);
      gate.open();
      await scripted.server.settle();
    });

  test("is limited per owner, and a closed stream makes room", async () => {
    const gate = scripted.gate();
    const path = await scripted.ask("ada", chat);
    const request_id = path.split("/").at(-1)!;
    await gate.begun;
    const from = streaming(undefined, 2);
    const disconnection = new AbortController();
    const watch = (owner: string) => from.watch(owner, request_id, [disconnection.signal]);
    const [first] = [await watch("usr_ada"), await watch("usr_ada")];
    await expect(watch("usr_ada")).rejects.toMatchObject({
      status: 429,
      code: "too_many_streams",
      headers: { "retry-after": "1" },
    });
    await watch("usr_bob");
    await first!.cancel();
    await watch("usr_ada");
    await expect(watch("usr_ada")).rejects.toMatchObject({ status: 429 });
    disconnection.abort();
    expect(from.notifier.subscriptions).toBe(0);
    await watch("usr_ada").then((stream) => stream!.cancel());
    gate.open();
    await scripted.server.settle();
  });

  const breaks: [why: string, act: (path: string, disconnection: AbortController) => unknown][] = [
    ["who watches is signed out", (_path, disconnection) => disconnection.abort()],
    [
      "the session is deleted",
      async (path) => void (await send("ada", "DELETE", path.split("/messages")[0]!)),
    ],
  ];
  for (const [why, act] of breaks)
    test(`is cut off at the end of a long answer when ${why}`, async () => {
      scripted.answers(async () => says("All work and no play. ".repeat(50_000)));
      const { id } = await scripted.create("ada", "/chats", { usedFolders: [folder] });
      const path = await scripted.ask("ada", id);
      await scripted.server.settle();
      const disconnection = new AbortController();
      const reader = (await open(path, streaming(), disconnection.signal)).getReader();
      const next = async () => {
        const { value, done } = await reader.read();
        return done ? null : new TextDecoder().decode(value);
      };
      while (!(await next())!.includes("event: done"));
      await act(path, disconnection);
      expect([await next(), disconnection.signal.aborted]).toEqual([
        null,
        why.includes("signed out"),
      ]);
    });

  test("that left before the start holds nothing", async () => {
    const path = await scripted.ask("ada", chat);
    await scripted.server.settle();
    const from = streaming();
    const stream = await open(path, from, AbortSignal.abort());
    expect([
      from.notifier.subscriptions,
      (await new Response(stream).text()).includes("event:"),
    ]).toEqual([0, false]);
  });

  test("that reads slowly gets small pieces, and nothing is read ahead", async () => {
    const text = "All work and no play. ".repeat(200_000).trim();
    scripted.answers(async () => says(text));
    const path = await scripted.ask("ada", chat);
    await scripted.server.settle();
    const from = streaming();
    const reader = (await open(path, from)).getReader();
    let pieces = 0;
    let largest = 0;
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      pieces += 1;
      largest = Math.max(largest, piece.value.length);
    }
    expect([pieces > 60, largest < 200_000, from.notifier.subscriptions]).toEqual([true, true, 0]);
  });
});

test("the OpenAPI document describes the stream", async () => {
  const { body } = await send(null, "GET", "/openapi.json");
  const { get } = body.paths["/api/dev/v1/chats/{sessionId}/messages/{requestId}/stream"];
  expect(get.parameters.find(({ in: place }: { in: string }) => place === "header")).toMatchObject({
    name: "Last-Event-ID",
    required: false,
  });
  expect(Object.keys(get.responses["200"].content)).toEqual(["text/event-stream"]);
  expect(get.responses["204"].content).toBeUndefined();
});
