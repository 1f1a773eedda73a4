/** Several executables on one PostgreSQL database, with the same directory of original files. */
import { SQL } from "bun";
import { startPostgres, type PostgresServer } from "../../scripts/lib/postgres";
import { temporaryDirectory } from "./data-directory";
import { startExecutable, type Executable } from "./executable";
import { callOf, answerOf, type Answered } from "./server";

/** The running executables and their database. */
export interface Cluster extends AsyncDisposable {
  readonly postgres: PostgresServer;
  readonly nodes: readonly Executable[];
  /** Sends a request to one of them with a person's key. */
  call(
    node: number,
    key: string | null,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
  send(...sent: Parameters<Cluster["call"]>): Promise<Answered>;
}

/** `@throws` Error where there is no PostgreSQL. */
export async function startCluster(
  env: Readonly<Record<string, string>>,
  count = 3,
): Promise<Cluster> {
  const postgres = await startPostgres();
  if (!postgres) throw new Error("there is no PostgreSQL here");
  const admin = new SQL(postgres.url, { max: 1 });
  await admin.unsafe("create database dossier template template0 encoding 'UTF8' locale 'C.UTF-8'");
  await admin.close();
  const url = postgres.url.replace(/postgres$/, "dossier");
  const secret_key = "k".repeat(40);
  const originals = `file://${temporaryDirectory()}`;
  const settings =
    `[database]\nurl = "${url}"\n[files]\nurl = "${originals}"\n` +
    `[server]\nsecret_key = "${secret_key}"\n`;
  const files = { "dossier.toml": settings };
  const start = (): Promise<Executable> => startExecutable({ files, env });
  // The first one creates the tables, for which the others would wait.
  const first = await start();
  const other_nodes = await Promise.all(Array.from({ length: count - 1 }, start));
  const nodes = [first, ...other_nodes];
  const cluster: Cluster = {
    postgres,
    nodes,
    call(node, key, method, path, body, headers = {}) {
      const { path: at, init } = callOf(key, method, path, body, headers);
      return fetch(nodes[node % nodes.length]!.url() + at, init);
    },
    send: async (...sent) => answerOf(await cluster.call(...sent)),
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
      await postgres.stop();
    },
  };
  return cluster;
}
