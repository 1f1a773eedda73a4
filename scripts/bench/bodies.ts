/**
 * Rows: the effect of large hostile bodies on the memory of the server, and on another user. Run by
 * itself, this file is the sender: a separate process, so that it disturbs no measurement.
 */
import { createKey } from "../lib/launch";
import { has_proc, peakRssMib, quantile, resetPeak, type Row } from "./measure";
import { apiCall, cleanSpawn, startDossier, temporaryDirectory, type Dossier } from "./server";

const bodies = 40;
/** The size of each. */
export const body_bytes = 15_800_000;
const probe_every_ms = 5;

/** Nested lists, as many million as fit. */
export const nestedBody = (): string => {
  const before = `{"folder_id":"none","content":"","x":${"[".repeat(40)}`;
  const between = "[[]],";
  const after = `[]${"]".repeat(40)}}`;
  const room = body_bytes - before.length - after.length;
  return before + between.repeat(Math.floor(room / between.length)) + after;
};

/** The input of the sender. */
interface Order {
  readonly url: string;
  readonly key: string;
}

export async function bodyRows(): Promise<Row[]> {
  if (!has_proc) return [];
  const at = temporaryDirectory();
  const dossier = await startDossier(at.directory);
  try {
    const call = apiCall(dossier.url, await createKey(at.directory, "other@example.com"));
    const probe = async (): Promise<number> => {
      const started = performance.now();
      await call("GET", "/folders");
      return performance.now() - started;
    };
    for (let round = 0; round < 50; round++) await probe();
    resetPeak(dossier.pid);
    const sent = send(dossier);
    const times: number[] = [];
    while (!sent.isOver()) {
      times.push(await probe());
      await Bun.sleep(probe_every_ms);
    }
    const answers = await sent.answers;
    const peak_mib = peakRssMib(dossier.pid);
    const what = `${bodies} bodies of ${body_bytes / 1e6} MB of nested JSON with one key`;
    const measured = `${what} (${answers})`;
    const p50 = quantile(times, 0.5).toFixed(1);
    return [
      {
        name: "memory under large bodies",
        unit: "MiB",
        target: { most: 400 },
        value: peak_mib,
        measured: `most of ${measured}`,
      },
      {
        name: "list of another user under large bodies",
        unit: "ms",
        target: { most: 100 },
        value: quantile(times, 0.99),
        measured: `p99 of ${times.length} during ${measured}, p50 ${p50}`,
      },
    ];
  } finally {
    await dossier.stop();
    at.remove();
  }
}

/** A summary of responses: `40 × 400`. */
function send({ url, key }: Dossier): { readonly answers: Promise<string>; isOver(): boolean } {
  const order: Order = { url, key };
  const run = cleanSpawn(import.meta.path, JSON.stringify(order));
  return {
    answers: new Response(run.stdout).text(),
    isOver: () => run.exitCode !== null,
  };
}

if (import.meta.main) {
  const { url, key } = JSON.parse(await Bun.stdin.text()) as Order;
  const body = Buffer.from(nestedBody());
  const counts = new Map<string, number>();
  await Promise.all(
    Array.from({ length: bodies }, async () => {
      const status = await fetch(`${url}/api/dev/v1/documents`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body,
      }).then(
        (response) => String(response.status),
        () => "cut off",
      );
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }),
  );
  console.write([...counts].map(([status, count]) => `${count} × ${status}`).join(", "));
}
