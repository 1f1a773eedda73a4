/**
 * Rows: text documents until they are `synced`, against SQLite's full-text index fed directly; and
 * a search of that folder, against the same index.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { median, quantile, type Row } from "./measure";
import {
  addTexts,
  indexByRival,
  temporaryDirectory,
  startDossier,
  startRival,
  type Dossier,
} from "./server";
import { makeQuery, makeTexts } from "./text";

const texts_a_round = 400;
const rounds = 5;
/** Rounds that are not counted: until the code is compiled. */
const warm_up_rounds = 2;
const queries = 200;

export async function documentRows(): Promise<Row[]> {
  const temporary = temporaryDirectory();
  const dossier = await startDossier(temporary.directory);
  try {
    const pairs: { raw: number; dossier: number }[] = [];
    let folder_id = "";
    let texts: string[] = [];
    for (let round = 0; round < warm_up_rounds + rounds; round++) {
      texts = makeTexts(texts_a_round, round + 1);
      folder_id = (
        await dossier.call<{ id: string }>("POST", "/folders", { name: `Round ${round}` })
      ).id;
      const own = join(temporary.directory, `round-${round}`);
      mkdirSync(own);
      const pair =
        round % 2 === 0
          ? {
              raw: await indexByRival(own, texts),
              dossier: await addTexts(dossier, folder_id, texts),
            }
          : {
              dossier: await addTexts(dossier, folder_id, texts),
              raw: await indexByRival(own, texts),
            };
      if (round >= warm_up_rounds) pairs.push(pair);
    }
    const kilobytes = (
      texts.reduce((sum, text) => sum + text.length, 0) /
      texts.length /
      1000
    ).toFixed(1);
    const perSecond = (name: "dossier" | "raw") =>
      ((texts_a_round / median(pairs.map((pair) => pair[name]))) * 1000).toFixed(0);
    return [
      {
        name: "text documents to synced",
        unit: "x",
        target: { least: 0.4 },
        value: median(pairs.map((pair) => pair.raw / pair.dossier)),
        measured:
          `documents per second, Dossier ${perSecond("dossier")} / FTS5 ${perSecond("raw")}; ` +
          `${texts_a_round} of ${kilobytes} kB on average, one durable transaction each, ` +
          `${rounds} rounds`,
      },
      await searchRow(dossier, folder_id, texts, temporary.directory),
    ];
  } finally {
    await dossier.stop();
    temporary.remove();
  }
}

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
    const asked = Array.from({ length: queries }, (_, index) =>
      makeQuery(texts[index % texts.length]!, index),
    );
    const timed = async (work: () => Promise<unknown>) => {
      const started = performance.now();
      await work();
      return performance.now() - started;
    };
    const askRival = (query: string) =>
      fetch(`http://127.0.0.1:${rival.port}/search`, {
        method: "POST",
        headers: { authorization: `Bearer ${dossier.key}` },
        body: JSON.stringify({ query }),
      }).then((response) => response.json());
    const askDossier = (query: string) =>
      dossier.call("POST", "/search", { query, folder_ids: [folder_id], limit: 10 });
    for (const query of asked) {
      await askDossier(query);
      await askRival(query);
    }
    const own: number[] = [];
    const raw: number[] = [];
    for (const query of asked) {
      own.push(await timed(() => askDossier(query)));
      raw.push(await timed(() => askRival(query)));
    }
    return {
      name: "search of one folder",
      unit: "x",
      target: null,
      value: median(own) / median(raw),
      measured:
        `milliseconds p50/p95 over HTTP, Dossier ${latency(own)}, FTS5 ${latency(raw)} ` +
        `(whole documents, bm25); ${queries} questions of five words, ${texts.length} documents`,
    };
  } finally {
    rival.stop();
  }
}
