/**
 * Acceptance, on the executable: transcriptions survive kills, leave nothing behind when deleted,
 * and transcribe real speech where an engine is installed.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expectProblem, rfc3339 } from "../helpers/contract";
import { filesIn, filesWith } from "../helpers/data-directory";
import { startExecutable, type Executable } from "../helpers/executable";
import { person, type Person } from "../helpers/person";
import { captions, createEngine, formOf, recordingOf } from "../helpers/recordings";
import { until } from "../helpers/server";
import { startReceiver, type Receiver } from "../helpers/receiver";

const engine = createEngine();
const env = {
  DOSSIER_TRANSCRIPTION_PROVIDER: "command",
  DOSSIER_TRANSCRIPTION_COMMAND: engine.command,
  DOSSIER_TRANSCRIPTION_CONCURRENCY: "3",
  DOSSIER_WEBHOOKS_ALLOW_NETWORKS: "127.0.0.0/8",
  DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.0/8",
  DOSSIER_WEBHOOKS_RETRY_DELAYS: "50ms,50ms",
};
let server: Executable;
let ada: Person;
let hook: Receiver;

beforeAll(async () => {
  hook = startReceiver("127.0.0.1");
  server = await startExecutable({ env });
  ada = await person(server, "ada");
  await ada.create("/webhooks", {
    event_type: "transcription.completed",
    url: `http://127.0.0.1:${hook.port}/done`,
  });
}, 180_000);
afterAll(async () => {
  hook?.[Symbol.dispose]();
  await server?.[Symbol.asyncDispose]();
});

const begin = async (
  folder: string,
  name: string,
  bytes: string | Uint8Array<ArrayBuffer>,
  who = ada,
) => await who.send("POST", `/transcriptions?folder_id=${folder}`, formOf(name, bytes));
const over = (status: string) => !["pending", "running"].includes(status);
const endOf = async (id: string, key = ada.key) =>
  (
    await server.until(`/transcriptions/${id}`, ({ body }) => over(body.status), {
      key,
      limit_ms: 60_000,
    })
  ).body;
const run_fields = [
  "created_at",
  "document_id",
  "duration_s",
  "error",
  "finished_at",
  "folder_id",
  "id",
  "language",
  "name",
  "progress",
  "result_history_id",
  "started_at",
  "status",
];

describe("a run", () => {
  test("is answered with 202, its location and exactly the documented fields", async () => {
    const folder = await ada.folder();
    const { status, headers, body } = await begin(folder, "talk.vtt", captions);
    expect([
      status,
      headers.get("location"),
      headers.get("retry-after"),
      Object.keys(body).sort(),
    ]).toEqual([202, `/api/dev/v1/transcriptions/${body.id}`, "1", run_fields]);
    expect(body.id).toMatch(/^trn_[0-9A-HJKMNP-TV-Z]{26}$/);
    const run = await endOf(body.id);
    expect([body.name, run.name]).toEqual(["talk.vtt", "talk.vtt"]);
    expect([run.status, run.progress, run.result_history_id, Object.keys(run).sort()]).toEqual([
      "completed",
      1,
      null,
      run_fields,
    ]);
    for (const time of [run.created_at, run.started_at, run.finished_at])
      expect(time).toMatch(rfc3339);
    expect((await ada.settled(run.document_id)).source).toEqual({
      kind: "transcription",
      uri: null,
      run_id: run.id,
    });
    await ada.send("PATCH", `/documents/${run.document_id}`, { name: "The warden speaks" });
    expect(
      (await ada.send("GET", "/transcriptions")).body.data.find(
        ({ id }: { id: string }) => id === run.id,
      ).name,
    ).toBe("The warden speaks");
    await until(() =>
      hook.deliveries.some(
        (request) =>
          request.body ===
          `{"event":"transcription.completed","processing_run_id":"${run.id}","result_history_id":null,"status":"completed"}`,
      ),
    );
  });

  test("accepts JSON with a URL on the same route, and no other type", async () => {
    const folder = await ada.folder();
    using web = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(captions) });
    const { status, body } = await ada.send("POST", "/transcriptions", {
      folder_id: folder,
      url: `http://127.0.0.1:${web.port}/talk.vtt`,
    });
    expect([status, (await endOf(body.id)).status]).toEqual([202, "completed"]);
    expectProblem(
      await ada.send("POST", `/transcriptions?folder_id=${folder}`, "RIFF", {
        "content-type": "audio/wav",
      }),
      415,
      "multipart/form-data or application/json",
    );
    expectProblem(await ada.send("POST", "/transcriptions", { folder_id: folder }), 400, "url");
    const { requestBody } = (await server.api("GET", "/openapi.json")).body.paths[
      "/api/dev/v1/transcriptions"
    ].post;
    expect(Object.keys(requestBody.content).sort()).toEqual([
      "application/json",
      "multipart/form-data",
    ]);
  });

  test("keeps the recording as the document's original, served by range", async () => {
    const folder = await ada.folder();
    const bytes = recordingOf("vtt", 2);
    const run = await endOf((await begin(folder, "heron.bin", bytes)).body.id);
    const { status, headers } = await ada.send(
      "GET",
      `/documents/${run.document_id}/file`,
      undefined,
      { range: "bytes=100-" },
    );
    expect([
      run.duration_s,
      status,
      headers.get("content-type"),
      headers.get("content-range"),
      headers.get("content-length"),
    ]).toEqual([
      2,
      206,
      "audio/wav",
      `bytes 100-${bytes.length - 1}/${bytes.length}`,
      String(bytes.length - 100),
    ]);
  });

  test("respects the storage quota and frees its share when it fails", async () => {
    await using small = await startExecutable({ env: { ...env, DOSSIER_QUOTAS_STORAGE: "40KiB" } });
    await small.createUser();
    const folder = (await small.api("POST", "/folders", { name: "A" })).body.id;
    const send = (mode: string, seconds: number) =>
      small.api(
        "POST",
        `/transcriptions?folder_id=${folder}`,
        formOf("a.wav", recordingOf(mode, seconds)),
      );
    const ended = async (id: string) =>
      (await small.until(`/transcriptions/${id}`, ({ body }) => over(body.status))).body.status;
    expect((await send("vtt", 3)).status).toBe(403);
    for (let n = 0; n < 3; n++)
      expect(await ended((await send("crash", 2)).body.id)).toBe("failed");
    expect(await ended((await send("vtt", 2)).body.id)).toBe("completed");
    expectProblem(await send("vtt", 2), 403, /quota|limit/, "quota_exceeded");
  });
});

describe("a killed server", () => {
  test("ends the running engine, resumes the run and sends its event once", async () => {
    const folder = await ada.folder();
    engine.close();
    const {
      body: { id },
    } = await begin(folder, "a.wav", recordingOf("gate", 1.5));
    await until(() => engine.runs());
    const pid = readFileSync(join(engine.directory, "pid"), "utf8");
    await server.kill();
    await server.restart();
    await until(
      () =>
        existsSync(join(engine.directory, "pid")) &&
        readFileSync(join(engine.directory, "pid"), "utf8") !== pid,
      60_000,
    );
    if (process.platform === "linux")
      expect(
        existsSync(`/proc/${pid.trim()}`) &&
          !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid.trim()}/stat`, "utf8")),
      ).toBe(false);
    engine.open();
    expect((await endOf(id)).status).toBe("completed");
    await until(() => hook.deliveries.some((request) => request.body.includes(id)));
    expect(await ada.names(folder)).toEqual(["a.wav"]);
  }, 120_000);

  test("with many runs makes one document and one event for each, and none hangs", async () => {
    const folder = await ada.folder();
    engine.open();
    const ids = new Set<string>();
    const work = async (round: number) => {
      for (let n = 0; n < 4; n++) {
        const answer = await begin(
          folder,
          `${round}-${n}`,
          n % 2 === 0
            ? captions.replace("heron", `heron${round}x${n}`)
            : recordingOf("gate", 0.5 + round + n / 10),
        ).catch(() => undefined);
        if (answer?.status === 202) ids.add(answer.body.id);
      }
    };
    for (let round = 0; round < 6; round++) {
      const sending = work(round);
      await Bun.sleep(40 + round * 60);
      await server.kill();
      await sending;
      await server.restart();
    }
    const runs = await Promise.all([...ids].map((id) => endOf(id)));
    // An interrupted client doesn't know whether its run was accepted, so ask the list.
    const {
      body: { data: all },
    } = await ada.send("GET", "/transcriptions?per_page=200");
    const here = all.filter((run: { folder_id: string }) => run.folder_id === folder);
    for (const run of here) await endOf(run.id);
    expect(runs.map((run) => run.status)).toEqual(Array(ids.size).fill("completed"));
    const documents = (await ada.send("GET", `/documents?folder_id=${folder}&per_page=200`)).body
      .data;
    expect(
      documents.map((document: { source: { run_id: string } }) => document.source.run_id).sort(),
    ).toEqual(here.map((run: { id: string }) => run.id).sort());
    await until(
      () =>
        here.every((run: { id: string }) =>
          hook.deliveries.some((request) => request.body.includes(run.id)),
        ),
      60_000,
    );
    // After a crash a delivery may arrive twice with the same id, but each run has only one.
    const deliveries = new Map<string, Set<string>>();
    for (const { body, headers } of hook.deliveries) {
      const run_id = JSON.parse(body).processing_run_id;
      deliveries.set(run_id, (deliveries.get(run_id) ?? new Set()).add(headers.get("webhook-id")!));
    }
    expect([...deliveries.values()].map((ones) => ones.size)).toEqual(
      Array(deliveries.size).fill(1),
    );
  }, 240_000);
});

describe("within 2 s of a folder's deletion", () => {
  const word = "zqtrnkanarimuxq";
  test("no file of the data directory has its transcripts or recordings", async () => {
    const root = await ada.folder();
    const folder = await ada.folder("sub", root);
    const files = filesIn(join(server.data, "files")).length;
    await endOf((await begin(folder, `${word}.vtt`, captions.replaceAll("heron", word))).body.id);
    engine.open();
    await endOf((await begin(folder, `${word}.wav`, recordingOf("vtt", 3))).body.id);
    expect(filesWith(server.data, word).length).toBeGreaterThan(0);
    expect((await ada.send("DELETE", `/folders/${root}`)).status).toBe(204);
    await until(
      () =>
        filesWith(server.data, word).length === 0 &&
        filesIn(join(server.data, "files")).length <= files,
      2_000,
    );
  });

  test("a running transcription is gone with its engine process and file", async () => {
    const folder = await ada.folder();
    const files = filesIn(join(server.data, "files")).length;
    const {
      body: { id },
    } = await begin(folder, `${word}.wav`, recordingOf("slow", 4));
    await until(() => engine.runs("child"));
    expect((await ada.send("DELETE", `/folders/${folder}`)).status).toBe(204);
    await until(
      () =>
        !engine.runs() &&
        !engine.runs("child") &&
        filesWith(server.data, word).length === 0 &&
        filesIn(join(server.data, "files")).length <= files,
      2_000,
    );
    expect((await ada.send("GET", `/transcriptions/${id}`)).status).toBe(404);
  });
});

/** The command in docs/models.md that transcribes English with Debian packages. */
const documented = /command = '''(sh -c [^\n]*pocketsphinx[^\n]*)'''\n/.exec(
  readFileSync(resolve(import.meta.dir, "../../docs/models.md"), "utf8"),
)?.[1];
const installed =
  ["sox", "espeak-ng", "pocketsphinx_continuous"].every((program) => Bun.which(program) !== null) &&
  existsSync("/usr/share/pocketsphinx/model/en-us");

