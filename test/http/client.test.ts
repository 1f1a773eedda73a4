/** The TypeScript client against a server in this process: calls, questions, uploads, errors. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join, resolve } from "node:path";
import { Dossier, DossierError, UploadError, verifyWebhook } from "../../client/src/index";
import type { AskEvent, UploadProgress } from "../../client/src/index";
import { every_import, generatedFiles, type ApiDocument } from "../../scripts/build-client";
import { startReceiver, type Receiver } from "../helpers/receiver";
import { startTestServer, type TestServer } from "../helpers/host";
import { until } from "../helpers/server";

const root = resolve(import.meta.dir, "../..");
const pump = "The pump of the harbour is oiled every spring, before the boats go out.";
const question = "When is the pump of the harbour oiled?";

let server: TestServer;
let receiver: Receiver;
let ada: Dossier;
let key: string;
let folder: string;
/** The requests in order, such as `GET /folders`. */
let requests: string[];
/** Alters a response before the client sees it. */
let tamper: (request: Request, answer: () => Promise<Response>) => Promise<Response>;

/** Replaces the network. */
const viaTest = async (url: string, init: RequestInit): Promise<Response> => {
  const request = new Request(url, init);
  requests.push(`${request.method} ${new URL(request.url).pathname.replace("/api/dev/v1", "")}`);
  return tamper(request, () => server.fetch(request));
};

beforeAll(async () => {
  server = await startTestServer({
    env: { DOSSIER_WEBHOOKS_ALLOW_NETWORKS: "127.0.0.0/8", ...every_import },
  });
  receiver = startReceiver();
  key = await server.key("ada");
  ada = new Dossier({ baseUrl: "http://dossier.test/", key, fetch: viaTest });
}, 60_000);
beforeEach(async () => {
  requests = [];
  tamper = (_, answer) => answer();
  folder ??= (await ada.createFolder({ name: "Harbour" })).id;
  requests = [];
});
afterAll(() => receiver?.[Symbol.dispose]());

const failure = async (work: Promise<unknown>): Promise<DossierError> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DossierError);
  return error as DossierError;
};
const textFile = (text: string, name = "pump.txt") => new File([text], name);

test("types and calls match the API document (update with `npm run build:client`)", async () => {
  const document = (await server.send(null, "GET", "/openapi.json")).body as ApiDocument;
  for (const [name, text] of Object.entries(await generatedFiles(document)))
    expect([name, (await Bun.file(join(root, "client/src", name)).text()) === text]).toEqual([
      name,
      true,
    ]);
});

