/**
 * `npm run races -- ROUNDS [WORD]`: limits are fired at from three processes on one PostgreSQL at
 * once, so many rounds each (default 1,000), those with the word in their name. Prints how often
 * each was broken, and ends with 1 when any was.
 */
import { first_password } from "../lib/launch";
import { startCluster, type Cluster } from "./cluster";
import { startOutside } from "./outside";
import {
  documents,
  limited_settings,
  races,
  rate,
  scarce_settings,
  settings,
  type Race,
  type Round,
} from "./races";

const rounds = Number(process.argv[2] ?? 1_000);
const word = process.argv[3] ?? "";
/** Of one race that are printed. */
const shown_max = 3;
using outside = startOutside();
let broken_in_all = 0;
let started: Cluster | undefined;
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => {
    // Nothing is left running.
    void Promise.resolve(started?.[Symbol.asyncDispose]()).finally(() => process.exit(1));
  });

async function runAll(of: readonly Race[], env: Readonly<Record<string, string>>): Promise<void> {
  const asked = of.filter(({ name }) => name.includes(word));
  if (asked.length === 0) return;
  await using cluster = (started = await startCluster({ ...env, ...outside.env }));
  for (const [at, race] of asked.entries()) await run(cluster, race, `racer${at}`);
}

async function run(cluster: Cluster, race: Race, who: string): Promise<void> {
  const send = sender(cluster, await cluster.key(who));
  const begun_ms = performance.now();
  const broken: string[] = [];
  for (let n = 0; n < rounds; n++) {
    const round = { ...outside, n, send, signIn: signer(cluster, send) };
    // What breaks off is told as well, and the other rounds go on.
    const wrong = await race.run(round).catch(String);
    if (wrong !== null) broken.push(`round ${n}: ${wrong}`);
  }
  broken_in_all += broken.length;
  const seconds = ((performance.now() - begun_ms) / 1_000).toFixed(0);
  console.log(`${race.name}: ${rounds} rounds, ${broken.length} broken (${seconds} s)`);
  for (const one of broken.slice(0, shown_max)) console.log(`  ${one}`);
}

const sender =
  ({ urls }: Cluster, key: string): Round["send"] =>
  (node, method, path, body, headers = {}) => {
    const url = urls[node % urls.length]!;
    const is_form = body instanceof FormData;
    return fetch(path.startsWith("//") ? url + path.slice(1) : `${url}/api/dev/v1${path}`, {
      method,
      headers: {
        ...(headers["cookie"] === undefined && { authorization: `Bearer ${key}` }),
        origin: url,
        ...(body !== undefined && !is_form && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: is_form ? body : JSON.stringify(body) }),
    });
  };

const signer =
  (cluster: Cluster, send: Round["send"]): Round["signIn"] =>
  async (name, role) => {
    await cluster.key(name, role);
    const answer = await send(0, "POST", "//console/api/v1/session", {
      email: `${name}@example.com`,
      password: first_password,
    });
    const { user } = (await answer.json()) as { readonly user: { readonly id: string } };
    const [cookie = ""] = answer.headers.getSetCookie().map((one) => one.split(";")[0]!);
    return { cookie, user_id: user.id };
  };

await runAll(races, settings);
await runAll([documents], scarce_settings);
await runAll([rate], limited_settings);
console.log(broken_in_all === 0 ? "no limit was broken" : `${broken_in_all} rounds broke a limit`);
process.exit(broken_in_all === 0 ? 0 : 1);
