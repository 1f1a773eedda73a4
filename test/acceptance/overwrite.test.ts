/**
 * Acceptance, on the executable: an overwrite keeps the old version answering until the new one is
 * there, or for good when it fails.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectHas, expectProblem, expectRecord } from "../helpers/contract";
import { filesWith, temporaryFiles } from "../helpers/data-directory";
import { startExecutable, type Executable } from "../helpers/executable";
import { filePart, multipart } from "../helpers/forms";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";
import { setStage } from "../helpers/stage";

let server: Executable;
let ada: Person;
let folder: string;
const stage = setStage();
const sha256 = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");
const record = async (id: string) => (await ada.send("GET", `/documents/${id}`)).body;
const original = async (id: string) => (await ada.send("GET", `/documents/${id}/file`)).body;

beforeAll(async () => {
  server = await startExecutable({
    env: { ...stage.env, DOSSIER_DOCUMENTS_UPLOAD_BYTES_MAX: "1MiB" },
  });
  ada = await person(server, "ada");
  folder = await ada.folder();
}, 180_000);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  stage[Symbol.dispose]();
});

/** A document of one good version. */
async function standing(name: string, word: string): Promise<string> {
  const { body } = await ada.upload(folder, name, `The ${word} was here first.`);
  await ada.settled(body.id);
  return body.id;
}
/** The old version answers everywhere, whatever the record says of the new one. */
async function expectOld(id: string, word: string, more: object): Promise<void> {
  const now = await record(id);
  const { content: _content, ...rest } = now;
  expectRecord("document", rest);
  expectHas(now, { content: `The ${word} was here first.`, ...more });
  expect(await original(id)).toBe(`The ${word} was here first.`);
  expect(await ada.found(word)).toEqual([id]);
}

