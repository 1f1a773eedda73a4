/**
 * `npm run cluster`: the cluster of examples/cluster/compose.yaml, as processes of this machine:
 * two web nodes and a worker on PostgreSQL and an S3 store behind Caddy, with the settings of those
 * files. Does the main job through Caddy while nodes are killed and replaced; `--old EXECUTABLE`
 * starts with that version and replaces one node after the other. Exit code 1 if anything failed.
 */
import { counted } from "../../core/lib/counted";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { executable } from "../build";
import { freePort } from "../lib/free-port";
import { runInterruptible, type StartedPrograms } from "../lib/interruption";
import { cleanEnvironment, createKey } from "../lib/launch";
import { startPostgres } from "../lib/postgres";
import { startS3Server, type S3Server } from "../lib/s3-server";

const files = join(import.meta.dir, "../../examples/cluster");
const { values: flags } = parseArgs({ options: { old: { type: "string" } } });
const names = ["web1", "web2", "worker"] as const;
type Name = (typeof names)[number];
const start_ms_max = 60_000;

const print = (line: string) => console.log(line);

/** The environment of a service, with the defaults of the file. */
function environmentOf(name: Name): Record<string, string> {
  const { services } = Bun.YAML.parse(readFileSync(join(files, "compose.yaml"), "utf8")) as {
    services: Record<Name, { readonly environment: Record<string, string> }>;
  };
  const { environment } = services[name];
  const { "<<": shared = {}, ...variables } = environment as Record<string, string> & {
    readonly "<<"?: Record<string, string>;
  };
  return Object.fromEntries(
    Object.entries({ ...shared, ...variables }).map(([key, value]) => [
      key,
      String(value).replace(/\$\{\w+:-([^}]*)\}/g, "$1"),
    ]),
  );
}

interface Node {
  readonly name: Name;
  readonly port: number;
  readonly data: string;
  child: Bun.Subprocess | null;
}

class Cluster {
  readonly nodes = new Map<Name, Node>();
  private readonly env: Readonly<Record<string, string>>;

  constructor(
    private readonly directory: string,
    addresses: Readonly<Record<string, string>>,
    private readonly stopped: AbortSignal,
  ) {
    this.env = addresses;
  }

  async start(name: Name, program = executable): Promise<void> {
    const node = this.nodes.get(name) ?? {
      name,
      port: await freePort(),
      data: join(this.directory, name),
      child: null,
    };
    this.nodes.set(name, node);
    mkdirSync(node.data, { recursive: true });
    const log = Bun.file(join(this.directory, `${name}.log`));
    node.child = Bun.spawn([program, "serve", "--data", node.data, "--port", String(node.port)], {
      cwd: node.data,
      env: this.environment(name),
      stdout: log,
      stderr: log,
      signal: this.stopped,
      killSignal: "SIGKILL",
    });
    const address = `http://127.0.0.1:${node.port}/ready`;
    await until(`${name} is ready`, async () => (await fetch(address)).ok);
  }

  environment(name: Name): Record<string, string> {
    return cleanEnvironment({
      ...environmentOf(name),
      ...this.env,
      DOSSIER_SERVER_PUBLIC_URL: "",
      DOSSIER_SERVER_TRUSTED_PROXIES: "127.0.0.0/8",
      DOSSIER_RATE_LIMIT_REQUESTS: "1000000",
    });
  }

  async stop(name: Name, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const { child } = this.nodes.get(name)!;
    child?.kill(signal);
    await child?.exited;
  }

  portOf = (name: Name): number => this.nodes.get(name)!.port;
}

/** Retries until it holds, ignoring failures. @throws Error after a minute */
async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  for (const end_ms = performance.now() + start_ms_max; ;) {
    if (await condition().catch(() => false)) return;
    if (performance.now() > end_ms) throw new Error(`timed out: ${what}`);
    await Bun.sleep(100);
  }
}

/** Caddy with the configuration of the example. Resolves with its local address. */
async function startCaddy(
  started: StartedPrograms,
  directory: string,
  cluster: Cluster,
): Promise<string> {
  const port = await freePort();
  const written = readFileSync(join(files, "Caddyfile"), "utf8")
    .replace("dossier.example {", `http://127.0.0.1:${port} {`)
    .replace(/\b(web[12]):4780/g, (_, name: Name) => `127.0.0.1:${cluster.portOf(name)}`);
  const file = join(directory, "Caddyfile");
  writeFileSync(file, `{\n\tadmin off\n}\n${written}`);
  const child = Bun.spawn(["caddy", "run", "--config", file, "--adapter", "caddyfile"], {
    env: { PATH: process.env.PATH ?? "", HOME: directory, XDG_DATA_HOME: directory },
    stdout: "ignore",
    stderr: Bun.file(join(directory, "caddy.log")),
  });
  started.defer(() => child.kill("SIGTERM"));
  const url = `http://127.0.0.1:${port}`;
  await until("Caddy answers", async () => (await fetch(`${url}/ready`)).ok);
  return url;
}

type Named = Readonly<{ id: string }>;
type Found = Readonly<{ data: readonly { readonly document_id: string }[] }>;

/** One user's requests through Caddy. */
class Caller {
  /** Successful requests, and refused ones by status. */
  answered = 0;
  readonly refused = new Map<number, number>();

  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {}

