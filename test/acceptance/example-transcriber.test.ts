/**
 * The plugin of examples/transcriber in the built executable: recordings are sent to the server
 * named in its settings.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { resolve } from "node:path";
import { startExecutable, type Executable } from "../helpers/executable";
import { formOf, recordingOf } from "../helpers/recordings";

setDefaultTimeout(60_000);
const heard: { file: string; format: unknown }[] = [];
let status = 200;
const whisper = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const form = await request.formData();
    heard.push({ file: (form.get("file") as File).name, format: form.get("response_format") });
    return new Response("WEBVTT\n\n00:00.000 --> 00:00.900\nThe heron waits for fish.\n", {
      status,
    });
  },
});
let dossier: Executable;
let folder: string;

beforeAll(async () => {
  dossier = await startExecutable({
    files: {
      "plugins/whisper-server.ts": await Bun.file(
        resolve(import.meta.dir, "../../examples/transcriber/plugin.ts"),
      ).text(),
    },
    env: { DOSSIER_WHISPER_SERVER_URL: `http://127.0.0.1:${whisper.port}/inference` },
  });
  await dossier.createUser();
  folder = (await dossier.api("POST", "/folders", { name: "Talks" })).body.id;
}, 180_000);
afterAll(async () => {
  whisper.stop(true);
  await dossier?.[Symbol.asyncDispose]();
});

const transcribed = async (seconds: number) => {
  const { headers } = await dossier.api(
    "POST",
    `/transcriptions?folder_id=${folder}`,
    formOf("talk.wav", recordingOf("none", seconds)),
  );
  return (
    await dossier.until(
      headers.get("location")!,
      ({ body }) => !["pending", "running"].includes(body.status),
    )
  ).body;
};

test("it is loaded and transcribes an upload", async () => {
  expect((await dossier.api("GET", "/health")).body).toMatchObject({ status: "ok", plugins: [] });
  const run = await transcribed(1);
  expect([run.status, run.error, heard]).toEqual([
    "completed",
    null,
    [{ file: "recording", format: "vtt" }],
  ]);
  const { body } = await dossier.until(
    `/documents/${run.document_id}`,
    (answer) => answer.body.status === "synced",
  );
  expect(body.content).toBe("The heron waits for fish.");
});

test("its failure is reported with its own message", async () => {
  status = 400;
  expect((await transcribed(2)).error).toEqual({
    code: "transcriber_failed",
    message: "whisper-server responded with status 400. See its output for the reason.",
  });
});
