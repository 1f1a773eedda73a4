/**
 * Transcription runs over HTTP: what starts one, how it ends, what it leaves behind, and how a
 * configured program can fail.
 */
import { beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { PurgeDocuments } from "../../plugins/documents/jobs";
import { filesOf } from "../helpers/data-directory";
import { startTestServer, type TestServer } from "../helpers/host";
import { captions, createEngine, formOf, recordingOf } from "../helpers/recordings";
import { until } from "../helpers/server";

setDefaultTimeout(30_000);

const engine = createEngine();
let server: TestServer;
let folder: string;

beforeAll(async () => {
  server = await startTestServer({
    env: {
      DOSSIER_TRANSCRIPTION_PROVIDER: "command",
      DOSSIER_TRANSCRIPTION_COMMAND: engine.command,
      DOSSIER_TRANSCRIPTION_CONCURRENCY: "4",
      DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.0/8",
      DOSSIER_WEBHOOKS_ALLOW_NETWORKS: "127.0.0.0/8",
      DOSSIER_SECRET_KEY: "of-the-test-".repeat(4),
    },
  });
});
beforeEach(async () => {
  folder = await newFolder("ada");
});

const newFolder = async (who: string, name = "Recordings"): Promise<string> =>
  (await server.send(who, "POST", "/folders", { name })).body.id;
const upload = (
  name: string,
  bytes: string | Uint8Array<ArrayBuffer>,
  who = "ada",
  folder_id = folder,
) => server.send(who, "POST", `/transcriptions?folder_id=${folder_id}`, formOf(name, bytes));
const runOf = async (id: string) => (await server.send("ada", "GET", `/transcriptions/${id}`)).body;
/** The run of an upload, once it has ended. */
async function ended(name: string, bytes: string | Uint8Array<ArrayBuffer>) {
  const { status, body } = await upload(name, bytes);
  expect(status).toBe(202);
  await server.settle();
  return runOf(body.id);
}
const filesOnDisk = (): string[] =>
  filesOf(server.data).filter((name) => /[0-9a-f]{64}$/.test(name));
const left = (): string[] =>
  readdirSync(join(server.data, "tmp")).filter((name) => name.startsWith("transcript-"));
const textOf = async (run: { document_id: string }) =>
  (await server.send("ada", "GET", `/documents/${run.document_id}`)).body.content;

describe("captions", () => {
  test("become a document whose citations have times", async () => {
    const run = await ended("heron talk.vtt", captions);
    expect(run).toEqual({
      id: expect.stringMatching(/^trn_[0-9A-Z]{26}$/),
      status: "completed",
      folder_id: folder,
      name: "heron talk.vtt",
      error: null,
      created_at: expect.any(String),
      started_at: expect.any(String),
      finished_at: expect.any(String),
      document_id: expect.stringMatching(/^doc_/),
      result_history_id: null,
      progress: 1,
      duration_s: 22.25,
      language: null,
    });
    const { body: document } = await server.send("ada", "GET", `/documents/${run.document_id}`);
    expect(document).toMatchObject({
      name: "heron talk.vtt",
      status: "synced",
      media_type: "text/vtt",
      folder_ids: [folder],
      source: { kind: "transcription", uri: null, run_id: run.id },
      content:
        "Anna: The heron waits in shallow water. It eats fish and frogs.\n\nBen: And where does " +
        "it build its nest?",
    });
    const {
      body: {
        data: [found],
      },
    } = await server.send("ada", "POST", "/search", { query: "heron nest", folder_ids: [folder] });
    expect(found).toMatchObject({
      document_id: run.document_id,
      time_start: 1,
      time_end: 22.25,
      quote: document.content,
    });
  });

  test("the query names the transcript, also for a URL in JSON", async () => {
    const create = async (body: unknown) => {
      const path = `/transcriptions?folder_id=${folder}&name=%20Tide%20talk%20`;
      const { status, body: run } = await server.send("ada", "POST", path, body);
      return [status, run.name, run.folder_id];
    };
    expect(await create(formOf("a.vtt", captions))).toEqual([202, "Tide talk", folder]);
    expect(await create({ url: "https://example.com/a.mp3" })).toEqual([202, "Tide talk", folder]);
  });

  test("an answer's citations have the times of what they quote", async () => {
    await ended("a.vtt", captions);
    const {
      body: { id: chat },
    } = await server.send("ada", "POST", "/chats", { usedFolders: [folder] });
    const {
      body: { requestId },
    } = await server.send("ada", "POST", `/chats/${chat}/messages`, {
      text: "What does the heron eat?",
    });
    await server.settle();
    const {
      body: { result },
    } = await server.send("ada", "GET", `/chats/${chat}/messages/${requestId}`);
    expect(result.outcome).toBe("answered");
    expect(result.citations[0]).toMatchObject({ time_start: 1, time_end: 6 });
  });

  test("the times survive renaming and reindexing", async () => {
    const { document_id } = await ended("a.vtt", captions);
    const times = async () =>
      (
        await server.send("ada", "POST", "/search", { query: "heron", document_ids: [document_id] })
      ).body.data.map((segment: any) => [segment.time_start, segment.time_end]);
    for (const [method, path, body] of [
      ["PATCH", "", { name: "renamed" }],
      ["POST", "/reindex", undefined],
    ] as const) {
      await server.send("ada", method, `/documents/${document_id}${path}`, body);
      await server.settle();
      expect(await times()).toEqual([[1, 22.25]]);
    }
  });

  const others: [why: string, name: string, text: string, code: string | null][] = [
    [
      "SRT under another file extension",
      "talk.txt",
      "1\n00:00:01,000 --> 00:00:02,000\nHerons.\n",
      null,
    ],
    ["captions that say nothing", "empty.vtt", "WEBVTT\n\nNOTE nothing here\n", "empty"],
    [
      "plain text is refused as captions, whatever its name",
      "talk.vtt",
      "Herons wait.\n",
      "unsupported_type",
    ],
    ["an empty file", "talk.srt", "", "unsupported_type"],
    ["a PDF", "talk.mp3", "%PDF-1.7\n", "unsupported_type"],
  ];
  for (const [why, name, text, code] of others)
    test(why, async () => {
      const run = await ended(name, text);
      expect([run.status, run.error?.code ?? null, run.document_id === null]).toEqual([
        code === null ? "completed" : "failed",
        code,
        code !== null,
      ]);
      if (code !== null)
        expect(run).toMatchObject({
          error: { message: expect.stringMatching(/\.$/) },
          finished_at: expect.any(String),
        });
    });
});

test("captions uploaded as a document have their times too", async () => {
  const upload = async (name: string, content: string) => {
    const {
      body: { id },
    } = await server.send(
      "ada",
      "POST",
      `/documents/file?folder_id=${folder}`,
      formOf(name, content),
    );
    await server.settle();
    return (await server.send("ada", "GET", `/documents/${id}`)).body;
  };
  expect(await upload("talk.vtt", captions)).toMatchObject({
    status: "synced",
    media_type: "text/vtt",
    content:
      "Anna: The heron waits in shallow water. It eats fish and frogs.\n\nBen: And where does it " +
      "build its nest?",
  });
  expect(
    (await server.send("ada", "POST", "/search", { query: "heron", folder_ids: [folder] })).body
      .data[0],
  ).toMatchObject({ time_start: 1, time_end: 22.25 });
  expect(await upload("silence.srt", "1\n00:00:01,000 --> 00:00:02,000\n\n")).toMatchObject({
    status: "sync_failed",
    error: { code: "empty" },
  });
});

describe("the result", () => {
  test("in every format, and after the document was overwritten", async () => {
    const { id, document_id } = await ended("talk.vtt", captions);
    const result = (format: string) =>
      server.send(
        "ada",
        "GET",
        `/transcriptions/${id}/result${format === "" ? "" : `?format=${format}`}`,
      );
    const expected = async () => {
      expect((await result("")).body).toEqual({
        language: null,
        duration_s: 22.25,
        text: expect.stringMatching(/^Anna: The heron .* nest\?$/s),
        segments: [
          { start: 1, end: 3.5, text: "The heron waits in shallow water.", speaker: "Anna" },
          { start: 3.5, end: 6, text: "It eats fish and frogs.", speaker: "Anna" },
          { start: 20, end: 22.25, text: "And where does it build its nest?", speaker: "Ben" },
        ],
      });
      for (const [format, type, begins] of [
        ["vtt", "text/vtt", "WEBVTT\n\n00:00:01.000 --> 00:00:03.500\n<v Anna>The heron"],
        ["srt", "application/x-subrip", "1\n00:00:01,000 --> 00:00:03,500\nAnna: The"],
        ["txt", "text/plain", "Anna: The heron"],
      ] as const) {
        const { status, headers, text } = await result(format);
        expect([status, headers.get("content-type"), text.slice(0, begins.length)]).toEqual([
          200,
          `${type}; charset=utf-8`,
          begins,
        ]);
      }
    };
    await expected();
    const form = formOf("talk.vtt", "something else entirely");
    expect(
      (await server.send("ada", "POST", `/documents/file?folder_id=${folder}&overwrite=true`, form))
        .body.id,
    ).toBe(document_id);
    await server.settle();
    await expected();
    expect((await result("mp3")).status).toBe(400);
  });

  test("a failed run has none", async () => {
    const { id } = await ended("a.wav", recordingOf("crash"));
    expect(await server.send("ada", "GET", `/transcriptions/${id}/result`)).toMatchObject({
      status: 409,
      body: { code: "no_result" },
    });
  });
});

describe("transcribing by a program", () => {
  const good: [
    mode: string,
    text: string,
    times: [number, number] | [null, null],
    language: string | null,
  ][] = [
    ["vtt", "The heron waits for fish.", [0.25, 0.75], null],
    ["file", "The heron waits for frogs.", [0.25, 0.75], null],
    ["lines", "The heron waits.", [0, 0.5], null],
    ["json", "A: The heron waits.", [0, 0.5], "en"],
    ["text", "The heron waits for eels.", [0, 1], null],
    ["backwards", "first second third", [0.2, 1], null],
    ["orphan", "The heron waits for newts.", [0.25, 0.75], null],
  ];
  for (const [mode, text, [time_start, time_end], language] of good)
    test(`${mode}: it is understood`, async () => {
      const run = await ended(`${mode}.wav`, recordingOf(mode));
      expect(run).toMatchObject({ status: "completed", duration_s: 1, language, progress: 1 });
      expect(await textOf(run)).toBe(text);
      const {
        body: {
          data: [found],
        },
      } = await server.send("ada", "POST", "/search", { query: text, folder_ids: [folder] });
      expect(found).toMatchObject({ time_start, time_end });
      // A killed process takes a moment to disappear.
      if (mode === "orphan") await until(() => !engine.runs("child"));
      expect([engine.runs(), left()]).toEqual([false, []]);
    });

  const bad: [mode: string, code: string, words: RegExp][] = [
    ["crash", "transcriber_failed", /engine\.sh failed with exit code 3/],
    ["signal", "transcriber_failed", /engine\.sh (crashed|failed)/],
    ["nothing", "empty", /engine\.sh found no speech/],
    ["flood", "transcriber_failed", /printed more than 32 MiB/],
    ["broken", "transcriber_failed", /JSON/],
  ];
  for (const [mode, code, words] of bad)
    test(`${mode}: the run fails with a reason, once, and nothing stays`, async () => {
      const files = filesOnDisk().length;
      const before = engine.heard().length;
      const run = await ended(`${mode}.wav`, recordingOf(mode));
      expect([run.status, run.error.code, run.document_id]).toEqual(["failed", code, null]);
      expect(run.error.message).toMatch(words);
      expect(run.error.message).not.toMatch(/secret|\/tmp/);
      expect(engine.heard().slice(before)).toEqual([mode]);
      await until(() => filesOnDisk().length === files);
      expect([
        left(),
        (await server.send("ada", "GET", `/documents?folder_id=${folder}`)).body.data,
      ]).toEqual([[], []]);
    });

  test("it gets the server's environment without Dossier's settings", async () => {
    const text = await textOf(await ended("a.wav", recordingOf("environment")));
    expect(text).toContain("PATH=");
    expect(text).not.toContain("of-the-test");
  });

  test("the recording is the document's original, and supports ranges", async () => {
    const bytes = recordingOf("vtt", 2);
    const { document_id } = await ended("heron.wav", bytes);
    const { status, headers, text } = await server.send(
      "ada",
      "GET",
      `/documents/${document_id}/file`,
      undefined,
      { range: "bytes=0-3" },
    );
    expect([status, text, headers.get("content-type"), headers.get("content-range")]).toEqual([
      206,
      "RIFF",
      "audio/wav",
      `bytes 0-3/${bytes.length}`,
    ]);
  });

  test("its percentage is the progress, and cancelling kills it with its children", async () => {
    const {
      body: { id },
    } = await upload("a.wav", recordingOf("slow"));
    await until(async () => (await runOf(id)).progress === 0.42);
    expect([(await runOf(id)).status, engine.runs(), engine.runs("child")]).toEqual([
      "running",
      true,
      true,
    ]);
    const files = filesOnDisk().length;
    const cancelled = await server.send("ada", "POST", `/transcriptions/${id}/cancel`);
    expect(cancelled).toMatchObject({
      status: 202,
      body: { status: "cancelled", document_id: null, finished_at: expect.any(String) },
    });
    expect(cancelled.headers.get("location")).toBe(`/api/dev/v1/transcriptions/${id}`);
    await until(
      () =>
        !engine.runs() &&
        !engine.runs("child") &&
        left().length === 0 &&
        filesOnDisk().length === files - 1,
    );
    expect(await server.send("ada", "POST", `/transcriptions/${id}/cancel`)).toMatchObject({
      status: 409,
      body: { code: "already_ended" },
    });
    await server.settle();
    expect(await runOf(id)).toMatchObject({ status: "cancelled", document_id: null });
  });

  test("a waiting run is cancelled before it begins", async () => {
    engine.close();
    const waiting = await Promise.all(
      Array.from(
        { length: 6 },
        async (_, i) => (await upload(`${i}.wav`, recordingOf("gate", 1 + i / 10))).body.id,
      ),
    );
    const before = engine.heard().length;
    expect(
      (await server.send("ada", "POST", `/transcriptions/${waiting.at(-1)}/cancel`)).status,
    ).toBe(202);
    engine.open();
    await server.settle();
    expect((await Promise.all(waiting.map(runOf))).map((run) => run.status)).toEqual([
      ...Array(5).fill("completed"),
      "cancelled",
    ]);
    expect(engine.heard().length - before).toBeLessThanOrEqual(5);
  });
});

test("deactivating a user ends their running and waiting transcriptions", async () => {
  const theirs = await newFolder("zoe");
  const ids: string[] = [];
  for (const seconds of [1.1, 1.2, 1.3, 1.4, 1.5, 1.6])
    ids.push((await upload(`${seconds}.wav`, recordingOf("slow", seconds), "zoe", theirs)).body.id);
  await until(() => engine.runs("child"));
  await server.accounts.setUserActive("usr_zoe", false);
  await until(() => !engine.runs() && !engine.runs("child") && left().length === 0);
  await server.settle();
  await server.accounts.setUserActive("usr_zoe", true);
  for (const id of ids)
    expect((await server.send("zoe", "GET", `/transcriptions/${id}`)).body.status).toBe(
      "cancelled",
    );
});

test("one user may have a hundred unfinished runs; others' and ended ones don't count", async () => {
  engine.close();
  const many = await newFolder("max");
  const first = (await upload("first.wav", recordingOf("gate"), "max", many)).body.id;
  await server.store.inTransaction(async (tx) => {
    const row = await tx
      .selectFrom("transcriptions")
      .selectAll()
      .where("id", "=", first)
      .executeTakeFirstOrThrow();
    for (let n = 0; n < 99; n++)
      await tx
        .insertInto("transcriptions")
        .values({ ...row, id: `trn_${n}`, sha256: null, size_bytes: 0 })
        .execute();
  });
  const url = { folder_id: many, url: "http://media.example.com/a.mp3" };
  for (const refused of [
    await upload("more.wav", recordingOf("gate"), "max", many),
    await upload("more.vtt", captions, "max", many),
    await server.send("max", "POST", "/transcriptions", url),
  ])
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      403,
      "quota_exceeded",
      expect.stringContaining("at most 100 transcriptions"),
    ]);
  expect((await upload("mine.vtt", captions)).status).toBe(202);
  expect((await server.send("max", "POST", "/transcriptions/trn_0/cancel")).status).toBe(202);
  expect((await upload("more.vtt", captions, "max", many)).status).toBe(202);
  engine.open();
  expect((await server.send("max", "DELETE", `/folders/${many}`)).status).toBe(204);
});

