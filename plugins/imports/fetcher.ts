/**
 * Fetches what users name: only from addresses that were checked, at the pace of the host, within
 * limits that no server can talk its way around.
 */
import { STATUS_CODES } from "node:http";
import {
  checkHost,
  errorCode,
  fetchPinned,
  HttpError,
  parseTarget,
  InvalidUrl,
  version,
  type AddressPolicy,
  type Files,
  type DnsLookup,
  type ReceivedFile,
  type Target,
} from "../../core/sdk";
import { bodyOf } from "./response-body";
import { SourceFailure } from "./contract";
import type { Pacing } from "./host-delays";
import { everything, readRobots, type Robots, type RobotsOfRun } from "./robots";

/** A file that came, under a temporary name. Whoever asked for it releases it. */
export interface Got {
  readonly received: ReceivedFile;
  /** Where it came from in the end. */
  readonly url: string;
  /** Lower case, without parameters; null when the server did not say. */
  readonly media_type: string | null;
  readonly charset: string | null;
  /** The name that the server gives the file. */
  readonly file_name: string | null;
}
export interface GetOptions {
  readonly bytes_max: number;
  /** What is known of the hosts of this run; null: robots.txt has no say. */
  readonly robots: RobotsOfRun | null;
  readonly signal: AbortSignal;
}

/** The host wants to be asked later. */
export class Busy extends SourceFailure {
  constructor(
    readonly retry_after_ms: number | null,
    readonly said: string,
    host: string,
  ) {
    super(`${host} answered ${said}.`, "http_status");
  }
}

export interface FetchingParts {
  readonly lookup: DnsLookup;
  readonly allows: AddressPolicy;
  /** Whether the pause of `host_delay_ms` is for this address. */
  readonly isPublic: AddressPolicy;
  readonly host_delay_ms: number;
  /** For one item, redirects and all. */
  readonly timeout_ms: number;
  readonly pacing: Pacing;
  readonly now_ms: () => number;
  readonly files: Files;
}

export const robots_agent = "dossier";
const user_agent = `Dossier/${version}`;
const redirects_max = 5;
/** RFC 9309 wants at least 500 KiB to be read. */
const robots_bytes_max = 512 * 1024;
const crawl_delay_s_max = 10;

export function createFetching({
  lookup,
  allows,
  isPublic,
  host_delay_ms,
  timeout_ms,
  pacing,
  now_ms,
  files,
}: FetchingParts) {
  /** The file at this address. @throws SourceFailure, and what the signal says when it fires. */
  async function get(url: string, options: GetOptions): Promise<Got> {
    const late = AbortSignal.timeout(timeout_ms);
    const signal = AbortSignal.any([options.signal, late]);
    try {
      return await follow(url, { ...options, signal });
    } catch (error) {
      options.signal.throwIfAborted();
      throw late.aborted
        ? new SourceFailure(
            `Fetching it took longer than ${timeout_ms / 1_000} s and was stopped.`,
            "timeout",
          )
        : inWords(error);
    }
  }

  async function follow(given: string, { robots, bytes_max, signal }: GetOptions): Promise<Got> {
    let target = targetOf(given);
    for (let redirects = 0; ; redirects++) {
      const rules = robots === null ? everything : await robotsOf(target, robots, signal);
      if (!rules.allows(`${target.url.pathname}${target.url.search}`))
        throw new SourceFailure(
          `The robots.txt of ${target.url.host} asks not to fetch this.`,
          "robots_disallowed",
        );
      const { response, rest } = await ask(target, rules, signal);
      const location =
        response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
      if (location === null)
        return await receive(target, response, bytes_max, signal).finally(rest);
      await drop(response, rest);
      if (redirects === redirects_max)
        throw new SourceFailure(`It was redirected more than ${redirects_max} times.`);
      if (!URL.canParse(location, target.href))
        throw new SourceFailure("It was redirected to something that is no address.");
      target = targetOf(new URL(location, target.href).href);
    }
  }

  /**
   * One request: looked up, checked and connected to what was checked. `rest` begins the host's
   * pause.
   */
  async function ask(
    target: Target,
    { crawl_delay_s }: Robots,
    signal: AbortSignal,
  ): Promise<{ readonly response: Response; readonly rest: () => void }> {
    const checked = await checkHost(target, lookup, allows);
    if (checked.kind === "refused")
      throw new SourceFailure(
        `${target.host} has an address that is local, private or reserved; only public hosts are fetched from.`,
        "address_refused",
      );
    if (checked.kind === "absent")
      throw new SourceFailure(`The host ${target.host} does not exist.`, "unreachable");
    if (checked.kind === "silent")
      throw new SourceFailure(
        `The host ${target.host} could not be looked up: ${checked.reason}.`,
        "unreachable",
      );
    const gap_ms = Math.max(
      checked.addresses.some(isPublic) ? host_delay_ms : 0,
      1_000 * Math.min(crawl_delay_s ?? 0, crawl_delay_s_max),
    );
    await pacing.turn(target.url.host, gap_ms, signal);
    const rest = () => pacing.rest(target.url.host, gap_ms);
    try {
      const response = await fetchPinned(target, checked.addresses, {
        method: "GET",
        signal,
        headers: { "user-agent": user_agent, accept: "*/*", "accept-encoding": "gzip, br" },
      });
      return { response, rest };
    } catch (error) {
      rest();
      throw error;
    }
  }

  async function receive(
    target: Target,
    response: Response,
    bytes_max: number,
    signal: AbortSignal,
  ): Promise<Got> {
    refuse(target, response, now_ms());
    const received = await files.receive(bodyOf(response, { bytes_max, signal }), { bytes_max });
    const type = response.headers.get("content-type");
    return {
      received,
      url: target.href,
      media_type: type?.split(";")[0]!.trim().toLowerCase() || null,
      charset: /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type ?? "")?.[1] ?? null,
      file_name: fileNameOf(response.headers.get("content-disposition")),
    };
  }

  /**
   * What the host says to us; asked for once in a run. @throws SourceFailure when it can't be
   * known, as then nothing may be fetched.
   */
  function robotsOf({ url }: Target, known: RobotsOfRun, signal: AbortSignal): Promise<Robots> {
    const asked = known.get(url.origin) ?? fetchRobots(url.origin, signal);
    known.set(url.origin, asked);
    asked.catch(() => {
      if (signal.aborted) known.delete(url.origin);
    });
    return asked;
  }

  async function fetchRobots(origin: string, signal: AbortSignal): Promise<Robots> {
    const unreadable = (why: string) =>
      new SourceFailure(
        `The robots.txt of ${new URL(origin).host} could not be read (${why}), so nothing is fetched from there.`,
        "robots_unreadable",
      );
    try {
      const got = await follow(`${origin}/robots.txt`, {
        robots: null,
        bytes_max: robots_bytes_max,
        signal,
      });
      const text = await Bun.file(got.received.path)
        .text()
        .finally(() => got.received.release());
      return readRobots(text, robots_agent);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof NotOk && error.status < 500 && error.status !== 429) return everything;
      if (error instanceof NotOk || error instanceof Busy) throw unreadable(error.said);
      if (error instanceof HttpError && error.status === 413) return everything;
      throw inWords(error);
    }
  }

  return { get };
}
export type Fetching = ReturnType<typeof createFetching>;