describe("a real engine transcribes real speech", () => {
  test("the documented command exists", () => expect(documented).toContain("{input} {output}"));
  test.skipIf(!installed)(
    "segments have times (skipped unless sox, espeak-ng and pocketsphinx with its English " +
      "model are installed)",
    async () => {
      const directory = mkdtempSync(join(tmpdir(), "dossier-speech-"));
      const say = (words: string, path: string) =>
        Bun.spawnSync(["espeak-ng", "-s", "130", "-w", path, words]);
      say("One two three four five.", join(directory, "a.wav"));
      say("Good morning. The weather is good today.", join(directory, "b.wav"));
      Bun.spawnSync([
        "sox",
        join(directory, "a.wav"),
        join(directory, "b.wav"),
        join(directory, "speech.ogg"),
        "pad",
        "0",
        "2",
      ]);
      await using speaking = await startExecutable({
        env: {
          DOSSIER_TRANSCRIPTION_PROVIDER: "command",
          DOSSIER_TRANSCRIPTION_COMMAND: documented!,
        },
      });
      await speaking.createUser();
      const folder = (await speaking.api("POST", "/folders", { name: "Speech" })).body.id;
      const bytes = new Uint8Array(readFileSync(join(directory, "speech.ogg")));
      rmSync(directory, { recursive: true });
      const {
        body: { id },
      } = await speaking.api(
        "POST",
        `/transcriptions?folder_id=${folder}`,
        formOf("speech.ogg", bytes),
      );
      const { body: run } = await speaking.until(
        `/transcriptions/${id}`,
        ({ body }) => over(body.status),
        { limit_ms: 120_000 },
      );
      expect([run.status, run.error]).toEqual(["completed", null]);
      const { segments } = (await speaking.api("GET", `/transcriptions/${id}/result`)).body;
      expect(segments.length).toBeGreaterThan(0);
      for (const { start, end, text } of segments)
        expect([start < end, end <= run.duration_s, /[a-z]/.test(text)]).toEqual([
          true,
          true,
          true,
        ]);
      const { body: document } = await speaking.until(
        `/documents/${run.document_id}`,
        ({ body }) => body.status !== "syncing",
      );
      expect([document.status, document.media_type]).toEqual(["synced", "audio/ogg"]);
      const {
        body: {
          data: [found],
        },
      } = await speaking.api("POST", "/search", { query: document.content });
      expect([found.time_start, found.time_end]).toEqual([segments[0].start, segments.at(-1).end]);
    },
    180_000,
  );
});
