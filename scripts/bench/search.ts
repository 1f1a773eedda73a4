/**
 * Rows: searches over HTTP beside SQLite's full-text index, beside much text in other folders, and
 * over many folders beside one.
 */
import { join } from "node:path";
import { openReadConnection } from "../../core/store/read-connection";
import { analyzer } from "../../plugins/search-index/analysis/analyzer";
import { chunksOf } from "../../plugins/search-index/chunks/chunker";
import { Searcher } from "../../plugins/search-index/ranking/searcher";
import { SqliteSegmentReader } from "../../plugins/search-index/segments/segment-reader";
import { median, quantile, type Row } from "./measure";
import {
  addTexts,
  inParallel,
  temporaryDirectory,
  startDossier,
  startRival,
  type Dossier,
} from "./server";
import { makeQuery, makeText } from "./text";

const own_passages = 1_000;
const text_passages = 200;
const few_folders = 50;
const many_folders = 300;
const other_folders = 500;
const questions = 150;
const warm_up = 20;
const cache_bytes_max = 256 * 2 ** 20;

/** A text of exactly this many passages, and the passages. */
export function makePassages(count: number, seed: number): { text: string; passages: string[] } {
  const long = makeText(seed, count * 1_800);
  const chunks = [...chunksOf(long, []).take(count)];
  return {
    text: long.slice(0, chunks.at(-1)!.end),
    passages: chunks.map(({ start, end }) => long.slice(start, end)),
  };
}

export async function searchRows(): Promise<Row[]> {
  const alone_at = temporaryDirectory();
  const populated_at = temporaryDirectory();
  const document_texts = Array.from({ length: own_passages / 10 }, (_, index) =>
    makePassages(10, index + 1),
  );
  const texts = document_texts.map(({ text }) => text);
  const other_texts = Array.from(
    { length: other_folders },
    (_, index) => makePassages(text_passages, 10_000 + index).text,
  );
  const alone = await startDossier(alone_at.directory);
  const populated = await startDossier(populated_at.directory);
  const rival = await startRival(alone_at.directory, {
    key: alone.key,
    folders: 0,
    texts: document_texts.flatMap(({ passages }) => passages),
  });
  try {
    const own_alone = await addFolder(alone, "Own", texts);
    const own_populated = await addFolder(populated, "Own", texts);
    const folder = await addFolder(populated, "One", other_texts.slice(0, few_folders));
    const { parent, children } = await addOthers(populated, other_texts);
    const scopes = {
      own_populated: [own_populated],
      few: children.slice(0, few_folders),
      one: [folder],
      many: [parent],
    };
    const index = openIndex(populated_at.directory);
    const whole_scope = [parent, ...children.slice(0, many_folders)];
    const asks: Asks = {
      rival: (query) => askRival(rival.port, alone.key, query),
      own_alone: (query) => ask(alone, query, [own_alone]),
      own_populated: (query) => ask(populated, query, scopes.own_populated),
      one: (query) => ask(populated, query, scopes.one),
      few: (query) => ask(populated, query, scopes.few),
      many: (query) => ask(populated, query, scopes.many),
      index: (query) => index.search(query, whole_scope),
    };
    // Everything is searched once before the measurement, so the other folders are in memory too.
    await populated.call("POST", "/search", { query: makeQuery(other_texts[0]!, 0) });
    const times = await measureAll(asks, (round) => makeQuery(texts[round % texts.length]!, round));
    index.close();
    return rowsOf(times);
  } finally {
    rival.stop();
    for (const dossier of [alone, populated]) await dossier.stop();
    for (const directory of [alone_at, populated_at]) directory.remove();
  }
}

async function addFolder(
  dossier: Dossier,
  name: string,
  texts: readonly string[],
): Promise<string> {
  const { id } = await dossier.call<{ id: string }>("POST", "/folders", { name });
  await addTexts(dossier, id, texts);
  return id;
}

/** A folder for each text; the first `many_folders` of them are subfolders of `parent`. */
async function addOthers(
  dossier: Dossier,
  texts: readonly string[],
): Promise<{ parent: string; children: string[] }> {
  const folder = async (name: string, parentId?: string) =>
    (
      await dossier.call<{ id: string }>("POST", "/folders", {
        name,
        ...(parentId && { parentId }),
      })
    ).id;
  const parent = await folder("Many");
  const children: string[] = [];
  await inParallel(texts.length, 8, async (index) => {
    children[index] = await folder(`Other ${index}`, index < many_folders ? parent : undefined);
    await dossier.call("POST", "/documents", {
      folder_id: children[index],
      name: "Text",
      content: texts[index]!,
    });
  });
  for (const id of children) await addTexts(dossier, id, []);
  return { parent, children };
}

