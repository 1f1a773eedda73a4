/** Dossier and its rival as separate processes with the same data, ready to be measured. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { cleanEnvironment, createKey, launch, type Launched } from "../lib/launch";
import { folderDescription, folderName, type RawData } from "./raw-data";

/** The user whose key the benchmark has. */
export const email = "bench@example.com";
const settings = {
  DOSSIER_RATE_LIMIT_REQUESTS: "1000000000",
  DOSSIER_SERVER_LOG_LEVEL: "warn",
  // Off, because the rivals have none, and its cost has a row of its own.
  DOSSIER_EMBEDDINGS_PROVIDER: "none",
};

/** A directory for the data of a server. */
export interface TemporaryDirectory {
  readonly directory: string;
  remove(): void;
}
/** A new one. */
export function temporaryDirectory(): TemporaryDirectory {
  const directory = mkdtempSync(join(tmpdir(), "dossier-bench-"));
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** Calls the API with a key. @throws Error unless the response is a success. */
export type ApiCall = <T>(method: string, path: string, body?: object) => Promise<T>;

/** The built executable, with a user. */
export interface Dossier extends Launched {
  readonly key: string;
  readonly port: number;
  readonly call: ApiCall;
  stop(): Promise<void>;
}

/**
 * Starts dist/dossier on `data` with a new user, or with the key of an earlier start. `env`:
 * further settings.
 */
export async function startDossier(
  data: string,
  known_key?: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Dossier> {
  const launched = await launch({ data, env: { ...settings, ...env } });
  const key = known_key ?? (await createKey(data, email, { env }));
  return {
    ...launched,
    output: launched.output,
    key,
    port: Number(new URL(launched.url).port),
    call: apiCall(launched.url, key),
    async stop() {
      launched.kill("SIGTERM");
      await launched.exited;
      noteStalls(launched.output());
    },
  };
}

/** A caller of the API with a key. @throws Error when the status is not one of success */
export const apiCall =
  (url: string, key: string): ApiCall =>
  async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${url}/api/dev/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body ? { "content-type": "application/json" } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as T;
  };

/** Calls `work` for 0 … count - 1, at most `concurrency` at a time. */
export async function inParallel(
  count: number,
  concurrency: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next < count) await work(next++);
    }),
  );
}

/** Creates folders with the rival's names and descriptions. */
export const addFolders = (dossier: Dossier, count: number): Promise<void> =>
  inParallel(count, 8, async (index) => {
    await dossier.call("POST", "/folders", {
      name: folderName(index),
      description: folderDescription(index),
    });
  });

/**
 * Creates the texts as documents of one folder and waits until none is `syncing`. Returns the
 * milliseconds from the first request on.
 */
export async function addTexts(
  dossier: Pick<Dossier, "call">,
  folder_id: string,
  texts: readonly string[],
  limit_ms = 180_000,
): Promise<number> {
  const started = performance.now();
  await inParallel(texts.length, 8, async (index) => {
    await dossier.call("POST", "/documents", {
      folder_id,
      name: `Text ${index}`,
      content: texts[index]!,
    });
  });
  await untilSynced(dossier, folder_id, limit_ms);
  return performance.now() - started;
}

/** Waits until no document of the folder is `syncing`. @throws Error when one could not be. */
export async function untilSynced(
  dossier: Pick<Dossier, "call">,
  folder_id: string,
  limit_ms = 180_000,
): Promise<void> {
  const started = performance.now();
  for (;;) {
    const {
      status_counts: { syncing, sync_failed },
    } = await dossier.call<{ status_counts: { syncing: number; sync_failed: number } }>(
      "GET",
      `/folders/${folder_id}`,
    );
    if (sync_failed > 0) throw new Error(`${sync_failed} documents could not be indexed`);
    if (syncing === 0) return;
    if (performance.now() - started > limit_ms)
      throw new Error(`${syncing} documents were still syncing after ${limit_ms / 1000} s`);
    await Bun.sleep(10);
  }
}

/** The longest stall of servers stopped since the last call. */
let longest_stall_ms = 0;

/** The log reports when a server stalled for more than 100 ms. */
function noteStalls(output: string): void {
  for (const [, ms] of output.matchAll(/"(?:stall_ms|more_ms_max)":(\d+)/g))
    longest_stall_ms = Math.max(longest_stall_ms, Number(ms));
}

/** The same as text, for the rows measured meanwhile. */
export function takeStalls(): string {
  const ms = longest_stall_ms;
  longest_stall_ms = 0;
  return ms === 0 ? "stood still for less than 100 ms" : `stood still for ${ms} ms at most`;
}

/** A plain server of the same data. */
export interface Rival {
  readonly port: number;
  stop(): void;
}

/** Runs a script of this directory in a separate process with `input`. */
export const cleanSpawn = (script: string, input: string, ...args: readonly string[]) =>
  Bun.spawn([process.execPath, resolve(import.meta.dir, script), ...args], {
    env: cleanEnvironment(),
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "inherit",
  });

/** Starts the plain server with this data. */
export async function startRival(directory: string, data: RawData): Promise<Rival> {
  const run = cleanSpawn("raw-server.ts", JSON.stringify(data), join(directory, "raw.db"));
  for await (const bytes of run.stdout)
    return { port: Number(new TextDecoder().decode(bytes)), stop: () => run.kill("SIGKILL") };
  throw new Error("the rival server did not start");
}

/**
 * Inserts the texts into SQLite's full-text index in a separate process. Returns the milliseconds,
 * without its start.
 */
export async function indexByRival(directory: string, texts: readonly string[]): Promise<number> {
  const run = cleanSpawn("raw-index.ts", JSON.stringify(texts), join(directory, "raw-index.db"));
  return Number(await run.stdout.text());
}