describe("an overwrite", () => {
  test("keeps the id, counts the version, and switches in one moment when it is indexed", async () => {
    const id = await standing("report.txt", "kakapo");
    const chat = (await ada.made("/chats", { usedFolders: [folder] })).id;
    const next = "#!hold switch\nThe takahe came later.";
    const answer = await ada.upload(folder, "report.txt", next, "&overwrite=true");
    expect([answer.status, answer.headers.get("location")]).toEqual([
      200,
      `/api/dev/v1/documents/${id}`,
    ]);
    expectRecord("document", answer.body);
    const fresh = {
      id,
      status: "syncing",
      version: 2,
      size_bytes: next.length,
      sha256: sha256(next),
      error: null,
    };
    expectHas(answer.body, fresh);
    await ada.send("POST", "/search", { query: "takahe" });
    await expectOld(id, "kakapo", fresh);
    expectHas((await ada.ask(chat, "cite kakapo")).citations[0], {
      document_id: id,
      document_version: 1,
      quote: "The kakapo was here first.",
      stale: false,
    });
    expect(await ada.found("takahe")).toEqual([]);
    expect(
      (await ada.send("GET", `/documents?folder_id=${folder}&status=syncing`)).body.data.map(
        (one: any) => one.id,
      ),
    ).toEqual([id]);
    await until(async () => (await record(id)).indexing.stage === "extracting");
    expectHas((await record(id)).indexing, { attempts: 1, progress: expect.any(Number) });
    expect((await ada.send("GET", `/folders/${folder}`)).body.status_counts.syncing).toBe(1);

    stage.open("switch");
    expectHas(await ada.settled(id), {
      ...fresh,
      status: "synced",
      content: "The takahe came later.",
      indexing: { stage: "done", progress: 1 },
    });
    expect([await original(id), await ada.found("kakapo"), await ada.found("takahe")]).toEqual([
      next,
      [],
      [id],
    ]);
    const [{ result }] = (await ada.send("GET", `/chats/${chat}/messages`)).body.data;
    expectHas(result.citations[0], {
      document_version: 1,
      quote: "The kakapo was here first.",
      stale: true,
    });
    await until(() =>
      filesWith(server.data, "The kakapo was here first.").every((path) =>
        path.startsWith("dossier.db"),
      ),
    );
  });

  test("of nothing creates", async () => {
    const answer = await ada.upload(folder, "new.txt", "New.", "&overwrite=true");
    expect([answer.status, answer.body.version]).toEqual([201, 1]);
  });
  test("overwrite=false is no overwrite", async () => {
    await standing("false.txt", "weka");
    expectProblem(await ada.upload(folder, "false.txt", "x", "&overwrite=false"), 409);
  });
  test("of a text replaces the newest of that name, and makes it an upload", async () => {
    const [older, newer] = [
      await ada.text(folder, "The older text.", "text.txt"),
      await ada.text(folder, "The newer text.", "text.txt"),
    ];
    const answer = await ada.upload(folder, "text.txt", "The upload.", "&overwrite=true");
    expect([answer.status, answer.body.id, answer.body.version, answer.body.source.kind]).toEqual([
      200,
      newer.id,
      2,
      "upload",
    ]);
    expect([(await ada.settled(newer.id)).content, (await record(older.id)).content]).toEqual([
      "The upload.",
      "The older text.",
    ]);
    expectProblem(await ada.upload(folder, "text.txt", "x"), 409);
  });
  test("in another composition of the letters is one", async () => {
    const id = await standing("caf\u00e9.txt", "kiwi");
    const answer = await ada.upload(folder, "cafe\u0301.txt", "The moa.", "&overwrite=true");
    expect([answer.status, answer.body.id]).toEqual([200, id]);
  });
  test("with the same bytes is a new version all the same", async () => {
    const id = await standing("same.txt", "tui");
    expectHas(
      (await ada.upload(folder, "same.txt", "The tui was here first.", "&overwrite=true")).body,
      { id, version: 2, status: "syncing" },
    );
    expectHas(await ada.settled(id), { status: "synced", content: "The tui was here first." });
    expect([await original(id), await ada.found("tui")]).toEqual(["The tui was here first.", [id]]);
  });
  test("while another is in work replaces that one", async () => {
    const id = await standing("again.txt", "rifleman");
    expect(
      (
        await ada.upload(
          folder,
          "again.txt",
          "#!hold never\nThe second version.",
          "&overwrite=true",
        )
      ).body.version,
    ).toBe(2);
    await until(async () => (await record(id)).indexing.stage === "extracting");
    expect(
      (await ada.upload(folder, "again.txt", "#!hold third\nThe third version.", "&overwrite=true"))
        .body.version,
    ).toBe(3);
    await expectOld(id, "rifleman", { version: 3, status: "syncing" });
    stage.open("third");
    expectHas(await ada.settled(id), {
      status: "synced",
      version: 3,
      content: "The third version.",
    });
    stage.open("never");
    expect((await ada.send("POST", `/documents/${id}/reindex`)).body.version).toBe(3);
    expectHas(await ada.settled(id), {
      status: "synced",
      version: 3,
      content: "The third version.",
    });
    expect(await ada.found("second")).not.toContain(id);
  });
});

describe("an overwrite that fails", () => {
  for (const code of [
    "unsupported_type",
    "too_large",
    "encrypted",
    "corrupt",
    "empty",
    "timeout",
    "out_of_memory",
    "extract_failed",
    "cancelled",
  ])
    test(`with ${code} leaves the old text answering, and says so`, async () => {
      const word = `w${code.replaceAll("_", "")}`;
      const id = await standing(`${code}.txt`, word);
      const bad = `#!fail ${code}\n`;
      expect((await ada.upload(folder, `${code}.txt`, bad, "&overwrite=true")).status).toBe(200);
      await ada.settled(id);
      const failed = {
        status: "sync_failed",
        version: 2,
        size_bytes: bad.length,
        sha256: sha256(bad),
        error: { code, message: `It says ${code}.` },
      };
      await expectOld(id, word, failed);
      expect((await ada.send("POST", `/documents/${id}/reindex`)).body.status).toBe("syncing");
      await ada.settled(id);
      await expectOld(id, word, failed);
    });
  test("is mended by the next", async () => {
    const id = await standing("mended.txt", "kea");
    await ada.upload(folder, "mended.txt", "#!fail corrupt\n", "&overwrite=true");
    await ada.settled(id);
    await ada.upload(folder, "mended.txt", "The kaka.", "&overwrite=true");
    expectHas(await ada.settled(id), {
      status: "synced",
      version: 3,
      content: "The kaka.",
      error: null,
    });
    expect([await ada.found("kea"), await ada.found("kaka")]).toEqual([[], [id]]);
  });
});

