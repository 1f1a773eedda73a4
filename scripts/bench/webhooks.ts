/**
 * Rows: how long a healthy receiver waits beside unreachable ones, and the response times of other
 * requests beside host names that never resolve; each beside the same alone.
 */
import { createSocket } from "node:dgram";
import { createServer, type AddressInfo, type Server } from "node:net";
import { createKey } from "../lib/launch";
import { median, quantile, type Row } from "./measure";
import { inParallel, temporaryDirectory, startDossier, type Dossier } from "./server";

/** On loopback, which the settings allow. */
const allowed = "127.0.0.2";
const event_type = "import.finished";
const deliveries = 150;
const rounds = 3;
const silent_at_once = 64;
const measured_ms = 4_000;

/** Requests of another user. */
async function callsOf(dossier: Dossier, data: string, name: string): Promise<Dossier["call"]> {
  const key = await createKey(data, `${name}@example.com`);
  return async <T>(method: string, path: string, body?: object) => {
    const response = await fetch(`${dossier.url}/api/dev/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body ? { "content-type": "application/json" } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return (await response.json().catch(() => undefined)) as T;
  };
}

/** Accepts connections and never responds. */
async function deadReceiver(): Promise<Server> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined).resume();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, allowed, resolve);
  });
  return server;
}

interface LiveReceiver {
  readonly url: string;
  next(): Promise<number>;
  stop(): void;
}
/** Responds at once, and reports when the next delivery arrives. */
function liveReceiver(): LiveReceiver {
  let delivery = Promise.withResolvers<number>();
  const server = Bun.serve({
    port: 0,
    hostname: allowed,
    fetch: () => {
      delivery.resolve(performance.now());
      return new Response(null, { status: 204 });
    },
  });
  return {
    url: `http://${allowed}:${server.port}/`,
    next: () => (delivery = Promise.withResolvers<number>()).promise,
    stop: () => void server.stop(true),
  };
}

interface DeadCase {
  readonly name: string;
  readonly accounts: number;
  readonly hooks: number;
  /** Deliveries per webhook. */
  readonly queued: number;
}
const dead_cases: readonly DeadCase[] = [
  { name: "beside a dead receiver, 1,000 queued", accounts: 1, hooks: 1, queued: 1_000 },
  { name: "beside ten dead webhooks, 100 queued each", accounts: 1, hooks: 10, queued: 100 },
  { name: "beside sixty dead webhooks of six accounts", accounts: 6, hooks: 10, queued: 20 },
];

/**
 * From the request that triggers it to its arrival, milliseconds: the median of many, one after the
 * other.
 */
async function latency(
  dossier: Dossier,
  webhook_id: string,
  receiver: LiveReceiver,
): Promise<number> {
  const all_ms: number[] = [];
  for (let n = 0; n < deliveries; n++) {
    const arrival = receiver.next();
    const started = performance.now();
    await dossier.call("POST", `/webhooks/${webhook_id}/test`);
    all_ms.push((await arrival) - started);
  }
  return median(all_ms);
}

/**
 * Registers unreachable webhooks and queues deliveries to them; returns a function that removes
 * them.
 */
async function queueDead(
  owners: readonly Dossier["call"][],
  { accounts, hooks, queued }: DeadCase,
  url: string,
): Promise<() => Promise<void>> {
  const webhooks: { readonly call: Dossier["call"]; readonly id: string }[] = [];
  for (const call of owners.slice(0, accounts))
    for (let n = 0; n < hooks; n++)
      webhooks.push({
        call,
        id: (await call<{ id: string }>("POST", "/webhooks", { event_type, url: `${url}${n}` })).id,
      });
  for (const { call, id } of webhooks)
    await inParallel(queued, 8, async () => {
      await call("POST", `/webhooks/${id}/test`);
    });
  return async () => {
    for (const { call, id } of webhooks) await call("DELETE", `/webhooks/${id}`);
  };
}

async function deadRows(dossier: Dossier, owners: readonly Dossier["call"][]): Promise<Row[]> {
  const dead = await deadReceiver();
  const alive = liveReceiver();
  try {
    const { id } = await dossier.call<{ id: string }>("POST", "/webhooks", {
      event_type,
      url: alive.url,
    });
    await latency(dossier, id, alive);
    const rows: Row[] = [];
    for (const dead_case of dead_cases) {
      const pairs: { alone: number; beside: number }[] = [];
      for (let round = 0; round < rounds; round++) {
        const alone = await latency(dossier, id, alive);
        const end = await queueDead(
          owners,
          dead_case,
          `http://${allowed}:${(dead.address() as AddressInfo).port}/`,
        );
        pairs.push({ alone, beside: await latency(dossier, id, alive) });
        await end();
      }
      const of = (which: "alone" | "beside") => median(pairs.map((pair) => pair[which])).toFixed(1);
      rows.push({
        name: `delivery ${dead_case.name}`,
        unit: "x",
        target: { most: 2 },
        value: median(pairs.map(({ alone, beside }) => beside / alone)),
        measured:
          `time until another account's delivery arrives, ${of("beside")} ms / ` +
          `alone ${of("alone")} ms; medians of ${deliveries}, ${rounds} rounds`,
      });
    }
    return rows;
  } finally {
    dead.close();
    alive.stop();
  }
}

/**
 * Durations of requests that read, write, resolve a name and read a file, from four clients;
 * milliseconds.
 */
async function latencies(
  dossier: Dossier,
  folder_id: string,
  document_id: string,
): Promise<number[]> {
  const all_ms: number[] = [];
  const operations = [
    () => dossier.call("GET", "/folders?per_page=50"),
    () => dossier.call("POST", "/documents", { folder_id, content: "The kettle came from Linz." }),
    async () => {
      await (
        await fetch(`${dossier.url}/api/dev/v1/documents/${document_id}/file`, {
          headers: { authorization: `Bearer ${dossier.key}` },
        })
      ).arrayBuffer();
    },
    () => dossier.call("POST", "/search", { query: "kettle", limit: 3 }),
  ];
  const until = performance.now() + measured_ms;
  await Promise.all(
    operations.map(async (_, client) => {
      for (let n = client; performance.now() < until; n++) {
        const started = performance.now();
        await operations[n % operations.length]!();
        all_ms.push(performance.now() - started);
        await Bun.sleep(5);
      }
    }),
  );
  return all_ms;
}

async function silentRow(dossier: Dossier, owners: readonly Dossier["call"][]): Promise<Row> {
  const { id: folder_id } = await dossier.call<{ id: string }>("POST", "/folders", {
    name: "Bench",
  });
  const form = new FormData();
  form.append("file", new Blob(["The ceramic filter is replaced each spring."]), "filter.txt");
  const uploaded = await fetch(`${dossier.url}/api/dev/v1/documents/file?folder_id=${folder_id}`, {
    method: "POST",
    headers: { authorization: `Bearer ${dossier.key}` },
    body: form,
  });
  const { id } = (await uploaded.json()) as { id: string };
  await latencies(dossier, folder_id, id);
  const pairs: { alone: number; beside: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const alone = quantile(await latencies(dossier, folder_id, id), 0.99);
    // Five seconds each, so that they last for the whole measurement.
    const silent = Array.from({ length: silent_at_once }, (_, n) =>
      owners[n % owners.length]!("POST", "/webhooks", {
        event_type,
        url: `http://silent${n}.test/`,
      }),
    );
    await Bun.sleep(200);
    pairs.push({ alone, beside: quantile(await latencies(dossier, folder_id, id), 0.99) });
    await Promise.all(silent);
  }
  const of = (which: "alone" | "beside") => median(pairs.map((pair) => pair[which])).toFixed(1);
  return {
    name: `requests beside ${silent_at_once} silent names`,
    unit: "x",
    target: { most: 3 },
    value: median(pairs.map(({ alone, beside }) => beside / alone)),
    measured:
      `p99 of other requests, ${of("beside")} ms / alone ${of("alone")} ms; ` +
      `${rounds} rounds of ${measured_ms / 1_000} s`,
  };
}

export async function webhookRows(): Promise<Row[]> {
  const temporary = temporaryDirectory();
  // Listens and never responds.
  const nobody = createSocket("udp4");
  await new Promise<void>((resolve) => {
    nobody.bind(0, "127.0.0.1", resolve);
  });
  const dossier = await startDossier(temporary.directory, undefined, {
    DOSSIER_WEBHOOKS_ALLOW_NETWORKS: allowed,
    DOSSIER_WEBHOOKS_DNS_SERVERS: `127.0.0.1:${nobody.address().port}`,
  });
  try {
    // Five names per user are resolved at a time.
    const owners: Dossier["call"][] = [];
    for (let n = 0; n < Math.ceil(silent_at_once / 5); n++)
      owners.push(await callsOf(dossier, temporary.directory, `owner${n}`));
    return [...(await deadRows(dossier, owners)), await silentRow(dossier, owners)];
  } finally {
    nobody.close();
    await dossier.stop();
    temporary.remove();
  }
}
