/**
 * `dossier serve`: one server on one data directory, from its first line of output to its graceful
 * end.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errorFields, type Log } from "../base/log";
import { isWildcard } from "../base/public-url";
import { removeServerAddress, writeServerAddress } from "../base/server-address";
import { commit, version } from "../base/version";
import { serve, type HttpServer, type ListenOptions } from "../http/http-server";
import { StartNotice } from "../http/slots";
import type { IsolatedRun } from "../isolate/pool";
import type { Plugin } from "../plugin/contract";
import type { Host } from "../plugin/host";
import { removeRunningPlugins, writeRunningPlugins } from "../plugin/running-plugins";
import { withTimeout } from "../lib/timeout";
import { removeCompactions } from "../store/compaction";
import { database_file, lockDirectory } from "../store/lock";
import { withoutPassword } from "../store/postgres/postgres-store";
import { unreachable } from "../store/postgres/server-check";
import { hasTooManyConnections, isDamage } from "../store/storage-errors";
import { createApplication } from "./application";
import { assemble } from "./assembly";
import type { Bootstrap } from "./bootstrap";
import { publicUrlOfSettings } from "./command-options";
import { openDataDirectory } from "./data-directory";
import { listenOptions } from "./listen-options";
import { readLastExit, watchPlugins, withoutFailedPlugin, type PluginWatch } from "./plugin-watch";
import { limitMemory } from "./unused-memory";

/** How long requests in progress may take when the server stops. */
const requests_ms_max = 10_000;
/** … and uploads that are still arriving. */
const uploads_ms_max = 2_000;
const jobs_ms_max = 5_000;
const notice_ms_max = 3_000;
/** The time for the first requests, before less urgent work is started. */
const first_requests_ms = 50;
/** For all of it together: without a database the process ends as if it had been killed. */
const stop_ms_max = 45_000;

/** A server that answers requests. */
export interface RunningServer extends Pick<PluginWatch, "noteUncaught"> {
  /** Ends requests and jobs within their time limits, then closes everything. */
  stop(): Promise<void>;
}

