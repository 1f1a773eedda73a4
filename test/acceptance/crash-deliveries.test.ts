/**
 * kill -9 at random moments during imports and deliveries: no run hangs or ends without its
 * deliveries, nothing is imported twice, and no receiver gets a fourth attempt. [23]
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { queryDatabase, integrityErrors } from "../helpers/databases";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";
import { allowed, event_type, startHooks, type Hooks } from "../helpers/hooks";
import { randomNumbers } from "../helpers/random";

/** DOSSIER_TEST_KILLS=30 takes minutes; a few kills are enough for an ordinary run. */
const kills = Number(process.env.DOSSIER_TEST_KILLS ?? 6);
const seed = Number(process.env.DOSSIER_TEST_SEED ?? Math.floor(Math.random() * 1e9));
const random = randomNumbers(seed);
const clients = 2;
/** Pages of one import. */
const pages = 6;
const attempts_max = 3;

let hooks: Hooks;
let ada: Person;
let webhooks: readonly string[];
/** The webhook for document events. */
let of_documents: string;
/** Runs whose end was acknowledged, and those whose outcome is unknown after a kill. */
const ended = new Set<string>();
const unsure = new Set<string>();
/** How often each message arrived, by `webhook-id`. */
const posts = new Map<string, number>();
let run = 0;
/** Imports that were acknowledged. */
const imports = new Set<string>();
/** Serves pages slowly, so that the server is killed in the middle of them. */
const site = Bun.serve({
  port: 0,
  hostname: allowed,
  fetch: async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/robots.txt") return new Response(null, { status: 404 });
    await Bun.sleep(random() * 60);
    return new Response(
      `<html><head><title>${pathname}</title></head><body><main><p>The page at ${pathname} tells of kettles.</p></main></body></html>`,
      { headers: { "content-type": "text/html" } },
    );
  },
});

beforeAll(async () => {
  console.log(`seed ${seed}; DOSSIER_TEST_SEED=${seed} repeats it`);
  hooks = await startHooks({
    env: { DOSSIER_WEBHOOKS_RETRY_DELAYS: "50ms,150ms", DOSSIER_IMPORTS_ALLOW_NETWORKS: allowed },
  });
  ada = await person(hooks.server, "eve");
  // Answers at once, late, with an error, or only after the server has died.
  hooks.receiver.answerWith(async (_, { headers }) => {
    const id = headers.get("webhook-id")!;
    posts.set(id, (posts.get(id) ?? 0) + 1);
    const what = random();
    if (what < 0.2) await Bun.sleep(random() * 200);
    return new Response(null, { status: what < 0.1 || what > 0.8 ? 500 : 204 });
  });
  webhooks = await Promise.all(
    ["a", "b"].map(
      async (path) =>
        (
          await ada.create("/webhooks", {
            event_type,
            url: `http://hook.test:${hooks.receiver.port}/${path}`,
          })
        ).id,
    ),
  );
  const of_document = "document.synced";
  ({ id: of_documents } = await ada.create("/webhooks", {
    event_type: of_document,
    events: [of_document],
    url: `http://hook.test:${hooks.receiver.port}/documents`,
  }));
}, 180_000);
afterAll(async () => {
  await hooks?.[Symbol.asyncDispose]();
  await site.stop(true);
});

/** An import into a folder of its own. */
async function startImport(n: number): Promise<void> {
  const folder = await ada.send("POST", "/folders", { name: `import ${n}` });
  const urls = Array.from(
    { length: pages },
    (_, page) => `http://${allowed}:${site.port}/${n}/${page}`,
  );
  const { status, body } = await ada.send("POST", "/imports", {
    folder_id: folder.body.id,
    source: { type: "urls", urls },
  });
  if (status === 202) imports.add(body.id);
}

/** Ends runs and starts imports, from several clients, until the server dies under them. */
async function live(): Promise<void> {
  let dead = false;
  const client = async () => {
    while (!dead) {
      const id = `imp_${run++}`;
      unsure.add(id);
      const body = {
        event: event_type,
        import_run_id: id,
        status: "completed",
        completed_item_count: 1,
        succeeded_item_count: 1,
        failed_item_count: 0,
      };
      try {
        if (
          (await ada.send("POST", "/bell", { event_type, body, fail: false, times: 1 })).status !==
          204
        )
          continue;
        ended.add(id);
        unsure.delete(id);
        await Bun.sleep(random() * 100);
      } catch {
        dead = true;
      }
    }
  };
  const importer = async () => {
    while (!dead) {
      await startImport(run++).catch(() => {
        dead = true;
      });
      await Bun.sleep(random() * 400);
    }
  };
  const working = [importer(), ...Array.from({ length: clients }, client)];
  await Bun.sleep(50 + random() * 650);
  await hooks.server.kill();
  await Promise.all(working);
}

/** Every delivery of a webhook. */
async function logOf(webhook_id: string): Promise<any[]> {
  const all: any[] = [];
  for (let page: number | null = 1; page !== null;) {
    const { body } = await ada.send(
      "GET",
      `/webhooks/${webhook_id}/deliveries?per_page=200&page=${page}`,
    );
    all.push(...body.data);
    page = body.pagination.next_page;
  }
  return all;
}

