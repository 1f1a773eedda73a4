/**
 * The effect of a backup on other requests: the slowest read and write while a backup of two
 * gigabytes is made and test-restored, beside the slowest without one. Time during which the
 * machine gives this process no CPU either is subtracted, because the server is not the cause of
 * that delay.
 */
import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { mustRun } from "../lib/launch";
import type { Row } from "./measure";
import { startDossier, temporaryDirectory, type Dossier } from "./server";

const database_mebibytes = 1_536;
const originals = 128;
const original_bytes = 4 * 2 ** 20;
const settle_ms = 15_000;
const quiet_ms = 20_000;
const pause_ms = 5;
const pulse_ms = 5;
const stall_ms_max = 100;

export async function backupRows(): Promise<Row[]> {
  const { directory, remove } = temporaryDirectory();
  try {
    const data = join(directory, "data");
    mkdirSync(data);
    const first = await startDossier(data);
    const { id } = await first.call<{ id: string }>("POST", "/folders", { name: "Bench" });
    await addOriginals(first, id);
    await first.stop();
    enlarge(data);
    const dossier = await startDossier(data, first.key);
    try {
      // Excludes work after the start, such as writing the reserve file.
      await Bun.sleep(settle_ms);
      const without = await longest(dossier, id, Bun.sleep(quiet_ms));
      const began = performance.now();
      const during = await longest(
        dossier,
        id,
        mustRun(data, ["backup", "--to", join(directory, "backups")]),
      );
      const seconds = (performance.now() - began) / 1_000;
      const measured =
        `${database_mebibytes} MiB of database, ${originals} originals, ` +
        `${seconds.toFixed(0)} s`;
      return [
        {
          name: "longest answer without a backup",
          value: without,
          unit: "ms",
          target: null,
          measured: `${quiet_ms / 1_000} s, the same load`,
        },
        {
          name: "longest answer during a backup",
          value: during,
          unit: "ms",
          target: { most: stall_ms_max },
          measured,
        },
      ];
    } finally {
      await dossier.stop();
    }
  } finally {
    remove();
  }
}

/** Unreadable files are kept as they are. */
async function addOriginals({ url, key }: Dossier, folder_id: string): Promise<void> {
  for (let n = 0; n < originals; n++) {
    const form = new FormData();
    form.append("file", new File([new Uint8Array(original_bytes).fill(n + 1)], `${n}.bin`));
    const response = await fetch(`${url}/api/dev/v1/documents/file?folder_id=${folder_id}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });
    if (!response.ok) throw new Error(`an upload answered ${response.status}`);
  }
}

/** Rows are inserted directly, because adding so many through the API would take too long. */
function enlarge(data: string): void {
  const database = new Database(join(data, "dossier.db"));
  database.run("create table bench_rows (id integer primary key, bytes blob)");
  const insert = database.prepare("insert into bench_rows (bytes) values (randomblob(16300))");
  database.run("begin");
  for (let n = 0; n < database_mebibytes * 64; n++) insert.run();
  database.run("commit");
  database.run("pragma wal_checkpoint(TRUNCATE)");
  database.close();
}

/** When, and by how many milliseconds, this process itself was late. */
class Pulse implements Disposable {
  private readonly late_spans: { readonly from_ms: number; readonly to_ms: number }[] = [];
  private readonly timer: ReturnType<typeof setInterval>;

  constructor() {
    let due_ms = performance.now() + pulse_ms;
    this.timer = setInterval(() => {
      const now_ms = performance.now();
      if (now_ms - due_ms > pulse_ms) this.late_spans.push({ from_ms: due_ms, to_ms: now_ms });
      due_ms = now_ms + pulse_ms;
    }, pulse_ms);
  }

  /** How late this process was since `began_ms`. */
  lateSince(began_ms: number): number {
    let sum = 0;
    for (const { from_ms, to_ms } of this.late_spans.toReversed()) {
      if (to_ms < began_ms) break;
      sum += to_ms - Math.max(from_ms, began_ms);
    }
    return sum;
  }

  [Symbol.dispose](): void {
    clearInterval(this.timer);
  }
}

/** The slowest response until `work` is done, in milliseconds: reads and writes alternate. */
async function longest(
  dossier: Dossier,
  folder_id: string,
  work: Promise<unknown>,
): Promise<number> {
  const state = { done: false };
  using pulse = new Pulse();
  const ended = work.finally(() => {
    state.done = true;
  });
  const ask = async (method: string, path: string, body?: object): Promise<number> => {
    let worst = 0;
    while (!state.done) {
      const began = performance.now();
      await dossier.call(method, path, body);
      // If the process was late, so was the response.
      const duration_ms = performance.now() - began;
      await Bun.sleep(pause_ms);
      worst = Math.max(worst, duration_ms - pulse.lateSince(began));
    }
    return worst;
  };
  const worst = await Promise.all([
    ask("GET", "/folders"),
    ask("POST", "/search", { query: "a pump that needs oil" }),
    ask("POST", "/documents", { folder_id, content: "A pump that needs oil every spring." }),
  ]);
  await ended;
  return Math.max(...worst);
}