/** Starts a server and prints its address. @throws Error in plain words when it can't. */
export async function startServer(
  loaded: Bootstrap,
  built_in: readonly Plugin[],
  isolate: IsolatedRun,
  print: (line: string) => void,
): Promise<RunningServer> {
  let address = publicUrlOfSettings(loaded);
  const publicUrl = () => address;
  openDataDirectory(loaded.located.data);
  const listening = listenOptions(loaded);
  const unlock = lockDirectory(loaded.located.data);
  const last_exit = readLastExit(loaded);
  const boot = withoutFailedPlugin(loaded, last_exit);
  try {
    await removeCompactions(join(boot.located.data, database_file));
    const assembled = await assemble(boot, built_in, isolate, publicUrl, { serves: true });
    const { host } = assembled;
    const watch = watchPlugins(boot, host, last_exit);
    const stopping = new AbortController();
    let served: HttpServer;
    try {
      const { tls } = listening;
      const gateway = createApplication(host, boot, stopping.signal, publicUrl, tls);
      await host.start();
      served = await serve(gateway, listening);
    } catch (error) {
      await host.stop(0);
      watch.stop();
      await assembled.close();
      throw error;
    }
    if (boot.config.values.server!.public_url === undefined && served.url) address = served.url;
    writeServerAddress(boot.located.data, listening.socket ?? served.url!, address);
    recordRunningPlugins(boot, host);
    boot.log.info("listening", {
      version,
      commit,
      url: served.url,
      ...(listensEverywhere(listening) && { host: listening.port!.host }),
      ...(listening.socket !== null && { socket: listening.socket }),
      data: boot.located.data,
      plugins: host.plugins.length,
      left_out: host.failures.map(({ name, reason }) => ({ name, reason })),
    });
    // After the log lines, so that what people must read comes last.
    print(`Dossier ${version} is ready at ${publicUrl()}/${placeOf(listening)}`);
    const ending = finishStart(host, boot.log, print);
    return {
      noteUncaught: watch.noteUncaught,
      async stop() {
        const endMemoryLimit = await ending;
        endMemoryLimit();
        removeServerAddress(boot.located.data);
        removeRunningPlugins(boot.located.data);
        stopping.abort();
        const aborting = setTimeout(() => assembled.files.abortUploads(), uploads_ms_max);
        await served.stop(requests_ms_max);
        clearTimeout(aborting);
        await host.stop(jobs_ms_max);
        watch.stop();
        await assembled.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw startError(error, boot);
  }
}

const listensEverywhere = ({ port }: ListenOptions): boolean =>
  port !== null && isWildcard(port.host);
/** Where it listens, if that is not in its address. */
function placeOf(listening: ListenOptions): string {
  if (listening.port === null) return ` (listening on ${listening.socket})`;
  return listensEverywhere(listening) ? " (listening on every address of this machine)" : "";
}

/** Records which plugin files run here, for commands beside this server. */
function recordRunningPlugins({ located, plugin_files }: Bootstrap, host: Host): void {
  const { loaded } = plugin_files;
  const described = loaded.size === 0 ? [] : host.described;
  const running = described.flatMap(({ file, runs, description: { name, version } }) => {
    const sha256 = file === null || !runs ? undefined : loaded.get(file);
    return sha256 === undefined ? [] : [{ name, version, file: file!, sha256 }];
  });
  writeRunningPlugins(located.data, running);
}

/** What no request waits for. Returns what ends the watch over memory. */
async function finishStart(
  host: Host,
  log: Log,
  print: (line: string) => void,
): Promise<() => void> {
  // Requests that have waited for the start come first.
  await Bun.sleep(first_requests_ms);
  Bun.unsafe.setJITPolicy(1);
  const endMemoryLimit = limitMemory();
  host.startSchedules();
  for (const notice of host.slot(StartNotice)) await printNotice(notice, log, print);
  return endMemoryLimit;
}

/** A plugin whose notice can't be made, because nothing can be stored, does not stop the server. */
async function printNotice(
  notice: () => Promise<string>,
  log: Log,
  print: (line: string) => void,
): Promise<void> {
  try {
    print(await withTimeout(notice(), notice_ms_max, () => new Error("it took too long")));
  } catch (error) {
    log.error("a start-up notice could not be created", errorFields(error));
  }
}

function startError(error: unknown, { located, config }: Bootstrap): unknown {
  if (isDamage(error)) return damaged(causeOf(error as Error), located.data);
  if (!hasTooManyConnections(error)) return error;
  return unreachable(error, withoutPassword(config.values.database!.url as string));
}

const causeOf = (error: Error): Error =>
  error.cause instanceof Error ? causeOf(error.cause) : error;
const damaged = ({ message }: Error, data: string): Error =>
  new Error(
    `the database of ${data} is damaged (${message}). Don't change the directory. Run ` +
      `\`dossier doctor --data ${data}\` to see what is wrong, and which copies in ` +
      `${join(data, "backups")} you can go back to`,
  );

/**
 * Whether SIGHUP is to stop the server. Not under `nohup`, which has it ignored: a listener would
 * undo that. Where this can't be told, the signal is left as it is.
 */
function stopsAtHangUp(): boolean {
  try {
    const status = readFileSync("/proc/self/status", "utf8");
    const ignored = Number.parseInt(/^SigIgn:\s+\w*(\w)$/m.exec(status)?.[1] ?? "f", 16);
    return ignored % 2 === 0;
  } catch {
    return false;
  }
}

/**
 * Runs until SIGTERM, SIGINT or SIGHUP; a second one ends it at once. An uncaught error from a
 * plugin's timer is logged and survived.
 */
export async function serveUntilStopped(
  start: () => Promise<RunningServer>,
  log: Log,
): Promise<void> {
  let running: RunningServer | undefined;
  const note = (message: string) => (error: unknown) =>
    running ? running.noteUncaught(message, error) : log.error(message, errorFields(error));
  process.on("uncaughtException", note("uncaught error in the background"));
  process.on("unhandledRejection", note("unhandled rejection in the background"));
  const { promise, resolve } = Promise.withResolvers<void>();
  let is_stopping = false;
  const stop = (signal: string) => {
    if (is_stopping) process.exit(1);
    is_stopping = true;
    log.info("stopping", { signal });
    resolve();
  };
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGINT", () => stop("SIGINT"));
  // A terminal that closes sends it twice.
  if (stopsAtHangUp()) process.on("SIGHUP", () => is_stopping || stop("SIGHUP"));
  // A signal during the start ends the server gracefully once it runs.
  running = await start();
  await promise;
  const timeoutError = (): Error =>
    new Error(`some work did not end within ${stop_ms_max / 1_000} s`);
  await withTimeout(running.stop(), stop_ms_max, timeoutError);
  log.info("stopped");
}