describe("calls", () => {
  test("are named like the API's operations, and typed", async () => {
    const { id, name } = await ada.createFolder({ name: "Winter" });
    expect(await ada.getFolder(id)).toMatchObject({ id, name: "Winter" });
    expect(await ada.updateFolder(id, { description: "Cold." })).toMatchObject({
      name,
      description: "Cold.",
    });
    const document = await ada.createDocument({ folder_id: id, name: "Ice & snow", content: pump });
    await ada.synced(document.id);
    expect((await ada.listDocuments({ folder_id: id, name: "Ice & s" })).data).toHaveLength(1);
    expect((await ada.getDocument(document.id)).content).toBe(pump);
    expect((await ada.readDocumentText(document.id, { start: 4, length: 4 })).text).toBe("pump");
    expect((await ada.search({ query: "pump", folder_ids: [id] })).data[0]!.quote).toBe(pump);
    expect(await (await ada.downloadDocument(document.id)).text()).toBe(pump);
    expect(await ada.unlinkDocument(document.id, { folder_id: id })).toBeUndefined();
    expect(await ada.deleteFolder(id)).toBeUndefined();
  });
  test("upload files in forms", async () => {
    const run = await ada.importFiles(
      { folder_id: folder },
      { files: [textFile("One.", "one.txt"), textFile("Two.", "two.txt")] },
    );
    expect(run.total_item_count).toBe(2);
    const captions = "WEBVTT\n\n00:00.000 --> 00:02.000\nThe tide turns.\n";
    const transcription = await ada.createTranscription(
      { folder_id: folder },
      { file: textFile(captions, "tide.vtt") },
    );
    await until(async () => (await ada.getTranscription(transcription.id)).status === "completed");
    expect(await ada.getTranscriptionResult(transcription.id)).toMatchObject({
      text: "The tide turns.",
    });
    expect(await ada.getTranscriptionResult(transcription.id, { format: "vtt" })).toStartWith(
      "WEBVTT",
    );
  });
  test("iterate over all pages of a list", async () => {
    for (const name of ["a", "b", "c"]) await ada.createPrompt({ name, text: name });
    const names: string[] = [];
    for await (const prompt of ada.each((page) => ada.listPrompts({ page, per_page: 2 })))
      names.push(prompt.name);
    expect(names).toEqual(["c", "b", "a"]);
    expect(requests.filter((request) => request === "GET /prompts")).toHaveLength(2);
  });
  test.each([
    "http://dossier.test",
    "http://dossier.test/api/dev/v1",
    "http://dossier.test/api/dev",
  ])("reach the server at %s", async (baseUrl) => {
    const client = new Dossier({ baseUrl, key, fetch: viaTest });
    expect((await client.getFolder(folder)).name).toBe("Harbour");
  });
  test.each([
    ["an invalid address", { baseUrl: "nas", key: "dsk_1" }, /baseUrl/],
    ["no key", { baseUrl: "http://nas", key: "" }, /key/],
  ])("are not possible with %s", (_why, options, words) => {
    expect(() => new Dossier(options)).toThrow(words);
  });
});

describe("refusals throw the same kind of error", () => {
  type Row = [
    why: string,
    work: () => Promise<unknown>,
    status: number,
    code: string,
    fields: string[],
  ];
  const rows: Row[] = [
    ["an unknown record", () => ada.getFolder("fld_1"), 404, "not_found", []],
    ["a blank name", () => ada.createFolder({ name: " " }), 400, "invalid_request", ["/name"]],
    [
      "an invalid page number",
      () => ada.listFolders({ page: 0 }),
      400,
      "invalid_request",
      ["?page"],
    ],
    [
      "an invalid key",
      () =>
        new Dossier({ baseUrl: "http://dossier.test", key: "dsk_1", fetch: viaTest }).listFolders(),
      401,
      "unauthorized",
      [],
    ],
    [
      "a name that is taken",
      async () => {
        const file = textFile(pump, "twice.txt");
        await ada.upload(file, { folder, wait: false });
        await ada.upload(file, { folder, wait: false });
      },
      409,
      "name_taken",
      [],
    ],
  ];
  test.each(rows)("%s", async (_why, work, status, code, fields) => {
    const error = await failure(work());
    expect([error.status, error.code]).toEqual([status, code]);
    expect(error.requestId).toMatch(/^req_/);
    expect(error.message).toMatch(/\w.+\./);
    expect(error.fields.map(({ pointer }) => pointer)).toEqual(fields);
  });
});

