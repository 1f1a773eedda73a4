/**
 * `dossier plugin dev`: a server with the plugin under development, restarted whenever a file is
 * saved. Problems are printed, and the next save tries again.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../lib/error-message";
import { checkTypes } from "./check";
import { packInto } from "./pack";
import { installPeople, readPeople } from "./people";
import { support, type Project } from "./project";
import { StartFailure, startServer, type LogLine, type ServerProcess } from "./server-process";
import { settingsOf } from "./toolchain";
import { openInBrowser } from "./browser";
import { portFor } from "./port";
import { savesBelow } from "./save-watch";

/** How the server is run and what it prints. */
export interface DevOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The command that starts this executable. */
  readonly self: readonly string[];
  /** Plugins whose log lines are shown only when something fails. */
  readonly built_in: ReadonlySet<string>;
  /** Default: the one that was free the first time. */
  readonly port: number | undefined;
  /** Whether to open the console in a browser. */
  readonly opens: boolean;
  readonly print: (line: string) => void;
  /** Stops it. */
  readonly signal: AbortSignal;
}

/** How long to wait for a server that has nothing to lose. */
const stop_limit_ms = 400;
/** Hosts that imports and webhooks may reach during development, unless the shell sets them. */
const default_settings: Readonly<Record<string, string>> = {
  DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.0/8",
  DOSSIER_WEBHOOKS_ALLOW_NETWORKS: "127.0.0.0/8",
};

/** Runs until the signal fires. */
export async function develop(project: Project, options: DevOptions): Promise<void> {
  const support_directory = join(project.directory, support);
  const port = await portFor(join(support_directory, "port"), options.port);
  const server = new DevServer(project, support_directory, port, options);
  const saves = savesBelow(project.directory, options.signal);
  await server.restart();
  for await (const path of saves) {
    options.print(`${path} was saved.`);
    await server.restart();
  }
  await server.stop();
}

class DevServer {
  private server: ServerProcess | undefined;
  private readonly data: string;
  private has_welcomed = false;

  constructor(
    private readonly project: Project,
    private readonly support_directory: string,
    private readonly port: number,
    private readonly options: DevOptions,
  ) {
    this.data = join(support_directory, "data");
  }

  /** Replaces the running server with one of the current code; on failure the old one stays. */
  async restart(): Promise<void> {
    const { print } = this.options;
    const started = performance.now();
    try {
      const plugins = join(this.support_directory, "packed");
      rmSync(plugins, { recursive: true, force: true });
      await packInto(this.project, plugins);
      await this.stop();
      this.server = await this.start(plugins);
      void this.watchEnd(this.server);
      this.announce(performance.now() - started);
    } catch (error) {
      // Ctrl-C stops a server that is still starting, too.
      if (this.options.signal.aborted) return;
      if (error instanceof StartFailure) print(`The server did not start: ${error.last_message}`);
      else print(messageOf(error));
      print("Save a file to try again.");
    }
    // Afterwards, because the developer is waiting for the server.
    for (const problem of await checkTypes(this.project, this.options)) print(problem);
  }

  private start(plugins: string): Promise<ServerProcess> {
    const { self, env, print, built_in } = this.options;
    mkdirSync(this.data, { recursive: true });
    installPeople(this.support_directory, plugins);
    return startServer({
      command: self,
      data: this.data,
      env: {
        ...default_settings,
        ...settingsOf(env),
        DOSSIER_PLUGINS_DIRECTORY: plugins,
      },
      inherited: env,
      port: this.port,
      onLine: (line) => {
        if (isWorthReading(line, built_in)) linesOf(line).forEach(print);
      },
    });
  }

  /** It may exit by itself: a plugin can do anything. */
  private async watchEnd(server: ServerProcess): Promise<void> {
    const code = await server.exited;
    if (this.server !== server) return;
    this.server = undefined;
    this.options.print(`The server exited with ${code}. Save a file to restart it.`);
  }

  private announce(took_ms: number): void {
    const { print, opens } = this.options;
    const { url, left_out } = this.server!;
    for (const { name, reason } of left_out) print(`${name} is left out: ${reason}`);
    if (left_out.length === 0)
      print(`${this.project.name} runs at ${url} (after ${took_ms.toFixed(0)} ms).`);
    if (this.has_welcomed) return;
    this.has_welcomed = true;
    const { ada } = readPeople(this.data);
    const page = `${url}/console/`;
    print(
      [
        "",
        `  The console   ${page}  (you are Ada, an administrator; sign out to be Bob)`,
        `  The API       export KEY=${ada.key}`,
        `                curl -H "Authorization: Bearer $KEY" ${url}/api/dev/v1/folders`,
        `  Its data      ${this.data}`,
        "",
        "The server restarts whenever you save a file. Press Ctrl-C to stop it.",
      ].join("\n"),
    );
    if (opens) openInBrowser(page);
  }

  async stop(): Promise<void> {
    const stopped_server = this.server;
    this.server = undefined;
    await stopped_server?.stop(stop_limit_ms);
  }
}

/** Lines logged by the plugin, and every failure. */
const isWorthReading = ({ level, plugin }: LogLine, built_in: ReadonlySet<string>): boolean =>
  level === "error" || (plugin !== undefined && !built_in.has(plugin));

function linesOf({ time, level, message, stack, ...fields }: LogLine): string[] {
  const shown_fields = Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : "";
  const stack_lines = Array.isArray(stack) ? stack.map((line) => `    ${line}`) : [];
  return [`${time.slice(11, 19)} ${level} ${message}${shown_fields}`, ...stack_lines];
}
