/**
 * Rows: requests and jobs per second of the embedded database, and of one, two and three processes
 * on PostgreSQL; and the cost of an idle process: memory, connections, statements.
 */
import { SQL } from "bun";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "../lib/postgres";
import { load } from "./load";
import { has_proc, treePssMib, type Row } from "./measure";
import { apiCall, startDossier, temporaryDirectory, type Dossier } from "./server";

const process_counts = [1, 2, 3] as const;
const connections = 24;
const read_ms = 4_000;
const documents = 300;
const writers = 12;
const rest_ms = 10_000;
const settle_ms_max = 180_000;

interface Measured {
  readonly reads_per_second: number;
  readonly writes_per_second: number;
  readonly jobs_per_second: number;
}
interface Cost {
  readonly mib: number;
  readonly connections: number;
  readonly statements_per_second: number;
}

export async function scaleRows(): Promise<Row[]> {
  const { directory, remove } = temporaryDirectory();
  const postgres = await startPostgres({ durable: true });
  try {
    const alone = await measure([await startNode(directory, "sqlite", {})]);
    const rows = rowsOf("the embedded database", alone, alone);
    if (postgres === null) return rows;
    for (const count of process_counts) {
      const url = await newDatabase(postgres.url, `bench_${count}`);
      const env = {
        DOSSIER_DATABASE_URL: url,
        DOSSIER_SECRET_KEY: "the key that all of them have, of 32 bytes",
        DOSSIER_FILES_URL: `file://${join(directory, `originals_${count}`)}`,
      };
      mkdirSync(join(directory, `originals_${count}`));
      const nodes: Dossier[] = [];
      for (let n = 0; n < count; n++)
        nodes.push(await startNode(directory, `node_${count}_${n}`, env, nodes[0]?.key));
      const cost = count === process_counts.at(-1) ? await costOf(nodes, url) : null;
      const name = `PostgreSQL, ${count} ${count === 1 ? "process" : "processes"}`;
      rows.push(...rowsOf(name, await measure(nodes), alone));
      if (cost !== null) rows.push(...costRows(cost));
    }
    return rows;
  } finally {
    await postgres?.stop();
    remove();
  }
}

function startNode(
  directory: string,
  name: string,
  env: Readonly<Record<string, string>>,
  key?: string,
): Promise<Dossier> {
  const data = join(directory, name);
  mkdirSync(data);
  return startDossier(data, key, env);
}

async function newDatabase(admin_url: string, name: string): Promise<string> {
  const admin = new SQL(admin_url, { max: 1 });
  await admin.unsafe(`create database ${name} template template0 encoding 'UTF8' locale 'C.UTF-8'`);
  await admin.close();
  return admin_url.replace(/postgres$/, name);
}

/** All of the processes together; they are stopped. */
async function measure(nodes: readonly Dossier[]): Promise<Measured> {
  const { call, key } = nodes[0]!;
  const calls = nodes.map(({ url }) => apiCall(url, key));
  const { id } = await call<{ id: string }>("POST", "/folders", { name: "Measured" });
  const read = await Promise.all(
    nodes.map(({ port }) =>
      load({
        port,
        head:
          `GET /api/dev/v1/folders/${id} HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
          `Authorization: Bearer ${key}\r\n\r\n`,
        connections: connections / nodes.length,
        duration_ms: read_ms,
      }),
    ),
  );
  const began_ms = performance.now();
  let next = 0;
  const write = async (): Promise<void> => {
    for (let n = next++; n < documents; n = next++)
      await calls[n % calls.length]!("POST", "/documents", {
        folder_id: id,
        name: `Text ${n}`,
        content: `The text ${n} tells of kettles, lamps and stoves. `.repeat(40),
      });
  };
  await Promise.all(Array.from({ length: writers }, write));
  const written_ms = performance.now() - began_ms;
  await settled(call, id);
  const done_ms = performance.now() - began_ms;
  for (const node of nodes) await node.stop();
  return {
    reads_per_second: read.reduce((sum, { per_second }) => sum + per_second, 0),
    writes_per_second: (documents * 1_000) / written_ms,
    jobs_per_second: (documents * 1_000) / done_ms,
  };
}

async function settled(call: Dossier["call"], folder_id: string): Promise<void> {
  type Folder = { readonly status_counts: { readonly synced: number } };
  for (const end_ms = performance.now() + settle_ms_max; ; await Bun.sleep(10)) {
    const { status_counts } = await call<Folder>("GET", `/folders/${folder_id}`);
    if (status_counts.synced === documents) return;
    if (performance.now() > end_ms) throw new Error("documents were still syncing");
  }
}

/** Per idle process. */
async function costOf(nodes: readonly Dossier[], url: string): Promise<Cost> {
  const database = new SQL(url, { max: 1 });
  const transactions = async (): Promise<number> => {
    const [row] = await database.unsafe(
      "select xact_commit + xact_rollback as count from pg_stat_database " +
        "where datname = current_database()",
    );
    return Number(row.count);
  };
  await Bun.sleep(rest_ms / 2);
  const before = await transactions();
  await Bun.sleep(rest_ms);
  const after = await transactions();
  const [open] = await database.unsafe(
    "select count(*) as count from pg_stat_activity where datname = current_database() " +
      "and application_name like 'dossier%'",
  );
  await database.close();
  return {
    mib: has_proc
      ? nodes.reduce((sum, { pid }) => sum + treePssMib(pid), 0) / nodes.length
      : Number.NaN,
    connections: Number(open.count) / nodes.length,
    statements_per_second: ((after - before) * 1_000) / rest_ms / nodes.length,
  };
}

const rowsOf = (name: string, measured: Measured, alone: Measured): Row[] =>
  (
    [
      ["reads", "GET of a folder, 24 connections", "reads_per_second"],
      ["writes", "documents of 2 kB created, 12 at a time", "writes_per_second"],
      ["jobs", "the same documents until all are synced", "jobs_per_second"],
    ] as const
  ).map(([what, load_name, field]) => ({
    name: `scale: ${what}, ${name}`,
    measured: `${load_name}; ${(measured[field] / alone[field]).toFixed(2)}x the embedded database`,
    value: measured[field],
    unit: "/s",
    target: null,
  }));

const costRows = ({ mib, connections: open, statements_per_second }: Cost): Row[] => [
  {
    name: "scale: memory of a process at rest",
    measured: "of three on PostgreSQL, with all that it has started",
    value: mib,
    unit: "MiB",
    target: null,
  },
  {
    name: "scale: connections of a process at rest",
    measured: "of three on PostgreSQL",
    value: open,
    unit: "connections",
    target: { most: 15 },
  },
  {
    name: "scale: transactions of a process at rest",
    measured: "of three on PostgreSQL, in 10 s",
    value: statements_per_second,
    unit: "/s",
    target: { most: 20 },
  },
];
