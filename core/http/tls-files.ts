/** The server's certificate and key, read from files and again when these change. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { messageOf } from "../lib/error-message";
import { errorFields, type Log } from "../base/log";

/** A certificate with its chain, and its private key, in PEM format. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}
/** The paths of the two files. */
export interface TlsPaths {
  readonly cert: string;
  readonly key: string;
}

/** How often to check the files; a pair counts as changed once two checks in a row agree. */
const check_every_ms = 1_000;

/** @throws Error that names the unusable file, and why. */
function readPair({ cert, key }: TlsPaths): TlsPair {
  const pair = { cert: read("server.tls_cert", cert), key: read("server.tls_key", key) };
  const certificate = parseOr(
    () => new X509Certificate(pair.cert),
    `${cert} (server.tls_cert) holds no certificate in PEM format`,
  );
  const private_key = parseOr(
    () => createPrivateKey(pair.key),
    /ENCRYPTED/.test(pair.key)
      ? `${key} (server.tls_key) is protected by a passphrase; store the key without one`
      : `${key} (server.tls_key) holds no private key in PEM format`,
  );
  if (!certificate.checkPrivateKey(private_key))
    throw new Error(
      `the key in ${key} (server.tls_key) does not belong to the certificate in ${cert} ` +
        "(server.tls_cert)",
    );
  return pair;
}

function read(setting: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    const reason =
      code === "ENOENT"
        ? "does not exist"
        : code === "EACCES"
          ? "can't be read by this user"
          : message;
    throw new Error(`${path} (${setting}) ${reason}`);
  }
}

function parseOr<T>(parse: () => T, otherwise: string): T {
  try {
    return parse();
  } catch {
    throw new Error(otherwise);
  }
}

/** Watches the files of the pair in use. */
export class TlsFiles {
  private current: TlsPair;
  private last_failure: string | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** @throws Error that names the unusable file. */
  constructor(
    private readonly paths: TlsPaths,
    private readonly log: Log,
  ) {
    this.current = readPair(paths);
  }

  /** The pair in use. */
  get pair(): TlsPair {
    return this.current;
  }

  /** Why the current files are not used; null when they are. */
  failure(): string | null {
    return this.last_failure;
  }

  /** `use` receives each new pair; when it throws, the previous one stays in use. */
  watch(use: (pair: TlsPair) => void): void {
    let used = "";
    let previous = "";
    const check = async () => {
      const state = await this.state();
      if (state !== used && (used === "" || state === previous)) {
        // Compares the initial files, too: they may have changed since they were read.
        used = state;
        this.reload(use);
      }
      previous = state;
      this.timer = setTimeout(check, check_every_ms).unref();
    };
    this.timer = setTimeout(check, check_every_ms).unref();
  }

  /** Watches no longer. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private reload(use: (pair: TlsPair) => void): void {
    try {
      const pair = readPair(this.paths);
      if (pair.cert !== this.current.cert || pair.key !== this.current.key) {
        use(pair);
        this.current = pair;
        this.log.info("the certificate was reloaded", { tls_cert: this.paths.cert });
      }
      this.last_failure = null;
    } catch (error) {
      this.last_failure =
        "The changed certificate can't be used, so the previous one stays in use: " +
        `${messageOf(error)}.`;
      this.log.error("the certificate can't be reloaded", errorFields(error));
    }
  }

  /** Differs whenever one of the files has changed, also behind symbolic links. */
  private async state(): Promise<string> {
    const states = [this.paths.cert, this.paths.key].map(async (path) => {
      try {
        const { dev, ino, size, mtimeMs } = await stat(path);
        return [dev, ino, size, mtimeMs].join(" ");
      } catch (error) {
        return String((error as { code?: string }).code);
      }
    });
    return (await Promise.all(states)).join(" / ");
  }
}
