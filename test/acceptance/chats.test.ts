/**
 * Acceptance, on the executable with an answerer that does as it is told: sessions, messages,
 * polling, waiting, cancelling, failing, and faults inside.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectHas, expectProblem, expectRecord, uuid } from "../helpers/contract";
import { startExecutable, type Executable } from "../helpers/executable";
import { person, type Person } from "../helpers/person";
import { until, type Answered } from "../helpers/server";
import { setStage } from "../helpers/stage";

let server: Executable;
let ada: Person, bob: Person;
let folder: string, prompt: string, chat: string;
const stage = setStage();
const ask = (text: string, more: object = {}, session = chat) =>
  ada.send("POST", `/chats/${session}/messages`, { text, ...more });
const poll = (id: string, headers: Record<string, string> = {}) =>
  ada.send("GET", `/chats/${chat}/messages/${id}`, undefined, headers);
const running = (id: string) => until(async () => (await poll(id)).body.status === "PROCESSING");
const listed = async (id: string) =>
  (await ada.send("GET", `/chats/${chat}/messages?per_page=200`)).body.data.find(
    ({ requestId }: any) => requestId === id,
  );

beforeAll(async () => {
  server = await startExecutable({ env: stage.env });
  [ada, bob] = [await person(server, "ada"), await person(server, "bob")];
  folder = await ada.folder();
  prompt = (await ada.made("/prompts", { name: "Short", text: "Be short." })).id;
  chat = (await ada.made("/chats", { usedFolders: [folder] })).id;
}, 180_000);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  stage[Symbol.dispose]();
});

describe("sessions", () => {
  const created: [string, () => unknown, () => object][] = [
    [
      "of nothing: no name, empty lists",
      () => ({}),
      () => ({
        name: null,
        usedFolders: [],
        usedPrompts: [],
        message_count: 0,
        last_message_at: null,
      }),
    ],
    ["without a body", () => undefined, () => ({ name: null, usedFolders: [], usedPrompts: [] })],
    [
      "null means absent",
      () => ({ name: null, usedFolders: null, usedPrompts: null }),
      () => ({ name: null, usedFolders: [], usedPrompts: [] }),
    ],
    [
      "of everything",
      () => ({ name: " Leave ", usedFolders: [folder], usedPrompts: [prompt] }),
      () => ({ name: "Leave", usedFolders: [folder], usedPrompts: [prompt] }),
    ],
    [
      "unknown fields are ignored, and names are spelled as they are",
      () => ({ usedfolders: [folder], used_folders: [folder], id: "chs_x" }),
      () => ({ usedFolders: [] }),
    ],
  ];
  for (const [why, body, expected] of created)
    test(`created ${why}`, async () => {
      const record = await ada.made("/chats", body());
      expectRecord("chat", record);
      expectHas(record, expected());
      expect((await ada.send("GET", `/chats/${record.id}`)).body).toEqual(record);
    });

  const changed: [string, () => object, () => object][] = [
    [
      "the name alone",
      () => ({ name: "New" }),
      () => ({ name: "New", usedFolders: [folder], usedPrompts: [prompt] }),
    ],
    [
      "the folders alone",
      () => ({ usedFolders: [] }),
      () => ({ name: "Old", usedFolders: [], usedPrompts: [prompt] }),
    ],
    [
      "the prompts alone",
      () => ({ usedPrompts: [] }),
      () => ({ name: "Old", usedFolders: [folder], usedPrompts: [] }),
    ],
    [
      "null clears",
      () => ({ name: null, usedFolders: null, usedPrompts: null }),
      () => ({ name: null, usedFolders: [], usedPrompts: [] }),
    ],
    ["nothing", () => ({}), () => ({ name: "Old", usedFolders: [folder], usedPrompts: [prompt] })],
  ];
  for (const [why, change, expected] of changed)
    test(`changed: ${why}`, async () => {
      const before = await ada.made("/chats", {
        name: "Old",
        usedFolders: [folder],
        usedPrompts: [prompt],
      });
      const { status, body } = await ada.send("PUT", `/chats/${before.id}`, change());
      expectRecord("chat", body);
      expect([status, body]).toEqual([
        200,
        { ...before, ...expected(), updated_at: body.updated_at },
      ]);
      expect((await ada.send("GET", `/chats/${before.id}`)).body).toEqual(body);
    });

  const refused: [string, unknown, string][] = [
    ["a name that is a number", { name: 1 }, "name"],
    ["folders that are one", { usedFolders: "fld_1" }, "usedFolders"],
    ["folders that are numbers", { usedFolders: [1] }, "usedFolders"],
    ["folders that are null inside", { usedFolders: [null] }, "usedFolders"],
    ["prompts that are an object", { usedPrompts: {} }, "usedPrompts"],
    ["prompts that are lists", { usedPrompts: [[]] }, "usedPrompts"],
  ];
  for (const [why, body, field] of refused)
    for (const method of ["POST", "PUT"])
      test(`refused by ${method}: ${why}`, async () =>
        expectProblem(
          await ada.send(method, method === "POST" ? "/chats" : `/chats/${chat}`, body),
          400,
          field,
        ));
});

describe("a deleted session", () => {
  let gone: string, done: string;
  beforeAll(async () => {
    gone = (await ada.made("/chats", { name: "Gone", usedFolders: [folder] })).id;
    done = (await ask("Anything?", {}, gone)).body.requestId;
    await ada.finished(`/chats/${gone}/messages/${done}`);
    const answer = await ada.send("DELETE", `/chats/${gone}`);
    expect([answer.status, answer.body]).toEqual([204, undefined]);
  });
  const cases: [string, string, string, unknown][] = [
    ["looking at it", "GET", "", undefined],
    ["changing it", "PUT", "", { name: "x" }],
    ["deleting it again", "DELETE", "", undefined],
    ["asking", "POST", "/messages", { text: "x" }],
    ["its messages", "GET", "/messages", undefined],
    ["polling", "GET", "/messages/{done}", undefined],
    ["polling what never was", "GET", "/messages/none", undefined],
    ["cancelling", "POST", "/messages/{done}/cancel", undefined],
  ];
  for (const [why, method, path, body] of cases)
    test(`410: ${why}`, async () =>
      expectProblem(
        await ada.send(method, `/chats/${gone}${path.replace("{done}", done)}`, body),
        410,
        "expired",
      ));
  test("is listed among the deleted alone, and comes back as it was", async () => {
    const list = async (query: string) =>
      (await ada.send("GET", `/chats?per_page=200${query}`)).body.data.map(({ id }: any) => id);
    expect([
      (await list("")).includes(gone),
      (await list("&deleted=false")).includes(gone),
      await list("&deleted=true"),
    ]).toEqual([false, false, [gone]]);
    const back = await ada.send("POST", `/chats/${gone}/restore`);
    expectRecord("chat", back.body);
    expect([back.status, back.body]).toEqual([
      200,
      expect.objectContaining({ id: gone, name: "Gone", usedFolders: [folder], message_count: 1 }),
    ]);
    expect([(await list("")).includes(gone), await list("&deleted=true")]).toEqual([true, []]);
    expect((await ada.send("GET", `/chats/${gone}/messages/${done}`)).body.status).toBe(
      "COMPLETED",
    );
  });
});

describe("sending", () => {
  test("answers 202 with the id, the state and where to poll", async () => {
    const { status, body, headers } = await ask("Anything?");
    expect([status, body]).toEqual([
      202,
      {
        requestId: expect.stringMatching(uuid),
        status: expect.stringMatching(/^(PENDING|PROCESSING|COMPLETED)$/),
      },
    ]);
    expect([headers.get("location"), headers.get("retry-after")]).toEqual([
      `/api/dev/v1/chats/${chat}/messages/${body.requestId}`,
      "1",
    ]);
    expectHas((await ada.finished(headers.get("location")!)).body, {
      status: "COMPLETED",
      requestId: body.requestId,
      result: { answer: "Staged." },
    });
    expectHas((await ada.send("GET", `/chats/${chat}`)).body, {
      last_message_at: (await listed(body.requestId)).created_at,
    });
  });
  test("through the alias it says where to poll canonically", async () => {
    const { headers, body } = await ada.send("POST", `/api/dev/chats/${chat}/messages`, {
      text: "Anything?",
    });
    expect(headers.get("location")).toBe(`/api/dev/v1/chats/${chat}/messages/${body.requestId}`);
  });
  const refused: [string, object, string][] = [
    ["no text", {}, "text"],
    ["an empty text", { text: "" }, "text"],
    ["a blank text", { text: " \n\u2003" }, "text"],
    ["a null text", { text: null }, "text"],
    ["a number", { text: 1 }, "text"],
    ["text in other letters", { Text: "x" }, "text"],
    ["an id that is a word", { text: "x", requestId: "first" }, "requestId"],
    ["an id that is a number", { text: "x", requestId: 1 }, "requestId"],
    ["an id that is a ULID", { text: "x", requestId: "01J9ZK3V6W8Q2T4Y5N7B1C0DEF" }, "requestId"],
    ["an id in braces", { text: "x", requestId: `{${crypto.randomUUID()}}` }, "requestId"],
    ["an empty id", { text: "x", requestId: "" }, "requestId"],
  ];
  for (const [why, body, field] of refused)
    test(`refused: ${why}`, async () =>
      expectProblem(await ada.send("POST", `/chats/${chat}/messages`, body), 400, field));
  test("the text is kept as it is sent, and null for an id means none", async () => {
    const { body } = await ask(" Spaces,\n𝔘nicode and “quotes”? ", { requestId: null });
    expectHas(await listed(body.requestId), { text: " Spaces,\n𝔘nicode and “quotes”? " });
  });
});

describe("a requestId makes sending harmless to repeat", () => {
  test("same id, same text: the message with the state it has", async () => {
    const requestId = crypto.randomUUID();
    const first = await ask("hold twice please", { requestId });
    expect([first.status, first.body.requestId]).toEqual([202, requestId]);
    const count = async () => (await ada.send("GET", `/chats/${chat}`)).body.message_count;
    const before = await count();
    await running(requestId);
    const again = await Promise.all(
      Array.from({ length: 5 }, () => ask("hold twice please", { requestId })),
    );
    for (const answer of again)
      expect([answer.status, answer.body, answer.headers.get("location")]).toEqual([
        202,
        { requestId, status: "PROCESSING" },
        first.headers.get("location"),
      ]);
    stage.open("twice");
    await ada.finished(first.headers.get("location")!);
    expect([(await ask("hold twice please", { requestId })).body, await count()]).toEqual([
      { requestId, status: "COMPLETED" },
      before,
    ]);
  });
  test("the same new id at the same moment is one message", async () => {
    const requestId = crypto.randomUUID();
    const before = (await ada.send("GET", `/chats/${chat}`)).body.message_count;
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask("Once.", { requestId })));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(202));
    expect((await ada.send("GET", `/chats/${chat}`)).body.message_count).toBe(before + 1);
  });
  test("same id, other text: 409", async () => {
    const requestId = crypto.randomUUID();
    await ask("One.", { requestId });
    expectProblem(await ask("Two.", { requestId }), 409);
  });
  test("the same id in another session, or of another user, is another message", async () => {
    const requestId = crypto.randomUUID();
    const [mine, theirs] = [(await ada.made("/chats")).id, (await bob.made("/chats")).id];
    const statuses = [
      await ask("One.", { requestId }),
      await ask("Two.", { requestId }, mine),
      await bob.send("POST", `/chats/${theirs}/messages`, { text: "Three.", requestId }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([202, 202, 202]);
    expect(
      (await bob.send("GET", `/chats/${theirs}/messages`)).body.data.map(({ text }: any) => text),
    ).toEqual(["Three."]);
  });
});

describe("polling", () => {
  test("knows PENDING, PROCESSING and COMPLETED, with a result at the end alone", async () => {
    // More than are answered at the same time: the last ones wait.
    const ids = await Promise.all(
      Array.from(
        { length: 6 },
        async () => (await ask("hold poll please")).body.requestId as string,
      ),
    );
    await running(ids[0]!);
    await until(async () =>
      (await Promise.all(ids.map((id) => poll(id)))).some(
        ({ body }) => body.status === "PROCESSING",
      ),
    );
    const states = await Promise.all(ids.map((id) => poll(id)));
    for (const [n, { status, body }] of states.entries())
      expect([status, body]).toEqual([
        200,
        { status: expect.stringMatching(/^(PENDING|PROCESSING)$/), requestId: ids[n]! },
      ]);
    expect(states.map(({ body }) => body.status)).toContain("PENDING");
    expectHas(await listed(ids[0]!), {
      status: "PROCESSING",
      completed_at: null,
      result: null,
      error: null,
    });
    stage.open("poll");
    for (const id of ids) {
      const { body } = await ada.finished(`/chats/${chat}/messages/${id}`);
      expect(body).toEqual({ status: "COMPLETED", requestId: id, result: expect.any(Object) });
      expectRecord("result", body.result);
      expectRecord("message", await listed(id));
    }
  });
  test("a message that is not there", async () => {
    for (const id of [crypto.randomUUID(), "none", "%00", "é"]) expectProblem(await poll(id), 404);
  });
  test("with Prefer: wait it answers when there is a change", async () => {
    const { body } = await ask("hold wait please");
    await running(body.requestId);
    const waiting = poll(body.requestId, { prefer: "wait=20" });
    const early = await Promise.race([waiting, Bun.sleep(300)]);
    expect(early).toBeUndefined();
    stage.open("wait");
    const answer = await waiting;
    expect([answer.status, answer.body.status, answer.headers.get("preference-applied")]).toEqual([
      200,
      "COMPLETED",
      "wait=20",
    ]);
  });
  test("waiting ends without a change when its time is over, and a wait is 30 s at most", async () => {
    const { body } = await ask("hold short please");
    await running(body.requestId);
    const answer = await poll(body.requestId, { prefer: "respond-async, wait=1" });
    expect([answer.body.status, answer.headers.get("preference-applied")]).toEqual([
      "PROCESSING",
      "wait=1",
    ]);
    expect((await poll(body.requestId)).headers.get("preference-applied")).toBeNull();
    stage.open("short");
    await ada.finished(`/chats/${chat}/messages/${body.requestId}`);
    expect(
      (await poll(body.requestId, { prefer: "wait=600" })).headers.get("preference-applied"),
    ).toBe("wait=30");
  });
});

const expectPlain = (answer: Answered, text: string): void =>
  expect([answer.status, answer.headers.get("content-type"), answer.body]).toEqual([
    500,
    expect.stringMatching(/^text\/plain\b/),
    text,
  ]);

describe("cancelling", () => {
  test("a running message polls as 500 text/plain from then on, and is CANCELLED in the list alone", async () => {
    const { body } = await ask("hold cancelled please");
    await running(body.requestId);
    const waiting = poll(body.requestId, { prefer: "wait=20" });
    await Bun.sleep(50);
    const answer = await ada.send("POST", `/chats/${chat}/messages/${body.requestId}/cancel`);
    expect([answer.status, answer.body]).toEqual([
      202,
      { requestId: body.requestId, status: expect.any(String) },
    ]);
    expect([answer.headers.get("location"), answer.headers.get("retry-after")]).toEqual([
      `/api/dev/v1/chats/${chat}/messages/${body.requestId}`,
      "1",
    ]);
    expectPlain(await waiting, "The answer was cancelled.");
    stage.open("cancelled");
    for (let n = 0; n < 3; n++)
      expectPlain(await poll(body.requestId), "The answer was cancelled.");
    const message = await listed(body.requestId);
    expectRecord("message", message);
    expectHas(message, {
      status: "CANCELLED",
      result: null,
      error: { code: "cancelled", message: "The answer was cancelled." },
    });
    expectProblem(await ada.send("POST", `/chats/${chat}/messages/${body.requestId}/cancel`), 409);
    expect((await ask("hold cancelled please", { requestId: body.requestId })).status).toBe(202);
    expectPlain(await poll(body.requestId), "The answer was cancelled.");
  });
  test("a finished message: 409", async () => {
    const { body } = await ask("Anything?");
    await ada.finished(`/chats/${chat}/messages/${body.requestId}`);
    expectProblem(await ada.send("POST", `/chats/${chat}/messages/${body.requestId}/cancel`), 409);
    expect((await poll(body.requestId)).body.status).toBe("COMPLETED");
  });
});

test("what is not so is not said: a marker that names nothing and a quote that is nowhere are gone", async () => {
  await ada.text(folder, "The kestrel hovers over the verge.");
  const result = await ada.ask(chat, "cite kestrel");
  expect(result.citations.map(({ id, quote, verified }: any) => [id, quote, verified])).toEqual([
    [1, "The kestrel hovers over the verge.", true],
  ]);
  expect([...result.answer.matchAll(/\[\d+\]/g)].map(([marker]) => marker)).toEqual(["[1]"]);
});

test("a failed message polls as 500 with the message alone, for ever; one that is unfinished goes on after a restart", async () => {
  const [failed, held] = [
    (await ask("fail The model has run out of words: näh.")).body.requestId,
    (await ask("hold restarted please")).body.requestId,
  ];
  await ada.finished(`/chats/${chat}/messages/${failed}`);
  await running(held);
  for (const restart of [false, true]) {
    if (restart) {
      const waiting = poll(held, { prefer: "wait=30" });
      await Bun.sleep(50);
      await server.restart();
      // A poll that waits does not hold the end up, and is not cut off by it.
      const answer = await waiting;
      expect([answer.status, answer.body]).toEqual([
        200,
        { status: "PROCESSING", requestId: held },
      ]);
    }
    for (let n = 0; n < 2; n++)
      expectPlain(await poll(failed), "The model has run out of words: näh.");
    const message = await listed(failed);
    expectRecord("message", message);
    expectHas(message, {
      status: "FAILED",
      result: null,
      error: { code: expect.any(String), message: "The model has run out of words: näh." },
    });
    expectProblem(await ada.send("POST", `/chats/${chat}/messages/${failed}/cancel`), 409);
  }
  expect((await poll(held)).body.status).toMatch(/^(PENDING|PROCESSING)$/);
  stage.open("restarted");
  expectHas((await ada.finished(`/chats/${chat}/messages/${held}`)).body, {
    status: "COMPLETED",
    result: { answer: "Staged." },
  });
}, 60_000);

describe("a fault inside", () => {
  test("is 500 with a message and an id, and tells nothing of the inside; the log does, under that id, without secrets", async () => {
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
        .find((one) => one.includes(id))!,
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