test(`kill -9, ${kills} times: every ended run is delivered, in at most three attempts`, async () => {
  for (let round = 0; round < kills; round++) {
    await live();
    await hooks.server.restart();
  }
  const runs = await importsEnded();
  await until(
    async () =>
      (await Promise.all(webhooks.map(logOf))).every((log) =>
        log.every(({ status }) => status !== "pending"),
      ),
    60_000 + kills * 5_000,
  );
  const logs = await Promise.all(webhooks.map(logOf));
  for (const log of logs) {
    const told_ids = log.map(
      ({ request_body }) => JSON.parse(request_body).import_run_id as string,
    );
    expect(new Set(told_ids).size).toBe(told_ids.length);
    expect([...ended].filter((id) => !told_ids.includes(id))).toEqual([]);
    expect(runs.filter(({ id }) => !told_ids.includes(id))).toEqual([]);
    expect(
      told_ids.filter(
        (id) => !ended.has(id) && !unsure.has(id) && !runs.some((run) => run.id === id),
      ),
    ).toEqual([]);
  }
  // A run with an unknown outcome reached both webhooks or neither.
  const [a, b] = logs.map(
    (log) =>
      new Set(log.map(({ request_body }) => JSON.parse(request_body).import_run_id as string)),
  ) as [Set<string>, Set<string>];
  expect(a).toEqual(b);
  const interrupted = checkAttempts([...logs.flat(), ...(await documentsTold(runs))]);
  console.log(
    `${runs.length} imports, ${ended.size} other runs, ${logs.flat().length} deliveries, ${interrupted} attempts interrupted`,
  );
  expect([ended.size > kills, imports.size > 0]).toEqual([true, true]);
  await hooks.server.stop();
  expect(integrityErrors(hooks.server.data)).toEqual([]);
  // Shared originals are deleted only when no killed process could still be reading them.
  const left =
    "select name, state from core_jobs where state not in ('done', 'cancelled') " +
    "and name <> 'documents.delete_originals'";
  expect(await queryDatabase(hooks.server.data, left)).toEqual([]);
}, 600_000);

/** The document deliveries, once every imported document has been reported exactly once. */
async function documentsTold(runs: readonly { readonly documents: number }[]): Promise<any[]> {
  const expected = runs.reduce((sum, { documents }) => sum + documents, 0);
  let log: any[] = [];
  await until(
    async () => {
      log = await logOf(of_documents);
      return log.length >= expected && log.every(({ status }) => status !== "pending");
    },
    60_000 + kills * 5_000,
  );
  const told_ids = log.map(({ request_body }) => JSON.parse(request_body).document_id as string);
  expect([told_ids.length, new Set(told_ids).size]).toEqual([expected, expected]);
  return log;
}

/** Compares received messages with the log. Returns the number of interrupted attempts. */
function checkAttempts(deliveries: readonly any[]): number {
  let interrupted = 0;
  for (const { id, status, attempts } of deliveries) {
    const post_count = posts.get(id) ?? 0;
    expect(post_count).toBeLessThanOrEqual(attempts_max);
    expect(attempts.length).toBeLessThanOrEqual(attempts_max);
    // Each attempt is one POST, but an interrupted one may not have been sent.
    const cut = attempts.filter(({ error }: { error: string | null }) =>
      error?.startsWith("interrupted"),
    ).length;
    interrupted += cut;
    expect(post_count).toBeLessThanOrEqual(attempts.length);
    expect(post_count).toBeGreaterThanOrEqual(attempts.length - cut);
    expect([status, attempts.at(-1).status_code === 204]).toEqual([
      status === "delivered" ? "delivered" : "dropped",
      status === "delivered",
    ]);
    if (status === "dropped") expect(attempts.length).toBe(attempts_max);
  }
  expect(
    [...posts.keys()].filter((id) => !deliveries.some((delivery) => delivery.id === id)),
  ).toEqual([]);
  return interrupted;
}

/** Waits for all imports to end and checks that each has every page exactly once. */
async function importsEnded(): Promise<{ readonly id: string; readonly documents: number }[]> {
  const all = async (path: string): Promise<any[]> => {
    const { body } = await ada.send("GET", `${path}per_page=200`);
    expect(body.pagination.next_page).toBe(null);
    return body.data;
  };
  await until(
    async () => (await all("/imports?")).every(({ finished_at }) => finished_at !== null),
    60_000 + kills * 5_000,
  );
  const runs = await all("/imports?");
  expect([...imports].filter((id) => !runs.some((run) => run.id === id))).toEqual([]);
  for (const { id, folder_id, ...counts } of runs) {
    expect({ id, ...counts }).toMatchObject({
      id,
      status: "completed",
      total_item_count: pages,
      completed_item_count: pages,
      succeeded_item_count: pages,
      failed_item_count: 0,
    });
    const documents = await all(`/documents?folder_id=${folder_id}&`);
    expect(
      documents
        .map(({ source, version, status }) => [
          new URL(source.uri).pathname.split("/")[2],
          version,
          status,
        ])
        .sort(),
    ).toEqual(Array.from({ length: pages }, (_, page) => [String(page), 1, "synced"]));
  }
  return runs.map(({ id }) => ({ id, documents: pages }));
}