describe("deleting", () => {
  test("a folder ends its runs and deletes their transcripts", async () => {
    const done = await ended("a.vtt", captions);
    const {
      body: { id },
    } = await upload("a.wav", recordingOf("slow", 1.5));
    await until(() => engine.runs("child"));
    expect((await server.send("ada", "DELETE", `/folders/${folder}`)).status).toBe(204);
    await until(() => !engine.runs() && !engine.runs("child") && left().length === 0);
    await server.settle();
    for (const gone of [id, done.id])
      expect((await server.send("ada", "GET", `/transcriptions/${gone}`)).status).toBe(404);
    expect(
      await server.store.db
        .selectFrom("transcriptions_results")
        .selectAll()
        .where("run_id", "=", done.id)
        .execute(),
    ).toEqual([]);
  });

  test("a document permanently leaves its run without the text", async () => {
    const { id, document_id } = await ended("a.vtt", captions);
    await server.send("ada", "DELETE", `/documents/${document_id}?folder_id=${folder}`);
    expect((await server.send("ada", "GET", `/transcriptions/${id}/result`)).status).toBe(200);
    await server.store.db
      .updateTable("documents_links")
      .set({ deleted_at: 1 })
      .where("document_id", "=", document_id)
      .execute();
    await server.host.queue.enqueue(server.store.db, PurgeDocuments, {});
    await server.settle();
    expect(await runOf(id)).toMatchObject({ status: "completed", document_id: null });
    expect((await server.send("ada", "GET", `/transcriptions/${id}/result`)).status).toBe(404);
  });
});

