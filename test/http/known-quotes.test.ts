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

const cases: [why: string, prepare: () => unknown, found: readonly string[], is_read: boolean][] = [
  ["the first time", () => {}, [old_quote], true],
  ["not again", () => {}, [old_quote], false],
  ["another version anew", () => write(long + new_quote), [new_quote], true],
  ["that one not again either", () => {}, [new_quote], false],
  ["a shorter text too", () => write(short + old_quote), [old_quote], true],
  ["that one again", () => {}, [old_quote], true],
];
for (const [why, prepare, found, is_read] of cases)
  test(why, async () => {
    await prepare();
    const statements: string[] = [];
    const { db } = server.store;
    const measured = setRunner(db.withPlugin(new Watch()), (text, parameters) => {
      statements.push(text);
      return rowsOf(db, text, parameters);
    });
    const quotes = [old_quote, new_quote];
    const result = await documentQueries.findQuotes(measured, document_id, quotes);
    expect([...result]).toEqual([...found]);
    expect(statements.some((text) => text.includes("texts_pieces where id between"))).toBe(is_read);
  });
