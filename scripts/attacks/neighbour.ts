/** The process of the other user: repeats four requests and measures how long each takes. */
import { getPriority, setPriority } from "node:os";
import { noteToSynced } from "../bench/fairness";
import { quantile } from "../bench/measure";
import { noticedDuring } from "../bench/probe";
import { addTexts, apiCall, type ApiCall } from "../bench/server";
import { makeQuery, makeText } from "../bench/text";
import { answerOrders } from "./child";

/** What the process is told. */
export interface NeighbourOrder {
  readonly url: string;
  readonly key: string;
  readonly pid: number;
}
/** What the other user noticed, milliseconds. */
export interface Noticed {
  readonly health_p50: number;
  readonly health_p99: number;
  readonly list_p99: number;
  readonly search_p50: number;
  /** The slowest. */
  readonly note: number;
  readonly rss_mib: number;
  /** Requests that were refused or cut off, with the reason of the first. */
  readonly failures: number;
  readonly failure: string | null;
}

const own_texts = 20;
const text_length = 300;
const vectors_ms_max = 120_000;
const warm_up_searches = 30;

let order: NeighbourOrder;
let call: ApiCall;
let folder_id: string;
let texts: string[];
let ending = Promise.withResolvers<void>();

answerOrders({
  prepare: async (given: NeighbourOrder) => {
    // The measurements are those of somebody on another machine.
    try {
      setPriority(Math.max(-20, getPriority() - 5));
    } catch {
      // Only an administrator may.
    }
    order = given;
    call = apiCall(order.url, order.key);
    folder_id = (await call<{ id: string }>("POST", "/folders", { name: "Own" })).id;
    texts = Array.from({ length: own_texts }, (_, at) => makeText(at, text_length));
    await addTexts({ call }, folder_id, texts);
    await vectorsMade();
    for (let round = 0; round < warm_up_searches; round++) await search(round);
  },
  /** Measures until `end`. */
  measure: async (): Promise<Noticed> => {
    const noticed = await notice(ending.promise);
    ending = Promise.withResolvers();
    return noticed;
  },
  end: async () => ending.resolve(),
});

async function vectorsMade(): Promise<void> {
  for (const until = performance.now() + vectors_ms_max; performance.now() < until;) {
    type Folder = { readonly vectors_pending: number };
    if ((await call<Folder>("GET", `/folders/${folder_id}`)).vectors_pending === 0) return;
    await Bun.sleep(50);
  }
  throw new Error(`the vectors of ${own_texts} short texts were not made in time`);
}

const search = (round: number): Promise<unknown> =>
  call("POST", "/search", { query: makeQuery(texts[round % own_texts]!, round) });

async function notice(until: Promise<void>): Promise<Noticed> {
  let failures = 0;
  let failure: string | null = null;
  let round = 0;
  const probe = (name: string, send: () => Promise<unknown>) => ({
    name,
    send: () =>
      send().catch((error: unknown) => {
        failures++;
        failure ??= `${name}: ${String(error)}`;
      }),
  });
  const { latencies, rss_mib } = await noticedDuring(
    order.pid,
    [
      // Over a connection of its own, as monitors do it.
      probe("health", async () => {
        const url = `${order.url}/health`;
        await (await fetch(url, { headers: { connection: "close" } })).text();
      }),
      probe("list", () => call("GET", `/documents?folder_id=${folder_id}`)),
      probe("search", () => search(round++)),
      probe("note", () => noteToSynced(call, folder_id)),
    ],
    () => until,
  );
  const ms = (name: string, part: number) => quantile(latencies.get(name)!, part);
  return {
    health_p50: ms("health", 0.5),
    health_p99: ms("health", 0.99),
    list_p99: ms("list", 0.99),
    search_p50: ms("search", 0.5),
    note: ms("note", 1),
    rss_mib,
    failures,
    failure,
  };
}
