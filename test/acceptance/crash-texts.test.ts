/**
 * kill -9 while long texts are sent, indexed, replaced and deleted: acknowledged texts are whole
 * and found, and nothing of the others remains.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { queryDatabase } from "../helpers/databases";
import { startExecutable, type Executable } from "../helpers/executable";
import { randomNumbers } from "../helpers/random";

const rounds = 6;
const seed = Number(process.env.DOSSIER_TEST_SEED ?? Math.floor(Math.random() * 1e9));
const random = randomNumbers(seed);
let server: Executable;
let folder: string;
/** Acknowledged texts by id; uploads by name, with every version that may be current. */
const texts = new Map<string, string>();
const uploads = new Map<string, Set<string>>();

beforeAll(async () => {
  console.log(`seed ${seed}`);
  server = await startExecutable({});
  await server.createUser();
  folder = (await server.api("POST", "/folders", { name: "Long texts" })).body.id;
}, 180_000);
afterAll(() => server?.[Symbol.asyncDispose]());

let words = 0;
const longText = () =>
  `The canary${words++} 🪶 nests here. `.repeat(20_000 + Math.floor(random() * 60_000));

async function send(): Promise<void> {
  const content = longText();
  const { status, body } = await server.api("POST", "/documents", { folder_id: folder, content });
  if (status === 201) texts.set(body.id, content);
}
async function replace(): Promise<void> {
  const content = longText();
  const name = "long.txt";
  const form = new FormData();
  form.append("file", new File([content], name));
  const known = uploads.get(name) ?? new Set();
  uploads.set(name, known.add(content));
  await server.api("POST", `/documents/file?folder_id=${folder}&overwrite=true`, form);
}
async function removeFolder(): Promise<void> {
  const created = await server.api("POST", "/folders", { name: "for a moment" });
  const body = { folder_id: created.body.id, content: longText() };
  await server.api("POST", "/documents", body);
  await server.api("DELETE", `/folders/${created.body.id}`);
}

/** Checks every text once indexing has finished. */
async function expectWhole(): Promise<void> {
  const { body } = await server.until(
    `/documents?folder_id=${folder}&per_page=200`,
    ({ body: list }) => list.data.every(({ status }: { status: string }) => status !== "syncing"),
    { limit_ms: 60_000 },
  );
  const ids = new Set<string>(body.data.map(({ id }: { id: string }) => id));
  for (const { id, name } of body.data) {
    const { content } = (await server.api("GET", `/documents/${id}`)).body;
    const expected = texts.get(id);
    if (expected !== undefined) expect(content === expected).toBe(true);
    else if (uploads.has(name)) expect(uploads.get(name)!.has(content)).toBe(true);
  }
  for (const [id, content] of texts) {
    expect(ids.has(id)).toBe(true);
    const query = /canary\d+/.exec(content)![0];
    const found = await server.api("POST", "/search", { query, folder_ids: [folder], limit: 1 });
    const [passage] = found.body.data;
    expect(passage.document_id).toBe(id);
    expect([...content].slice(passage.start, passage.end).join("")).toBe(passage.quote);
  }
}

test("acknowledged long texts survive kills and nothing else is left over", async () => {
  for (let round = 0; round < rounds; round++) {
    const work = Promise.allSettled([send(), send(), replace(), removeFolder()]);
    await Bun.sleep(random() * 700);
    await server.kill();
    await work;
    await server.restart();
  }
  await expectWhole();
  await server.untilTrue(
    async () => (await server.api("GET", "/health")).body.purging.documents === 0,
    60_000,
  );
  // The clean-up after a start takes a moment; until then rows look left over.
  await server.untilTrue(async () => (await leftOver()) === 0, 60_000);
  await server.stop();
  expect(await leftOver()).toBe(0);
}, 240_000);

/** Counts pieces of texts without a version, and index data without a document. */
async function leftOver(): Promise<number> {
  const [row] = await queryDatabase<{ n: number }>(
    server.data,
    `select
      (select count(*) from texts_pieces p where not exists (
        select 1 from documents_versions v where p.id >= v.text_id
          and p.id < v.text_id + (v.text_units + 16383) / 16384)) +
      (select count(*) from index_segments s where not exists (
        select 1 from index_documents d where d.edition = s.edition)) +
      (select count(*) from texts_unused) +
      (select count(*) from index_staged) as n`,
  );
  return row!.n;
}
