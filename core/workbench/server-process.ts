/** A server with a plugin in a process of its own: for tests and for `dossier plugin dev`. */
import { asDossier } from "./toolchain";

/** A line of the server's log. */
export interface LogLine {
  readonly time: string;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  /** The plugin that logged it, if any. */
  readonly plugin?: string;
  readonly [field: string]: unknown;
}

/** How the process is started. */
export interface ServerOptions {
  /** The command that starts the executable. */
  readonly command: readonly string[];
  readonly data: string;
  /** Settings. Those in the environment of this process are ignored. */
  readonly env: Readonly<Record<string, string>>;
  /** Where the rest of its environment comes from. */
  readonly inherited: Readonly<Record<string, string | undefined>>;
  readonly port?: number;
  readonly onLine?: (line: LogLine) => void;
}

/** A server that has started. */
export interface ServerProcess {
  readonly url: string;
  /** Plugins that are left out, and why. */
  readonly left_out: readonly { readonly name: string; readonly reason: string }[];
  readonly exited: Promise<number>;
  /** Everything it has logged so far. */
  log(): readonly LogLine[];
  /** Stops it gracefully, after `limit_ms` by force. */
  stop(limit_ms?: number): Promise<void>;
  /** Stops it by force. */
  kill(): void;
}

/** The server did not start. */
export class StartFailure extends Error {
  override readonly name = "StartFailure";
  /** Its last message. */
  readonly last_message: string;
  constructor(reason: string, output: readonly string[]) {
    super(`the server ${reason}:\n${output.join("\n")}`);
    this.last_message = output.at(-1)?.replace(/^dossier: /, "") ?? reason;
  }
}

const start_limit_ms = 30_000;

/** Starts it and waits until it serves. @throws StartFailure */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const { command, data, env, inherited, port = 0, onLine } = options;
  const child = Bun.spawn([...command, "serve", "--data", data, "--port", String(port)], {
    cwd: data,
    env: { ...asDossier(inherited), ...env },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  const lines: LogLine[] = [];
  const output: string[] = [];
  const listening = Promise.withResolvers<LogLine>();
  const failed = (reason: string): void => listening.reject(new StartFailure(reason, output));
  const reading = forEachLine(child.stderr, (text) => {
    output.push(text);
    const line = lineOf(text);
    if (line === null) return;
    lines.push(line);
    onLine?.(line);
    if (line.message === "listening") listening.resolve(line);
  });
  const timer = setTimeout(
    () => failed(`did not start within ${start_limit_ms / 1_000} s`),
    start_limit_ms,
  );
  void child.exited.then(async (code) => {
    await reading;
    failed(`ended with ${code}`);
  });
  const kill = (): void => child.kill("SIGKILL");
  try {
    const { url, left_out } = await listening.promise;
    return {
      url: url as string,
      left_out: left_out as ServerProcess["left_out"],
      exited: child.exited,
      log: () => lines,
      async stop(limit_ms = 5_000) {
        child.kill("SIGTERM");
        const kill_timer = setTimeout(kill, limit_ms);
        await child.exited;
        clearTimeout(kill_timer);
      },
      kill,
    };
  } catch (error) {
    kill();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function lineOf(text: string): LogLine | null {
  if (!text.startsWith("{")) return null;
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return null;
  }
}

async function forEachLine(
  stream: ReadableStream<Uint8Array>,
  take: (line: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stream) {
    const [last, ...lines] = (rest + decoder.decode(bytes, { stream: true })).split("\n").reverse();
    rest = last!;
    lines.reverse().forEach(take);
  }
  if (rest !== "") take(rest);
}