describe("access and limits", () => {
  test("another user's run is 403, a missing one 404", async () => {
    const { id } = await ended("a.vtt", captions);
    for (const [method, path] of [
      ["GET", ""],
      ["GET", "/result"],
      ["POST", "/cancel"],
    ] as const) {
      expect((await server.send("ben", method, `/transcriptions/${id}${path}`)).status).toBe(403);
      expect((await server.send("ada", method, `/transcriptions/trn_nope${path}`)).status).toBe(
        404,
      );
    }
    expect((await server.send("ben", "GET", "/transcriptions")).body).toMatchObject({
      data: [],
      pagination: { total: 0 },
    });
  });

  const refused: [
    why: string,
    send: () => Promise<{ status: number; body: any }>,
    status: number,
  ][] = [
    [
      "no folder in the query",
      () => server.send("ada", "POST", "/transcriptions", formOf("a.vtt", captions)),
      400,
    ],
    [
      "no folder in the body",
      () => server.send("ada", "POST", "/transcriptions", { url: "https://example.com/a.mp3" }),
      400,
    ],
    [
      "no URL in the body",
      () => server.send("ada", "POST", "/transcriptions", { folder_id: folder }),
      400,
    ],
    [
      "an invalid URL",
      () =>
        server.send("ada", "POST", "/transcriptions", {
          folder_id: folder,
          url: "ftp://example.com/a",
        }),
      400,
    ],
    [
      "a URL of this machine",
      () =>
        server.send("ada", "POST", "/transcriptions", {
          folder_id: folder,
          url: "http://localhost/a",
        }),
      400,
    ],
    ["a folder that does not exist", () => upload("a.vtt", captions, "ada", "fld_nope"), 404],
    [
      "a folder of another user",
      async () => upload("a.vtt", captions, "ada", await newFolder("ben")),
      403,
    ],
    [
      "the same, for a URL",
      async () =>
        server.send("ada", "POST", "/transcriptions", {
          folder_id: await newFolder("ben"),
          url: "https://example.com/a.mp3",
        }),
      403,
    ],
    [
      "another part than file",
      () => {
        const form = new FormData();
        form.set("sound", new File(["x"], "a.wav"));
        return server.send("ada", "POST", `/transcriptions?folder_id=${folder}`, form);
      },
      400,
    ],
    [
      "a part without a file name",
      () => {
        const form = new FormData();
        form.set("file", "x");
        return server.send("ada", "POST", `/transcriptions?folder_id=${folder}`, form);
      },
      400,
    ],
    [
      "a body of another type",
      () =>
        server.send("ada", "POST", `/transcriptions?folder_id=${folder}`, "x", {
          "content-type": "audio/wav",
        }),
      415,
    ],
    ["no body", () => server.send("ada", "POST", `/transcriptions?folder_id=${folder}`), 415],
    [
      "no key",
      () =>
        server.send(null, "POST", `/transcriptions?folder_id=${folder}`, formOf("a.vtt", captions)),
      401,
    ],
  ];
  for (const [why, send, status] of refused)
    test(`${why}: ${status}`, async () => {
      const before = (await server.send("ada", "GET", "/transcriptions")).body.pagination.total;
      expect((await send()).status).toBe(status);
      expect((await server.send("ada", "GET", "/transcriptions")).body.pagination.total).toBe(
        before,
      );
    });

  test("a file above the upload limit: 413, nothing is kept; from a URL the run fails", async () => {
    const small = await startTestServer({
      env: {
        DOSSIER_TRANSCRIPTION_PROVIDER: "command",
        DOSSIER_TRANSCRIPTION_COMMAND: engine.command,
        DOSSIER_DOCUMENTS_UPLOAD_BYTES_MAX: "20KiB",
        DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.0/8",
      },
    });
    using web = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Response(recordingOf("vtt", 3)),
    });
    const folder_id = (await small.send("ada", "POST", "/folders", { name: "A" })).body.id;
    expect(
      (
        await small.send(
          "ada",
          "POST",
          `/transcriptions?folder_id=${folder_id}`,
          formOf("a.wav", recordingOf("vtt", 3)),
        )
      ).status,
    ).toBe(413);
    const {
      body: { id },
    } = await small.send("ada", "POST", "/transcriptions", {
      folder_id,
      url: `http://127.0.0.1:${web.port}/a.wav`,
    });
    await small.settle();
    const {
      body: { data },
    } = await small.send("ada", "GET", "/transcriptions");
    expect(data.map((run: any) => [run.id, run.status, run.error.code])).toEqual([
      [id, "failed", "too_large"],
    ]);
    expect(filesOf(small.data)).toEqual([]);
    await small.stop();
  });

  test("the list is in pages, newest first", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i++)
      ids.unshift((await upload("a.vtt", captions, "cleo", await newFolder("cleo"))).body.id);
    const { body } = await server.send("cleo", "GET", "/transcriptions?per_page=2");
    expect([body.data.map((run: any) => run.id), body.pagination]).toEqual([
      ids.slice(0, 2),
      { count: 2, total: 3, per_page: 2, total_pages: 2, next_page: 2, previous_page: null },
    ]);
  });
});

