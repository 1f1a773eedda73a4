/**
 * Rows: text documents until they are `synced`, against SQLite's full-text index fed directly, with
 * the processor time and disk space of each; and a search of that folder, against the same index.
 */
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  cpuMs,
  directoryBytes,
  has_proc,
  median,
  quantile,
  timed,
  writtenBytes,
  type Row,
} from "./measure";
import { sendEach } from "./load";
import {
  indexByRival,
  temporaryDirectory,
  startDossier,
  startRival,
  untilSynced,
  type Dossier,
} from "./server";
import { makeQuery, makeTexts } from "./text";

const texts_a_round = 400;
/** Small texts, to measure the cost per document rather than per character. */
const passages_max = 8;
const rounds = 5;
/** Warm-up rounds: until the code is compiled. */
const warm_up_rounds = 2;
const queries = 200;
const connections = 8;

/** Dossier's cost in the measured rounds. */
interface RoundCost {
  readonly cpu_ms: number;
  readonly main_ms: number;
  readonly written_bytes: number;
}

export async function documentRows(): Promise<Row[]> {
  const temporary = temporaryDirectory();
  const data = join(temporary.directory, "data");
  mkdirSync(data);
  const dossier = await startDossier(data);
  const rows: Row[] = [];
  let text_bytes = 0;
  try {
    const pairs: { raw: number; dossier: number }[] = [];
    const costs: RoundCost[] = [];
    let folder_id = "";
    let texts: string[] = [];
    for (let round = 0; round < warm_up_rounds + rounds; round++) {
      texts = makeTexts(texts_a_round, round + 1, passages_max);
      text_bytes += bytesOf(texts);
      folder_id = (
        await dossier.call<{ id: string }>("POST", "/folders", { name: `Round ${round}` })
      ).id;
      const directory = join(temporary.directory, `round-${round}`);
      mkdirSync(directory);
      const addOwn = async (): Promise<number> => {
        const before = takenBy(dossier);
        const took_ms = await sendTexts(dossier, folder_id, texts);
        if (before && round >= warm_up_rounds) costs.push(since(before, takenBy(dossier)!));
        return took_ms;
      };
      const pair =
        round % 2 === 0
          ? { raw: await indexByRival(directory, texts), dossier: await addOwn() }
          : { dossier: await addOwn(), raw: await indexByRival(directory, texts) };
      if (round >= warm_up_rounds) pairs.push(pair);
    }
    rows.push(
      speedRow(pairs, texts),
      ...(costs.length > 0 ? costRows(costs, bytesOf(texts)) : []),
      await searchRow(dossier, folder_id, texts, temporary.directory),
    );
  } finally {
    await dossier.stop();
    rows.push(keptRow(data, text_bytes));
    temporary.remove();
  }
  return rows;
}

/** Creates the texts over eight connections. Returns the milliseconds until all are synced. */
async function sendTexts(
  dossier: Dossier,
  folder_id: string,
  texts: readonly string[],
): Promise<number> {
  const requests = texts.map((content, index) => {
    const body = Buffer.from(JSON.stringify({ folder_id, name: `Text ${index}`, content }));
    const head =
      `POST /api/dev/v1/documents HTTP/1.1\r\nhost: 127.0.0.1\r\n` +
      `authorization: Bearer ${dossier.key}\r\ncontent-type: application/json\r\n` +
      `content-length: ${body.length}\r\n\r\n`;
    return Buffer.concat([Buffer.from(head), body]);
  });
  const started = performance.now();
  await sendEach(dossier.port, requests, connections);
  await untilSynced(dossier, folder_id);
  return performance.now() - started;
}

const bytesOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

function takenBy({ pid }: Dossier): RoundCost | undefined {
  if (!has_proc) return undefined;
  const { all_ms, main_ms } = cpuMs(pid);
  return { cpu_ms: all_ms, main_ms, written_bytes: writtenBytes(pid) };
}
const since = (before: RoundCost, after: RoundCost): RoundCost => ({
  cpu_ms: after.cpu_ms - before.cpu_ms,
  main_ms: after.main_ms - before.main_ms,
  written_bytes: after.written_bytes - before.written_bytes,
});

