/**
 * Starts dist/dossier as a separate process on a data directory and waits until it serves. For
 * tests, the demonstration and benchmarks.
 */
import { executable } from "../build";

/** How the process is started. */
export interface LaunchOptions {
  readonly data: string;
  /** Added to the environment; settings of Dossier in the caller's own shell are removed. */
  readonly env?: Readonly<Record<string, string>>;
  /** Further arguments of `dossier serve`. */
  readonly args?: readonly string[];
  /** Another version of the executable. */
  readonly program?: string;
  /** Time limit for its start, milliseconds. */
  readonly limit_ms?: number;
  /** The working directory. Default: the data directory, which has no settings of this checkout. */
  readonly cwd?: string;
  /** Kills it, also while it starts. */
  readonly signal?: AbortSignal;
}

/** A process that serves. */
export interface Launched {
  /** `http://127.0.0.1:41234`. */
  readonly url: string;
  readonly pid: number;
  /** Its output so far, standard output and standard error. */
  output(): string;
  /** Resolves with the exit code, or 128 + the signal's number. */
  readonly exited: Promise<number>;
  kill(signal: "SIGTERM" | "SIGKILL" | "SIGSTOP" | "SIGCONT"): void;
}

/** How a command ended. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const address = /https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):\d+/;

/** The environment without this shell's settings of Dossier, plus `more`. */
export function cleanEnvironment(
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !entry[0].startsWith("DOSSIER_") && entry[0] !== "BUN_OPTIONS",
  );
  return { ...Object.fromEntries(inherited), ...more };
}

/**
 * Starts the server on a free port. @throws Error with its output when it exits or does not
 * respond.
 */
export async function launch({
  data,
  env = {},
  args = [],
  program = executable,
  limit_ms = 90_000,
  cwd = data,
  signal,
}: LaunchOptions): Promise<Launched> {
  const child = Bun.spawn([program, "serve", "--data", data, "--port", "0", ...args], {
    cwd,
    env: cleanEnvironment(env),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    signal,
    killSignal: "SIGKILL",
  });
  let output = "";
  const served = Promise.withResolvers<string>();
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const bytes of stream) {
      output += decoder.decode(bytes, { stream: true });
      const found = address.exec(output);
      if (found) served.resolve(found[0]);
    }
  };
  const read = Promise.all([collect(child.stdout), collect(child.stderr)]);
  const timer = setTimeout(
    () =>
      served.reject(
        new Error(`dossier serve printed no address within ${limit_ms} ms:\n${output}`),
      ),
    limit_ms,
  );
  void child.exited.then(async (code) => {
    await read;
    served.reject(new Error(`dossier serve ended with ${code}:\n${output}`));
  });
  try {
    const url = await served.promise;
    return {
      url,
      pid: child.pid,
      output: () => output,
      exited: child.exited,
      kill: (signal) => child.kill(signal),
    };
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** What a command is given besides its arguments. */
export interface CommandOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Another version of the executable. */
  readonly program?: string;
}

/** Runs a command of the executable and waits for its end: `dossier key create …`. */
export async function runCommand(
  data: string,
  args: readonly string[],
  { stdin = "", env = {}, program = executable }: CommandOptions = {},
): Promise<CommandResult> {
  const run = Bun.spawn([program, ...args, "--data", data], {
    cwd: data,
    env: cleanEnvironment(env),
    stdin: new Blob([stdin]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    run.stdout.text(),
    run.stderr.text(),
    run.exited,
  ]);
  return { code, stdout, stderr };
}

/**
 * The same, for a command that must succeed; returns its trimmed output. @throws Error with its
 * output.
 */
export async function mustRun(
  data: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const { code, stdout, stderr } = await runCommand(data, args, options);
  if (code !== 0)
    throw new Error(`dossier ${args.join(" ")} ended with ${code}: ${stderr}${stdout}`);
  return stdout.trim();
}

/** The password of every user created here. */
export const first_password = "correct horse battery staple";

/** Creates a user with an API key through the command line. Returns the key. */
export async function createKey(
  data: string,
  email: string,
  {
    role = "member",
    ...options
  }: Omit<CommandOptions, "stdin"> & { readonly role?: "admin" | "member" } = {},
): Promise<string> {
  await mustRun(data, ["user", "create", "--email", email, "--role", role, "--password-stdin"], {
    ...options,
    stdin: first_password,
  });
  return mustRun(data, ["key", "create", "--user", email, "--name", "made by a script"], options);
}
