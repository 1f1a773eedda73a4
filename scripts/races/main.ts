/**
 * `npm run races -- ROUNDS [WORD]`: exceeds each limit from three processes on one PostgreSQL at
 * once, for so many rounds (default 1,000); WORD selects races by name. Rounds of a race run in
 * parallel for different users. Prints how often each limit was broken, and exits 1 if any was, or
 * if it was stopped.
 */
import { startCluster, type Cluster } from "./cluster";
import { Outside } from "./outside";
import { people_races, rate_races } from "./people";
import type { Lane, Race, Round, Send } from "./race";
import { quota_races, record_races } from "./records";
import { work_races } from "./work";

const rounds = Number(process.argv[2] ?? 1_000);
const word = process.argv[3] ?? "";
const lanes_max = 6;
/** Failures printed per race. */
const shown_max = 3;

/** Settings of the servers. */
const settings = {
  DOSSIER_RATE_LIMIT_REQUESTS: "1000000000",
  DOSSIER_WEBHOOKS_PER_ACCOUNT: "2",
  DOSSIER_WEBHOOKS_ALLOW_NETWORKS: "127.0.0.1/32",
  DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.0/8",
  DOSSIER_EVENTS_STREAMS_MAX: "2",
  DOSSIER_SERVER_TRUSTED_PROXIES: "127.0.0.1/32",
  // A user's share is an eighth of it, two.
  DOSSIER_ANSWERS_MODEL_CONCURRENCY: "16",
  DOSSIER_ANSWERS_TIMEOUT: "4m",
  DOSSIER_ANSWERS_FIRST_WORD_TIMEOUT: "4m",
  DOSSIER_TRANSCRIPTION_CONCURRENCY: "1",
};
/** Settings that some races need, and that would disturb the others. */
const quota_settings = {
  ...settings,
  DOSSIER_QUOTAS_FOLDERS: "4",
  DOSSIER_QUOTAS_DOCUMENTS: "4",
  DOSSIER_QUOTAS_STORAGE: "4KiB",
};
const rate_settings = {
  ...settings,
  DOSSIER_RATE_LIMIT_REQUESTS: "7",
  DOSSIER_RATE_LIMIT_WINDOW: "1000000h",
};

using outside = new Outside();
let broken_in_all = 0;
/** Finishes the rounds that have begun, and starts no further ones. */
let is_stopped = false;
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => {
    is_stopped = true;
  });

async function runAll(of: readonly Race[], env: Readonly<Record<string, string>>): Promise<void> {
  const chosen = of.filter(({ name }) => name.includes(word));
  if (chosen.length === 0 || is_stopped) return;
  await using cluster = await startCluster({ ...env, ...outside.env });
  for (const [at, race] of chosen.entries()) if (!is_stopped) await run(cluster, race, `race${at}`);
}

async function run(cluster: Cluster, race: Race, runner: string): Promise<void> {
  const lanes = Math.min(lanes_max, race.lanes_max ?? lanes_max, rounds);
  const begun_ms = performance.now();
  const broken: string[] = [];
  let next = 0;
  const goOn = async (round: Round): Promise<void> => {
    while (next < rounds && !is_stopped) {
      const n = next++;
      // Aborted rounds are reported as well, and the others continue.
      const wrong = await round(n).catch(String);
      if (wrong !== null) broken.push(`round ${n}: ${wrong}`);
    }
  };
  const ends: (() => unknown)[] = [];
  const lane = async (n: number): Promise<void> => {
    const send = sender(cluster, await cluster.key(`${runner}.${n}`));
    const { signIn, sql } = cluster;
    const lane: Lane = { n, outside, send, signIn, sql, atEnd: (work) => ends.push(work) };
    await goOn(await race.begin(lane));
  };
  await Promise.all(Array.from({ length: lanes }, (_, n) => lane(n)));
  for (const end of ends) await end();
  broken_in_all += broken.length;
  const seconds = ((performance.now() - begun_ms) / 1_000).toFixed(0);
  console.log(`${race.name}: ${next} rounds, ${broken.length} broken (${seconds} s)`);
  for (const line of broken.slice(0, shown_max)) console.log(`  ${line}`);
}

const sender =
  ({ urls }: Cluster, key: string): Send =>
  (node, method, path, body, headers = {}) => {
    const url = urls[node % urls.length]!;
    const is_form = body instanceof FormData;
    return fetch(path.startsWith("//") ? url + path.slice(1) : `${url}/api/dev/v1${path}`, {
      method,
      redirect: "manual",
      headers: {
        ...(headers["cookie"] === undefined && { authorization: `Bearer ${key}` }),
        origin: url,
        ...(body !== undefined && !is_form && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: is_form ? body : JSON.stringify(body) }),
    });
  };

await runAll([...record_races, ...people_races, ...work_races], settings);
await runAll(quota_races, quota_settings);
await runAll(rate_races, rate_settings);
console.log(broken_in_all === 0 ? "no limit was broken" : `${broken_in_all} rounds broke a limit`);
process.exit(broken_in_all === 0 && !is_stopped ? 0 : 1);
