/** Messages: sending, polling, waiting, cancelling and citing, with a scripted answerer. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  expectHas,
  expectPlainFault,
  expectProblem,
  expectRecord,
  uuid,
} from "../helpers/contract";
import { person, type Person } from "../helpers/person";
import { until, type ApiServer, type StartServer } from "../helpers/server";
import { writeStagedPlugin } from "../helpers/staged-plugin";

export function messageCases(start: StartServer): void {
  let server: ApiServer;
  let ada: Person;
  let bob: Person;
  let folder: string;
  let chat: string;
  const stage = writeStagedPlugin();
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
    server = await start({ env: stage.env });
    [ada, bob] = [await person(server, "ada"), await person(server, "bob")];
    folder = await ada.folder();
    chat = (await ada.create("/chats", { usedFolders: [folder] })).id;
  }, 180_000);
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    stage[Symbol.dispose]();
  });

  describe("sending", () => {
    test("answers 202 with the id, the state and where to poll", async () => {
      const { status, body, headers } = await ask("Anything?");
      expect([status, body]).toEqual([
        202,
        {
          requestId: expect.stringMatching(uuid),
          status: "PENDING",
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
    test("through the alias it gives the canonical poll address", async () => {
      const { headers, body } = await ada.send("POST", `/api/dev/chats/${chat}/messages`, {
        text: "Anything?",
      });
      expect(headers.get("location")).toBe(`/api/dev/v1/chats/${chat}/messages/${body.requestId}`);
    });
    type Case = [why: string, body: unknown, status: number, pointer?: string];
    const cases: Case[] = [
      ["a text is enough", { text: "Where?" }, 202],
      ["null means no requestId", { text: "Where?", requestId: null }, 202],
      ["unknown fields are ignored", { text: "Where?", stream: true }, 202],
      ["a text of 32,000 characters, emoji counted once", { text: "🐦".repeat(32_000) }, 202],
      ["a text of 32,001", { text: "a".repeat(32_001) }, 400, "/text"],
      ["no body", undefined, 400, ""],
      ["no text", {}, 400, "/text"],
      ["an empty text", { text: "" }, 400, "/text"],
      ["a blank text", { text: " \n\u2003" }, 400, "/text"],
      ["a null text", { text: null }, 400, "/text"],
      ["a number", { text: 1 }, 400, "/text"],
      ["text in other letter case", { Text: "x" }, 400, "/text"],
      ["an id that is not a UUID", { text: "x", requestId: "first" }, 400, "/requestId"],
      ["an id that is a number", { text: "x", requestId: 1 }, 400, "/requestId"],
      [
        "an id that is a ULID",
        { text: "x", requestId: "01J9ZK3V6W8Q2T4Y5N7B1C0DEF" },
        400,
        "/requestId",
      ],
      ["an id in braces", { text: "x", requestId: `{${crypto.randomUUID()}}` }, 400, "/requestId"],
      ["an empty id", { text: "x", requestId: "" }, 400, "/requestId"],
    ];
    for (const [why, body, status, pointer] of cases)
      test(`${why}: ${status}`, async () => {
        const count = async () => (await ada.send("GET", `/chats/${chat}`)).body.message_count;
        const before = await count();
        const answer = await ada.send("POST", `/chats/${chat}/messages`, body);
        expect([answer.status, answer.text.slice(0, 300)]).toEqual([status, expect.any(String)]);
        expect(await count()).toBe(before + (status === 202 ? 1 : 0));
        if (status !== 202) {
          expectProblem(answer, 400, pointer!.slice(1));
          return expect(answer.body.errors[0].pointer).toBe(pointer);
        }
        expect(answer.body).toEqual({ requestId: expect.stringMatching(uuid), status: "PENDING" });
        expect(answer.headers.get("location")).toBe(
          `/api/dev/v1/chats/${chat}/messages/${answer.body.requestId}`,
        );
        expect(answer.headers.get("retry-after")).toBe("1");
      });
    test("the text is kept unchanged, and a null id means none", async () => {
      const { body } = await ask(" Spaces,\n𝔘nicode and “quotes”? ", { requestId: null });
      expectHas(await listed(body.requestId), { text: " Spaces,\n𝔘nicode and “quotes”? " });
    });
    test("it is counted, and the session has the time of the last one", async () => {
      const { id } = await ada.create("/chats");
      await ask("Anything?", {}, id);
      await ask("Anything?", {}, id);
      const session = (await ada.send("GET", `/chats/${id}`)).body;
      const { data } = (await ada.send("GET", `/chats/${id}/messages`)).body;
      expect([session.message_count, session.last_message_at, session.updated_at]).toEqual([
        2,
        data[0].created_at,
        session.created_at,
      ]);
    });
  });

  describe("a requestId makes sending harmless to repeat", () => {
    test("same id, same text: the message in its current state", async () => {
      const requestId = crypto.randomUUID();
      const first = await ask("hold twice please", { requestId });
      expect([first.status, first.body.requestId]).toEqual([202, requestId]);
      const count = async () => (await ada.send("GET", `/chats/${chat}`)).body.message_count;
      const before = await count();
      await running(requestId);
      const repeated = await Promise.all(
        Array.from({ length: 5 }, () => ask("hold twice please", { requestId })),
      );
      for (const answer of repeated)
        expect([answer.status, answer.body, answer.headers.get("location")]).toEqual([
          202,
          { requestId, status: "PROCESSING" },
          first.headers.get("location"),
        ]);
      stage.open("twice");
      await ada.finished(first.headers.get("location")!);
      for (const id of [requestId, requestId.toUpperCase()])
        expect([(await ask("hold twice please", { requestId: id })).body, await count()]).toEqual([
          { requestId, status: "COMPLETED" },
          before,
        ]);
    });
    test("the same new id sent concurrently is one message", async () => {
      const requestId = crypto.randomUUID();
      const before = (await ada.send("GET", `/chats/${chat}`)).body.message_count;
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => ask("Once.", { requestId })),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(202));
      expect((await ada.send("GET", `/chats/${chat}`)).body.message_count).toBe(before + 1);
    });
    test("same id, other text: 409", async () => {
      const requestId = crypto.randomUUID();
      await ask("One.", { requestId });
      for (const text of ["Two.", "one."]) expectProblem(await ask(text, { requestId }), 409);
    });
    test("the same id in another session, or of another user, is another message", async () => {
      const requestId = crypto.randomUUID();
      const [mine, theirs] = [(await ada.create("/chats")).id, (await bob.create("/chats")).id];
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
    test("gives PENDING, PROCESSING and COMPLETED, with a result only at the end", async () => {
      // More than are answered concurrently: the last ones wait.
      const ids = await Promise.all(
        Array.from(
          { length: 6 },
          async () => (await ask("hold poll please")).body.requestId as string,
        ),
      );
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
      for (const { headers } of states)
        expect([headers.get("retry-after"), headers.get("preference-applied")]).toEqual([
          "1",
          null,
        ]);
      expect(states.map(({ body }) => body.status)).toContain("PENDING");
      const begun = states.findIndex(({ body }) => body.status === "PROCESSING");
      expectHas(await listed(ids[begun]!), {
        status: "PROCESSING",
        completed_at: null,
        result: null,
        error: null,
      });
      stage.open("poll");
      for (const id of ids) {
        const { body, headers } = await ada.finished(`/chats/${chat}/messages/${id}`);
        expect(headers.get("retry-after")).toBeNull();
        expect(body).toEqual({ status: "COMPLETED", requestId: id, result: expect.any(Object) });
        expectRecord("result", body.result);
        expectRecord("message", await listed(id));
      }
    });
    test("a message that doesn't exist", async () => {
      for (const id of [crypto.randomUUID(), "none", "%00", "é"])
        expectProblem(await poll(id), 404);
      expect((await ada.send("POST", `/chats/${chat}/messages/none/cancel`)).status).toBe(404);
    });
    test("with Prefer: wait it answers on a change", async () => {
      const { body } = await ask("hold wait please");
      await running(body.requestId);
      const waiting = Promise.all(
        ["wait=20", "respond-async, wait=20", "wait=600"].map((prefer) =>
          poll(body.requestId, { prefer }),
        ),
      );
      const early = await Promise.race([waiting, Bun.sleep(100)]);
      expect(early).toBeUndefined();
      stage.open("wait");
      expect(
        (await waiting).map((answer) => [
          answer.status,
          answer.body.status,
          answer.headers.get("preference-applied"),
        ]),
      ).toEqual([
        [200, "COMPLETED", "wait=20"],
        [200, "COMPLETED", "wait=20"],
        [200, "COMPLETED", "wait=30"],
      ]);
    });
    test("waiting ends without a change after its time, 30 s at most", async () => {
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
    test("a step from PENDING to PROCESSING is a change", async () => {
      // One owner gets three concurrent answers.
      const busy = await Promise.all(
        [1, 2, 3].map(async () => (await ask("hold step please")).body.requestId as string),
      );
      for (const id of busy) await running(id);
      const { body } = await ask("hold step please");
      expect((await poll(body.requestId)).body.status).toBe("PENDING");
      const waiting = poll(body.requestId, { prefer: "wait=20" });
      await ada.send("POST", `/chats/${chat}/messages/${busy[0]}/cancel`);
      expect((await waiting).body.status).toBe("PROCESSING");
      stage.open("step");
      await ada.finished(`/chats/${chat}/messages/${body.requestId}`);
    });
    test("without a wait, or with a zero or invalid one, it answers at once", async () => {
      const { body } = await ask("hold none please");
      for (const prefer of ["wait=0", "wait=soon", "respond-async"]) {
        const answer = await poll(body.requestId, { prefer });
        expect([
          ["PENDING", "PROCESSING"].includes(answer.body.status),
          answer.headers.get("preference-applied"),
        ]).toEqual([true, null]);
      }
      stage.open("none");
      await ada.finished(`/chats/${chat}/messages/${body.requestId}`);
    });
    test("another session's message is not found", async () => {
      const { body } = await ask("Anything?");
      const { id } = await ada.create("/chats");
      const answer = await ada.send("GET", `/chats/${id}/messages/${body.requestId}`);
      expectProblem(answer, 404, "", "not_found");
    });
  });

  test("messages are listed newest first, in pages, with exactly the promised fields", async () => {
    const { id } = await ada.create("/chats", { usedFolders: [folder] });
    for (const text of ["1?", "2?", "3?"])
      await ada.finished((await ask(text, {}, id)).headers.get("location")!);
    const { body } = await ada.send("GET", `/chats/${id}/messages?per_page=2`);
    expect(body.data.map((message: { text: string }) => message.text)).toEqual(["3?", "2?"]);
    expect(body.pagination).toEqual({
      count: 2,
      total: 3,
      per_page: 2,
      total_pages: 2,
      next_page: 2,
      previous_page: null,
    });
    for (const message of body.data) expectRecord("message", message);
    expectHas(body.data[0], { status: "COMPLETED", error: null, result: { answer: "Staged." } });
  });

  describe("cancelling", () => {
    test("a running message then polls as 500 text/plain, and is CANCELLED only in the list", async () => {
      const { body } = await ask("hold cancelled please");
      await running(body.requestId);
      const waiting = poll(body.requestId, { prefer: "wait=20" });
      await Bun.sleep(50);
      const answer = await ada.send("POST", `/chats/${chat}/messages/${body.requestId}/cancel`);
      expect([answer.status, answer.body]).toEqual([
        202,
        { requestId: body.requestId, status: "CANCELLED" },
      ]);
      expect([answer.headers.get("location"), answer.headers.get("retry-after")]).toEqual([
        `/api/dev/v1/chats/${chat}/messages/${body.requestId}`,
        "1",
      ]);
      for (const ended of [await waiting, await poll(body.requestId, { prefer: "wait=20" })]) {
        expectPlainFault(ended, "The answer was cancelled.");
        expect(ended.headers.get("preference-applied")).toBe("wait=20");
      }
      stage.open("cancelled");
      for (let n = 0; n < 3; n++)
        expectPlainFault(await poll(body.requestId), "The answer was cancelled.");
      const message = await listed(body.requestId);
      expectRecord("message", message);
      expectHas(message, {
        status: "CANCELLED",
        result: null,
        error: { code: "cancelled", message: "The answer was cancelled." },
      });
      expectProblem(
        await ada.send("POST", `/chats/${chat}/messages/${body.requestId}/cancel`),
        409,
        "",
        "conflict",
      );
      expect((await ask("hold cancelled please", { requestId: body.requestId })).status).toBe(202);
      expectPlainFault(await poll(body.requestId), "The answer was cancelled.");
    });
    test("a finished message: 409", async () => {
      const { body } = await ask("Anything?");
      await ada.finished(`/chats/${chat}/messages/${body.requestId}`);
      expectProblem(
        await ada.send("POST", `/chats/${chat}/messages/${body.requestId}/cancel`),
        409,
      );
      expect((await poll(body.requestId)).body.status).toBe("COMPLETED");
    });
  });

  test("a passage of a long text with characters beyond U+FFFF is cited at its offset", async () => {
    const shelf = await ada.folder();
    const filler = "A heron \u{1F426} waits in the shallows. ".repeat(3_000);
    const text = `${filler}\n\nThe otter sleeps in its holt.\n\n${filler}`;
    const { id } = await ada.text(shelf, text);
    const { id: session } = await ada.create("/chats", { usedFolders: [shelf] });
    const { citations } = await ada.ask(session, "cite otter");
    const cited = citations.find((citation: any) => citation.document_id === id);
    expectHas(cited, { verified: true });
    expect(cited.quote).toContain("The otter sleeps in its holt.");
    expect([...text].slice(cited.start, cited.end).join("")).toBe(cited.quote);
  });
  test("markers without a source and quotes not found in the text are removed", async () => {
    await ada.text(folder, "The kestrel hovers over the verge.");
    const result = await ada.ask(chat, "cite kestrel");
    expect(result.citations.map(({ id, quote, verified }: any) => [id, quote, verified])).toEqual([
      [1, "The kestrel hovers over the verge.", true],
    ]);
    expect([...result.answer.matchAll(/\[\d+\]/g)].map(([marker]) => marker)).toEqual(["[1]"]);
  });
}
