/** Three servers on one PostgreSQL database, started for the races and ended with them. */
import { SQL } from "bun";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKey, launch } from "../lib/launch";
import { startPostgres } from "../lib/postgres";

export interface Cluster extends AsyncDisposable {
  readonly urls: readonly string[];
  /** A user with an API key. */
  key(name: string, role?: "admin" | "member"): Promise<string>;
}

const nodes = 3;

/** @throws Error where there is no PostgreSQL */
export async function startCluster(env: Readonly<Record<string, string>>): Promise<Cluster> {
  const postgres = await startPostgres();
  if (!postgres) throw new Error("there is no PostgreSQL from 15 on here: install one");
  const admin = new SQL(postgres.url, { max: 1 });
  await admin.unsafe("create database dossier template template0 encoding 'UTF8' locale 'C.UTF-8'");
  await admin.close();
  const url = postgres.url.replace(/postgres$/, "dossier");
  const root = mkdtempSync(join(tmpdir(), "dossier-races-"));
  const originals = join(root, "originals");
  mkdirSync(originals);
  const settings =
    `[database]\nurl = "${url}"\n[files]\nurl = "file://${originals}"\n` +
    `[server]\nsecret_key = "${"k".repeat(40)}"\n`;
  const start = (n: number) => {
    const data = join(root, String(n));
    mkdirSync(data);
    writeFileSync(join(data, "dossier.toml"), settings);
    return launch({ data, env });
  };
  const servers = [await start(0)];
  for (let n = 1; n < nodes; n++) servers.push(await start(n));
  return {
    urls: servers.map((server) => server.url),
    key: (name, role) =>
      createKey(join(root, "0"), `${name}@example.com`, { ...(role && { role }) }),
    async [Symbol.asyncDispose]() {
      for (const server of servers) server.kill("SIGTERM");
      await Promise.all(servers.map((server) => server.exited));
      await postgres.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