describe("a limit for uploads that the operator sets", () => {
  const bytes = (count: number) => new Uint8Array(count).fill(0x20);
  /** A body of no announced length. */
  const streamed = ({ body, headers }: ReturnType<typeof multipart>) =>
    ada.send(
      "POST",
      `/documents/file?folder_id=${folder}`,
      new ReadableStream({
        start(controller) {
          controller.enqueue(body);
          controller.close();
        },
      }),
      headers,
    );
  const cases: [string, number, number][] = [
    ["at the limit", 2 ** 20, 201],
    ["a byte above it", 2 ** 20 + 1, 413],
    ["far above it", 4 * 2 ** 20, 413],
  ];
  for (const [why, size, status] of cases)
    for (const announced of [true, false])
      test(`${why}, ${announced ? "of announced length" : "in chunks"}: ${status}`, async () => {
        const name = `${size}-${announced}.txt`;
        const body = multipart({ headers: filePart(name), body: bytes(size) });
        const answer = announced
          ? await ada.send("POST", `/documents/file?folder_id=${folder}`, body.body, body.headers)
          : await streamed(body);
        if (status === 201)
          return expect([answer.status, answer.body.size_bytes]).toEqual([201, size]);
        expectProblem(answer, 413, /1 MiB|1,?048,?576/);
        expect(await ada.names(folder, `&name=${name}`)).toEqual([]);
        await until(() => temporaryFiles(server.data).length === 0);
      });
});

test("a fault that passes is tried again by itself, as syncing all the while", async () => {
  const { body } = await ada.upload(
    folder,
    "stumbles.txt",
    "#!stumble once\nThe saddleback sings.",
  );
  const seen = new Set<string>();
  await until(async () => {
    const { status, error } = await record(body.id);
    seen.add(`${status} ${error}`);
    return status !== "syncing";
  }, 15_000);
  expect([...seen]).toEqual(["syncing null", "synced null"]);
  expectHas(await record(body.id), { content: "The saddleback sings.", indexing: { attempts: 2 } });
}, 30_000);

test("a document in work goes on after a restart, and one that is taken out of its folder meanwhile is found nowhere", async () => {
  const [stays, leaves] = [
    (await ada.upload(folder, "stays.txt", "#!hold restart\nThe stitchbird stays.")).body,
    (await ada.upload(folder, "leaves.txt", "#!hold restart\nThe stitchbird leaves.")).body,
  ];
  await until(async () => (await record(leaves.id)).indexing.stage === "extracting");
  await ada.send("DELETE", `/documents/${leaves.id}?folder_id=${folder}`);
  await server.restart();
  expect((await record(stays.id)).status).toBe("syncing");
  stage.open("restart");
  expect([(await ada.settled(stays.id)).status, (await ada.settled(leaves.id)).status]).toEqual([
    "synced",
    "synced",
  ]);
  expect(await ada.found("stitchbird")).toEqual([stays.id]);
  await ada.send("POST", `/documents/${leaves.id}/restore?folder_id=${folder}`);
  expect((await ada.found("stitchbird")).toSorted()).toEqual([stays.id, leaves.id].sort());
}, 60_000);

test("a folder that is deleted while its documents are in work takes them along", async () => {
  const doomed = await ada.folder();
  const { body } = await ada.upload(doomed, "doomed.txt", "#!hold doomed\nThe huia is gone.");
  await until(async () => (await record(body.id)).indexing.stage === "extracting");
  expect((await ada.send("DELETE", `/folders/${doomed}`)).status).toBe(204);
  expectProblem(await ada.send("GET", `/documents/${body.id}`), 404);
  stage.open("doomed");
  await until(() => filesWith(server.data, "The huia is gone.").length === 0, 2_000);
  expect(await ada.found("huia")).toEqual([]);
});
