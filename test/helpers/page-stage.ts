/**
 * The environments in which pages of the documentation are tested, in addition to the common one:
 * programs, a database server, a machine that may be changed. `page-blocks.ts` describes how blocks
 * request them.
 */
import { Database } from "bun:sqlite";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { startPostgres } from "../../scripts/lib/postgres";
import { startExecutable } from "./executable";
import { findPython } from "./foreign-tools";
import { selfSigned } from "./self-signed";

const root = resolve(import.meta.dir, "../..");

/** The working directory of the reader. */
export interface Place {
  readonly home: string;
  /** The data directory of the page's server. */
  readonly data: string;
}

/** The parts of an environment; or why this machine can't provide it. */
export interface Staged {
  readonly missing?: string;
  /** For the server and the shell. */
  readonly env?: Readonly<Record<string, string>>;
  /** For the server only. */
  readonly server_env?: Readonly<Record<string, string>>;
  /** Directories of programs. */
  readonly path?: readonly string[];
  /** Replacements of texts in the page. */
  readonly names?: readonly (readonly [string, string])[];
  /** The shell, instead of plain bash. */
  readonly shell?: readonly string[];
  /** Called once the server of the page runs. */
  readonly onServerStart?: () => void;
  readonly close?: () => Promise<void>;
}

/** The name of an environment. */
export type Stage = keyof typeof stages;
/** How each environment is prepared. */
export const stages = {
  root: ownMachine,
  postgres: databaseServer,
  python: pythonPackages,
  socket: (place: Place): Staged => ({
    server_env: { DOSSIER_SERVER_SOCKET: join(place.home, "dossier.sock") },
    names: [["/run/dossier/dossier.sock", join(place.home, "dossier.sock")]],
  }),
  prometheus: tokenFile,
  "failed jobs": (place: Place): Staged => ({ onServerStart: () => failJobs(place.data) }),
  "earlier version": earlierVersion,
  "plugin site": pluginSite,
} satisfies Record<string, (place: Place) => Staged | Promise<Staged>>;

/**
 * A machine whose `/etc`, `/usr/local` and `/run` belong to the shell: what it writes there is
 * discarded at the end. systemd is not running there; its tools do what they can without it.
 */
async function ownMachine({ home }: Place): Promise<Staged> {
  if (process.getuid?.() !== 0) return { missing: "that needs root" };
  const mounts: string[] = [];
  for (const path of ["/etc", "/usr/local", "/run"]) {
    const at = join(home, "machine", path);
    for (const part of ["upper", "work"]) mkdirSync(join(at, part), { recursive: true });
    const options = `lowerdir=${path},upperdir=${at}/upper,workdir=${at}/work`;
    mounts.push(`mount -t overlay overlay -o ${options} ${path}`);
  }
  const unshare = ["unshare", "--mount", "bash", "-c"];
  const possible = Bun.which("unshare") && Bun.spawnSync([...unshare, mounts.join(" && ")]).success;
  if (!possible) return { missing: "it can't mount anything of its own" };
  const { cert, key } = await selfSigned("nas.example");
  const certificates = join(home, "machine/etc/upper/ssl");
  cpSync("/etc/ssl", certificates, { recursive: true, verbatimSymlinks: true });
  writeFileSync(join(certificates, "nas.example.crt"), cert);
  writeFileSync(join(certificates, "nas.example.key"), key);
  return {
    shell: [...unshare, `${mounts.join(" && ")} && exec bash --noprofile --norc`],
    env: { SYSTEMD_OFFLINE: "1" },
  };
}

async function databaseServer(): Promise<Staged> {
  const server = await startPostgres();
  if (server === null) return { missing: "there is no PostgreSQL" };
  const { hostname, port, username } = new URL(server.url);
  return {
    env: { PGHOST: hostname, PGPORT: port, PGUSER: username },
    names: [["127.0.0.1:5432", `${hostname}:${port}`]],
    close: () => server.stop(),
  };
}

/** With the packages that Python clients need, installed once. */
async function pythonPackages({ home }: Place): Promise<Staged> {
  const found = await findPython();
  if ("missing" in found) return found;
  // The scripts in its directory contain the path at which it was created.
  const scripts = join(home, "python");
  mkdirSync(scripts);
  for (const name of ["pip", "openapi-python-client"]) {
    const module = name.replaceAll("-", "_");
    const script = `#!/bin/sh\nexec '${found.path}' -m ${module} "$@"\n`;
    writeFileSync(join(scripts, name), script, { mode: 0o755 });
  }
  return { path: [scripts, dirname(found.path)] };
}

function tokenFile({ home }: Place): Staged {
  const directory = join(home, "prometheus");
  mkdirSync(directory);
  writeFileSync(join(directory, "dossier.token"), "a token\n");
  return { names: [["/etc/prometheus", directory]] };
}

/** Typical failures: a document that could not be read, and a failed delivery. */
function failJobs(data: string): void {
  using database = new Database(join(data, "dossier.db"));
  database.run("pragma busy_timeout = 5000");
  const { id } = database.query<{ id: string }, []>("select id from documents").get()!;
  const now = "unixepoch() * 1000";
  const add = database.query(
    `insert into core_jobs (id, plugin, name, payload, lane, lane_max, priority, state, run_at,
       attempts, attempts_max, error, created_at, finished_at)
     values (?, ?, ?, ?, 'none', 1, 0, 'failed', ${now}, 3, 3, ?, ${now}, ${now})`,
  );
  const silent = "The reader was silent for too long.";
  const indexing = JSON.stringify({ document_id: id, version: 1 });
  add.run("job_documentation1", "documents", "documents.index", indexing, silent);
  const delivery = JSON.stringify({ delivery_id: "whd_documentation", attempt: 3 });
  add.run("job_documentation2", "webhooks", "webhooks.deliver", delivery, "Nobody answered.");
}

/** /srv/dossier has data of an earlier version up to the last start. */
async function earlierVersion({ home }: Place): Promise<Staged> {
  const released = join(root, "test/released");
  const data = join(home, "srv/dossier");
  cpSync(join(released, readdirSync(released).sort()[0]!), data, { recursive: true });
  const packed = join(data, "dossier.db.gz");
  if (existsSync(packed)) {
    writeFileSync(join(data, "dossier.db"), Bun.gunzipSync(readFileSync(packed)));
    rmSync(packed);
  }
  const upgraded = await startExecutable({ data });
  await upgraded.stop();
  return {};
}

const published =
  'import { definePlugin } from "dossier"; ' +
  'export default definePlugin({ name: "weather", version: "1.0.0", setup: () => ({}) });';

/** With the plugin that docs/operations.md adds. */
async function pluginSite({ home }: Place): Promise<Staged> {
  const certificate = await selfSigned("localhost");
  writeFileSync(join(home, "plugins.example.crt"), certificate.cert);
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: certificate,
    fetch: () => new Response(published),
  });
  const documented = /plugins\.example\S+ --sha256 (\w{64})/.exec(
    readFileSync(join(root, "docs/operations.md"), "utf8"),
  )!;
  return {
    env: {
      DOSSIER_PLUGINS_ALLOW_NETWORKS: "127.0.0.0/8",
      NODE_EXTRA_CA_CERTS: join(home, "plugins.example.crt"),
    },
    names: [
      ["plugins.example", `127.0.0.1:${site.port}`],
      [documented[1]!, new Bun.CryptoHasher("sha256").update(published).digest("hex")],
    ],
    close: () => site.stop(true),
  };
}
