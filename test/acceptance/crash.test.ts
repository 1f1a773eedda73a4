/**
 * kill -9 at random moments: acknowledged data is kept, unfinished work finishes, and nothing
 * deleted comes back.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { queryDatabase, integrityErrors } from "../helpers/databases";
import { startExecutable, type Executable } from "../helpers/executable";
import { pdf } from "../helpers/pdf";
import { randomNumbers } from "../helpers/random";

const rounds = 20;
const seed = Number(process.env.DOSSIER_TEST_SEED ?? Math.floor(Math.random() * 1e9));
const random = randomNumbers(seed);
const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;

/** What the server has acknowledged and must not lose. */
const documents = new Map<string, { readonly folder: string; readonly word: string }>();
const folders = new Set<string>();
const answers = new Set<string>();
const deleted = new Set<string>();
/** Sent, but the server died before it answered: either outcome is valid. */
const unsure = new Set<string>();
let server: Executable;
let session: string;
let word = 0;

beforeAll(async () => {
  console.log(`seed ${seed}`);
  server = await startExecutable({ env: { DOSSIER_RATE_LIMIT_REQUESTS: "1000000" } });
  await server.createUser();
}, 180_000);
afterAll(() => server?.[Symbol.asyncDispose]());

async function makeFolder(): Promise<void> {
  const { status, body } = await server.api("POST", "/folders", { name: `folder ${word}` });
  if (status === 201) folders.add(body.id);
}
async function addText(): Promise<void> {
  const folder = pick([...folders]);
  const mine = `canary${word++}`;
  const content = `The ${mine} lives in the harbour. `.repeat(1 + Math.floor(random() * 200));
  const { status, body } = await server.api("POST", "/documents", { folder_id: folder, content });
  if (status === 201) documents.set(body.id, { folder, word: mine });
}
async function upload(): Promise<void> {
  const folder = pick([...folders]);
  const mine = `canary${word++}`;
  const form = new FormData();
  const asPdf = random() < 0.3;
  form.append(
    "file",
    asPdf
      ? new File([pdf([[`The ${mine} nests on page one.`], ["Nothing here."]])], `${mine}.pdf`)
      : new File([`The ${mine} sleeps.\n`.repeat(50)], `${mine}.txt`),
  );
  const { status, body } = await server.api("POST", `/documents/file?folder_id=${folder}`, form);
  if (status === 201) documents.set(body.id, { folder, word: mine });
}
async function unlink(): Promise<void> {
  const id = pick([...documents.keys()].filter((document_id) => !unsure.has(document_id)));
  if (id === undefined) return;
  unsure.add(id);
  const { status } = await server.api(
    "DELETE",
    `/documents/${id}?folder_id=${documents.get(id)!.folder}`,
  );
  if (status === 204) {
    deleted.add(id);
    unsure.delete(id);
  }
}
async function deleteFolder(): Promise<void> {
  if (folders.size < 4) return;
  const folder = pick([...folders]);
  folders.delete(folder);
  const inside = [...documents]
    .filter(([, document]) => document.folder === folder)
    .map(([id]) => id);
  inside.forEach((id) => unsure.add(id));
  unsure.add(folder);
  const { status } = await server.api("DELETE", `/folders/${folder}`);
  if (status !== 204) return;
  unsure.delete(folder);
  deleted.add(folder);
  for (const id of inside) {
    deleted.add(id);
    unsure.delete(id);
  }
}
async function ask(): Promise<void> {
  const { status, body } = await server.api("POST", `/chats/${session}/messages`, {
    text: `Where does the canary${Math.floor(random() * word)} live?`,
  });
  if (status === 202) answers.add(body.requestId);
}

/** Runs several clients at once until the server is killed. */
async function work(): Promise<void> {
  const acts = [addText, addText, addText, upload, upload, unlink, deleteFolder, ask, makeFolder];
  let dead = false;
  const client = async () => {
    while (!dead)
      await pick(acts)().catch(() => {
        dead = true;
      });
  };
  const clients = Array.from({ length: 4 }, client);
  await Bun.sleep(50 + random() * 500);
  await server.kill();
  await Promise.all(clients);
}

async function settled(): Promise<void> {
  for (const folder of folders)
    await server.until(`/folders/${folder}`, ({ body }) => body.status_counts?.syncing === 0, {
      limit_ms: 60_000,
    });
  for (const id of answers)
    await server.until(
      `/chats/${session}/messages/${id}`,
      ({ status, body }) => status === 200 && body.status === "COMPLETED",
      { limit_ms: 60_000 },
    );
}

async function verify(): Promise<void> {
  for (const [id, { word: mine, folder }] of documents) {
    if (unsure.has(id) || unsure.has(folder)) continue;
    const { status, body } = await server.api("GET", `/documents/${id}?content=false`);
    // A document added while its folder was being deleted was deleted with it.
    if (deleted.has(id) || deleted.has(folder)) {
      expect([200, 404]).toContain(status);
      continue;
    }
    expect({ id, status, indexed: body.status, error: body.error }).toEqual({
      id,
      status: 200,
      indexed: "synced",
      error: null,
    });
    const found = await server.api("POST", "/search", { query: mine, limit: 1 });
    expect(found.body.data[0]?.document_id).toBe(id);
  }
  for (const id of deleted) {
    const mine = documents.get(id)?.word;
    if (mine === undefined) {
      expect((await server.api("GET", `/folders/${id}`)).status).toBe(404);
      continue;
    }
    const found = await server.api("POST", "/search", { query: mine, limit: 5 });
    expect(found.body.data.filter((passage: any) => passage.document_id === id)).toEqual([]);
  }
}

test(`kill -9, ${rounds} times: nothing acknowledged is lost`, async () => {
  for (let i = 0; i < 3; i++) await makeFolder();
  session = (await server.api("POST", "/chats", { usedFolders: [...folders] })).body.id;
  for (let round = 0; round < rounds; round++) {
    await work();
    await server.restart();
    await settled();
  }
  await verify();
  expect(documents.size).toBeGreaterThan(rounds / 4);
  await server.stop();
  expect(integrityErrors(server.data)).toEqual([]);
  const unfinished = await queryDatabase(
    server.data,
    `select d.id from documents d where d.status = 'syncing' and not exists
    (select 1 from core_jobs j where j.subject = d.id and j.state in ('ready', 'running'))`,
  );
  expect(unfinished).toEqual([]);
}, 300_000);