/** An answer that brings no file. */
class NotOk extends SourceFailure {
  constructor(
    readonly status: number,
    readonly said: string,
    host: string,
  ) {
    super(`${host} answered ${said}.`, "http_status");
  }
}

const retry_statuses = [429, 503];
function refuse({ url }: Target, response: Response, now_ms: number): void {
  const { status, headers } = response;
  if (status === 200) return;
  response.body?.cancel().catch(() => undefined);
  const said = `${status}${STATUS_CODES[status] === undefined ? "" : ` ${STATUS_CODES[status]}`}`;
  if (retry_statuses.includes(status))
    throw new Busy(retryAfterOf(headers.get("retry-after"), now_ms), said, url.host);
  throw new NotOk(status, said, url.host);
}

/** Seconds or a date, as milliseconds from now; null when the server does not say. */
export function retryAfterOf(header: string | null, now_ms: number): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header.trim())) return 1_000 * Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now_ms);
}

/**
 * Without its fragment, which is never sent. @throws SourceFailure in the words of the rule that
 * the address breaks.
 */
export function targetOf(text: string): Target {
  try {
    return parseTarget(text.replace(/#.*$/s, ""));
  } catch (error) {
    if (error instanceof InvalidUrl) throw new SourceFailure(error.message, "address_refused");
    throw error;
  }
}

async function drop(response: Response, rest: () => void): Promise<void> {
  await response.body?.cancel().catch(() => undefined);
  rest();
}

/**
 * A failure of the network in words; what is the server's own fault (its disk is full, say) stays
 * what it is.
 */
function inWords(error: unknown): Error {
  if (error instanceof SourceFailure) return error;
  if (error instanceof HttpError)
    return error.status < 500 ? new SourceFailure(error.detail, error.code) : error;
  const code = errorCode(error);
  if (code === "") return error instanceof Error ? error : new Error(String(error));
  return new SourceFailure(
    `The server could not be reached, or broke off (${code}).`,
    "unreachable",
  );
}

/** The last segment of the name that a server gives a file, in either way of writing it. */
function fileNameOf(disposition: string | null): string | null {
  const extended = /filename\*\s*=\s*utf-8'[^']*'([^\s;"]+)/i.exec(disposition ?? "")?.[1];
  const plain = /filename\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(disposition ?? "");
  let name = plain?.[1] ?? plain?.[2] ?? null;
  if (extended !== undefined)
    try {
      name = decodeURIComponent(extended);
    } catch {
      /* then the plain one */
    }
  return name?.split(/[/\\]/).at(-1)!.trim() || null;
}
