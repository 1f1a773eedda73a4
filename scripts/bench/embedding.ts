/**
 * Rows: the effect on other requests while a folder gets its vectors, the time of a query with
 * them, and the memory of a server with nothing left to embed; beside a server without vectors.
 */
import { has_proc, median, quantile, rssMib, type Row } from "./measure";
import { noticedDuring, type Probe } from "./probe";
import { createKey } from "../lib/launch";
import { apiCall, startDossier, temporaryDirectory, type Dossier } from "./server";
import { makeText } from "./text";

const first_documents = 20;
/** More than are embedded during the measurement. */
const further_documents = 400;
const text_bytes = 3_000;
const probed_ms = 20_000;
const questions = 60;
/** Workers stop after half a minute. */
const idle_ms = 40_000;

interface Measured {
  readonly p99_ms: number;
  readonly question_ms: number;
  readonly idle_mib: number;
  /** Passages per second. */
  readonly speed: number | null;
}

export async function embeddingRows(): Promise<Row[]> {
  const no_vectors = await measured("none");
  const builtin = await measured("builtin");
  const rows: Row[] = [
    {
      name: "embedding: p99 of others / without",
      measured:
        `folders and documents of another user while ${further_documents} documents get their ` +
        `vectors: ${builtin.p99_ms.toFixed(1)} ms beside ${no_vectors.p99_ms.toFixed(1)} ms`,
      value: builtin.p99_ms / no_vectors.p99_ms,
      unit: "x",
      target: { most: 1.5 },
    },
    {
      name: "embedding: a question, with vectors",
      measured: `search, p50 of ${questions}; ${no_vectors.question_ms.toFixed(1)} ms by words`,
      value: builtin.question_ms,
      unit: "ms",
      target: { most: 60 },
    },
  ];
  if (builtin.speed !== null)
    rows.push({
      name: "embedding: passages",
      measured: "in a second, by half the cores, beside the requests above",
      value: builtin.speed,
      unit: "/s",
      target: null,
    });
  if (has_proc)
    rows.push({
      name: "embedding: memory at rest / without",
      measured:
        "after the last worker has ended: " +
        `${builtin.idle_mib.toFixed(0)} beside ${no_vectors.idle_mib.toFixed(0)} MiB`,
      value: builtin.idle_mib / no_vectors.idle_mib,
      unit: "x",
      target: { most: 1.25 },
    });
  return rows;
}

async function measured(provider: "builtin" | "none"): Promise<Measured> {
  const at = temporaryDirectory();
  const dossier = await startDossier(at.directory, undefined, {
    DOSSIER_EMBEDDINGS_PROVIDER: provider,
  });
  try {
    const folder = await add(dossier, first_documents);
    await settled(dossier, folder);
    const other_call = apiCall(dossier.url, await createKey(at.directory, "other@example.com"));
    await other_call("POST", "/folders", { name: "Mine" });
    const large = await add(dossier, further_documents);
    const before = await dossier.call<{ vectors_pending: number }>("GET", `/folders/${large}`);
    const { latencies } = await noticedDuring(dossier.pid, probesOf(other_call), () =>
      Bun.sleep(probed_ms),
    );
    const after = await dossier.call<{ vectors_pending: number }>("GET", `/folders/${large}`);
    if (provider === "builtin" && after.vectors_pending === 0)
      throw new Error("everything was embedded before the measurement ended");
    await dossier.call("DELETE", `/folders/${large}`);
    const question_ms = await askedIn(dossier, folder);
    if (has_proc) await Bun.sleep(idle_ms);
    const embedded = before.vectors_pending - after.vectors_pending;
    return {
      p99_ms: quantile([...latencies.values()].flat(), 0.99),
      question_ms,
      idle_mib: has_proc ? rssMib(dossier.pid) : 0,
      speed: embedded > 0 ? (embedded * passages_each) / (probed_ms / 1_000) : null,
    };
  } finally {
    await dossier.stop();
    at.remove();
  }
}
/** For a text of about that length. */
const passages_each = 3;

async function add({ call }: Dossier, count: number): Promise<string> {
  const { id } = await call<{ id: string }>("POST", "/folders", { name: "Embedded" });
  for (let i = 0; i < count; i++)
    await call("POST", "/documents", {
      folder_id: id,
      name: `${count} ${i}`,
      content: makeText(count + i, text_bytes),
    });
  return id;
}

async function settled({ call }: Dossier, folder: string): Promise<void> {
  for (;;) {
    const { status_counts, vectors_pending } = await call<{
      status_counts: { syncing: number };
      vectors_pending: number;
    }>("GET", `/folders/${folder}`);
    if (status_counts.syncing + vectors_pending === 0) return;
    await Bun.sleep(200);
  }
}

const probesOf = (other_call: Dossier["call"]): Probe[] => [
  { name: "folders", send: () => other_call("GET", "/folders") },
  {
    name: "a note",
    send: async () => {
      const { data } = await other_call<{ data: { id: string }[] }>("GET", "/folders");
      await other_call("GET", `/documents?folder_id=${data[0]!.id}`);
    },
  },
];

async function askedIn({ call }: Dossier, folder: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < questions; i++) {
    const begun = performance.now();
    await call("POST", "/search", {
      query: `Who looked after the boat number ${i}?`,
      folder_ids: [folder],
    });
    times.push(performance.now() - begun);
  }
  return median(times);
}
