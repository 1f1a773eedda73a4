/**
 * The Robots Exclusion Protocol (RFC 9309): what a host allows us to fetch and how fast, and the
 * answers of the hosts, kept while a run lasts.
 */

export interface Robots {
  readonly allows: (path: string) => boolean;
  /** Between two requests, seconds; null when it does not say. */
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

/** Those of our own name count, together; without any, those for everybody. */
export function readRobots(text: string, agent: string): Robots {
  const groups = groupsOf(text);
  const own = groups.filter(({ agents }) => agents.includes(agent));
  const mine = own.length > 0 ? own : groups.filter(({ agents }) => agents.includes("*"));
  const rules = mine.flatMap((group) => group.rules);
  return {
    allows: (path) => path === "/robots.txt" || allowed(rules, escaped(path)),
    crawl_delay_s: mine.find(({ delay_s }) => delay_s !== null)?.delay_s ?? null,
  };
}
/** What a host without a robots.txt allows. */
export const allow_all: Robots = { allows: () => true, crawl_delay_s: null };

function groupsOf(text: string): Group[] {
  const groups: Group[] = [];
  let naming = false;
  for (const line of text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/)) {
    // By hand, because a line may be as long as the file, and this runs in the server.
    const said = line.split("#", 1)[0]!;
    const colon = said.indexOf(":");
    if (colon < 0) continue;
    const [key, value] = [said.slice(0, colon).trim().toLowerCase(), said.slice(colon + 1).trim()];
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
    // An empty pattern means nothing.
    else if (value !== "") group.rules.push({ allow: key === "allow", pattern: escaped(value) });
  }
  return groups;
}

/** The longest pattern that fits decides; of two as long, the one that allows. */
function allowed(rules: readonly Rule[], path: string): boolean {
  let [longest, verdict] = [-1, true];
  for (const { allow, pattern } of rules) {
    if (pattern.length < longest || (pattern.length === longest && !allow) || !fits(pattern, path))
      continue;
    [longest, verdict] = [pattern.length, allow];
  }
  return verdict;
}

/**
 * `*` is any run of characters, `$` at the end is the end of the path. In linear time: the first
 * place where a piece fits is the best one.
 */
function fits(pattern: string, path: string): boolean {
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

/**
 * One way of writing each character, so that patterns and paths can be compared: escapes in
 * capitals, no escape where none is needed.
 */
function escaped(path: string): string {
  return path.replace(/%[0-9a-f]{2}|[^\x21-\x7e]+/gi, (found) => {
    if (!found.startsWith("%") || found.length > 3) return encodeURI(found.toWellFormed());
    const character = String.fromCharCode(Number.parseInt(found.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : found.toUpperCase();
  });
}

/** By origin: each is fetched once, unless there are many of them. */

export interface RobotsOfRun {
  get(origin: string): Promise<Robots> | undefined;
  set(origin: string, robots: Promise<Robots>): unknown;
  delete(origin: string): unknown;
}

/**
 * About as many hosts as are fetched from at a time. A robots.txt may take several MiB, and a run
 * may have a host for each of its items.
 */
const kept_max = 64;

/** The robots.txt of hosts by run: a run that is tried again asks again. */
export class RobotsCache {
  private readonly known = new Map<string, Promise<Robots>>();

  ofRun(run_id: string): RobotsOfRun {
    const { known } = this;
    const key = (origin: string): string => `${run_id} ${origin}`;
    return {
      get: (origin) => known.get(key(origin)),
      set(origin, robots) {
        known.delete(key(origin));
        known.set(key(origin), robots);
        // The least recently used one.
        if (known.size > kept_max) known.delete(known.keys().next().value!);
      },
      delete: (origin) => known.delete(key(origin)),
    };
  }

  forget(run_id: string): void {
    for (const key of this.known.keys()) if (key.startsWith(`${run_id} `)) this.known.delete(key);
  }

  get size(): number {
    return this.known.size;
  }
}
