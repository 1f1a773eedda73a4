/** Rows: the effect on other requests of deleting a folder with very many documents. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { createKey } from "../lib/launch";
import { copyLargeAccount, documents } from "./large-account";
import { has_proc, quantile, type Row } from "./measure";
import { noticedDuring, spread, type Noticed, type Probe } from "./probe";
import { addTexts, apiCall, startDossier, temporaryDirectory, type Dossier } from "./server";

const own_texts = 60;
const alone_ms = 4_000;
/** The file is truncated once the pages at its end are free: some seconds after the purge. */
const shrunk_ms_max = 60_000;

/** The measurements. */
interface Deletion {
  readonly alone: Noticed;
  readonly beside: Noticed;
  readonly answered_ms: number;
  readonly purged_s: number;
  /** Size of the database before and after. */
  readonly bytes: readonly [before: number, after: number];
}

export async function deletionRows(): Promise<Row[]> {
  const at = temporaryDirectory();
  const { key, folder_id } = await copyLargeAccount(at.directory);
  const dossier = await startDossier(at.directory, key);
  try {
    const probes = await probesOf(dossier, await createKey(at.directory, "other@example.com"));
    return rowsOf(await deleteBeside(dossier, at.directory, probes, folder_id));
  } finally {
    await dossier.stop();
    at.remove();
  }
}

async function deleteBeside(
  dossier: Dossier,
  data: string,
  probes: readonly Probe[],
  folder_id: string,
): Promise<Deletion> {
  const alone = await noticedDuring(dossier.pid, probes, () => Bun.sleep(alone_ms));
  const before = databaseBytes(data);
  let answered_ms = 0;
  let purged_s = 0;
  const beside = await noticedDuring(dossier.pid, probes, async () => {
    const begun = performance.now();
    await dossier.call("DELETE", `/folders/${folder_id}`);
    answered_ms = performance.now() - begun;
    while ((await toPurge(dossier)) > 0) await Bun.sleep(100);
    purged_s = (performance.now() - begun) / 1_000;
    for (const end = performance.now() + shrunk_ms_max; performance.now() < end;)
      if (databaseBytes(data) < before / 2) break;
      else await Bun.sleep(100);
  });
  return { alone, beside, answered_ms, purged_s, bytes: [before, databaseBytes(data)] };
}

function rowsOf({ alone, beside, answered_ms, purged_s, bytes: [before, after] }: Deletion): Row[] {
  const part = (noticed: Noticed, name: string, of: number) =>
    quantile(noticed.latencies.get(name)!, of);
  const label = (name: string) =>
    `${name} ${spread(beside.latencies.get(name)!)} (${spread(alone.latencies.get(name)!)} alone)`;
  const count = documents.toLocaleString("en");
  return [
    {
      name: `health and lists while ${count} documents are deleted`,
      unit: "ms",
      target: { most: 100 },
      value: Math.max(...["health", "list", "folders"].map((name) => part(beside, name, 0.99))),
      measured:
        `the worst p99; milliseconds p50/p99/longest ${label("health")}, ${label("list")}, ` +
        `${label("folders")}; DELETE answered after ${answered_ms.toFixed(0)} ms, ` +
        `purged in ${purged_s.toFixed(0)} s`,
    },
    {
      name: "another user's search meanwhile",
      unit: "x",
      target: { most: 5 },
      value: part(beside, "search", 0.5) / part(alone, "search", 0.5),
      measured: `milliseconds p50/p99/longest ${label("search")}`,
    },
    ...(has_proc
      ? [
          {
            name: "memory meanwhile",
            unit: "MiB",
            target: { most: 400 },
            value: beside.rss_mib,
            measured: `the most of the server, ${alone.rss_mib.toFixed(0)} MiB before`,
          },
        ]
      : []),
    {
      name: "the database after it",
      unit: "x",
      target: { most: 0.5 },
      value: after / before,
      measured:
        `of its ${(before / 2 ** 20).toFixed(0)} MiB before; given back in the background within ` +
        `${shrunk_ms_max / 1_000} s`,
    },
  ];
}

async function probesOf(dossier: Dossier, key: string): Promise<Probe[]> {
  const call = apiCall(dossier.url, key);
  const { id } = await call<{ id: string }>("POST", "/folders", { name: "Own" });
  const texts = Array.from({ length: own_texts }, (_, i) => `The heron stands in water ${i}.`);
  await addTexts({ ...dossier, call }, id, texts);
  return [
    { name: "health", send: () => toPurge(dossier) },
    { name: "list", send: () => call("GET", `/documents?folder_id=${id}`) },
    { name: "folders", send: () => call("GET", "/folders") },
    { name: "search", send: () => call("POST", "/search", { query: "heron" }) },
  ];
}

/** Documents that are deleted but not purged yet. */
async function toPurge({ url }: Dossier): Promise<number> {
  const health = (await (await fetch(`${url}/health`)).json()) as {
    readonly purging: { readonly documents: number };
  };
  return health.purging.documents;
}

const databaseBytes = (directory: string): number =>
  ["dossier.db", "dossier.db-wal"]
    .map((name) => join(directory, name))
    .reduce((sum, path) => sum + (existsSync(path) ? statSync(path).size : 0), 0);
