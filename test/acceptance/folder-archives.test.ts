/**
 * Acceptance: a folder of mixed documents is moved between servers by the command line, gives the
 * same results there, and survives a kill during the import.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryDirectory } from "../helpers/data-directory";
import { queryDatabase } from "../helpers/databases";
import { startEmbedder } from "../helpers/embedder";
import { startExecutable, type Executable } from "../helpers/executable";
import { docx, wp } from "../helpers/office";

const handbook = join(import.meta.dir, "../../examples/handbook/handbook.pdf");
const texts_count = 40;
const uploads_count = 18;
const scratch = temporaryDirectory();
const file = join(scratch, "harbour.zip");
const subjects = ["mooring", "ceramic filter", "captain", "lighthouse", "anchor", "tide"];
const sentence = (n: number): string =>
  `The ${subjects[n % subjects.length]} of berth ${n} is checked on day ${n * 7}. 😀 `;

let one: Executable;
let two: Executable;
let embedder: ReturnType<typeof startEmbedder>;
let folder_id: string;
beforeAll(async () => {
  embedder = startEmbedder();
  const env = {
    DOSSIER_EMBEDDINGS_BASE_URL: embedder.url,
    DOSSIER_EMBEDDINGS_MODEL: "small",
    DOSSIER_EMBEDDINGS_API_KEY: "sk-of-the-test",
  };
  [one, two] = await Promise.all([startExecutable({ env }), startExecutable({ env })]);
  await one.createUser();
  await two.createUser("bob@example.com");
  folder_id = (await one.api("POST", "/folders", { name: "Harbour" })).body.id;
  const sub = (await one.api("POST", "/folders", { name: "Berths", parentId: folder_id })).body.id;
  for (let n = 0; n < texts_count; n++)
    await one.api("POST", "/documents", {
      folder_id: n % 2 ? folder_id : sub,
      name: `Note ${n}`,
      content: sentence(n).repeat(1 + (n % 30)),
    });
  const upload = async (name: string, bytes: Blob) => {
    const form = new FormData();
    form.append("file", bytes, name);
    await one.api("POST", `/documents/file?folder_id=${sub}`, form);
  };
  await upload("handbook.pdf", Bun.file(handbook));
  await upload("letter.docx", new Blob([docx(wp(sentence(1_000))) as never]));
  for (let n = 0; n < uploads_count; n++)
    await upload(`page ${n}.html`, new Blob([`<h1>Berth ${n}</h1><p>${sentence(n)}</p>`]));
  await one.until(
    `/folders/${sub}`,
    ({ body }) => body.status_counts.syncing === 0 && body.document_count === 40,
    { limit_ms: 60_000 },
  );
  await one.untilTrue(async () => (await waiting(one)) === 0, 60_000);
  const { body: chat } = await one.api("POST", "/chats", { usedFolders: [folder_id] });
  for (const text of ["How often is the ceramic filter replaced?", "When is berth 3 checked?"]) {
    const { body } = await one.api("POST", `/chats/${chat.id}/messages`, { text });
    await one.until(`/chats/${chat.id}/messages/${body.requestId}`, (answer) => answer.body.result);
  }
}, 180_000);
afterAll(async () => {
  await one?.[Symbol.asyncDispose]();
  await two?.[Symbol.asyncDispose]();
  void embedder?.stop();
});

const rowsOf = ({ data }: Executable, sql: string): Promise<any[]> => queryDatabase(data, sql);
const countOf = async (server: Executable, sql: string): Promise<number> =>
  (await rowsOf(server, sql)).length;
const waiting = (server: Executable): Promise<number> =>
  countOf(server, "select 1 as one from index_vectors_waiting");
const listOf = async (server: Executable, path: string): Promise<any[]> =>
  (await server.api("GET", `${path}${path.includes("?") ? "&" : "?"}per_page=200`)).body.data;
const unfinished_imports = "select id from folder_archives_imports where finished_at is null";
const staged_documents =
  "select id from documents where held_by in (select id from folders where staged = 1)";
const facts = (citations: any[], source: (id: string) => string) =>
  citations.map(({ document_id, folder_id: folder, url: _url, ...rest }) => ({
    ...rest,
    document: source(document_id),
    folder: source(folder),
  }));
/** Maps new ids to the old ones. */
async function sourceIds(import_id: string): Promise<(id: string) => string> {
  const ids = new Map<string, string>(
    (await listOf(two, `/folder-imports/${import_id}/ids`)).map(({ id, source_id }) => [
      id,
      source_id,
    ]),
  );
  return (id) => ids.get(id) ?? "?";
}