  /** @throws Error when it is refused for any reason except an unavailable node */
  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const form = body instanceof FormData;
    const answer = await fetch(`${this.url}/api/dev/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body !== undefined && !form && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: form ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) {
      this.refused.set(answer.status, (this.refused.get(answer.status) ?? 0) + 1);
      throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    }
    this.answered++;
    return (text === "" ? null : JSON.parse(text)) as T;
  }

  /** As `call`; a request that met a stopping node is retried, as clients do. */
  async callWithRetries<T>(method: string, path: string, body: () => unknown): Promise<T> {
    for (let tries = 1; ; tries++)
      try {
        return await this.call<T>(method, path, body());
      } catch (error) {
        if (tries === 3 || !/answered 50[23]/.test(String(error))) throw error;
        await Bun.sleep(500);
      }
  }

  /** Upload, index, search, download: the main job. */
  async mainJob(folder_id: string, word: string): Promise<void> {
    const text = `# ${word}\n\nThe ${word} is cleaned every ninety days.`;
    const { id } = await this.callWithRetries<Named>(
      "POST",
      `/documents/file?folder_id=${folder_id}`,
      () => {
        const form = new FormData();
        form.append("file", new Blob([text]), `${word}.md`);
        return form;
      },
    );
    await until(`${word} is indexed`, async () => {
      return (
        (await this.call<{ readonly status: string }>("GET", `/documents/${id}`)).status ===
        "synced"
      );
    });
    const found = await this.callWithRetries<Found>("POST", "/search", () => ({
      query: `when is the ${word} cleaned`,
    }));
    if (!found.data.some(({ document_id }) => document_id === id))
      throw new Error(`${word} is not found`);
    const original = await fetch(`${this.url}/api/dev/v1/documents/${id}/file`, {
      headers: { authorization: `Bearer ${this.key}` },
    });
    if (!(await original.text()).includes(word))
      throw new Error(`the original of ${word} is not there`);
  }
}

interface Ready {
  readonly cluster: Cluster;
  readonly caller: Caller;
  readonly folder_id: string;
  readonly store: S3Server;
}

async function startAll(started: StartedPrograms): Promise<Ready> {
  const postgres = await started.use(startPostgres());
  if (postgres === null || Bun.which("caddy") === null)
    throw new Error("PostgreSQL 15 or later and Caddy are required (Debian: postgresql, caddy).");
  const store = await started.use(startS3Server());
  const directory = mkdtempSync(join(tmpdir(), "dossier-cluster-"));
  const env = { DOSSIER_DATABASE_URL: postgres.url, ...store.env };
  const cluster = new Cluster(directory, env, started.signal);
  started.defer(async () => {
    for (const name of cluster.nodes.keys()) await cluster.stop(name, "SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  });
  const program = flags.old ?? executable;
  for (const name of names) await cluster.start(name, program);
  const url = await startCaddy(started, directory, cluster);
  print(`two web nodes and a worker, ${store.name}, Caddy: ready`);
  const key = await createKey(cluster.nodes.get("web1")!.data, "ada@example.com", {
    env: cluster.environment("web1"),
    program,
  });
  const caller = new Caller(url, key);
  const { id } = await caller.call<Named>("POST", "/folders", { name: "Hut" });
  return { cluster, caller, folder_id: id, store };
}

const failures: string[] = [];

async function step(what: string, work: () => Promise<void>): Promise<void> {
  const began_ms = performance.now();
  try {
    await work();
    print(`ok    ${what} (${((performance.now() - began_ms) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failures.push(what);
    print(`FAIL  ${what}: ${String(error)}`);
  }
}

/** Reads through Caddy while `work` runs: every request must succeed. */
async function readingDuring(
  { caller, folder_id }: Ready,
  work: () => Promise<void>,
): Promise<void> {
  let ended = false;
  const problems: string[] = [];
  const read = async (): Promise<void> => {
    while (!ended)
      await caller
        .call("GET", `/folders/${folder_id}`)
        .catch((error) => problems.push(String(error)));
  };
  const readers = [read(), read()];
  await work().finally(() => (ended = true));
  await Promise.all(readers);
  if (problems.length > 0)
    throw new Error(`${problems.length} reads failed, such as ${problems[0]}`);
}

async function run(started: StartedPrograms): Promise<boolean> {
  const ready = await startAll(started);
  const { cluster, caller, folder_id, store } = ready;
  await step("the main job", () => caller.mainJob(folder_id, "filter"));
  if (flags.old !== undefined)
    for (const name of ["worker", "web1", "web2"] as const)
      await step(`${name} is upgraded while the others keep working`, () =>
        readingDuring(ready, async () => {
          await cluster.stop(name);
          await cluster.start(name);
          await caller.mainJob(folder_id, `filter${name}`);
        }),
      );
  await step("a web node is restarted, and no read fails", () =>
    readingDuring(ready, async () => {
      await cluster.stop("web1");
      await caller.mainJob(folder_id, "kettle");
      await cluster.start("web1");
    }),
  );
  await step("a web node is killed: the other does the main job", async () => {
    await cluster.stop("web2", "SIGKILL");
    await Bun.sleep(2_500);
    await caller.mainJob(folder_id, "lamp");
    await cluster.start("web2");
  });
  await step("the worker is killed: its replacement does the waiting jobs", async () => {
    await cluster.stop("worker", "SIGKILL");
    const job = caller.mainJob(folder_id, "stove");
    await cluster.start("worker");
    await job;
  });
  await step("the store has every original once", async () => {
    const originals = (await Array.fromAsync(store.place.list())).flat();
    const expected = flags.old === undefined ? 4 : 7;
    if (originals.length !== expected)
      throw new Error(`${originals.length} instead of ${expected}`);
  });
  print(`${caller.answered} answers, refused: ${JSON.stringify([...caller.refused])}`);
  print(failures.length === 0 ? "nothing found" : counted(failures.length, "failure"));
  return failures.length === 0;
}

process.exit((await runInterruptible(run)) ? 0 : 1);
