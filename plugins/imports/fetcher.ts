/**
 * Fetches user-supplied addresses: only after checking them, at the pace of the host, and within
 * limits that no server can bypass.
 */
import { retryAfterMs } from "../../core/lib/retry-after";
import {
  checkHost,
  errorCode,
  fetchPinned,
  HttpError,
  parseTarget,
  InvalidUrl,
  version,
  type AddressPolicy,
  type Context,
  type DnsLookup,
  type ReceivedFile,
  type Target,
} from "../../core/sdk";
import { bodyOf } from "./response-body";
import { SourceFailure, type SourceAnswer, type SourceRequest } from "./contract";
import { allow_all, HostDelays, readRobots, type Robots, type RobotsOfRun } from "./politeness";
import { askService } from "./service-request";

/** A fetched file under a temporary name. The caller releases it. */
export interface FetchedItem {
  readonly received: ReceivedFile;
  /** The final address. */
  readonly url: string;
  /** Lower case, without parameters; null when the server did not send one. */
  readonly media_type: string | null;
  readonly charset: string | null;
  /** The file name sent by the server. */
  readonly file_name: string | null;
}
/** The limits of one download. */
export interface FetchLimits {
  readonly bytes_max: number;
  /** The robots.txt of the hosts of this run; null: ignore robots.txt. */
  readonly robots: RobotsOfRun | null;
  readonly signal: AbortSignal;
}

/** The host asks to be contacted later. */
export class HostBusy extends SourceFailure {
  constructor(
    readonly retry_after_ms: number | null,
    /** `503 Service Unavailable` */
    readonly answer: string,
    host: string,
  ) {
    super(`${host} responded with ${answer}.`, "http_status");
  }
}

/** What the fetcher needs besides `Context`. */
export interface FetcherContext extends Pick<Context, "files" | "now_ms" | "shared"> {
  readonly lookup: DnsLookup;
  readonly allows: AddressPolicy;
  /** Which addresses get the delay `host_delay_ms`. */
  readonly isPublic: AddressPolicy;
  readonly host_delay_ms: () => number;
  readonly timeout_ms: () => number;
}

const robots_agent = "dossier";
const request_headers = {
  "user-agent": `Dossier/${version}`,
  accept: "*/*",
  "accept-encoding": "gzip, br",
};
const redirects_max = 5;
/** RFC 9309 requires reading at least 500 KiB. */
const robots_bytes_max = 512 * 1024;
const crawl_delay_s_max = 10;

/** Downloads files from user-supplied addresses. */
export class Fetcher {
  private readonly delays: HostDelays;

  constructor(private readonly ctx: FetcherContext) {
    this.delays = new HostDelays(ctx);
  }

  /** For one item, including redirects. */
  timeout_ms(): number {
    return this.ctx.timeout_ms();
  }

  /** The file at this address. @throws SourceFailure, and the reason of the signal. */
  async fetch(url: string, options: FetchLimits): Promise<FetchedItem> {
    const timeout_ms = this.timeout_ms();
    const timeout = AbortSignal.timeout(timeout_ms);
    const signal = AbortSignal.any([options.signal, timeout]);
    try {
      return await this.follow(url, { ...options, signal });
    } catch (error) {
      options.signal.throwIfAborted();
      throw timeout.aborted
        ? new SourceFailure(
            `Fetching it took longer than ${timeout_ms / 1_000} s and was stopped.`,
            "timeout",
          )
        : toFailure(error);
    }
  }

  /**
   * One request to a service: without robots.txt, delays and redirects. @throws SourceFailure, also
   * when the service asks to be contacted later, and the reason of the signal.
   */
  ask(
    url: string,
    { method = "GET", headers, body }: SourceRequest,
    limits: Omit<FetchLimits, "robots">,
  ): Promise<SourceAnswer> {
    const request = async (signal: AbortSignal): Promise<Response> => {
      const target = fetchTarget(url);
      const response = await fetchPinned(target, await this.addressesOf(target), {
        method,
        signal,
        headers: { ...request_headers, ...headers },
        ...(body === undefined ? {} : { body }),
      });
      requireIdle(target, response, this.ctx.now_ms());
      return response;
    };
    return askService(request, toFailure, { ...limits, timeout_ms: this.timeout_ms() });
  }

  /** Follows redirects. */
  private async follow(
    url: string,
    { robots, bytes_max, signal }: FetchLimits,
  ): Promise<FetchedItem> {
    let target = fetchTarget(url);
    for (let redirects = 0; ; redirects++) {
      const rules = robots === null ? allow_all : await this.robotsOf(target, robots, signal);
      if (!rules.allows(`${target.url.pathname}${target.url.search}`))
        throw new SourceFailure(
          `The robots.txt of ${target.url.host} does not allow fetching this.`,
          "robots_disallowed",
        );
      const { response, startDelay } = await this.request(target, rules, signal);
      const location =
        response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
      if (location === null)
        return await this.receive(target, response, bytes_max, signal).finally(startDelay);
      await response.body?.cancel().catch(() => undefined);
      startDelay();
      if (redirects === redirects_max)
        throw new SourceFailure(`It was redirected more than ${redirects_max} times.`);
      if (!URL.canParse(location, target.href))
        throw new SourceFailure("It was redirected to an invalid address.");
      target = fetchTarget(new URL(location, target.href).href);
    }
  }

