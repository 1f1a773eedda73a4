/** Politeness towards hosts: obeys their robots.txt (RFC 9309), and waits between two requests. */
import { sleep } from "../../core/lib/timeout";
import type { Shared } from "../../core/sdk";

/** The rules of a robots.txt that apply to this server. */
export interface Robots {
  readonly allows: (path: string) => boolean;
  /** Seconds between two requests; null when not specified. */
  readonly crawl_delay_s: number | null;
}

interface Rule {
  readonly allow: boolean;
  readonly pattern: string;
}
interface Group {
  readonly agents: string[];
  readonly rules: Rule[];
  delay_s: number | null;
}

/** The groups for `agent` apply together; when there is none, those for `*`. */
export function readRobots(text: string, agent: string): Robots {
  const groups = groupsOf(text);
  const of_agent = groups.filter(({ agents }) => agents.includes(agent));
  const applying =
    of_agent.length > 0 ? of_agent : groups.filter(({ agents }) => agents.includes("*"));
  const rules = applying.flatMap((group) => group.rules);
  return {
    allows: (path) => path === "/robots.txt" || allowed(rules, normalised(path)),
    crawl_delay_s: applying.find(({ delay_s }) => delay_s !== null)?.delay_s ?? null,
  };
}
/** For a host without a robots.txt. */
export const allow_all: Robots = { allows: () => true, crawl_delay_s: null };

function groupsOf(text: string): Group[] {
  const groups: Group[] = [];
  let naming = false;
  for (const line of text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/)) {
    // No regular expression: a line may be as long as the file, and this runs in the server.
    const rule = line.split("#", 1)[0]!;
    const colon = rule.indexOf(":");
    if (colon < 0) continue;
    const key = rule.slice(0, colon).trim().toLowerCase();
    const value = rule.slice(colon + 1).trim();
    if (key === "user-agent") {
      if (!naming) groups.push({ agents: [], rules: [], delay_s: null });
      naming = true;
      groups.at(-1)!.agents.push(/^[a-z_*-]*/i.exec(value)![0].toLowerCase());
      continue;
    }
    const group = groups.at(-1);
    if (!group || !["allow", "disallow", "crawl-delay"].includes(key)) continue;
    naming = false;
    if (key === "crawl-delay") {
      if (/^\d+(\.\d+)?$/.test(value)) group.delay_s ??= Number(value);
    }
    // An empty pattern is ignored.
    else if (value !== "") group.rules.push({ allow: key === "allow", pattern: normalised(value) });
  }
  return groups;
}

/** The longest matching pattern decides; of two equally long ones, the one that allows. */
function allowed(rules: readonly Rule[], path: string): boolean {
  let longest = -1;
  let verdict = true;
  for (const { allow, pattern } of rules) {
    if (
      pattern.length < longest ||
      (pattern.length === longest && !allow) ||
      !matches(pattern, path)
    )
      continue;
    [longest, verdict] = [pattern.length, allow];
  }
  return verdict;
}

/**
 * `*` matches any characters, a final `$` the end of the path. In linear time: the first position
 * where a piece matches is as good as any later one.
 */
function matches(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith("$");
  const pieces = (anchored ? pattern.slice(0, -1) : pattern).split("*");
  if (!path.startsWith(pieces[0]!)) return false;
  let at = pieces[0]!.length;
  for (const [index, piece] of pieces.entries()) {
    if (index === 0) continue;
    if (anchored && index === pieces.length - 1)
      return path.length - piece.length >= at && path.endsWith(piece);
    at = path.indexOf(piece, at);
    if (at < 0) return false;
    at += piece.length;
  }
  return !anchored || at === path.length;
}

/** Normalises percent-encoding, so that patterns and paths can be compared. */
function normalised(path: string): string {
  return path.replace(/%[0-9a-f]{2}|[^\x21-\x7e]+/gi, (match) => {
    if (!match.startsWith("%") || match.length > 3) return encodeURI(match.toWellFormed());
    const character = String.fromCharCode(Number.parseInt(match.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : match.toUpperCase();
  });
}

/** The robots.txt of each origin that was fetched in this run and is still cached. */
export interface RobotsOfRun {
  get(origin: string): Promise<Robots> | undefined;
  set(origin: string, robots: Promise<Robots>): unknown;
  delete(origin: string): unknown;
}

/**
 * About as many hosts as are contacted at a time: parsed, a robots.txt may take several MiB, and
 * every item of a run may be on another host.
 */
const robots_max = 64;

/** The robots.txt of hosts by run: a retried run fetches it again. */
export class RobotsCache {
  private readonly cache = new Map<string, Promise<Robots>>();

  /** The rules that a run has read: each run reads them once. */
  ofRun(run_id: string): RobotsOfRun {
    const { cache } = this;
    const key = (origin: string): string => `${run_id} ${origin}`;
    return {
      get: (origin) => cache.get(key(origin)),
      set(origin, robots) {
        cache.delete(key(origin));
        cache.set(key(origin), robots);
        // The least recently used one.
        if (cache.size > robots_max) cache.delete(cache.keys().next().value!);
      },
      delete: (origin) => cache.delete(key(origin)),
    };
  }

  /** Drops the rules of a run that has ended. */
  forget(run_id: string): void {
    for (const key of this.cache.keys()) if (key.startsWith(`${run_id} `)) this.cache.delete(key);
  }

  /** The number of rules in the cache. */
  get size(): number {
    return this.cache.size;
  }
}

const delay_scope = "imports.host_delays";

/** When a host may be contacted again, and when that was recorded. */
interface Delay {
  readonly free_at: number;
  readonly noted_at: number;
}

/** The delay between two requests to one host, across all users and processes. */
export class HostDelays {
  constructor(private readonly ctx: { readonly shared: Pick<Shared, "state"> }) {}

  /**
   * Waits until the host may be contacted, and reserves it for `delay_ms`. @throws the reason of
   * the signal
   */
  async wait(host: string, delay_ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const wait_ms = await this.changeDelay(host, (known_wait_ms) => known_wait_ms + delay_ms);
    signal.throwIfAborted();
    if (wait_ms > 0) await sleep(wait_ms, signal);
  }

  /** A request has ended: the delay starts now. */
  async start(host: string, delay_ms: number): Promise<void> {
    if (delay_ms > 0) await this.changeDelay(host, () => delay_ms);
  }

  /** Delays the next request by this time, and returns how long this one has to wait. */
  private changeDelay(host: string, offMs: (wait_ms: number) => number): Promise<number> {
    return this.ctx.shared.state.change<Delay, number>(delay_scope, host, (delay, now_ms) => {
      // A time in the future: the clock was set back since.
      const free_at = delay && delay.noted_at <= now_ms ? delay.free_at : 0;
      const wait_ms = Math.max(0, free_at - now_ms);
      const next_at = Math.max(free_at, now_ms + offMs(wait_ms));
      return next_at <= Math.max(free_at, now_ms)
        ? { result: wait_ms }
        : {
            value: { free_at: next_at, noted_at: now_ms },
            keep_ms: next_at - now_ms,
            result: wait_ms,
          };
    });
  }
}