describe("ask", () => {
  beforeAll(async () => {
    const { id } = await ada.createDocument({ folder_id: folder, name: "Pump", content: pump });
    await ada.synced(id);
  });

  test("waits for the whole answer, which names its session for follow-ups", async () => {
    const answer = await ada.ask(question, { folders: [folder] });
    expect([answer.outcome, answer.sessionId.slice(0, 4)]).toEqual(["answered", "chs_"]);
    expect(answer.citations[0]!.quote).toBe(pump);
    await ada.ask("And before what?", { sessionId: answer.sessionId });
    const { data } = await ada.listMessages(answer.sessionId);
    expect(data.map(({ text }) => text)).toEqual(["And before what?", question]);
  });
  test("leaves nothing behind with keep: false", async () => {
    const before = (await ada.listChats()).pagination.total;
    const { sessionId } = await ada.ask(question, { folders: [folder], keep: false });
    expect((await ada.listChats()).pagination.total).toBe(before);
    expect((await failure(ada.getChat(sessionId))).status).toBe(404);
  });
  test("streams the answer as it is made", async () => {
    const events: AskEvent[] = [];
    for await (const event of ada.ask(question, { folders: [folder], stream: true }))
      events.push(event);
    const kinds = [...new Set(events.map(({ type }) => type))];
    expect([kinds[0], kinds.at(-1)]).toEqual(["asked", "done"]);
    expect(kinds).toEqual(expect.arrayContaining(["status", "delta", "citation"]));
    const done = events.at(-1) as Extract<AskEvent, { type: "done" }>;
    const pieces = events.map((event) => (event.type === "delta" ? event.text : "")).join("");
    expect(done.answer.answer).toBe(pieces);
    const cited = events.flatMap((event) => (event.type === "citation" ? [event.citation] : []));
    expect(cited.map(({ id }) => id)).toEqual(done.answer.citations.map(({ id }) => id));
  });
  test("resumes a stream that was cut off, without repeating events", async () => {
    const after: (string | null)[] = [];
    tamper = async (request, answer) => {
      const response = await answer();
      if (!request.url.endsWith("/stream")) return response;
      after.push(request.headers.get("last-event-id"));
      if (after.length > 1) return response;
      // The first event, and half of the second.
      const text = (await response.text()).replace(/^retry: .*\n\n/, "");
      const cut = text.indexOf("\n\n", text.indexOf("id: 1")) + 8;
      return new Response(`retry: 1\n\n${text.slice(0, cut)}`, { headers: response.headers });
    };
    const kinds: string[] = [];
    let pieces = "";
    let whole = "";
    for await (const event of ada.ask(question, { folders: [folder], stream: true })) {
      kinds.push(event.type);
      if (event.type === "delta") pieces += event.text;
      if (event.type === "done") whole = event.answer.answer;
    }
    expect(after).toEqual([null, "1"]);
    expect([pieces, kinds.filter((kind) => kind === "done").length]).toEqual([whole, 1]);
  });
  test("polls when too many streams are open", async () => {
    tamper = async (request, answer) =>
      request.url.endsWith("/stream")
        ? Response.json(
            { code: "too_many_streams", detail: "x", status: 429 },
            { status: 429, headers: { "retry-after": "0" } },
          )
        : answer();
    const kinds: string[] = [];
    for await (const event of ada.ask(question, { folders: [folder], stream: true }))
      kinds.push(event.type);
    expect(kinds).toEqual(["asked", "done"]);
  });

  const leaving: [why: string, stream: boolean, leave: (run: AbortController) => void | boolean][] =
    [
      ["a signal while it waits", false, (run) => run.abort(new Error("enough"))],
      ["a signal while it streams", true, (run) => run.abort(new Error("enough"))],
      ["leaving the loop", true, () => true],
    ];
  test.each(leaving)("%s cancels the work", async (_why, stream, leave) => {
    const run = new AbortController();
    let place: string | undefined;
    // The answer never arrives while the client watches.
    tamper = async (request, answer) => {
      const is_watched =
        request.method === "GET" && /\/messages\/[^/]+(\/stream)?$/.test(request.url);
      if (!is_watched) return answer();
      place ??= new URL(request.url).pathname.replace("/api/dev/v1", "").replace(/\/stream$/, "");
      if (!stream) leave(run);
      const body = stream
        ? 'id: 1\nevent: status\ndata: {"status":"PENDING"}\n\n'
        : JSON.stringify({ status: "PENDING", requestId: "x" });
      const type = stream ? "text/event-stream" : "application/json";
      return new Response(body, { headers: { "content-type": type } });
    };
    const options = { folders: [folder], signal: run.signal };
    const work = stream
      ? (async () => {
          for await (const { type } of ada.ask(question, { ...options, stream: true }))
            if (type === "status" && leave(run)) return "left";
          return "ended";
        })()
      : ada.ask(question, options);
    const end = await work.then(
      (value) => value as string,
      (reason: Error) => reason.message,
    );
    expect(end).toBe(run.signal.aborted ? "enough" : "left");
    expect(requests).toContain(`POST ${place}/cancel`);
  });
  test("says why an answer failed or was cancelled", async () => {
    const chat = await ada.createChat({ usedFolders: [folder] });
    const hidden = await ada.sendMessage(chat.id, { text: question });
    tamper = async (request, answer) =>
      request.method === "GET"
        ? new Response("The answer was cancelled.", {
            status: 500,
            headers: { "content-type": "text/plain;charset=utf-8" },
          })
        : answer();
    const error = await failure(ada.pollMessage(chat.id, hidden.requestId));
    expect([error.status, error.code, error.message]).toEqual([
      500,
      "answer_cancelled",
      "The answer was cancelled.",
    ]);
  });
});