  /** One request, to an address that was checked. `startDelay` is called at its end. */
  private async request(
    target: Target,
    { crawl_delay_s }: Robots,
    signal: AbortSignal,
  ): Promise<{ readonly response: Response; readonly startDelay: () => void }> {
    const addresses = await this.addressesOf(target);
    const delay_ms = Math.max(
      addresses.some(this.ctx.isPublic) ? this.ctx.host_delay_ms() : 0,
      1_000 * Math.min(crawl_delay_s ?? 0, crawl_delay_s_max),
    );
    await this.delays.wait(target.url.host, delay_ms, signal);
    const startDelay = (): void => {
      // If it can't be recorded, the delay counts from the start of the request.
      this.delays.start(target.url.host, delay_ms).catch(() => undefined);
    };
    try {
      const response = await fetchPinned(target, addresses, {
        method: "GET",
        signal,
        headers: request_headers,
      });
      return { response, startDelay };
    } catch (error) {
      startDelay();
      throw error;
    }
  }

  /** @throws SourceFailure when no connection to the host is allowed. */
  async addressesOf(target: Target): Promise<readonly string[]> {
    const checked = await checkHost(target, this.ctx.lookup, this.ctx.allows);
    if (checked.kind === "allowed") return checked.addresses;
    if (checked.kind === "refused")
      throw new SourceFailure(
        `${target.host} has a local, private or reserved address. Only public hosts can be ` +
          "imported from.",
        "address_refused",
      );
    throw new SourceFailure(
      checked.kind === "absent"
        ? `The host ${target.host} does not exist.`
        : `The host ${target.host} could not be looked up: ${checked.reason}.`,
      "unreachable",
    );
  }

  private async receive(
    target: Target,
    response: Response,
    bytes_max: number,
    signal: AbortSignal,
  ): Promise<FetchedItem> {
    requireOk(target, response, this.ctx.now_ms());
    const bytes = bodyOf(response, { bytes_max, signal });
    const received = await this.ctx.files.receive(bytes, { bytes_max });
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
   * The robots.txt of a host, fetched once per run. @throws SourceFailure when it is unknown,
   * because then nothing may be fetched.
   */
  private robotsOf(
    { url }: Target,
    robots_of_run: RobotsOfRun,
    signal: AbortSignal,
  ): Promise<Robots> {
    const robots = robots_of_run.get(url.origin) ?? this.fetchRobots(url.origin, signal);
    robots_of_run.set(url.origin, robots);
    robots.catch(() => {
      if (signal.aborted) robots_of_run.delete(url.origin);
    });
    return robots;
  }

  private async fetchRobots(origin: string, signal: AbortSignal): Promise<Robots> {
    try {
      const { received } = await this.follow(`${origin}/robots.txt`, {
        robots: null,
        bytes_max: robots_bytes_max,
        signal,
      });
      const text = await Bun.file(received.path)
        .text()
        .finally(() => received.release());
      return readRobots(text, robots_agent);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof BadStatus && error.status < 500 && error.status !== 429)
        return allow_all;
      if (error instanceof BadStatus || error instanceof HostBusy)
        throw new SourceFailure(
          `The robots.txt of ${new URL(origin).host} could not be read (${error.answer}), ` +
            "so nothing is fetched from this host.",
          "robots_unreadable",
        );
      if (error instanceof HttpError && error.status === 413) return allow_all;
      throw toFailure(error);
    }
  }
}

/** A response without a file. */
class BadStatus extends SourceFailure {
  constructor(
    readonly status: number,
    readonly answer: string,
    host: string,
  ) {
    super(`${host} responded with ${answer}.`, "http_status");
  }
}

const retry_statuses = [429, 503];
/** @throws SourceFailure when the host asks to be contacted later. */
function requireIdle({ url }: Target, response: Response, now_ms: number): void {
  const { status, headers } = response;
  if (!retry_statuses.includes(status)) return;
  response.body?.cancel().catch(() => undefined);
  throw new HostBusy(
    retryAfterMs(headers.get("retry-after"), now_ms),
    statusText(status),
    url.host,
  );
}

/** @throws SourceFailure unless the status is 200. */
function requireOk(target: Target, response: Response, now_ms: number): void {
  const { status } = response;
  if (status === 200) return;
  requireIdle(target, response, now_ms);
  response.body?.cancel().catch(() => undefined);
  throw new BadStatus(status, statusText(status), target.url.host);
}

function statusText(status: number): string {
  const reason = process.getBuiltinModule("node:http").STATUS_CODES[status];
  return reason === undefined ? `${status}` : `${status} ${reason}`;
}

/**
 * Without its fragment, which is never sent. @throws SourceFailure that names the violated rule.
 */
export function fetchTarget(text: string): Target {
  try {
    return parseTarget(text.replace(/#.*$/s, ""));
  } catch (error) {
    if (error instanceof InvalidUrl) throw new SourceFailure(error.message, "address_refused");
    throw error;
  }
}

/**
 * Describes a network failure in words; a fault of this server (such as a full disk) is returned
 * unchanged.
 */
function toFailure(error: unknown): Error {
  if (error instanceof SourceFailure) return error;
  if (error instanceof HttpError)
    return error.status < 500 ? new SourceFailure(error.detail, error.code) : error;
  const code = errorCode(error);
  if (code === "") return error instanceof Error ? error : new Error(String(error));
  if (/CERT|SELF_SIGNED|SSL|TLS|VERIFY/i.test(code))
    return new SourceFailure(
      `The certificate of the host was not accepted (${code}). It must be valid for this ` +
        "host name. To trust a private certificate authority, the operator sets " +
        "NODE_EXTRA_CA_CERTS in the environment of this server.",
      "certificate_refused",
    );
  return new SourceFailure(
    `The host could not be reached, or closed the connection (${code}).`,
    "unreachable",
  );
}

/** The last segment of the file name in the header, in either notation. */
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