test("a folder moves to another server without being read or embedded again", async () => {
  expect(await one.mustCli(["export", "--folder", "harbour", "--to", file])).toContain(file);
  const repeated = await one.cli(["export", "--folder", "harbour", "--to", file]);
  expect([repeated.code, repeated.stderr]).toEqual([1, expect.stringContaining("already exists")]);
  const calls_before = embedder.asked.length;
  const run = JSON.parse(await two.mustCli(["import", file, "--json"]));
  expect(run).toMatchObject({ status: "completed", document_count: 60, error: null });
  expect(embedder.asked.length).toBe(calls_before);
  expect(await waiting(two)).toBe(0);
  const jobs = (await rowsOf(two, "select distinct name from core_jobs")).map(({ name }) => name);
  expect(jobs.filter((name) => name.startsWith("documents.index"))).toEqual([]);

  const source = await sourceIds(run.id);
  for (const query of ["ceramic filter", "berth 3", "captain", "letter", "tide on day 77"]) {
    const [before, after] = await Promise.all(
      [one, two].map(async (server) => (await server.api("POST", "/search", { query })).body.data),
    );
    expect(before.length).toBeGreaterThan(0);
    expect(facts(after, source)).toEqual(facts(before, (id) => id));
  }
  const [chat] = await listOf(two, "/chats");
  const [before, after] = [
    await listOf(one, `/chats/${source(chat.id)}/messages`),
    await listOf(two, `/chats/${chat.id}/messages`),
  ];
  expect(after.length).toBe(2);
  for (const of of ["citations", "related"])
    expect(after.map(({ result }) => facts(result[of], source))).toEqual(
      before.map(({ result }) => facts(result[of], (id) => id)),
    );
  for (const { result } of after)
    for (const { url, quote, start, end } of [...result.citations, ...result.related]) {
      const { content } = (await two.api("GET", url)).body;
      expect([...content].slice(start, end).join("")).toBe(quote);
    }
}, 120_000);

test("after a kill during an import, either everything or nothing is visible", async () => {
  const before = (await listOf(two, "/folders")).length;
  const archive = await Bun.file(file).bytes();
  for (let kills = 0; kills < 3; kills++) {
    const { status, body } = await two.api("POST", "/folders/import", archive, {
      headers: { "content-type": "application/zip" },
    });
    expect(status).toBe(202);
    // Or the import finished before it could be observed.
    await two.untilTrue(
      async () =>
        (await countOf(two, staged_documents)) > kills * 5 ||
        (await countOf(two, unfinished_imports)) === 0,
    );
    const [staged] = await rowsOf(two, `${staged_documents} limit 1`);
    const seen = staged && (await two.api("GET", `/documents/${staged.id}`));
    if (seen?.status !== 404)
      expect((await two.api("GET", `/folder-imports/${body.id}`)).body.status).toBe("completed");
    await two.kill();
    await two.restart();
    const { body: run } = await two.until(
      `/folder-imports/${body.id}`,
      (answer) => answer.body.status === "completed",
      { limit_ms: 60_000 },
    );
    expect(run.completed_document_count).toBe(60);
  }
  const folders = await listOf(two, "/folders");
  expect(folders.length).toBe(before + 6);
  expect(folders.map(({ document_count }) => document_count)).toEqual(
    Array(folders.length).fill(expect.any(Number)),
  );
  await two.until("/health", ({ body }) => body.purging.documents === 0);
  await two.untilTrue(
    async () => (await countOf(two, "select id from folders where deleted_at is not null")) === 0,
  );
  // Four imports of 60 documents, and no rows of interrupted attempts.
  expect(await countOf(two, "select id from documents")).toBe(240);
  expect(await countOf(two, "select document_id from index_documents")).toBe(
    await countOf(two, "select id from documents where status = 'synced'"),
  );
  expect(await countOf(two, "select id from chats")).toBe(4);
  await two.mustCli(["doctor"]);
}, 180_000);

test("the import command explains what is wrong with a file", async () => {
  const torn = join(scratch, "torn.zip");
  await Bun.write(torn, (await Bun.file(file).bytes()).slice(0, 5_000));
  const { code, stderr } = await two.cli(["import", torn]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("it is cut off")]);
  const missing = await two.cli(["import", join(scratch, "none.zip")]);
  expect([missing.code, missing.stderr]).toEqual([
    1,
    expect.stringMatching(/There is no file .*none\.zip\.\n$/),
  ]);
}, 60_000);
