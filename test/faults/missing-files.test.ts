/**
 * Files that are moved, replaced, deleted or damaged while the server has them open: nothing is
 * acknowledged that the next start would not find, the fault is reported, and the server recovers
 * by itself when the files are back.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, renameSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { startExecutable, type Executable } from "../helpers/executable";

let server: Executable;
let folder_id: string;
let kept_id: string;
const acknowledged: string[] = [];
const at = (name: string): string => join(server.data, name);
const aside = (name: string): string => `${at(name)}.aside`;

beforeAll(async () => {
  server = await startExecutable();
  folder_id = (await server.send("ada", "POST", "/folders", { name: "Birds" })).body.id;
  kept_id = (await upload("kept")).body.id;
  await server.until(`/documents/${kept_id}`, ({ body }) => body.status === "synced");
});
afterAll(() => server[Symbol.asyncDispose]());

async function upload(name: string) {
  const form = new FormData();
  form.append("file", new File([`The gannet ${name} nests on the cliff.`], `${name}.txt`));
  const answer = await server.send("ada", "POST", `/documents/file?folder_id=${folder_id}`, form);
  if (answer.status === 201) acknowledged.push(answer.body.id);
  return answer;
}
async function note() {
  const content = `The gannet ${acknowledged.length} nests on the cliff.`;
  const answer = await server.send("ada", "POST", "/documents", { folder_id, content });
  if (answer.status === 201) acknowledged.push(answer.body.id);
  return answer;
}
const original = () => server.send("ada", "GET", `/documents/${kept_id}/file`);
const list = () => server.send("ada", "GET", "/folders");
const health = async (): Promise<any> => (await fetch(`${server.url()}/health`)).json();

/** The request sent while it is missing, and the status of the response. */
type Asked = [ask: () => Promise<{ status: number }>, status: number];
type Case = [why: string, take: () => void, putBack: () => void, said: RegExp, asked: Asked[]];
const cases: Case[] = [
  [
    "the database, moved to another place",
    () => renameSync(at("dossier.db"), aside("dossier.db")),
    () => renameSync(aside("dossier.db"), at("dossier.db")),
    /dossier\.db was moved, replaced or deleted/,
    [
      [note, 503],
      [() => upload("late"), 503],
      [original, 200],
      [list, 200],
    ],
  ],
  [
    "the database, replaced by a copy of it",
    () => {
      renameSync(at("dossier.db"), aside("dossier.db"));
      copyFileSync(aside("dossier.db"), at("dossier.db"));
    },
    () => renameSync(aside("dossier.db"), at("dossier.db")),
    /dossier\.db was moved, replaced or deleted/,
    [
      [note, 503],
      [list, 200],
    ],
  ],
  [
    "the directory of original files, as when its disk is not mounted",
    () => renameSync(at("files"), aside("files")),
    () => renameSync(aside("files"), at("files")),
    /original files can't be reached: ENOENT/,
    [
      [() => upload("late"), 503],
      [original, 503],
      [note, 201],
      [list, 200],
    ],
  ],
];

describe("missing while the server runs:", () => {
  for (const [why, take, putBack, message, question] of cases)
    test(why, async () => {
      take();
      await server.untilTrue(async () => message.test((await health()).storage ?? ""));
      for (const [ask, status] of question) expect((await ask()).status).toBe(status);
      expect((await health()).status).toBe("degraded");
      putBack();
      await server.untilTrue(async () => (await health()).status === "ok");
      expect([(await note()).status, (await upload(why)).status]).toEqual([201, 201]);
    });

  test("the directory of incoming files: it is created again", async () => {
    rmSync(at("files/tmp"), { recursive: true });
    expect((await upload("tidied")).status).toBe(201);
  });

  test("the database's log: a restart finds everything acknowledged", async () => {
    rmSync(at("dossier.db-wal"));
    await server.untilTrue(async () => (await note()).status === 503);
    expect((await health()).storage).toMatch(/dossier\.db-wal was moved, replaced or deleted/);
    await server.restart();
    expect((await health()).status).toBe("ok");
    for (const id of acknowledged)
      expect((await server.send("ada", "GET", `/documents/${id}`)).status).toBe(200);
  });

  test("most of the database: every response and /health report it", async () => {
    truncateSync(at("dossier.db"), 4_096);
    const answers = [await list(), await note(), await original()];
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(answers[0]!.body.detail).toMatch(/The server's database is damaged/);
    const { status, storage } = await health();
    expect([status, storage]).toEqual(["degraded", expect.stringMatching(/dossier doctor/)]);
    expect((await fetch(`${server.url()}/ready`)).status).toBe(503);
  });
});
