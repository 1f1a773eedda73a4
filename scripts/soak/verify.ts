/** Checks that everything acknowledged exists, and nothing else. Each finding is a sentence. */
import { Database } from "bun:sqlite";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Answer, User } from "./user";

const settle_ms_max = 120_000;
/** How many of the last deleted documents are searched for. */
const gone_max = 500;

/**
 * With the server running: waits until nothing is in progress, then compares. `say` is told what is
 * being done, for people who wait.
 */
export async function verifyUser(user: User, say: (what: string) => void): Promise<string[]> {
  const { ledger } = user;
  const findings: string[] = [];
  const settled = async (
    path: string,
    isDone: (body: Answer["body"]) => boolean,
  ): Promise<void> => {
    say(`waiting for ${path}`);
    const until_ms = performance.now() + settle_ms_max;
    for (;;) {
      const { status, body } = await user.send("GET", path);
      if (status === 404 || (status === 200 && isDone(body))) return;
      if (performance.now() > until_ms) {
        findings.push(`${path} is stuck: ${status} ${JSON.stringify(body).slice(0, 300)}`);
        return;
      }
      await Bun.sleep(100);
    }
  };
  for (const id of ledger.imports)
    await settled(`/imports/${id}`, ({ finished_at }) => finished_at !== null);
  for (const id of ledger.folders)
    await settled(`/folders/${id}`, ({ status_counts }) => status_counts.syncing === 0);
  for (const path of ledger.answers)
    await settled(path, ({ status }) => status === "COMPLETED" || status === "FAILED");
  let checked = 0;
  for (const [id, { folder, word, replaced }] of ledger.documents) {
    say(`document ${++checked} of ${ledger.documents.size}`);
    // Acknowledged after its folder was deleted concurrently, it was deleted with it.
    if (!ledger.folders.has(folder) || ledger.unsure.has(id)) continue;
    const { status, body } = await user.send("GET", `/documents/${id}?content=false`);
    if (status !== 200 || body.status !== "synced")
      findings.push(`document ${id}: ${status} ${JSON.stringify(body).slice(0, 300)}`);
    else if (!(await found(user, word)).includes(id))
      findings.push(`${id} is not found by ${word}${await foundLater(user, word, id)}`);
    for (const old of replaced)
      if ((await found(user, old)).includes(id)) findings.push(`${id} is still found by ${old}`);
  }
  const deleted = [...ledger.deleted].slice(-gone_max);
  say(`${deleted.length} deleted documents`);
  for (const [id, { word }] of deleted)
    if (!ledger.unsure.has(id) && (await found(user, word)).includes(id))
      findings.push(`${id} was deleted, and is found by ${word}`);
  return findings;
}

/** Whether it is a matter of time, and what is found otherwise. */
async function foundLater(user: User, query: string, id: string): Promise<string> {
  await Bun.sleep(2_000);
  if ((await found(user, query)).includes(id)) return ", but two seconds later";
  const { status, body } = await user.send("POST", "/search", { query, limit: 5 });
  return `: ${status} ${JSON.stringify(body).slice(0, 600)}`;
}

async function found(user: User, query: string): Promise<string[]> {
  const { status, body } = await user.send("POST", "/search", { query, limit: 5 });
  if (status !== 200) return [];
  return body.data
    .filter(({ quote }: { quote: string }) => quote.includes(query))
    .map(({ document_id }: { document_id: string }) => document_id);
}

/** With the server stopped: checks the database, the files, and unfinished jobs. */
export function verifyDirectory(data: string): string[] {
  const database = new Database(join(data, "dossier.db"), { readonly: true });
  const findings: string[] = [];
  const expectNone = (what: string, sql: string): void => {
    const rows = database.query(sql).all();
    if (rows.length > 0) findings.push(`${what}: ${JSON.stringify(rows.slice(0, 3))}`);
  };
  expectNone("damage", "select * from pragma_integrity_check where integrity_check <> 'ok'");
  expectNone("rows that point nowhere", "select * from pragma_foreign_key_check");
  expectNone(
    "jobs that failed for good",
    "select name, error from core_jobs where state = 'failed'",
  );
  expectNone(
    "documents that nobody indexes",
    `select d.id from documents d where d.status = 'syncing' and not exists
     (select 1 from core_jobs j where j.subject = d.id and j.state in ('ready', 'running'))`,
  );
  const used = new Set(
    database
      .query<{ sha256: string }, []>("select sha256 from documents_versions where in_files = 1")
      .all()
      .map(({ sha256 }) => sha256),
  );
  database.close();
  const files = readdirSync(join(data, "files"), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
  const orphans = files.filter((name) => !used.has(name));
  const lost = [...used].filter((name) => !files.includes(name));
  if (orphans.length > 0)
    findings.push(`files that nobody uses: ${orphans.slice(0, 3).join(", ")}`);
  if (lost.length > 0) findings.push(`originals that are lost: ${lost.slice(0, 3).join(", ")}`);
  return findings;
}
