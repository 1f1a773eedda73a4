/**
 * Programs of other languages that tests use: installed once by the languages' own package
 * managers, in exact versions, and kept in the user's cache directory. If the language or its
 * package index is missing, the result says so.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cleanEnvironment } from "../../scripts/lib/launch";

/** The path of something, or why it is missing. */
export type Found = { readonly path: string } | { readonly missing: string };

/** The directory of the programs that tests run. */
export const programs = join(import.meta.dir, "../programs");
/** A generator of Go clients, in an exact version. */
export const oapi_codegen = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2";
/** An index that does not answer counts as missing. */
const install_ms_max = 240_000;

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. */
export async function runTool(
  command: readonly string[],
  { cwd, env = {}, ms = 60_000 }: { cwd?: string; env?: Record<string, string>; ms?: number } = {},
): Promise<Run> {
  const run = Bun.spawn([...command], {
    env: cleanEnvironment(env),
    ...(cwd !== undefined && { cwd }),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: ms,
    killSignal: "SIGKILL",
  });
  const [stdout, stderr, code] = await Promise.all([
    run.stdout.text(),
    run.stderr.text(),
    run.exited,
  ]);
  return { code, stdout, stderr };
}

/** The same, for a program that must succeed; returns its output. @throws Error with its output. */
export async function mustTool(...tool_arguments: Parameters<typeof runTool>): Promise<string> {
  const { code, stdout, stderr } = await runTool(...tool_arguments);
  if (code !== 0)
    throw new Error(`${tool_arguments[0].join(" ")} ended with ${code}:\n${stderr}${stdout}`);
  return stdout;
}

/** A Python with the packages of test/programs/requirements.txt. */
export async function findPython(): Promise<Found> {
  const python = Bun.which("python3");
  if (!python) return { missing: "there is no python3" };
  const { code, stdout } = await runTool([python, "--version"]);
  if (code !== 0) return { missing: "python3 does not start" };
  const requirements = join(programs, "requirements.txt");
  const installed = await cachedInstallation(
    "python",
    stdout + readFileSync(requirements, "utf8"),
    async (place) => {
      await mustTool([python, "-m", "venv", place], { ms: install_ms_max });
      const pip = [join(place, "bin/python"), "-m", "pip", "install", "--quiet"];
      const options = ["--disable-pip-version-check", "--retries", "1", "-r", requirements];
      await mustTool([...pip, ...options], { ms: install_ms_max });
    },
  );
  return "path" in installed ? { path: join(installed.path, "bin/python") } : installed;
}

/** The program oapi-codegen. */
export async function findOapiCodegen(): Promise<Found> {
  const go = Bun.which("go");
  if (!go) return { missing: "there is no go" };
  const { stdout } = await runTool([go, "version"]);
  const installed = await cachedInstallation("go", `${stdout}${oapi_codegen}`, async (place) => {
    await mustTool([go, "install", oapi_codegen], { env: { GOBIN: place }, ms: install_ms_max });
  });
  return "path" in installed ? { path: join(installed.path, "oapi-codegen") } : installed;
}

/** A directory with the JARs of test/programs/solr/pom.xml. */
export async function findSolr(): Promise<Found> {
  const [java, mvn] = [Bun.which("java"), Bun.which("mvn")];
  if (!java || !mvn) return { missing: "there is no java with mvn" };
  const requirements = join(programs, "solr/pom.xml");
  return cachedInstallation("solr", readFileSync(requirements, "utf8"), async (place) => {
    const options = [
      "--quiet",
      "--batch-mode",
      "--file",
      requirements,
      `-DoutputDirectory=${place}`,
    ];
    await mustTool([mvn, "dependency:copy-dependencies", ...options], { ms: install_ms_max });
  });
}

/** A directory filled by `make`, named after `versions`. It gets that name when it is complete. */
async function cachedInstallation(
  kind: string,
  versions: string,
  make: (place: string) => Promise<void>,
): Promise<Found> {
  const hash = new Bun.CryptoHasher("sha256").update(versions).digest("hex").slice(0, 16);
  const path = join(cacheDirectory(), `${kind}-${hash}`);
  if (existsSync(path)) return { path };
  let temporary: string | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true });
    temporary = mkdtempSync(`${path}-`);
    await make(temporary);
    // A concurrent process has created the same.
    if (!existsSync(path)) renameSync(temporary, path);
    return { path };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { missing: `it could not be installed: ${why.slice(0, 400)}` };
  } finally {
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
  }
}

function cacheDirectory(): string {
  const configured = process.env.XDG_CACHE_HOME;
  const base = configured || (existsSync(homedir()) ? join(homedir(), ".cache") : tmpdir());
  return join(base, "dossier-tests");
}
