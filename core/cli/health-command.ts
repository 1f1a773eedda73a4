/**
 * `dossier health`: asks the running server for its health, for supervisors that can only run a
 * program.
 */
import type { Command as Commander } from "commander";
import { messageOf } from "../lib/error-message";
import { connectionTo, serverAddress } from "../base/server-address";
import { listenUrl, type AddressSettings } from "../base/public-url";
import { bootstrap } from "./bootstrap";
import { flagsOf, withData, type ProgramOptions } from "./command-options";
import { listenPlaces } from "./listen-options";

const answer_ms_max = 5_000;
/** No server has opened the port or the socket. */
const closed = new Set(["ECONNREFUSED", "ConnectionRefused", "ENOENT"]);

interface Health {
  readonly status: string;
  readonly version?: string;
  readonly [field: string]: unknown;
}

/** Adds `dossier health`. */
export function addHealthCommand(program: Commander, program_options: ProgramOptions): void {
  withData(program.command("health"))
    .description(
      "Check the health of the running server. Exits with 0 if it responds, even if " +
        "degraded, and with 1 if it does not.",
    )
    .option(
      "--url <address>",
      "the server's address (default: where the server on the data directory listens)",
    )
    .option("--host <address>", "the address that the server listens on")
    .option("--port <number>", "the port that the server listens on")
    .option("--strict", "also exit with 1 if something does not work")
    .action(async (options) => {
      const answer = await requestHealth(
        options.url as string | undefined,
        options,
        program_options,
      );
      program_options.print(healthLines(answer));
      if (options.strict && answer.status !== "ok") throw new Error("something does not work");
    });
}

/** @throws Error when the response does not come from a Dossier server. */
async function requestHealth(
  url: string | undefined,
  options: Record<string, unknown>,
  { built_in }: ProgramOptions,
): Promise<Health> {
  const [address, fetch_options] =
    url === undefined ? await ownAddress(options, built_in) : [url.replace(/\/+$/, ""), {}];
  if (!URL.canParse(address)) throw new Error(`the address ${address} is not valid`);
  const server_name = "unix" in fetch_options ? fetch_options.unix : address;
  try {
    const signal = AbortSignal.timeout(answer_ms_max);
    const answer = await fetch(`${address}/health`, { ...fetch_options, signal });
    const health = (await answer.json()) as Health;
    if (answer.ok && typeof health.status === "string") return health;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code !== undefined && closed.has(code) ? "nothing listens there" : messageOf(error);
    throw new Error(`no response from ${server_name}: ${reason}`);
  }
  throw new Error(
    `the server at ${server_name} is not Dossier, or is not able to report its health`,
  );
}

/** The address that the server has written down, otherwise that of the settings: port or socket. */
async function ownAddress(
  options: Record<string, unknown>,
  built_in: ProgramOptions["built_in"],
): Promise<ReturnType<typeof connectionTo>> {
  const env = process.env;
  const boot = await bootstrap({ flags: flagsOf(options), env, built_in, preflight_command: null });
  const has_listen_flags = options.host !== undefined || options.port !== undefined;
  const address = has_listen_flags ? null : serverAddress(boot.located.data);
  if (address !== null) return connectionTo(address);
  const { port, socket } = listenPlaces(boot);
  if (port === null) return connectionTo(socket!);
  const { tls_cert } = boot.config.values.server as unknown as AddressSettings;
  return connectionTo(listenUrl(port, tls_cert !== undefined));
}

/** One line per field that is not healthy. */
function healthLines({ status, version, storage, tls, plugins }: Health): string {
  const failing = Array.isArray(plugins) ? (plugins as { name: string; reason: string }[]) : [];
  return [
    `${status}${version === undefined ? "" : ` (Dossier ${version})`}`,
    ...[storage, tls].filter((reason) => typeof reason === "string"),
    ...failing.map(({ name, reason }) => `${name}: ${reason}`),
  ].join("\n");
}