describe("upload", () => {
  const sources: [why: string, source: () => Parameters<Dossier["upload"]>[0]][] = [
    ["a blob", () => new Blob([pump])],
    ["bytes", () => new TextEncoder().encode(pump)],
    ["an array buffer", () => new TextEncoder().encode(pump).buffer as ArrayBuffer],
    ["a stream", () => new Blob([pump]).stream() as never],
  ];
  test.each(sources)("%s", async (why, source) => {
    const name = `${why} "é".txt`;
    const document = await ada.upload(source(), { folder, name });
    expect(document).toMatchObject({ name, status: "synced" });
    expect((await ada.getDocument(document.id)).content).toBe(pump);
  });
  test("reports how much was sent, and the progress of reading", async () => {
    const progresses: UploadProgress[] = [];
    const bytes = new Uint8Array(300_000).fill(97);
    const document = await ada.upload(bytes, {
      folder,
      name: "long.txt",
      onProgress: (progress) => progresses.push(progress),
    });
    const sending = progresses.flatMap((progress) =>
      progress.phase === "sending" ? [progress] : [],
    );
    expect(sending.map(({ sentBytes }) => sentBytes)).toEqual(
      sending.map(({ sentBytes }) => sentBytes).toSorted((a, b) => a - b),
    );
    expect(sending[0]).toMatchObject({ sentBytes: 0, totalBytes: 300_000 });
    expect(sending.at(-1)).toMatchObject({ sentBytes: 300_000 });
    const last = progresses.at(-1)!;
    expect(last).toMatchObject({ phase: "indexing", status: "synced" });
    expect(progresses.findIndex(({ phase }) => phase === "indexing")).toBe(sending.length);
    expect(document.size_bytes).toBe(300_000);
  });
  test("says why a file can't be read", async () => {
    const error = await failure(
      ada.upload(new Uint8Array([0, 1, 2, 3, 255]), { folder, name: "noise.bin" }),
    );
    expect(error).toBeInstanceOf(UploadError);
    expect([error.code, (error as UploadError).document.status]).toEqual([
      "unsupported_type",
      "sync_failed",
    ]);
  });
  test("replaces a document of the same name, and waits for the new text", async () => {
    const first = await ada.upload(textFile(pump, "plan.txt"), { folder });
    const second = await ada.upload(textFile("New.", "plan.txt"), { folder, overwrite: true });
    expect([second.id, second.version]).toEqual([first.id, 2]);
    expect((await ada.getDocument(first.id)).content).toBe("New.");
  });
  test("requires a name", async () => {
    const error = await ada.upload(new Blob([pump]), { folder }).catch((reason) => reason);
    expect(error).toBeInstanceOf(TypeError);
  });
  test("is retried when the server is busy, unless it is a stream", async () => {
    let refused = 0;
    tamper = async (request, answer) => {
      if (!request.url.includes("/documents/file") || refused++ % 2 === 1) return answer();
      await request.arrayBuffer();
      return Response.json(
        { code: "unavailable", detail: "Busy." },
        { status: 503, headers: { "retry-after": "0" } },
      );
    };
    expect((await ada.upload(textFile(pump, "busy.txt"), { folder })).status).toBe("synced");
    const stream = new Blob([pump]).stream() as never;
    const error = await failure(ada.upload(stream, { folder, name: "once.txt" }));
    expect([
      error.code,
      requests.filter((request) => request === "POST /documents/file").length,
    ]).toEqual(["unavailable", 3]);
  });
});