describe("the webhook", () => {
  const due = async (run_id: string) =>
    (await server.store.db.selectFrom("webhooks_deliveries").selectAll().execute()).filter(
      (delivery: any) => delivery.request_body.includes(run_id),
    );
  test("reports completed runs alone, with exactly this body", async () => {
    const received: string[] = [];
    using hook = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        received.push(await request.text());
        return new Response(null, { status: 204 });
      },
    });
    const {
      body: { id: hook_id },
    } = await server.send("ada", "POST", "/webhooks", {
      event_type: "transcription.completed",
      url: `http://127.0.0.1:${hook.port}/x`,
    });
    const completed = await ended("a.vtt", captions);
    const failed = await ended("a.wav", recordingOf("crash", 1.2));
    await server.settle();
    expect(received).toEqual([
      JSON.stringify({
        event: "transcription.completed",
        processing_run_id: completed.id,
        result_history_id: null,
        status: "completed",
      }),
    ]);
    expect([(await due(completed.id)).length, (await due(failed.id)).length]).toEqual([1, 0]);
    await server.send("ada", "DELETE", `/webhooks/${hook_id}`);
  });
});

test("a deactivated user's recording is not transcribed", async () => {
  const small = await startTestServer({
    env: {
      DOSSIER_TRANSCRIPTION_PROVIDER: "command",
      DOSSIER_TRANSCRIPTION_COMMAND: engine.command,
    },
  });
  engine.close();
  const send = async (who: string) => {
    const folder_id = (await small.send(who, "POST", "/folders", { name: "A" })).body.id;
    return (
      await small.send(
        who,
        "POST",
        `/transcriptions?folder_id=${folder_id}`,
        formOf("a.wav", recordingOf("gate", 2)),
      )
    ).body.id;
  };
  const first = await send("ada");
  for (let status = ""; status !== "running"; await Bun.sleep(10))
    ({ status } = (await small.send("ada", "GET", `/transcriptions/${first}`)).body);
  const second = await send("fay");
  await small.accounts.setUserActive("usr_fay", false);
  engine.open();
  await small.settle();
  expect(
    await small.store.db
      .selectFrom("transcriptions")
      .select(["id", "status", "sha256"])
      .orderBy("id")
      .execute(),
  ).toMatchObject([
    { id: first, status: "completed" },
    { id: second, status: "cancelled", sha256: null },
  ]);
  await small.stop();
});

