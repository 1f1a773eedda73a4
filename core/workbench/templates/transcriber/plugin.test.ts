/** Tests of my plugin, on a server of their own: `dossier plugin test`. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startDossier, type Dossier } from "dossier/test";

let dossier: Dossier;
let folder_id: string;
beforeAll(async () => {
  // The receiver of the test plays the service.
  dossier = await startDossier({
    env: ({ receiver }) => ({ DOSSIER_MY_PLUGIN_URL: `${receiver.url}/inference` }),
  });
  folder_id = await dossier.folder("ada", "Talks");
});
afterAll(() => dossier.stop());

/** Silence, as a WAV file. */
function recordingOf(seconds: number): Uint8Array<ArrayBuffer> {
  const rate = 8_000;
  const size = rate * 2 * seconds;
  const head = Buffer.from("RIFF\0\0\0\0WAVEfmt ".padEnd(36, "\0") + "data\0\0\0\0", "latin1");
  head.writeUInt32LE(36 + size, 4);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.writeUInt32LE(size, 40);
  return new Uint8Array(Buffer.concat([head, Buffer.alloc(size)]));
}

/** The run of a transcription, once it has ended. */
async function transcribed(seconds: number) {
  const form = new FormData();
  form.set("file", new File([recordingOf(seconds)], "talk.wav"));
  const path = `/transcriptions?folder_id=${folder_id}`;
  const { headers } = await dossier.send("ada", "POST", path, form);
  return dossier.until(async () => {
    const run = (await dossier.send("ada", "GET", headers.get("location")!)).body;
    return ["pending", "running"].includes(run.status) ? null : run;
  });
}

test("a recording becomes a document with what the service hears", async () => {
  const heard = "WEBVTT\n\n00:00.000 --> 00:00.900\nThe heron waits for fish.\n";
  dossier.receiver.answers(() => new Response(heard));
  const run = await transcribed(1);
  expect(run).toMatchObject({ status: "completed", error: null });
  const document = await dossier.until(async () => {
    const { body } = await dossier.send("ada", "GET", `/documents/${run.document_id}`);
    return body.status === "synced" ? body : null;
  });
  expect(document.content).toBe("The heron waits for fish.");
  expect(dossier.receiver.received).toHaveLength(1);
});

test("what the service refuses is told in words", async () => {
  dossier.receiver.answers(() => new Response("no", { status: 400 }));
  expect((await transcribed(2)).error).toEqual({
    code: "transcriber_failed",
    message: "The transcription service answered with status 400.",
  });
});
