/**
 * The plugin of examples/solr-search in the built executable. `npm run test:long` runs it against
 * a real Solr from a package manager.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { startEmbedder } from "../helpers/embedder";
import { startExecutable, type Executable } from "../helpers/executable";
import { findSolr } from "../helpers/foreign-tools";
import { person, type Person } from "../helpers/person";
import { solrOf, type Solr } from "../helpers/solr";

setDefaultTimeout(180_000);

const found =
  process.env.DOSSIER_TEST_LONG === "all"
    ? await findSolr()
    : { missing: "npm run test:long has it" };
const name = "missing" in found ? `Solr (skipped: ${found.missing})` : "Solr";

const start = (url: string, env: Readonly<Record<string, string>> = {}): Promise<Executable> =>
  startExecutable({
    example: "solr-search",
    env: { DOSSIER_SOLR_SEARCH_URL: url, DOSSIER_METRICS_NETWORKS: "127.0.0.1", ...env },
  });
const quotes = async ({ send }: Pick<Person, "send">, query: string, more: object = {}) => {
  const { status, body } = await send("POST", "/search", { query, limit: 10, ...more });
  expect(status).toBe(200);
  return body.data.map(({ quote, matched, score }: any) => [quote, matched, score.toFixed(6)]);
};
const backend = async (dossier: Executable) =>
  (await dossier.api("GET", "/health")).body.search_backend;

describe.skipIf("missing" in found)(name, () => {
  const embedder = startEmbedder();
  let solr: Solr;
  let dossier: Executable;
  let ada: Person;
  let bob: Person;
  let folder: string;
  let animals: string;
  let others: string;
  const texts = ["heron", "egret", "otter", "beaver"].map(
    (animal, at) => `The ${animal} ${`${animal} `.repeat(at)}stands in the reeds of pond ${at}.`,
  );

  beforeAll(async () => {
    solr = await solrOf((found as { path: string }).path);
    await solr.start();
    dossier = await start(solr.url, {
      DOSSIER_EMBEDDINGS_BASE_URL: embedder.url,
      DOSSIER_EMBEDDINGS_MODEL: "small",
      DOSSIER_SOLR_SEARCH_EXPUNGE: "* * * * *",
    });
    [ada, bob] = [await person(dossier, "ada"), await person(dossier, "bob")];
    folder = await ada.folder("Prices");
    animals = await ada.folder("Animals");
    for (const text of texts) await ada.text(animals, text);
    await ada.text(folder, "The vehicle is sold at a price of nine thousand.");
    await ada.text(
      folder,
      Array.from({ length: 900 }, (_none, n) => `Line ${n} of reeds.`).join(" "),
    );
    others = await bob.folder("Others");
    await bob.text(others, "Another heron of another person in the reeds.");
  });
  afterAll(async () => {
    await dossier?.[Symbol.asyncDispose]();
    await solr?.[Symbol.asyncDispose]();
    await embedder.stop();
  });

  const answered = async (): Promise<number> => {
    const text = await (await fetch(`${dossier.url()}/metrics`)).text();
    return Number(/^dossier_search_backend_answers_total (\d+)/m.exec(text)![1]);
  };
  /** The results once Solr has answered; it may first have to catch up. */
  async function viaSolr(...search: Parameters<typeof quotes>) {
    let result: unknown;
    await dossier.untilTrue(async () => {
      const before = await answered();
      result = await quotes(...search);
      return (await answered()) > before;
    }, 120_000);
    return result;
  }
  const untilAllIsTold = () =>
    dossier.untilTrue(async () => (await backend(dossier)).waiting === 0, 120_000);

  const queries: [why: string, query: string, more: () => object][] = [
    ["a word of one passage", "otter", () => ({})],
    ["a word of many passages", "reeds", () => ({})],
    ["several words, some of them rare", "Where does the beaver stand in the pond?", () => ({})],
    ["no word that is there, but a meaning", "expensive automobile", () => ({})],
    ["one folder of several", "heron price", () => ({ folder_ids: [folder] })],
    ["nothing at all", "xylophone", () => ({})],
  ];
  test("returns the same results as the built-in index", async () => {
    const by_solr = [];
    for (const [why, query, more] of queries)
      by_solr.push([why, await viaSolr(ada, query, more())]);
    await solr.kill();
    const alone = [];
    for (const [why, query, more] of queries) alone.push([why, await quotes(ada, query, more())]);
    expect(by_solr).toEqual(alone);
    expect((await backend(dossier)).state).toBe("failing");
  });

  test("catches up on changes made while it was down", async () => {
    const late = await ada.text(folder, "The kingfisher came late.");
    await ada.send("DELETE", `/documents/${late.id}`);
    await ada.text(folder, "The wagtail came later.");
    await solr.start();
    expect(await viaSolr(ada, "wagtail")).toHaveLength(1);
    expect(await viaSolr(ada, "kingfisher")).toEqual(await quotes(ada, "kingfisher"));
  });

  test("is filled again after losing its data", async () => {
    await solr.empty();
    expect(await quotes(ada, "otter")).toHaveLength(1);
    await dossier.untilTrue(() =>
      dossier.output().includes("has none of the documents that it was sent"),
    );
    expect(await viaSolr(ada, "otter")).toHaveLength(1);
  });

  test("keeps no deleted text in any file", async () => {
    await untilAllIsTold();
    expect(solr.hasInFiles(others)).toBe(true);
    await bob.send("DELETE", `/folders/${others}`);
    await dossier.untilTrue(() => !solr.hasInFiles(others), 120_000);
    expect(await viaSolr(ada, "otter")).toHaveLength(1);
  });
});

describe("a wrong Solr address", () => {
  let status = 401;
  const service = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("secret words of the service", { status }),
  });
  afterAll(() => service.stop(true));

  const cases: [reason: string, status: number, said: string][] = [
    ["wants a password", 401, "401: correct solr_search.authorization"],
    ["has no such core", 404, "404: create the core that solr_search.url names"],
    ["is something else", 200, "not as Solr would"],
  ];
  test("is reported without its response, and searches keep working", async () => {
    await using dossier = await start(`http://127.0.0.1:${service.port}/solr/dossier`);
    const ada = await person(dossier, "ada");
    await ada.text(await ada.folder("Animals"), "The heron stands in the reeds.");
    for (const [reason, answered, message] of cases) {
      status = answered;
      await dossier.untilTrue(async () =>
        (await dossier.api("GET", "/health")).text.includes(message),
      );
      expect([reason, (await quotes(ada, "heron")).length]).toEqual([reason, 1]);
      // With several processes, only the one that asked reports it.
      await dossier.untilTrue(async () => (await backend(dossier)).state === "failing");
    }
    expect(dossier.output()).not.toContain("secret words");
  });
});