describe("events", () => {
  test("are delivered, and resume after the last one seen", async () => {
    const names: string[] = [];
    let seen = "";
    for await (const event of ada.events({ types: ["folder.created", "folder.deleted"] })) {
      names.push(event.event);
      seen = event.lastEventId;
      if (event.event === "ready") await ada.createFolder({ name: "Spring" });
      if (event.event === "folder.created") break;
    }
    expect(names).toEqual(["ready", "folder.created"]);
    const { id } = await ada.createFolder({ name: "Autumn" });
    for await (const event of ada.events({ lastEventId: seen })) {
      if (event.event !== "folder.created") continue;
      expect(event.folder_id).toBe(id);
      break;
    }
  });
  test("end when the key is invalid", async () => {
    const error = await failure(
      (async () => {
        const lost = new Dossier({ baseUrl: "http://dossier.test", key: "dsk_1", fetch: viaTest });
        for await (const _ of lost.events()) break;
      })(),
    );
    expect([error.status, error.code]).toEqual([401, "unauthorized"]);
  });
  test("wake all waiting for documents through one stream", async () => {
    const ids = await Promise.all(
      ["one", "two", "three"].map(
        async (name) => (await ada.createDocument({ folder_id: folder, name, content: pump })).id,
      ),
    );
    for (const id of ids) await ada.synced(id);
    requests = [];
    // They look unsynced until the stream says otherwise.
    let is_told = false;
    tamper = async (request, answer) => {
      if (new URL(request.url).pathname.endsWith("/events")) {
        const bytes = new TextEncoder();
        return new Response(
          new ReadableStream({
            async start(stream) {
              stream.enqueue(bytes.encode('id: 1\nevent: ready\ndata: {"event":"ready"}\n\n'));
              await until(() => requests.length >= 3 * 5 + 1);
              is_told = true;
              for (const document_id of ids) {
                const data = JSON.stringify({ event: "document.synced", document_id });
                stream.enqueue(bytes.encode(`id: 2\nevent: document.synced\ndata: ${data}\n\n`));
              }
            },
          }),
          { headers: { "content-type": "text/event-stream" } },
        );
      }
      const document = (await (await answer()).json()) as object;
      return Response.json(is_told ? document : { ...document, status: "syncing" });
    };
    const found = await Promise.all(ids.map((id) => ada.synced(id)));
    expect(found.map(({ status }) => status)).toEqual(["synced", "synced", "synced"]);
    expect(requests.filter((request) => request === "GET /events")).toHaveLength(1);
    // Each asks at most four times by itself, once when the stream opens, and once when told.
    expect(requests.length).toBeLessThanOrEqual(3 * 6 + 1);
  });
  test("are replaced by polling when there is no stream", async () => {
    const { id } = await ada.createDocument({ folder_id: folder, name: "Late", content: pump });
    await ada.synced(id);
    let left = 5;
    tamper = async (request, answer) => {
      if (new URL(request.url).pathname.endsWith("/events"))
        return new Response("", { status: 404 });
      const document = (await (await answer()).json()) as object;
      return Response.json(left-- > 0 ? { ...document, status: "syncing" } : document);
    };
    expect((await ada.synced(id)).status).toBe("synced");
  });
});

test("a webhook delivery is verified, also with the old secret during rotation", async () => {
  const url = `http://127.0.0.2:${receiver.port}/hook`;
  const webhook = await ada.createWebhook({ url, event_type: "import.finished" });
  const renewed = await ada.rotateWebhookSecret(webhook.id);
  await ada.testWebhook(webhook.id);
  await until(() => receiver.deliveries.length > 0);
  const { body, headers } = receiver.deliveries[0]!;
  for (const secret of [webhook.secret, renewed.secret, ["whsec_AAAA", renewed.secret]]) {
    const { id, event } = await verifyWebhook({ body, headers, secret });
    expect([id, event]).toEqual([
      headers.get("webhook-id")!,
      expect.objectContaining({ event: "import.finished" }),
    ]);
  }
  await ada.deleteWebhook(webhook.id);
});
