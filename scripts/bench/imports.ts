/**
 * Rows: an import of a thousand pages, beside the same texts added as documents; its memory; and
 * the response times of other requests meanwhile.
 */
import { addTexts, temporaryDirectory, startDossier, type Dossier } from "./server";
import { has_proc, median, peakRssMib, quantile, resetPeak, rssMib, type Row } from "./measure";
import { makeTexts } from "./text";

/** On loopback, which the settings allow, so there are no politeness pauses. */
const allowed = "127.0.0.2";
const pages = 1_000;
/** For the warm-up, and as the baseline for the memory of the thousand. */
const few_pages = 200;
const alone_ms = 4_000;

interface Site {
  readonly urls: (round: string, count: number) => string[];
  stop(): void;
}
/** Each address is a page of its own, with navigation around one of the texts. */
function startSite(texts: readonly string[]): Site {
  const links = Array.from(
    { length: 40 },
    (_, n) => `<li><a href="/section/${n}">Section ${n}</a></li>`,
  ).join("");
  const server = Bun.serve({
    port: 0,
    hostname: allowed,
    fetch: (request) => {
      const n = Number(/\/(\d+)$/.exec(new URL(request.url).pathname)?.[1] ?? Number.NaN);
      if (Number.isNaN(n)) return new Response(null, { status: 404 });
      const text = texts[n]!.split("\n")
        .map((line) => `<p>${line}</p>`)
        .join("");
      const page =
        `<!doctype html><html><head><title>Page ${n}</title></head><body>` +
        `<nav><ul>${links}</ul></nav><main><h1>Page ${n}</h1>${text}</main>` +
        `<footer>${links}</footer></body></html>`;
      return new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } });
    },
  });
  return {
    urls: (round, count) =>
      Array.from({ length: count }, (_, n) => `http://${allowed}:${server.port}/${round}/${n}`),
    stop: () => void server.stop(true),
  };
}

/** Milliseconds until every page is indexed. */
async function importPages(dossier: Dossier, urls: readonly string[]): Promise<number> {
  const { id: folder_id } = await dossier.call<{ id: string }>("POST", "/folders", {
    name: "Pages",
  });
  const started = performance.now();
  const { id } = await dossier.call<{ id: string }>("POST", "/imports", {
    folder_id,
    source: { type: "urls", urls },
  });
  for (;;) {
    const run = await dossier.call<{ finished_at: string | null; succeeded_item_count: number }>(
      "GET",
      `/imports/${id}`,
    );
    if (run.finished_at !== null) {
      if (run.succeeded_item_count !== urls.length)
        throw new Error(`${urls.length - run.succeeded_item_count} pages were not imported`);
      return performance.now() - started;
    }
    await Bun.sleep(20);
  }
}

/** Durations of reads and searches from two clients until `done`, in milliseconds. */
async function latencies(dossier: Dossier, work: Promise<unknown>): Promise<number[]> {
  const all_ms: number[] = [];
  let over = false;
  void work.finally(() => {
    over = true;
  });
  const operations = [
    () => dossier.call("GET", "/folders?per_page=50"),
    () => dossier.call("POST", "/search", { query: "water", limit: 3 }),
  ];
  await Promise.all(
    operations.map(async (operation) => {
      while (!over) {
        const started = performance.now();
        await operation();
        all_ms.push(performance.now() - started);
        await Bun.sleep(5);
      }
    }),
  );
  return all_ms;
}

export async function importRows(): Promise<Row[]> {
  const temporary = temporaryDirectory();
  const texts = makeTexts(pages);
  const site = startSite(texts);
  const dossier = await startDossier(temporary.directory, undefined, {
    DOSSIER_IMPORTS_ALLOW_NETWORKS: allowed,
  });
  try {
    await importPages(dossier, site.urls("warm", few_pages));
    const { id: folder_id } = await dossier.call<{ id: string }>("POST", "/folders", {
      name: "Texts",
    });
    const added_ms = await addTexts(dossier, folder_id, texts);
    const alone = quantile(await latencies(dossier, Bun.sleep(alone_ms)), 0.99);
    const idle_mib = has_proc ? rssMib(dossier.pid) : 0;
    if (has_proc) resetPeak(dossier.pid);
    await importPages(dossier, site.urls("few", few_pages));
    const few_mib = has_proc ? peakRssMib(dossier.pid) : 0;
    if (has_proc) resetPeak(dossier.pid);
    const imported_ms = await importPages(dossier, site.urls("first", pages));
    const many_mib = has_proc ? peakRssMib(dossier.pid) : 0;
    const beside_import = importPages(dossier, site.urls("second", pages));
    const beside = quantile(await latencies(dossier, beside_import), 0.99);
    const second_ms = await beside_import;
    const rate = (1_000 * pages) / median([imported_ms, second_ms]);
    return [
      {
        name: `import of ${pages} pages`,
        unit: "pages/s",
        target: null,
        value: rate,
        measured:
          `fetched, main text taken, indexed: ${(imported_ms / 1_000).toFixed(1)} s; ` +
          `the same texts added as documents ${(added_ms / 1_000).toFixed(1)} s`,
      },
      {
        name: "requests beside an import",
        unit: "ms",
        target: null,
        value: beside,
        measured: `p99 of lists and searches beside it; alone ${alone.toFixed(1)} ms`,
      },
      ...(has_proc
        ? [
            {
              name: `memory of an import of ${pages} pages`,
              unit: "MiB",
              target: { most: 64 },
              value: many_mib - few_mib,
              measured:
                `peak beyond that of an import of ${few_pages} ` +
                `(${few_mib.toFixed(0)} MiB; idle ${idle_mib.toFixed(0)} MiB)`,
            } as const,
          ]
        : []),
    ];
  } finally {
    site.stop();
    await dossier.stop();
    temporary.remove();
  }
}
