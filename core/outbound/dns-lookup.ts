/**
 * DNS look-ups of user-supplied names. Queries name servers itself (c-ares), because the system's
 * look-up blocks a thread for each name server that does not answer: four of those would stall file
 * reads and password hashes of the whole server.
 */
import type { Resolver } from "node:dns/promises";
import { settlesWithin } from "../lib/timeout";
import { service } from "../base/refs";

/** What is known about a name. */
export type LookupResult =
  | { readonly kind: "found"; readonly addresses: readonly string[] }
  /** The name does not exist, or has no address. */
  | { readonly kind: "absent" }
  /** Unknown: no answer in time, or a failing name server. */
  | { readonly kind: "silent"; readonly reason: string };
/** Never throws. Queries IPv4 and IPv6; one answer is enough. */
export type DnsLookup = (host: string) => Promise<LookupResult>;
/** Queries the name servers in the settings. */
export const DnsLookup = service<DnsLookup>("outbound.dns_lookup");

/** Which name servers are queried, and for how long. */
export interface DnsLookupOptions {
  /** `address` or `address:port`; empty for those of the system. */
  readonly servers: readonly string[];
  readonly timeout_ms?: number;
}

const lookup_ms_max = 5_000;
/** A lost packet is sent again within the time limit. */
const attempts = { timeout: 1_500, tries: 4 };

/** @throws Error on a server that is not an address. */
export function createDnsLookup({
  servers,
  timeout_ms = lookup_ms_max,
}: DnsLookupOptions): DnsLookup {
  if (servers.length > 0) createResolver(servers);
  return async (host) => {
    const resolver = createResolver(servers);
    const answers: (LookupResult | undefined)[] = [undefined, undefined];
    const lookups = [resolver.resolve4(host), resolver.resolve6(host)].map(
      async (query, family) => {
        answers[family] = await answerOf(query);
      },
    );
    await settlesWithin(Promise.all(lookups), timeout_ms);
    resolver.cancel();
    return combine(
      answers.map((answer) => answer ?? { kind: "silent", reason: "no response in time" }),
    );
  };
}

function createResolver(servers: readonly string[]): Resolver {
  const { Resolver: CAresResolver } = process.getBuiltinModule("node:dns/promises");
  const resolver = new CAresResolver(attempts);
  if (servers.length > 0) resolver.setServers(servers);
  return resolver;
}

const absent_codes = ["ENOTFOUND", "ENODATA", "NOTFOUND", "NODATA"];

const answerOf = (query: Promise<string[]>): Promise<LookupResult> =>
  query.then(
    (addresses) => (addresses.length === 0 ? { kind: "absent" } : { kind: "found", addresses }),
    (error: { code?: string }) =>
      absent_codes.includes(error.code ?? "")
        ? { kind: "absent" }
        : { kind: "silent", reason: `the name server failed (${error.code ?? "unknown error"})` },
  );

/** IPv4 first: a machine without IPv6 reaches a usable address sooner. */
function combine(answers: readonly LookupResult[]): LookupResult {
  const addresses = answers.flatMap((answer) => (answer.kind === "found" ? answer.addresses : []));
  if (addresses.length > 0) return { kind: "found", addresses };
  return answers.find((answer) => answer.kind === "silent") ?? { kind: "absent" };
}