async function ask(dossier: Dossier, query: string, folder_ids: readonly string[]): Promise<void> {
  const { data } = await dossier.call<{ data: readonly unknown[] }>("POST", "/search", {
    query,
    folder_ids,
    limit: 10,
  });
  if (data.length === 0) throw new Error(`nothing was found for ${query}`);
}
async function askRival(port: number, key: string, query: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/search`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ query }),
  });
  const { data } = (await response.json()) as { data: readonly unknown[] };
  if (data.length === 0) throw new Error(`the rival found nothing for ${query}`);
}

/** The server's database, searched in this process: no HTTP, no access rules, no worker. */
function openIndex(directory: string) {
  const connection = openReadConnection({ path: join(directory, "dossier.db") });
  const searcher = new Searcher(new SqliteSegmentReader(connection), {
    analyzers: new Map([[analyzer.version, analyzer]]),
    analyzer_version: analyzer.version,
    cache_bytes_max,
  });
  return {
    async search(query: string, folder_ids: readonly string[]): Promise<void> {
      const { passages } = await searcher.search({
        owner_id: "usr_bench",
        query,
        folder_ids,
        limit: 10,
      });
      if (passages.length === 0) throw new Error(`the index found nothing for ${query}`);
    },
    close: () => connection.close(),
  };
}

type Kind = "rival" | "own_alone" | "own_populated" | "one" | "few" | "many" | "index";
type Asks = Readonly<Record<Kind, (query: string) => Promise<void>>>;

/**
 * Durations by kind in milliseconds: all kinds run for each query, in rotating order, so that they
 * see the same conditions.
 */
async function measureAll(
  asks: Asks,
  queryOf: (round: number) => string,
): Promise<Record<Kind, number[]>> {
  const kinds = Object.keys(asks) as Kind[];
  const times = Object.fromEntries(kinds.map((kind) => [kind, [] as number[]])) as Record<
    Kind,
    number[]
  >;
  for (let round = 0; round < warm_up + questions; round++) {
    const query = queryOf(round);
    for (let turn = 0; turn < kinds.length; turn++) {
      const kind = kinds[(turn + round) % kinds.length]!;
      const started = performance.now();
      await asks[kind](query);
      if (round >= warm_up) times[kind].push(performance.now() - started);
    }
  }
  return times;
}

function rowsOf(times: Readonly<Record<Kind, readonly number[]>>): Row[] {
  const ratio = (a: Kind, b: Kind) => median(times[a]) / median(times[b]);
  const p = (kind: Kind) =>
    `${median(times[kind]).toFixed(1)}/${quantile(times[kind], 0.95).toFixed(1)}`;
  const count = (value: number) => value.toLocaleString("en");
  const more = (other_folders * text_passages) / own_passages;
  return [
    {
      name: "search of 1,000 passages / FTS5",
      unit: "x",
      target: { most: 5 },
      value: ratio("own_alone", "rival"),
      measured:
        `milliseconds p50/p95 over HTTP, Dossier ${p("own_alone")}, plain server with the same ` +
        `passages in FTS5 ${p("rival")} (its query and its request together); ` +
        `${questions} questions of five words`,
    },
    {
      name: `the same beside ${more} x more text`,
      unit: "x",
      target: { most: 1.3 },
      value: ratio("own_populated", "own_alone"),
      measured:
        `p50/p95 ${p("own_populated")} where other folders hold ` +
        `${count(other_folders * text_passages)} passages, ${p("own_alone")} where there are none`,
    },
    {
      name: `${few_folders} folders / one folder`,
      unit: "x",
      target: { most: 1.5 },
      value: ratio("few", "one"),
      measured:
        `p50/p95 ${p("few")} over ${few_folders} folders of ${text_passages} passages, ` +
        `${p("one")} over one with the same ${count(few_folders * text_passages)}`,
    },
    {
      name: `${many_folders} folders - the index alone`,
      unit: "ms",
      target: { most: 10 },
      value: median(times.many) - median(times.index),
      measured:
        `p50/p95 ${p("many")} over HTTP, ${p("index")} the index alone (its search in this ` +
        `process on the server's database); ${many_folders} subfolders of ${text_passages} ` +
        "passages, named by their parent",
    },
  ];
}
