/**
 * Where the configuration on this machine comes from, and the settings that belong to no plugin.
 */
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Type, type TObject } from "@sinclair/typebox";
import { messageOf } from "../lib/error-message";
import { ConfigError, envName, readSection, type ConfigSources } from "../base/config";
import { Duration, List, Secret, Size } from "../base/settings";
import { OneOf } from "../http/schemas";
import { readStoredSettings, type StoredSetting } from "../store/inspection";
import { database_file } from "../store/lock";
import { storedSettingsOf } from "../store/postgres/connections";

/** Settings from the command line: `section.key` → text. */
export type Flags = Readonly<Record<string, string | undefined>>;

/** The sections of settings that belong to core, and the schema of each. */
export const coreSections: ReadonlyMap<string, TObject> = new Map<string, TObject>([
  [
    "server",
    Type.Object(
      {
        data: Type.String({ default: "./dossier-data", description: "The data directory." }),
        host: Type.String({ default: "127.0.0.1", description: "The address to listen on." }),
        port: Type.Integer({
          default: 4780,
          minimum: 0,
          maximum: 65535,
          description: "The port to listen on; 0 chooses a free one.",
        }),
        trusted_proxies: List("string", {
          description:
            "Networks of reverse proxies whose X-Forwarded-For header is trusted, such as " +
            "10.0.0.0/8.",
        }),
        public_url: Type.Optional(
          Type.String({
            description: "The address at which people reach this server; it may have a path.",
          }),
        ),
        socket: Type.Optional(
          Type.String({
            minLength: 1,
            description:
              "A Unix socket to listen on, instead of the port unless host or port is also " +
              "set.",
          }),
        ),
        tls_cert: Type.Optional(
          Type.String({ minLength: 1, description: "The certificate for HTTPS, a PEM file." }),
        ),
        tls_key: Type.Optional(
          Type.String({ minLength: 1, description: "The key of the certificate, a PEM file." }),
        ),
        cors_origins: List("string", {
          description: "Origins whose pages may call the API with a key, or * for all origins.",
        }),
        secret_key: Type.Optional(
          Secret({
            description: "The key that encrypts stored secrets, instead of the file secret.key.",
          }),
        ),
        role: OneOf(["all", "web", "worker"], {
          default: "all",
          description:
            "The role of this process when several share one PostgreSQL database: web " +
            "answers requests and runs no jobs, worker runs jobs and answers only /health, " +
            "/ready and /metrics.",
        }),
        log_level: OneOf(["debug", "info", "warn", "error"], {
          default: "info",
          description: "The least level that is logged.",
          changes: "now",
        }),
      },
      { changes: "outside" },
    ),
  ],
  [
    "database",
    Type.Object(
      {
        url: Type.Optional(
          Secret({
            description:
              "A PostgreSQL database, postgres://user:password@host/name, to use instead " +
              "of the file in the data directory.",
          }),
        ),
        connections: Type.Integer({
          minimum: 1,
          maximum: 200,
          default: 10,
          description: "The number of PostgreSQL connections for reading.",
        }),
        statement_limit: Duration({
          default: "30s",
          description: "PostgreSQL statements that take longer are cancelled.",
        }),
      },
      { changes: "outside" },
    ),
  ],
  [
    "files",
    Type.Object(
      {
        url: Type.Optional(
          Type.String({
            minLength: 1,
            description:
              "Where original files are stored instead of in the data directory: a bucket, " +
              "s3://bucket/prefix?endpoint=https://…&region=…, or a directory shared by " +
              "several servers, file:///mnt/originals.",
          }),
        ),
        access_key: Type.Optional(
          Secret({ description: "The access key of the bucket; default: AWS_ACCESS_KEY_ID." }),
        ),
        secret_key: Type.Optional(
          Secret({ description: "The secret key of the bucket; default: AWS_SECRET_ACCESS_KEY." }),
        ),
        timeout: Duration({
          default: "20s",
          description: "The time limit of a request to the bucket; large requests get more.",
        }),
        cache: Size({
          default: "1GiB",
          description:
            "The maximum size of the local copies of originals that are kept for reading.",
        }),
        keep_deleted: Duration({
          default: "1h",
          description: "How long unused originals outside of the data directory are kept.",
        }),
      },
      { changes: "outside" },
    ),
  ],
  [
    "jobs",
    Type.Object({
      keep_done: Duration({
        default: "1d",
        changes: "now",
        description: "How long jobs that are done, or were cancelled, are kept.",
      }),
      keep_failed: Duration({
        default: "30d",
        changes: "now",
        description: "How long jobs that have failed for good are kept.",
      }),
      pause_intake: Type.Boolean({
        default: false,
        changes: "now",
        description:
          "Nothing new is read, imported or transcribed: it is accepted, and waits until this is " +
          "false again.",
      }),
    }),
  ],
  [
    "plugins",
    Type.Object(
      {
        directory: Type.Optional(
          Type.String({
            description: "The directory of plugin files; default: `plugins` in the data directory.",
          }),
        ),
        install_in_console: Type.Boolean({
          default: false,
          description:
            "Allows administrators to add, replace and remove plugins in the console. Any " +
            "of them can then run any code on this machine.",
        }),
        allow_networks: List("string", {
          description:
            "Non-public networks that `dossier plugin add` may download from, such as " +
            "10.1.0.0/16.",
        }),
        stall_limit: Duration({
          default: "30s",
          changes: "at start",
          description:
            "A plugin that keeps the server from answering for so long is named, and the server " +
            "ends for its supervisor to start it again.",
        }),
        disabled: List("string", {
          changes: "at start",
          description: "Names of plugins that are not set up, of built-in ones too.",
        }),
      },
      { changes: "outside" },
    ),
  ],
]);

