/**
 * Rows: moving a folder of two thousand mixed documents from one server to another: the effect on
 * other requests, and whether everything is found as before, without being read again.
 */
import { Database } from "bun:sqlite";
import { join, resolve } from "node:path";
import { createKey } from "../lib/launch";
import { quantile, type Row } from "./measure";
import { noticedDuring, spread, type Noticed } from "./probe";
import { apiCall, startDossier, temporaryDirectory, type Dossier } from "./server";
import { makeQuery, makeText } from "./text";

const documents = 2_000;
const pages_each = 5;
const pdf_each = 100;
const text_length = 4_000;
const queries = 100;
const read_ms_max = 20 * 60_000;
const handbook = resolve(import.meta.dir, "../../examples/handbook/handbook.pdf");
const memory_mib_max = 400;
const stall_ms_max = 100;

export async function folderArchiveRows(): Promise<Row[]> {
  const source_directory = temporaryDirectory();
  const target_directory = temporaryDirectory();
  const servers = [
    await startDossier(source_directory.directory),
    await startDossier(target_directory.directory),
  ] as const;
  try {
    const [source, target] = servers;
    const texts = Array.from({ length: documents }, (_, n) => makeText(n, text_length));
    const folder_id = await fill(source, texts);
    const file = join(source_directory.directory, "folder.zip");
    const exported = await watched(source, source_directory.directory, () =>
      save(source, folder_id, file),
    );
    let imported_id = "";
    const imported = await watched(target, target_directory.directory, async () => {
      imported_id = await takeOver(target, file);
    });
    let differing = 0;
    for (let n = 0; n < queries; n++) {
      const query = makeQuery(texts[(n * 17) % documents]!, n);
      const before = await found(source, query);
      const after = await found(target, query);
      if (before !== after) differing++;
    }
    return [
      ...noticed("export", exported, Bun.file(file).size),
      ...noticed("import", imported, Bun.file(file).size),
      {
        name: "searches that differ after an import",
        value: differing,
        unit: "searches",
        target: { most: 0 },
        measured: `of ${queries}: names, quotes, places and scores; import ${imported_id}`,
      },
      {
        name: "documents read or indexed again by an import",
        value: jobsOf(target_directory.directory),
        unit: "jobs",
        target: { most: 0 },
        measured: `of ${documents} documents`,
      },
    ];
  } finally {
    for (const server of servers) await server.stop();
    source_directory.remove();
    target_directory.remove();
  }
}

interface Watched extends Noticed {
  readonly seconds: number;
}
/** The effect on another user. */
async function watched(
  dossier: Dossier,
  data: string,
  work: () => Promise<unknown>,
): Promise<Watched> {
  const call = apiCall(dossier.url, await createKey(data, "other@example.com"));
  const { id } = await call<{ id: string }>("POST", "/folders", { name: "Other" });
  const begun = performance.now();
  const noticed = await noticedDuring(
    dossier.pid,
    [
      { name: "list", send: () => call("GET", "/folders") },
      { name: "search", send: () => call("POST", "/search", { query: "a pump that needs oil" }) },
      {
        name: "text",
        send: () => call("POST", "/documents", { folder_id: id, content: "A pump needs oil." }),
      },
    ],
    work,
  );
  return { ...noticed, seconds: (performance.now() - begun) / 1_000 };
}

function noticed(
  what: string,
  { latencies, rss_mib, seconds }: Watched,
  bytes: number,
): readonly Row[] {
  const all = [...latencies.values()].flat();
  const measured =
    `${documents} documents, ${(bytes / 2 ** 20).toFixed(0)} MiB, ${seconds.toFixed(1)} s; ` +
    [...latencies].map(([name, times]) => `${name} p50/p99/longest ${spread(times)}`).join(", ");
  return [
    {
      name: `others' p99 during an ${what} of a folder`,
      value: quantile(all, 0.99),
      unit: "ms",
      target: { most: stall_ms_max },
      measured,
    },
    {
      name: `memory during an ${what} of a folder`,
      value: rss_mib,
      unit: "MiB",
      target: { most: memory_mib_max },
      measured: "the most that was resident",
    },
  ];
}

/** Texts, pages and some PDF files, all of them indexed. */
async function fill(dossier: Dossier, texts: readonly string[]): Promise<string> {
  const { id } = await dossier.call<{ id: string }>("POST", "/folders", { name: "Archive" });
  const pdf = await Bun.file(handbook).bytes();
  for (const [n, content] of texts.entries())
    if (n % pdf_each === 0) await send(dossier, id, `${n}.pdf`, pdf, `\n% ${n}\n`);
    else if (n % pages_each === 0) await send(dossier, id, `${n}.html`, `<p>${content}</p>`);
    else await dossier.call("POST", "/documents", { folder_id: id, name: `Note ${n}`, content });
  for (const until = performance.now() + read_ms_max; performance.now() < until;) {
    const { status_counts } = await dossier.call<{ status_counts: { synced: number } }>(
      "GET",
      `/folders/${id}`,
    );
    if (status_counts.synced === texts.length) return id;
    await Bun.sleep(250);
  }
  throw new Error("the documents were not read in time");
}

async function send(
  { key, url }: Dossier,
  folder_id: string,
  name: string,
  ...bytes: (string | Uint8Array<ArrayBuffer>)[]
): Promise<void> {
  const form = new FormData();
  form.append("file", new File(bytes, name));
  const response = await fetch(`${url}/api/dev/v1/documents/file?folder_id=${folder_id}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  if (!response.ok) throw new Error(`an upload answered ${response.status}`);
}

async function save({ key, url }: Dossier, folder_id: string, file: string): Promise<void> {
  const response = await fetch(`${url}/api/dev/v1/folders/${folder_id}/export`, {
    headers: { authorization: `Bearer ${key}` },
  });
  if (!response.ok) throw new Error(`the export answered ${response.status}`);
  await Bun.write(file, response);
}

async function takeOver({ call, key, url }: Dossier, file: string): Promise<string> {
  const response = await fetch(`${url}/api/dev/v1/folders/import`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/zip" },
    body: Bun.file(file),
  });
  if (!response.ok)
    throw new Error(`the import answered ${response.status}: ${await response.text()}`);
  const { id } = (await response.json()) as { id: string };
  for (;;) {
    const run = await call<{ status: string; error: unknown }>("GET", `/folder-imports/${id}`);
    if (run.status === "completed") return id;
    if (run.status === "failed") throw new Error(JSON.stringify(run.error));
    await Bun.sleep(20);
  }
}

/** The results without the fields that differ between servers. */
async function found({ call }: Dossier, query: string): Promise<string> {
  const { data } = await call<{ data: Record<string, unknown>[] }>("POST", "/search", { query });
  const fields = ["document_name", "quote", "start", "end", "page", "heading", "score"];
  return JSON.stringify(data.map((citation) => fields.map((field) => citation[field])));
}

/** The other user's texts are distinct; they are small and indexed as such. */
function jobsOf(data: string): number {
  using database = new Database(join(data, "dossier.db"), { readonly: true });
  const { n } = database
    .query<{ n: number }, []>("select count(*) as n from core_jobs where name = 'documents.index'")
    .get()!;
  return n;
}
