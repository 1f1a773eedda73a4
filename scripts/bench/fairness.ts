/** Rows: how long one user waits while another one keeps the server busy. */
import { createKey } from "../lib/launch";
import { median, quantile, timed, type Row } from "./measure";
import {
  addTexts,
  apiCall,
  startDossier,
  temporaryDirectory,
  type ApiCall,
  type Dossier,
} from "./server";
import { makeQuery, makeText } from "./text";

/** The documents of the busy user and of the other one. */
const busy_texts = 1_000;
const own_texts = 100;
const text_length = 5_000;
/** Long searches sent at once and aborted soon after, repeatedly. */
const long_searches = 200;
const long_query_length = 2_000;
const given_up_after_ms = 100;
const burst_every_ms = 400;
const own_searches = 60;
/** Large texts that are being indexed. */
const large_texts = 6;
const large_text_length = 12 * 2 ** 20;
const notes = 5;

/** A search of one user while another one searches. */
export async function fairSearchRows(): Promise<Row[]> {
  const at = temporaryDirectory();
  const dossier = await startDossier(at.directory);
  try {
    const call = apiCall(dossier.url, await createKey(at.directory, "other@example.com"));
    const texts = Array.from({ length: busy_texts }, (_, i) => makeText(i, text_length));
    const own_documents = texts.slice(0, own_texts);
    await addTexts(dossier, await newFolder(dossier.call), texts);
    await addTexts({ ...dossier, call }, await newFolder(call), own_documents);
    const search = (round: number): Promise<number> =>
      timed(() =>
        call("POST", "/search", { query: makeQuery(own_documents[round % own_texts]!, round) }),
      );
    for (let round = 0; round < own_searches; round++) await search(round);
    const alone: number[] = [];
    const beside: number[] = [];
    for (let round = 0; round < own_searches; round++) alone.push(await search(round));
    const attack = searchesInBursts(dossier);
    await Bun.sleep(given_up_after_ms);
    for (let round = 0; round < own_searches; round++) {
      beside.push(await search(round));
      await Bun.sleep(20);
    }
    await attack.stop();
    const p = (times: readonly number[]) =>
      [0.5, 0.95, 1].map((part) => quantile(times, part).toFixed(1)).join("/");
    return [
      {
        name: "search while another user searches much",
        unit: "x",
        target: { most: 5 },
        value: median(beside) / median(alone),
        measured:
          `milliseconds p50/p95/most ${p(beside)} while another user sends ${long_searches} ` +
          `searches of ${long_query_length} characters over ${busy_texts} texts every ` +
          `${burst_every_ms} ms and hangs up after ${given_up_after_ms} ms, ${p(alone)} alone`,
      },
    ];
  } finally {
    await dossier.stop();
    at.remove();
  }
}

/** Sends bursts of long searches, and aborts each, until it is stopped. */
function searchesInBursts({ url, key }: Dossier): { stop(): Promise<void> } {
  let stopped = false;
  const query = makeText(99, long_query_length).slice(0, long_query_length);
  const ended = (async () => {
    while (!stopped) {
      const hanging_up = new AbortController();
      for (let i = 0; i < long_searches; i++)
        fetch(`${url}/api/dev/v1/search`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ query }),
          signal: hanging_up.signal,
        }).catch(() => undefined);
      await Bun.sleep(given_up_after_ms);
      hanging_up.abort();
      await Bun.sleep(burst_every_ms - given_up_after_ms);
    }
  })();
  return {
    stop: () => {
      stopped = true;
      return ended;
    },
  };
}

/** A document of one user until it is found, while another one uploads many. */
export async function fairIngestRows(): Promise<Row[]> {
  const at = temporaryDirectory();
  const dossier = await startDossier(at.directory);
  try {
    const call = apiCall(dossier.url, await createKey(at.directory, "other@example.com"));
    const folder_id = await newFolder(call);
    const busy_folder_id = await newFolder(dossier.call);
    const alone: number[] = [];
    const beside: number[] = [];
    for (let round = 0; round < notes; round++) alone.push(await noteToSynced(call, folder_id));
    const large = makeText(1, large_text_length);
    for (let i = 0; i < large_texts; i++)
      await dossier.call("POST", "/documents", {
        folder_id: busy_folder_id,
        name: `Large ${i}`,
        content: large,
      });
    let still_syncing = 0;
    for (let round = 0; round < notes; round++) {
      beside.push(await noteToSynced(call, folder_id));
      still_syncing = await syncingIn(dossier.call, busy_folder_id);
    }
    const ms = (times: readonly number[]) => times.map((time) => time.toFixed(0)).join(", ");
    return [
      {
        name: "a note to synced while large texts are indexed",
        unit: "ms",
        target: { most: 1_000 },
        value: Math.max(...beside),
        measured:
          `the slowest of ${ms(beside)} ms while ${large_texts} texts of ` +
          `${large_text_length / 2 ** 20} MiB of another user are being indexed ` +
          `(${still_syncing} of them still after the last note); ${ms(alone)} alone`,
      },
    ];
  } finally {
    await dossier.stop();
    at.remove();
  }
}

async function newFolder(call: ApiCall): Promise<string> {
  return (await call<{ id: string }>("POST", "/folders", { name: "Texts" })).id;
}
async function syncingIn(call: ApiCall, folder_id: string): Promise<number> {
  const folder = await call<{ status_counts: { syncing: number } }>("GET", `/folders/${folder_id}`);
  return folder.status_counts.syncing;
}
/** Milliseconds until a new short text is `synced`. */
export async function noteToSynced(call: ApiCall, folder_id: string): Promise<number> {
  return timed(async () => {
    const content = "A short note about the weather.";
    const { id } = await call<{ id: string }>("POST", "/documents", { folder_id, content });
    for (let status = "syncing"; status === "syncing"; await Bun.sleep(5))
      ({ status } = await call<{ status: string }>("GET", `/documents/${id}`));
  });
}