function speedRow(
  pairs: readonly { readonly raw: number; readonly dossier: number }[],
  texts: readonly string[],
): Row {
  const kilobytes = (bytesOf(texts) / texts.length / 1000).toFixed(1);
  const perSecond = (name: "dossier" | "raw") =>
    ((texts_a_round / median(pairs.map((pair) => pair[name]))) * 1000).toFixed(0);
  return {
    name: "text documents to synced",
    unit: "x",
    target: { least: 0.6 },
    value: median(pairs.map((pair) => pair.raw / pair.dossier)),
    measured:
      `documents per second, Dossier ${perSecond("dossier")} / FTS5 ${perSecond("raw")}; ` +
      `${texts_a_round} of ${kilobytes} kB on average, one durable transaction each, ` +
      `sent over ${connections} connections; ${rounds} rounds`,
  };
}

function costRows(costs: readonly RoundCost[], round_bytes: number): Row[] {
  const cost = (name: keyof RoundCost) =>
    median(costs.map((measured) => measured[name])) / texts_a_round;
  return [
    {
      name: "processor time of a text document",
      unit: "ms",
      target: { most: 1.7 },
      value: cost("cpu_ms"),
      measured: `until it is synced, of all threads; ${cost("main_ms").toFixed(2)} of the main one`,
    },
    {
      name: "bytes written per byte of text",
      unit: "x",
      target: { most: 15 },
      value: (cost("written_bytes") * texts_a_round) / round_bytes,
      measured: "handed to the file system: the log, the database, and what is written twice",
    },
  ];
}

/** `data` belongs to a server that has stopped. */
const keptRow = (data: string, text_bytes: number): Row => ({
  name: "bytes kept per byte of text",
  unit: "x",
  target: { most: 3 },
  value: (directoryBytes(data) - reserveBytes(data)) / text_bytes,
  measured: "the data directory once the server has stopped, without the reserve for a full disk",
});
const reserveBytes = (data: string): number =>
  readdirSync(data)
    .filter((name) => name.endsWith(".ballast"))
    .reduce((sum, name) => sum + statSync(join(data, name)).size, 0);

const latency = (all_ms: readonly number[]): string =>
  `${median(all_ms).toFixed(1)}/${quantile(all_ms, 0.95).toFixed(1)}`;

async function searchRow(
  dossier: Dossier,
  folder_id: string,
  texts: readonly string[],
  directory: string,
): Promise<Row> {
  const rival = await startRival(directory, { key: dossier.key, folders: 0, texts });
  try {
    const search_queries = Array.from({ length: queries }, (_, index) =>
      makeQuery(texts[index % texts.length]!, index),
    );
    const askRival = (query: string) =>
      fetch(`http://127.0.0.1:${rival.port}/search`, {
        method: "POST",
        headers: { authorization: `Bearer ${dossier.key}` },
        body: JSON.stringify({ query }),
      }).then((response) => response.json());
    const askDossier = (query: string) =>
      dossier.call("POST", "/search", { query, folder_ids: [folder_id], limit: 10 });
    for (const query of search_queries) {
      await askDossier(query);
      await askRival(query);
    }
    const dossier_ms: number[] = [];
    const raw: number[] = [];
    for (const query of search_queries) {
      dossier_ms.push(await timed(() => askDossier(query)));
      raw.push(await timed(() => askRival(query)));
    }
    return {
      name: "search of one folder",
      unit: "x",
      target: null,
      value: median(dossier_ms) / median(raw),
      measured:
        `milliseconds p50/p95 over HTTP, Dossier ${latency(dossier_ms)}, FTS5 ${latency(raw)} ` +
        `(whole documents, bm25); ${queries} questions of five words, ${texts.length} documents`,
    };
  } finally {
    rival.stop();
  }
}
