/** Uploads in this process: the shared cases, and a reader that finds pages. */
import { heapStats } from "bun:jsc";
import { beforeAll, describe, expect, spyOn, test } from "bun:test";
import { loop_turns } from "../../core/lib/loop-turns";
import { piece_units } from "../../core/lib/text-pieces";
import { originalCases } from "../cases/originals";
import { uploadBodyCases } from "../cases/upload-bodies";
import { uploadCases } from "../cases/uploads";
import { scriptedExtractor, startSoundServer } from "../helpers/documents";
import { form } from "../helpers/forms";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";

describe("uploads", () => uploadCases(startSoundServer));
describe("originals", () => originalCases(startSoundServer));
describe("bodies", () => uploadBodyCases(startSoundServer));

let server: TestServer;
let ada: Person;
const scripted = scriptedExtractor();
beforeAll(async () => {
  server = await startTestServer({ plugins: [scripted.plugin] });
  ada = await person(server, "ada");
});
const file = (id: string) => ada.send("GET", `/documents/${id}/file`);

test("nothing of an upload stays in memory", async () => {
  const folder = await ada.folder();
  const upload = (n: number) =>
    server.send("ada", "POST", `/documents/file?folder_id=${folder}`, form(`${n}.txt`, "#!read\n"));
  const left = () => {
    Bun.gc(true);
    const { arrayBuffers: bytes } = process.memoryUsage();
    return { bytes, signals: heapStats().objectTypeCounts.AbortSignal ?? 0 };
  };
  for (let n = 0; n < 20; n++) await upload(n);
  await server.settle();
  const before = left();
  const uploads = 200;
  for (let n = 0; n < uploads; n++) await upload(20 + n);
  await server.settle();
  const after = left();
  expect(after.signals - before.signals).toBeLessThan(uploads / 2);
  expect(after.bytes - before.bytes).toBeLessThan(uploads * 16 * 1024);
});

test("an upload takes turns with the requests of others every 128 KiB", async () => {
  const folder = await ada.folder();
  const mib = 8;
  const enter = spyOn(loop_turns, "enter");
  const text = `#!read\n${"a".repeat(mib * 2 ** 20)}`;
  const path = `/documents/file?folder_id=${folder}`;
  expect((await server.send("ada", "POST", path, form("long.txt", text))).status).toBe(201);
  const turns = Map.groupBy(enter.mock.calls, ([subject]) => subject);
  enter.mockRestore();
  expect(Math.max(...turns.values().map(({ length }) => length))).toBeGreaterThan(4 * mib);
});

test("an upload is available at once, and found once its text is read", async () => {
  const folder = await ada.folder();
  const bytes = "#!read\nFirst page.\fSecond page.";
  const uploaded = await server.send(
    "ada",
    "POST",
    `/documents/file?folder_id=${folder}`,
    form("survey.bin", bytes, "application/x-survey"),
  );
  const id = uploaded.body.id;
  expect([uploaded.status, uploaded.headers.get("location")]).toEqual([
    201,
    `/api/dev/v1/documents/${id}`,
  ]);
  expect(uploaded.body).toMatchObject({
    name: "survey.bin",
    status: "syncing",
    folder_ids: [folder],
    media_type: "application/x-survey",
    size_bytes: bytes.length,
    version: 1,
    page_count: null,
    sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
    source: { kind: "upload", uri: null, run_id: null },
    error: null,
    synced_at: null,
  });
  await server.settle();
  expect(await ada.get(id)).toMatchObject({
    status: "synced",
    media_type: "text/x-scripted",
    page_count: 2,
    content: "First page.\fSecond page.",
    indexing: { stage: "done", progress: 1, attempts: 1, vectors: "none" },
    synced_at: expect.any(String),
  });
  expect(await ada.found("Second", [folder])).toEqual([id]);
  const original = await file(id);
  expect([original.status, original.text, original.headers.get("content-type")]).toEqual([
    200,
    bytes,
    "text/x-scripted",
  ]);
});

describe("a file whose text has", () => {
  const cases: [pieces: string, units: number][] = [
    ["one piece", piece_units],
    ["slightly more than one piece", piece_units + 1],
    ["as many pieces as are written at once", 24 * piece_units],
    ["more pieces than are written at once", 24 * piece_units + 1],
  ];
  test.each(cases)("%s is indexed to its last word", async (_pieces, units) => {
    const folder = await ada.folder();
    const text = `${"It nests. ".repeat(units).slice(0, units - 8)} fulmar.`;
    const { body } = await server.send(
      "ada",
      "POST",
      `/documents/file?folder_id=${folder}`,
      form("birds.txt", text, "text/plain"),
    );
    await server.settle();
    expect(await ada.get(body.id)).toMatchObject({ status: "synced", error: null, content: text });
    expect(await ada.found("fulmar", [folder])).toEqual([body.id]);
  });
});
