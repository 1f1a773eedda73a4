/**
 * Acceptance, on the executable: a deleted user is gone at once, and their data disappears from
 * every file of the data directory, even if the server is killed.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { filesOf } from "../helpers/data-directory";
import { queryDatabase, columnsIn, placesWith, corruptDatabase } from "../helpers/databases";
import { startExecutable, type Executable } from "../helpers/executable";
import { form } from "../helpers/forms";
import { person, type Person } from "../helpers/person";
import { captions, formOf } from "../helpers/recordings";
import { until } from "../helpers/server";

const password = "correct horse battery staple";
let server: Executable;
let bob: Person;
beforeAll(async () => {
  server = await startExecutable({ env: { DOSSIER_WEBHOOKS_ALLOW_NETWORKS: "127.0.0.0/8" } });
  bob = await person(server, "bob");
}, 180_000);
afterAll(() => server?.[Symbol.asyncDispose]());

let count = 0;
/** A unique word that no stemmer shortens. */
const newWord = (): string => `zq${(count++).toString(36)}xkanarimuxq`;
const shared = "The same bytes, in two accounts.";

/** Creates one record of every kind, each with the word. */
async function fill(ada: Person, word: string): Promise<void> {
  const folder = await ada.folder(`${word} folder`);
  const sub = await ada.folder(`${word} subfolder`, folder);
  await ada.create("/folders", { name: "Empty", description: `About ${word}.` });
  await ada.text(folder, `The ${word} waits in the harbour.`, `${word} text`);
  await ada.upload(sub, `${word}.txt`, `The ${word} was lifted at noon.`);
  await ada.upload(folder, "shared.txt", shared);
  const taken = await ada.text(folder, `A ${word} that was taken out.`);
  await ada.send("DELETE", `/documents/${taken.id}?folder_id=${folder}`);
  const prompt = await ada.create("/prompts", { name: word, text: `Speak of ${word}.` });
  const chat = { name: word, usedFolders: [folder], usedPrompts: [prompt.id] };
  const [open, deleted] = [await ada.create("/chats", chat), await ada.create("/chats", chat)];
  for (const { id } of [open, deleted]) await ada.ask(id, `Where does the ${word} wait?`);
  await ada.send("DELETE", `/chats/${deleted.id}`);
  await ada.create("/webhooks", {
    event_type: "import.finished",
    url: `http://127.0.0.1:9/${word}`,
  });
  await ada.send("POST", "/imports", {
    folder_id: folder,
    source: { type: "urls", urls: [`http://192.0.2.1/${word}`] },
  });
  await ada.send("POST", `/imports/files?folder_id=${folder}`, form(`${word}.md`, word));
  await ada.create("/import-schedules", {
    folder_id: folder,
    source: { type: "urls", urls: [`http://192.0.2.1/${word}`] },
    every: "0 6 * * *",
  });
  await ada.send(
    "POST",
    `/transcriptions?folder_id=${folder}`,
    formOf(`${word}.vtt`, `${captions}\n\n01:00.000 --> 01:01.000\nThe ${word} speaks.\n`),
  );
}

/** Tables with rows of the user, except the audit log, deletions and jobs. */
async function rowsOf(user_id: string): Promise<string[]> {
  const kept_tables = ["audit_entries", "accounts_deletions", "core_jobs"];
  const named = (await columnsIn(server.data)).filter(
    ({ table, column }) => ["owner_id", "user_id"].includes(column) && !kept_tables.includes(table),
  );
  const found = new Set<string>();
  for (const { table, column } of named) {
    const text = `select 1 as one from ${table} where ${column} = '${user_id}'`;
    if ((await queryDatabase(server.data, text)).length > 0) found.add(table);
  }
  return [...found];
}
const nothingLeft = async (user_id: string, word: string): Promise<boolean> =>
  (await placesWith(server.data, word)).length === 0 && (await rowsOf(user_id)).length === 0;

const idOf = async (email: string): Promise<string> =>
  JSON.parse(await server.mustCli(["user", "list", "--json"])).find(
    (user: any) => user.email === email,
  )?.id;

test("a user's access ends at once, their data soon; others lose nothing", async () => {
  const word = newWord();
  const ada = await person(server, "ada");
  const theirs = await bob.folder();
  const { id } = (await bob.upload(theirs, "mine.txt", shared)).body;
  await bob.settled(id);
  await fill(ada, word);
  const user_id = await idOf("ada@example.com");
  expect((await placesWith(server.data, word)).length).toBeGreaterThan(0);
  expect((await rowsOf(user_id)).length).toBeGreaterThan(8);
  await server.mustCli(["user", "delete", "--email", "ADA@example.com", "--yes"]);
  expect((await ada.send("GET", "/folders")).status).toBe(401);
  expect(await idOf("ada@example.com")).toBeUndefined();
  await until(() => nothingLeft(user_id, word));
  expect(filesOf(server.data)).toHaveLength(1);
  expect((await bob.send("GET", `/documents/${id}/file`)).text).toBe(shared);
  expect(await bob.found("bytes")).toEqual([id]);
  const { body } = await server.api("GET", "//health");
  expect([body.status, body.purging.documents]).toEqual(["ok", 0]);
}, 60_000);

test.each([0, 40, 160])(
  "a deletion interrupted by a kill after %d ms completes after the restart",
  async (after_ms) => {
    const word = newWord();
    const who = `eve${after_ms}`;
    await fill(await person(server, who), word);
    const user_id = await idOf(`${who}@example.com`);
    await server.mustCli(["user", "delete", "--email", `${who}@example.com`, "--yes"]);
    await Bun.sleep(after_ms);
    await server.kill();
    await server.restart();
    await until(() => nothingLeft(user_id, word));
  },
  60_000,
);

test("rows left by a request during the deletion are removed at the next start", async () => {
  await person(server, "mel");
  const user_id = await idOf("mel@example.com");
  await server.mustCli(["user", "delete", "--email", "mel@example.com", "--yes"]);
  await server.stop();
  await corruptDatabase(
    server.data,
    "insert into prompts (id, owner_id, name, text, created_at, updated_at) values (?, ?, ?, ?, 1, 1)",
    ["prm_late", user_id, "late", "late"],
  );
  await server.restart();
  await until(async () => (await rowsOf(user_id)).length === 0);
}, 60_000);

test("deleting requires typing the user's email", async () => {
  const del = ["user", "delete", "--email", "kim@example.com"];
  await server.mustCli(["user", "create", "--email", "kim@example.com", "--password-stdin"], {
    stdin: password,
  });
  for (const stdin of ["", "yes\n", "bob@example.com\n"]) {
    const result = await server.cli(del, { stdin });
    expect([result.code, result.stderr]).toEqual([
      1,
      expect.stringContaining("Nothing was deleted"),
    ]);
  }
  expect(await server.mustCli(del, { stdin: "kim@example.com\n" })).toStartWith("Deleted kim@");
  expect((await server.cli(del)).code).toBe(1);
});

test("the last administrator can't be deleted", async () => {
  for (const name of ["one", "two"]) {
    const words = ["user", "create", "--email", `${name}@example.com`, "--role", "admin"];
    await server.mustCli([...words, "--password-stdin"], { stdin: password });
  }
  await server.mustCli(["user", "delete", "--email", "one@example.com", "--yes"]);
  const result = await server.cli(["user", "delete", "--email", "two@example.com", "--yes"]);
  expect([result.code, result.stderr]).toEqual([1, expect.stringContaining("last active admin")]);
});
