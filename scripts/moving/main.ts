/**
 * `npm run moving -- DOCUMENTS`: moves a data directory with that many documents (default 100,000),
 * their index and vectors into a PostgreSQL started here, with two kills on the way, and back.
 * Prints times and memory, and exits 1 if anything differs.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { executable } from "../build";
import { runInterruptible, type StartedPrograms } from "../lib/interruption";
import { cleanEnvironment, createKey, launch, type Launched } from "../lib/launch";
import { startPostgres } from "../lib/postgres";
import { makeText } from "../bench/text";
import { multiply } from "./seed";

const documents = Number(process.argv[2] ?? 100_000);
const through_server = Math.min(documents, 1_000);
const text_length = 1_500;
const at_once = 50;
/** The fractions of rows after which it is killed. */
const kills = [0.25, 0.6];
const queries = 20;

/** Vectors that are cheap to compute, because only moving them is tested. */
const dimensions = 384;
using embedder = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { input } = (await request.json()) as { input: string | string[] };
    const embeddings = [input].flat().map((text, index) => ({ index, embedding: vectorOf(text) }));
    return Response.json({ data: embeddings, model: "words", object: "list" });
  },
});
function vectorOf(text: string): number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const word of text.toLowerCase().split(/\W+/))
    vector[Number(Bun.hash(word) % BigInt(dimensions))]! += 1;
  return vector;
}

const env = {
  DOSSIER_RATE_LIMIT_REQUESTS: "1000000",
  DOSSIER_SECRET_KEY: "a key for the moved data",
  DOSSIER_EMBEDDINGS_BASE_URL: `http://127.0.0.1:${embedder.port}/v1`,
  DOSSIER_EMBEDDINGS_MODEL: "words",
};
const work = mkdtempSync(join(tmpdir(), "dossier-moving-"));
const data = join(work, "data");
const wrong: string[] = [];

/** The fields of responses used here. */
interface Answer {
  readonly id: string;
  readonly status_counts: { readonly syncing: number };
  readonly vectors_pending: number;
  readonly data: readonly {
    readonly document_id: string;
    readonly start: number;
    readonly end: number;
    readonly score: number;
  }[];
}

const caller =
  (server: Launched, key: string) => async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${server.url}/api/dev/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Answer;
  };

async function fill({ signal }: StartedPrograms): Promise<string> {
  mkdirSync(data);
  const server = await launch({ data, env, signal });
  const key = await createKey(data, "ada@example.com");
  const call = caller(server, key);
  const { id } = await call("POST", "/folders", { name: "All" });
  for (let from = 0; from < through_server; from += at_once)
    await Promise.all(
      Array.from({ length: Math.min(at_once, through_server - from) }, (_, i) =>
        call("POST", "/documents", { folder_id: id, content: makeText(from + i, text_length) }),
      ),
    );
  for (;;) {
    const folder = await call("GET", `/folders/${id}`);
    if (folder.status_counts.syncing + folder.vectors_pending === 0) break;
    await Bun.sleep(500);
  }
  await end(server);
  multiply(data, Math.ceil(documents / through_server));
  return key;
}

async function end(server: Launched): Promise<void> {
  server.kill("SIGTERM");
  await server.exited;
}

/** The results of searches, with every score. */
async function searches(
  { signal }: StartedPrograms,
  of: string,
  key: string,
  more: Record<string, string>,
): Promise<string> {
  const server = await launch({ data: of, env: { ...env, ...more }, limit_ms: 120_000, signal });
  const call = caller(server, key);
  const found: unknown[] = [];
  for (let n = 0; n < queries; n++) {
    const query = makeText(n * 37, 200)
      .split(/\s+/)
      .slice(3, 8)
      .join(" ");
    const { data: passages } = await call("POST", "/search", { query, limit: 10 });
    found.push(
      passages.map((passage) => [passage.document_id, passage.start, passage.end, passage.score]),
    );
  }
  await end(server);
  return JSON.stringify(found);
}

/** One run of `migrate-to`, killed at this fraction of the rows. Resolves with its seconds. */
async function move(
  { signal }: StartedPrograms,
  to: string,
  more: Record<string, string>,
  kill: { readonly at: number; readonly arrived: () => Promise<number> } | null,
): Promise<number> {
  const run = Bun.spawn([executable, "migrate-to", to, "--data", data], {
    env: cleanEnvironment({ ...env, ...more }),
    stdout: "pipe",
    stderr: "inherit",
    signal,
    killSignal: "SIGKILL",
  });
  const begun_ms = performance.now();
  let killed = false;
  let rss = 0;
  const watch = (async () => {
    while (run.exitCode === null && run.signalCode === null) {
      rss = Math.max(rss, await residentOf(run.pid));
      if (kill !== null && (await kill.arrived()) >= kill.at) {
        run.kill("SIGKILL");
        killed = true;
        return;
      }
      await Bun.sleep(250);
    }
  })();
  const output = await run.stdout.text();
  await run.exited;
  await watch;
  const seconds = (performance.now() - begun_ms) / 1_000;
  const exit_words = killed ? "killed" : `ended with ${run.exitCode}`;
  console.log(output.trim());
  console.log(`${exit_words} after ${seconds.toFixed(1)} s, ${(rss / 2 ** 20).toFixed(0)} MiB`);
  if (!killed && run.exitCode !== 0) wrong.push(`migrate-to ${to} ended with ${run.exitCode}`);
  return seconds;
}

const residentOf = async (pid: number): Promise<number> =>
  Bun.file(`/proc/${pid}/statm`)
    .text()
    .then(
      (text) => Number(text.split(" ")[1]) * 4_096,
      () => 0,
    );

/** Of the rows of the largest tables that have arrived. */
async function arrivedAt(target: SQL): Promise<number> {
  const rows = await target
    .unsafe("select value from core_move where name like 'table %'")
    .catch(() => []);
  const moved = (rows as { value: string }[]).reduce(
    (sum, { value }) => sum + (JSON.parse(value) as { rows: number }).rows,
    0,
  );
  return moved / (documents * 10);
}

async function run(started: StartedPrograms): Promise<boolean> {
  started.defer(() => rmSync(work, { recursive: true, force: true }));
  const postgres = await started.use(startPostgres());
  if (postgres === null) throw new Error("PostgreSQL 15 or later is required.");
  const admin = new SQL(postgres.url, { max: 1 });
  await admin.unsafe("create database moving template template0 encoding 'UTF8' locale 'C.UTF-8'");
  await admin.close();
  const url = postgres.url.replace(/postgres$/, "moving");
  const target = new SQL(url, { max: 1 });
  const key = await fill(started);
  console.log(`${documents} documents are there`);
  const before = await searches(started, data, key, {});
  let seconds = 0;
  for (const at of kills)
    seconds += await move(started, url, {}, { at, arrived: () => arrivedAt(target) });
  seconds += await move(started, url, {}, null);
  await target.close();
  console.log(`moved in ${seconds.toFixed(0)} s, with ${kills.length} kills`);
  const on_postgres = { DOSSIER_DATABASE_URL: url };
  if ((await searches(started, data, key, on_postgres)) !== before)
    wrong.push("searches differ on PostgreSQL");
  const back = join(work, "back");
  const back_seconds = await move(started, back, on_postgres, null);
  console.log(`moved back in ${back_seconds.toFixed(0)} s`);
  if ((await searches(started, back, key, {})) !== before)
    wrong.push("searches differ after moving back");
  console.log(wrong.length === 0 ? "no differences" : wrong.join("\n"));
  return wrong.length === 0;
}

process.exit((await runInterruptible(run)) ? 0 : 1);
