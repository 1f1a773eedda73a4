/** Rows: lists of a folder of very many documents, and the health of a server that has them. */
import { copyLargeAccount, documents } from "./large-account";
import { median, type Row } from "./measure";
import { startDossier, temporaryDirectory, type Dossier } from "./server";

const rounds = 100,
  warm_up = 20,
  per_page = 50;

export async function listRows(): Promise<Row[]> {
  const at = temporaryDirectory(),
    { key, folder_id } = await copyLargeAccount(at.directory),
    dossier = await startDossier(at.directory, key);
  try {
    const folder = `/documents?folder_id=${folder_id}&per_page=${per_page}`,
      last_page = Math.ceil(documents / per_page);
    const list = (query: string) => timed(() => dossier.call("GET", `${folder}${query}`));
    const first = await list(""),
      middle = await list(`&page=${last_page >> 1}`),
      last = await list(`&page=${last_page}`),
      failed = await list("&status=sync_failed"),
      named = await list("&name=nothing"),
      health = await timed(() => fetchHealth(dossier));
    const ms = (value: number) => value.toFixed(2);
    const count = documents.toLocaleString("en");
    return [
      {
        name: `last page of a folder of ${count} / its first`,
        unit: "x",
        target: { most: 2 },
        value: last / first,
        measured:
          `milliseconds over HTTP, ${per_page} documents: first ${ms(first)}, middle ` +
          `${ms(middle)}, last ${ms(last)}; by a name that none has ${ms(named)}`,
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

/** The median, milliseconds. */
async function timed(send: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < warm_up + rounds; round++) {
    const begun = performance.now();
    await send();
    if (round >= warm_up) times.push(performance.now() - begun);
  }
  return median(times);
}

async function fetchHealth({ url }: Dossier): Promise<void> {
  await (await fetch(`${url}/health`)).json();
}
