/** A long text is searched for a quote once per version. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { rowsOf, setRunner } from "../../core/store/raw-statements";
import { documentQueries } from "../../plugins/documents/queries";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { Watch } from "../helpers/query-plans";

const old_quote = "The mooring was lifted at noon.";
const new_quote = "The mooring was lifted at dusk.";
const long = "Nothing is said here. ".repeat(10_000);
const short = long.slice(0, 40_000);

let server: TestServer;
let ada: Person;
let folder_id: string;
let document_id: string;
const write = async (text: string): Promise<void> => {
  const { body } = await ada.upload(folder_id, "log.txt", text, "&overwrite=true");
  document_id = body.id;
  await server.settle();
};
beforeAll(async () => {
  server = await startTestServer();
  ada = await person(server, "ada");
  folder_id = await ada.folder();
  await write(long + old_quote);
});
afterAll(() => server.stop());

const cases: [why: string, prepare: () => unknown, found: readonly string[], reads: number][] = [
  ["the first time", () => {}, [old_quote], 2],
  ["not again", () => {}, [old_quote], 0],
  ["another version anew", () => write(long + new_quote), [new_quote], 2],
  ["that one not again either", () => {}, [new_quote], 0],
  ["a shorter text too", () => write(short + old_quote), [old_quote], 2],
  ["that one again", () => {}, [old_quote], 2],
];
for (const [why, prepare, found, expected_reads] of cases)
  test(why, async () => {
    await prepare();
    const statements: string[] = [];
    const { db } = server.store;
    const measured = setRunner(db.withPlugin(new Watch()), (text, parameters) => {
      statements.push(text);
      return rowsOf(db, text, parameters);
    });
    const find = () => documentQueries.findQuotes(measured, document_id, [old_quote, new_quote]);
    for (const result of await Promise.all([find(), find()]))
      expect([...result]).toEqual([...found]);
    const reads = statements.filter((text) => text.includes("texts_pieces where id between"));
    expect(reads.length).toBe(expected_reads);
  });