test("a quota reached during transcription fails the run with the quota's message", async () => {
  const small = await startTestServer({
    env: {
      DOSSIER_TRANSCRIPTION_PROVIDER: "command",
      DOSSIER_TRANSCRIPTION_COMMAND: engine.command,
      DOSSIER_QUOTAS_DOCUMENTS: "1",
    },
  });
  engine.close();
  const folder_id = (await small.send("ada", "POST", "/folders", { name: "A" })).body.id;
  const {
    body: { id },
  } = await small.send(
    "ada",
    "POST",
    `/transcriptions?folder_id=${folder_id}`,
    formOf("a.wav", recordingOf("gate", 2)),
  );
  await small.send("ada", "POST", "/documents", {
    folder_id,
    content: "The one document that may be.",
  });
  engine.open();
  await small.settle();
  const run = (await small.send("ada", "GET", `/transcriptions/${id}`)).body;
  expect([run.status, run.document_id, run.error.message]).toEqual([
    "failed",
    null,
    expect.stringMatching(/quota|limit/i),
  ]);
  expect(await small.store.db.selectFrom("transcriptions_results").selectAll().execute()).toEqual(
    [],
  );
  await small.stop();
});

test("a run's file is kept from the sweep, and removed when nothing uses it", async () => {
  engine.close();
  const {
    body: { id },
  } = await upload("a.wav", recordingOf("gate", 7));
  await until(async () => (await runOf(id)).status === "running");
  const { sha256 } = (await server.store.db
    .selectFrom("transcriptions")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst()) as any;
  const isThere = async () => (await server.files.open(sha256)) !== undefined;
  // The same recording, uploaded as a document and then deleted: the run still has it.
  const other = await newFolder("ada");
  await server.send(
    "ada",
    "POST",
    `/documents/file?folder_id=${other}`,
    formOf("a.wav", recordingOf("gate", 7)),
  );
  await server.send("ada", "DELETE", `/folders/${other}`);
  await Bun.sleep(50);
  expect(await isThere()).toBe(true);
  engine.open();
  await server.settle();
  expect([(await runOf(id)).status, await isThere()]).toEqual(["completed", true]);
  await server.send("ada", "DELETE", `/folders/${folder}`);
  await until(async () => !(await isThere()));
});
