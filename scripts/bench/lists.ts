/** Rows: lists of a folder with very many documents, and the health of a server with them. */
import { copyLargeAccount, documents } from "./large-account";
import { load } from "./load";
import { median, type Row } from "./measure";
import { startDossier, startRival, temporaryDirectory, type Dossier } from "./server";

const rounds = 100;
const warm_up = 20;
/** Of the shortest request: its route is compiled to its fastest form after some hundred calls. */
const health_warm_up = 1_000;
const per_page = 50;

export async function listRows(): Promise<Row[]> {
  const at = temporaryDirectory();
  const { key, folder_id } = await copyLargeAccount(at.directory);
  const dossier = await startDossier(at.directory, key);
  try {
    const folder = `/documents?folder_id=${folder_id}&per_page=${per_page}`;
    const last_page = Math.ceil(documents / per_page);
    const list = (query: string) => timed(() => dossier.call("GET", `${folder}${query}`));
    const first = await list("");
    const middle = await list(`&page=${last_page >> 1}`);
    const last_document = await list(`&page=${last_page}`);
    const failed = await list("&status=sync_failed");
    const named = await list("&name=nothing");
    const health = await timed(() => fetchHealth(dossier), health_warm_up);
    const count = documents.toLocaleString("en");
    return [
      await sortedRow(list, last_page),
      await besideRival(at.directory, dossier, folder_id),
      {
        name: `last page of a folder of ${count} / its first`,
        unit: "x",
        target: { most: 2 },
        value: last_document / first,
        measured:
          `milliseconds over HTTP, ${per_page} documents: first ${ms(first)}, middle ` +
          `${ms(middle)}, last ${ms(last_document)}; by a name that none has ${ms(named)}`,
      },
      {
        name: "its list by a status that none has / its first page",
        unit: "x",
        target: { most: 1 },
        value: failed / first,
        measured: `${ms(failed)} ms over HTTP`,
      },
      {
        name: `GET /health of ${count} documents`,
        unit: "ms",
        target: { most: 0.3 },
        value: health,
        measured: `the median of ${rounds} over HTTP, one after the other`,
      },
    ];
  } finally {
    await dossier.stop();
    at.remove();
  }
}

const ms = (value: number) => value.toFixed(2);

const sorts = ["created", "name", "type", "size", "status", "updated"] as const;
const filters = ["", "&type=text", "&status=synced"] as const;

/** Every sort order in both directions, with and without a filter that matches everything. */
async function sortedRow(
  list: (query: string) => Promise<number>,
  last_page: number,
): Promise<Row> {
  const found: { query: string; first: number; middle: number; last: number }[] = [];
  for (const filter of filters)
    for (const sort of sorts)
      for (const order of ["asc", "desc"]) {
        const query = `${filter}&sort=${sort}&order=${order}`;
        found.push({
          query,
          first: await list(query),
          middle: await list(`${query}&page=${last_page >> 1}`),
          last: await list(`${query}&page=${last_page}`),
        });
      }
  const dearest = (page: "first" | "middle" | "last") => {
    const one = found.reduce((most, other) => (other[page] > most[page] ? other : most));
    return `${page} ${ms(one[page])} (${one.query.slice(1)})`;
  };
  return {
    name: "last page of a sorted list / its first, at most",
    unit: "x",
    target: { most: 2 },
    value: Math.max(...found.map(({ first, last }) => last / first)),
    measured:
      `${found.length} orders and filters of ${documents.toLocaleString("en")} documents; the ` +
      `dearest pages, milliseconds over HTTP: ${dearest("first")}, ${dearest("middle")}, ` +
      dearest("last"),
  };
}

const connections = 16;
const round_ms = 1_000;
const load_rounds = 7;

/** Requests per second of the largest documents of one type. */
async function besideRival(directory: string, { key, port }: Dossier, folder_id: string) {
  const rival = await startRival(directory, { key, folders: 0, documents, texts: [] });
  const measure = async (host: "raw" | "dossier"): Promise<number> => {
    const path = host === "raw" ? "" : "/api/dev/v1";
    const query = `folder_id=${folder_id}&type=text&sort=size&per_page=${per_page}`;
    const head =
      `GET ${path}/documents?${query} HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
      `Authorization: Bearer ${key}\r\nAccept: application/json\r\n\r\n`;
    const { per_second, not_200 } = await load({
      port: host === "raw" ? rival.port : port,
      head,
      connections,
      duration_ms: round_ms,
    });
    if (not_200 > 0) throw new Error(`${not_200} answers of ${host} were not 200`);
    return per_second;
  };
  try {
    const pairs: { raw: number; dossier: number }[] = [];
    for (let round = 0; round <= load_rounds; round++)
      pairs.push({ raw: await measure("raw"), dossier: await measure("dossier") });
    // The first is a warm-up.
    const counted = pairs.slice(1);
    const perSecond = (host: "raw" | "dossier") =>
      median(counted.map((pair) => pair[host])).toFixed(0);
    return {
      name: `the largest of one type of ${documents.toLocaleString("en")} documents`,
      unit: "x",
      target: { least: 0.6 },
      value: median(counted.map(({ raw, dossier }) => dossier / raw)),
      measured:
        `requests per second, Dossier ${perSecond("dossier")} / plain server ` +
        `${perSecond("raw")}; ${per_page} documents, ${connections} connections`,
    } satisfies Row;
  } finally {
    rival.stop();
  }
}

/** The median, milliseconds. */
async function timed(send: () => Promise<unknown>, warm_ups = warm_up): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < warm_ups + rounds; round++) {
    const begun = performance.now();
    await send();
    if (round >= warm_ups) times.push(performance.now() - begun);
  }
  return median(times);
}

async function fetchHealth({ url }: Dossier): Promise<void> {
  await (await fetch(`${url}/health`)).json();
}
