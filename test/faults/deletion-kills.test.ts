/**
 * kill -9 at each step of a permanent deletion: the next start deletes the rest, removes its text
 * from every file, and touches nothing else.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { verifyDirectory } from "../../scripts/soak/verify";
import { filesOf, filesWith } from "../helpers/data-directory";
import { startExecutable, type Executable } from "../helpers/executable";
import { person, type Person } from "../helpers/person";

const takes_all = process.env.DOSSIER_TEST_FAULTS === "all";
const texts = 150;
const originals = 30;

let server: Executable;
let ada: Person;
let kept_id: string;
beforeAll(async () => {
  server = await startExecutable();
  ada = await person(server, "ada");
  kept_id = await ada.folder();
  await ada.text(kept_id, "The gannet stays where it is.");
  await ada.settled((await ada.upload(kept_id, "kept.txt", "The puffin stays as well.")).body.id);
}, 60_000);
afterAll(() => server?.[Symbol.asyncDispose]());

/** What is left of a folder in the database and the directory. */
interface Left {
  /** The folder's own row, marked or not. */
  readonly folders: number;
  readonly documents: number;
  readonly indexed: number;
  /** Pieces of the long text. */
  readonly pieces: number;
  readonly files: number;
}
function look(folder_id: string): Left {
  using database = new Database(join(server.data, "dossier.db"), { readonly: true });
  const count = (sql: string, ...values: string[]): number =>
    database.query<{ n: number }, string[]>(`select count(*) as n from ${sql}`).get(...values)!.n;
  return {
    folders: count("folders where id = ?", folder_id),
    documents: count("documents"),
    indexed: count("index_documents"),
    pieces: count("texts_pieces"),
    files: filesOf(server.data).length,
  };
}

type Step = [what: string, is_quick: boolean, reached: (left: Left, before: Left) => boolean];
const steps: Step[] = [
  ["it is marked", false, () => true],
  ["the first documents are gone", false, (left, before) => left.documents < before.documents],
  ["the index has lost some", true, (left, before) => left.indexed < before.indexed],
  ["a long text has lost some pieces", false, (left, before) => left.pieces < before.pieces - 20],
  ["the first originals are gone", false, (left, before) => left.files < before.files],
  ["all rows are gone", false, (left) => left.folders === 0],
];

describe("a server killed while it deletes a folder", () => {
  for (const [what, is_quick, reached] of steps)
    test.skipIf(!is_quick && !takes_all)(
      `after ${what}: finishes it at the next start`,
      async () => {
        const base = look("");
        const word = `zq${Bun.hash(what).toString(36)}xkanarimuxq`;
        const folder = await ada.folder();
        const long = `Long words about ${word} go on and on. `.repeat(20_000);
        await Promise.all([
          ada.newText(folder, long),
          ...Array.from({ length: texts }, (_, n) => ada.newText(folder, `Text ${n} of ${word}.`)),
          ...Array.from({ length: originals }, (_, n) =>
            ada.upload(folder, `${n}.txt`, `File ${n} of ${word}.`),
          ),
        ]);
        const key = await server.key("ada");
        await server.until(
          `/folders/${folder}`,
          ({ body }) => body.status_counts.synced === texts + originals + 1,
          { key, limit_ms: 60_000 },
        );
        const before = look(folder);
        expect((await ada.send("DELETE", `/folders/${folder}`)).status).toBe(204);
        while (!reached(look(folder), before));
        await server.kill();
        await server.restart();
        expect((await ada.send("GET", `/folders/${folder}`)).status).toBe(404);
        expect(await ada.found(word)).toEqual([]);
        await server.untilTrue(() => look(folder).folders === 0, 60_000);
        await server.untilTrue(() => filesWith(server.data, word).length === 0);
        await server.untilTrue(() => filesOf(server.data).length === base.files);
        expect(look("")).toEqual(base);
        expect((await ada.found("gannet")).length + (await ada.found("puffin")).length).toBe(2);
      },
      120_000,
    );

  test("keeps a sound directory", async () => {
    await server.stop();
    expect(verifyDirectory(server.data)).toEqual([]);
  });
});
