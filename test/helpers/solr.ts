/** Solr as a process of a test, with the core described in examples/solr-search. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { freePort } from "../../scripts/lib/free-port";
import { cleanEnvironment } from "../../scripts/lib/launch";
import { temporaryDirectory } from "./data-directory";
import { programs } from "./foreign-tools";
import { until } from "./server";

const configset = resolve(import.meta.dir, "../../examples/solr-search/configset/conf");
const start_ms_max = 120_000;

/** A running Solr. */
export interface Solr extends AsyncDisposable {
  /** The address of the core, which stays the same after a restart. */
  readonly url: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Deletes the content of the core. */
  empty(): Promise<void>;
  /** Whether any file of the index contains these words. */
  hasInFiles(words: string): boolean;
}

/** `jars`: as `findSolr` found them. It is not started yet. */
export async function solrOf(jars: string): Promise<Solr> {
  const home = temporaryDirectory();
  const core = join(home, "dossier");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/solr/dossier`;
  mkdirSync(core);
  cpSync(configset, join(core, "conf"), { recursive: true });
  writeFileSync(join(core, "core.properties"), "name=dossier\n");
  writeFileSync(join(home, "solr.xml"), "<solr/>\n");
  const server = join(programs, "solr/SolrServer.java");
  let running: Bun.Subprocess | null = null;
  const isReady = (): Promise<boolean> =>
    fetch(`${url}/select?q=id:none`).then(
      ({ ok }) => ok,
      () => false,
    );
  const solr: Solr = {
    url,
    async start() {
      running = Bun.spawn(
        ["java", "-Xmx512m", "-cp", join(jars, "*"), server, home, String(port)],
        {
          env: cleanEnvironment(),
          cwd: home,
          stdin: "ignore",
          stdout: "ignore",
          stderr: "ignore",
        },
      );
      await until(isReady, start_ms_max);
    },
    async kill() {
      running?.kill("SIGKILL");
      await running?.exited;
    },
    async empty() {
      const body = JSON.stringify({ delete: { query: "*:*" } });
      const headers = { "content-type": "application/json" };
      await fetch(`${url}/update?commit=true`, { method: "POST", headers, body });
    },
    hasInFiles: (words) =>
      readdirSync(join(core, "data"), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .some(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(words)),
    [Symbol.asyncDispose]: () => solr.kill(),
  };
  return solr;
}