/** Where everything is, and what the configuration is read from. */
export interface Located {
  readonly data: string;
  /** The directory of plugin files. */
  readonly plugins: string;
  /** The path of the database file, which may be missing; null when the database is a server. */
  readonly database: string | null;
  /** The settings stored in the database; none when it can't be opened. */
  readonly stored: readonly StoredSetting[];
  readonly sources: ConfigSources;
}

/** The sources including stored settings. @throws ConfigError when dossier.toml is not TOML. */
export async function locate(
  flags: Flags,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Located> {
  const files = locateFiles(flags, env);
  const { url } = readSection("database", coreSections.get("database")!, files.sources).values;
  if (url !== undefined)
    return { ...files, database: null, stored: await storedSettingsOf(url as string) };
  const database = join(files.data, database_file);
  return { ...files, database, stored: existsSync(database) ? readStoredSettings(database) : [] };
}

/**
 * Finds the data directory and reads its dossier.toml. @throws ConfigError when the file can't be
 * read, or is not TOML.
 */
export function locateFiles(
  flags: Flags,
  env: Readonly<Record<string, string | undefined>>,
): Omit<Located, "database" | "stored"> {
  const data = resolve(
    flags["server.data"] ?? (env[envName("server", "data")] || "./dossier-data"),
  );
  const path = join(data, "dossier.toml");
  const sources: ConfigSources = {
    file: readToml(path),
    file_name: "dossier.toml",
    env,
    flags,
    readSecretFile: (file) => readFileSync(file, "utf8"),
  };
  const configured = (sources.file.plugins as { directory?: unknown } | undefined)?.directory;
  const plugins =
    flags["plugins.directory"] ??
    (env[envName("plugins", "directory")] ||
      (typeof configured === "string" ? resolve(data, configured) : join(data, "plugins")));
  return { data, plugins: resolve(plugins), sources };
}

/** Empty without a file; a link to a missing one would silently start with other settings. */
function readToml(path: string): Readonly<Record<string, unknown>> {
  if (!exists(path)) return {};
  const text = readConfigFile(path);
  try {
    return Bun.TOML.parse(text) as Record<string, unknown>;
  } catch (error) {
    const reason = messageOf(error).replace(/^TOML Parse error: /, "");
    throw new ConfigError([`${path} is not valid TOML${brokenLine(text)}: ${reason}`]);
  }
}

/** A longer file takes too long to be parsed line by line. */
const searched_lines_max = 2_000;

/** `, in line 5`: where the part begins that can't be parsed, which the parser does not tell. */
function brokenLine(text: string): string {
  const lines = text.split("\n");
  if (lines.length > searched_lines_max) return "";
  const isValid = (count: number): boolean => {
    try {
      Bun.TOML.parse(lines.slice(0, count).join("\n"));
      return true;
    } catch {
      return false;
    }
  };
  return `, in line ${1 + Math.max(...lines.map((_, at) => at).filter(isValid))}`;
}

/** Also a link that leads nowhere. What is wrong with its directory is reported later. */
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function readConfigFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: "is a link to a file that does not exist",
      EISDIR: "is a directory, not a file",
      EACCES: "can't be read by this user",
    };
    throw new ConfigError([
      `${path} ${reasons[code ?? ""] ?? `can't be read: ${messageOf(error)}`}.`,
    ]);
  }
}
